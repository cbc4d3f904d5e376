// What the section `kubernetes` says.
#pragma once

#include "mxc/error.h"
#include "mxc/json.h"
#include "mxc/kubernetes/pod_run.h"

namespace mxc::kubernetes {

// All of a PodRun that is written. Decode has checked the types. Errors: kConflict for names and paths that a
// cluster cannot have, risks that there are not, and a section that names no warm pool; kNotBuilt for
// `template`.
[[nodiscard]] Result<PodRun> ReadSection(const Json& section);

}  // namespace mxc::kubernetes
