// The user who runs mxc-exec.
#pragma once

#include <cstdint>

namespace mxc {

// The user who starts the sandbox. Access to files is checked for this identity; the child keeps it, without
// capabilities.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  [[nodiscard]] bool IsRoot() const { return uid == 0; }
};

}  // namespace mxc
