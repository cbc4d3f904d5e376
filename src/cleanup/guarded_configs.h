// The cleanup process's part of git configurations that a command may write: locks them against other runs,
// and restores them if nobody has judged them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cleanup/guarded_config.h"
#include "cleanup/guarded_paths.h"

namespace mxc {

// Locks the directory of each configuration; one with `alone` excludes all other runs. Stops at the first
// that another run has locked (EWOULDBLOCK), or whose text has changed (ESTALE): returns its index and sets
// errno; configs.size() if all are locked. Skips directories that `guarded` has locked.
[[nodiscard]] std::size_t LockConfigs(const std::vector<GuardedConfig>& configs, const GuardedPaths& guarded,
                                      std::vector<UniqueFd>& locks);

// Notes which directory each of them is in.
void NoteDirectories(std::vector<GuardedConfig>& configs);

struct RestoredConfigs {
  std::size_t count = 0;
  struct Left {
    GuardedConfig config = {};
    std::string why = {};
    bool other = false;  // another directory has the name of its own, in which a later call restores nothing
  };
  std::vector<Left> left = {};  // not restored: the directory was moved, or cannot be written
};

// When a run ends, what the command has put in the place of a directory is its own: the configuration is
// restored there as well. Later the user may have.
enum class InOtherDirectories { kRestore, kLeave };

// Restores each configuration that has changed.
[[nodiscard]] RestoredConfigs RestoreConfigs(const std::vector<GuardedConfig>& configs,
                                             InOtherDirectories others = InOtherDirectories::kRestore);

}  // namespace mxc
