// The landlock backend: a Policy enforced by Landlock and seccomp alone, for hosts without user namespaces.
// The weakest isolation level of "process" on Linux.
#pragma once

#include "mxc/backend.h"

namespace mxc::landlock {

[[nodiscard]] const Backend& LandlockBackend();
[[nodiscard]] Explanation Explain();  // its part of --explain

// The two functions of the backend. Support::landlock_abi decides what is enforced.
[[nodiscard]] Support ProbeLandlock(const Host& host, ProbeDepth depth);
[[nodiscard]] Result<Plan> PlanLandlock(const Policy& policy, const Support& support);

// ABI 1 forbids all renames between directories. ABI 2 does not see truncation: seccomp denies the calls that
// would use that.
inline constexpr int kLowestAbi = 2;
inline constexpr int kScopedAbi = 6;  // signals and abstract sockets stay inside

}  // namespace mxc::landlock
