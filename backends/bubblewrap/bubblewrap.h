// The bubblewrap backend: a LinuxSandbox rendered as arguments of `bwrap`.
#pragma once

#include "mxc/backend.h"

namespace mxc::bubblewrap {

[[nodiscard]] const Backend& BubblewrapBackend();

// The two functions of the backend. Features that ProbeBubblewrap reports:
//   bind-fd, size   options this bwrap knows
//   setuid          bwrap is set-uid root and takes no sizes
[[nodiscard]] Support ProbeBubblewrap(const Host& host, ProbeDepth depth);
[[nodiscard]] Result<Plan> PlanBubblewrap(const Policy& policy, const Support& support);

}  // namespace mxc::bubblewrap
