// Who runs mxc-exec.
#pragma once

#include <cstdint>

namespace mxc {

// Who starts the sandbox. Files are checked against this identity; the child keeps it, without capabilities.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  [[nodiscard]] bool IsRoot() const { return uid == 0; }
};

}  // namespace mxc
