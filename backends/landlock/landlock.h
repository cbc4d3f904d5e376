// The landlock backend: a Policy held by Landlock and seccomp alone, for hosts that hand out no namespaces.
// The weakest isolation level of what "process" means on Linux.
#pragma once

#include "mxc/backend.h"

namespace mxc::landlock {

[[nodiscard]] const Backend& LandlockBackend();
[[nodiscard]] Explanation Explain();  // its part of --explain

// The two functions of the backend. Support::landlock_abi decides what can be claimed.
[[nodiscard]] Support ProbeLandlock(const Host& host, ProbeDepth depth);
[[nodiscard]] Result<Plan> PlanLandlock(const Policy& policy, const Support& support);

// Renames between directories are allowed since ABI 2, and the launcher closes with seccomp what ABI 2 leaves
// open about truncation.
inline constexpr int kLowestAbi = 2;
inline constexpr int kScopedAbi = 6;  // signals and abstract sockets stay inside

}  // namespace mxc::landlock
