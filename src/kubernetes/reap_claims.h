// Claims that were left.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/kubernetes/pod_run.h"

namespace mxc::kubernetes {

// Deletes the claims of the namespace that are ours and past their lease: what the cluster should have done.
// Their names.
[[nodiscard]] Result<std::vector<std::string>> ReapClaims(const PodRun& run);

}  // namespace mxc::kubernetes
