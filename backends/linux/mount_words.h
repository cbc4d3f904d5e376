// The nodes of a mount tree in words, for both renderings of --explain.
#pragma once

#include <string>

#include "mxc/sandbox/linux_sandbox.h"

namespace mxc::linux_backend {

struct MountWords {
  std::string kind = {};  // "read-only", "read-write", "pinned", "tmpfs", "masked", ...
  std::string target = {};
  std::string detail = {};  // size and mode of a tmpfs, text of a symlink; may be empty
};

[[nodiscard]] MountWords Words(const MountNode& node);

}  // namespace mxc::linux_backend
