// The LXC backend: LXC creates the namespaces; our own engine is the container's process 1 and builds the
// LinuxSandbox in them.
#pragma once

#include "mxc/backend.h"

namespace mxc::lxc {

[[nodiscard]] const Backend& LxcBackend();
[[nodiscard]] Explanation Explain();  // its part of --explain

// The two functions of the backend.
[[nodiscard]] Support ProbeLxc(const Host& host, ProbeDepth depth);
[[nodiscard]] Result<Plan> PlanLxc(const Policy& policy, const Support& support);

}  // namespace mxc::lxc
