// Configurations of git's that a command may write: who else may meanwhile, and what stands there when nobody
// has judged them. The cleanup process's part.
#pragma once

#include <cstddef>
#include <vector>

#include "base/unique_fd.h"
#include "cleanup/guarded_config.h"
#include "cleanup/guarded_paths.h"

namespace mxc {

// Locks the directory of each; a run that must be alone excludes all others, here and in other launchers.
// Stops at the first that another run has, or that says something else than it did: returns its index and
// sets errno (EWOULDBLOCK, ESTALE); configs.size() when all are locked. What `guarded` locks is ours.
[[nodiscard]] std::size_t LockConfigs(const std::vector<GuardedConfig>& configs, const GuardedPaths& guarded,
                                      std::vector<UniqueFd>& locks);
// Puts back each that is not what it was; how many there were.
std::size_t RestoreConfigs(const std::vector<GuardedConfig>& configs);

}  // namespace mxc
