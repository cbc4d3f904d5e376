// Configurations of git's that a command may write: who else may meanwhile, and what stands there when nobody
// has judged them. The cleanup process's part.
#pragma once

#include <cstddef>
#include <string>
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

struct RestoredConfigs {
  std::size_t count = 0;
  struct Left {
    GuardedConfig config = {};
    std::string why = {};
  };
  std::vector<Left> left = {};  // their directory is elsewhere, or they cannot be written
};

// Puts back each that is not what it was. `again`: not in a directory that only has the name of the one of
// then, where it was put back at the first time.
[[nodiscard]] RestoredConfigs RestoreConfigs(const std::vector<GuardedConfig>& configs, bool again = false);

}  // namespace mxc
