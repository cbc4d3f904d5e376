// A program that must be one certain file. What is hashed is the open file that is executed: whatever happens
// to its name in between. Linux only.
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

struct PinnedProgram {
  UniqueFd file = {};
  // For execve: the open file by way of /proc, or the path itself where nothing is pinned. Valid while `file`
  // is open, also in a child.
  std::string executable = {};
};

// `sha256`: 64 digits; empty: whatever stands there. Errors: kConflict, with both hashes; kSetupFailed.
[[nodiscard]] Result<PinnedProgram> OpenPinned(const std::string& path, const std::string& sha256);

// Of a regular file. Errors: kSetupFailed.
[[nodiscard]] Result<std::string> Sha256OfFile(const std::string& path);

}  // namespace mxc
