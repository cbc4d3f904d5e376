// The containment `windows_sandbox`: a virtual machine of Windows for one command, without a network.
#pragma once

#include "mxc/backend.h"

namespace mxc::windows_sandbox {

[[nodiscard]] const Backend& WindowsSandboxBackend();
[[nodiscard]] Explanation Explain();  // its part of --explain

}  // namespace mxc::windows_sandbox
