// Configurations that are restored when a run has ended and nobody has judged them.
#pragma once

#include <string>

namespace mxc {

// A git configuration that the command may write. The cleanup process writes `text` to it when the run has
// ended, unless the launcher says that it has judged what the command left.
struct GuardedConfig {
  std::string path = {};
  std::string text = {};
  unsigned mode = 0600;        // the most that it may be restored with
  std::string directory = {};  // identity of its parent directory, noted when the cleanup process starts
  bool alone = false;  // no other run may write it meanwhile, which could restore what this one removes
};

}  // namespace mxc
