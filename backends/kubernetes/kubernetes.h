// The containment `kubernetes`: claims a pod of a cluster and judges it; the mxc-exec in it runs the command
// with the same policy.
#pragma once

#include "mxc/backend.h"

namespace mxc::kubernetes {

[[nodiscard]] const Backend& KubernetesBackend();
[[nodiscard]] Support Probe(const Host& host, ProbeDepth depth);
[[nodiscard]] Explanation Explain();  // its part of --explain

}  // namespace mxc::kubernetes
