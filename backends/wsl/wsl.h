// The containment `wslc`: the Linux mxc-exec in a distribution of WSL, with the policy translated for it.
#pragma once

#include "mxc/backend.h"

namespace mxc::wsl {

[[nodiscard]] const Backend& WslBackend();
[[nodiscard]] Explanation Explain();  // its part of --explain

}  // namespace mxc::wsl
