// What is put back when a run has ended and nobody has judged what it left.
#pragma once

#include <cstdint>
#include <string>

namespace mxc {

// A configuration of git's that the command may write. Unless the launcher says that it has judged what the
// command left, `text` stands there again at the end.
struct GuardedConfig {
  std::string path = {};
  std::string text = {};
  unsigned mode = 0600;         // no right that it did not give then
  std::uint64_t directory = 0;  // the inode of the one that it stands in; 0: not known
  bool alone = false;  // no other run may write it meanwhile: it could put back what this one took away
};

}  // namespace mxc
