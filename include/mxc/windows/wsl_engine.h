// What holds a command in a distribution of WSL: the mxc-exec inside says it, this gives it its name on
// Windows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

// "wsl-unshare" of "namespaces", "wsl-bwrap" of "bubblewrap", "wsl-NAME" of any other.
[[nodiscard]] std::string WslEngine(std::string_view backend);

// The answer of an mxc-exec to --probe.
struct InnerProbe {
  std::string version = {};  // empty: it is no such answer
  std::vector<std::string> engines =
      {};  // those that can hold a run as `wslc` wants it, the preferred one first
};
[[nodiscard]] InnerProbe ReadInnerProbe(const std::string& text);

}  // namespace mxc
