// The sandbox's own parts of its tree: the host's files at these paths are never visible.
#pragma once

#include <array>
#include <string_view>

namespace mxc::linux_backend {

// Mounted like any other node, after a grant of "/".
inline constexpr std::array<std::string_view, 5> kOwnNodes = {"/dev", "/dev/shm", "/proc", "/sys", "/tmp"};

// Whether it is at or below /dev, /proc or /sys.
[[nodiscard]] bool IsFromKernel(std::string_view path);
// Whether `path` exists in the sandbox's own /proc or /dev as it does on the host.
[[nodiscard]] bool ExistsInside(std::string_view path);

}  // namespace mxc::linux_backend
