// Names, on Windows, of the containments that the mxc-exec in a WSL distribution reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

// "wsl-unshare" for "namespaces", "wsl-bwrap" for "bubblewrap", "wsl-NAME" for any other.
[[nodiscard]] std::string WslEngine(std::string_view backend);

// The answer of an mxc-exec to --probe.
struct InnerProbe {
  std::string version = {};  // empty: not such an answer
  // The engines that can enforce a run of `wslc`, the preferred one first.
  std::vector<std::string> engines = {};
};
[[nodiscard]] InnerProbe ReadInnerProbe(const std::string& text);

}  // namespace mxc
