// The Seatbelt backend: a Policy as a profile of macOS's sandbox, which the kernel applies to a process and
// its descendants.
#pragma once

#include "mxc/backend.h"

namespace mxc::seatbelt {

[[nodiscard]] const Backend& SeatbeltBackend();
[[nodiscard]] Explanation Explain();  // its part of --explain

// The two functions of the backend. Features that ProbeSeatbelt reports:
//   gateway   the network gateway can be run in front of the sandbox
[[nodiscard]] Support ProbeSeatbelt(const Host& host, ProbeDepth depth);
[[nodiscard]] Result<Plan> PlanSeatbelt(const Policy& policy, const Support& support);

}  // namespace mxc::seatbelt
