// The sandbox's own parts of its tree: what the host has at these paths never shows.
#pragma once

#include <array>
#include <string_view>

namespace mxc::linux_backend {

// Nodes like any other, so that a grant of "/" stands behind them.
inline constexpr std::array<std::string_view, 5> kOwnNodes = {"/dev", "/dev/shm", "/proc", "/sys", "/tmp"};

// At or below /dev, /proc or /sys.
[[nodiscard]] bool IsFromKernel(std::string_view path);
// Stands at `path` in the sandbox's own /proc or /dev as it does on the host.
[[nodiscard]] bool ExistsInside(std::string_view path);

}  // namespace mxc::linux_backend
