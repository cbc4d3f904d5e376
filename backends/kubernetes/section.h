// Reads the section `kubernetes`.
#pragma once

#include "mxc/error.h"
#include "mxc/json.h"
#include "mxc/kubernetes/pod_run.h"

namespace mxc::kubernetes {

// The fields of a PodRun that the section sets. Decode has checked the types. Errors: kConflict for names and
// paths that a cluster cannot have, unknown risks, and a section that names no warm pool; kNotBuilt for
// `template`.
[[nodiscard]] Result<PodRun> ReadSection(const Json& section);

}  // namespace mxc::kubernetes
