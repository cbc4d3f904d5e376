// The parts of --explain that Linux backends share.
#pragma once

#include <string>
#include <string_view>

#include "mxc/backend.h"
#include "mxc/sandbox/linux_sandbox.h"

namespace mxc::linux_backend {

[[nodiscard]] std::string_view ProfileText(SeccompProfile profile);
void ExplainSandbox(const LinuxSandbox& sandbox, ExplainPage& page);
[[nodiscard]] std::string SandboxJson(const LinuxSandbox& sandbox);  // an object

// For a plan with a LinuxSandbox: the part of namespaces and bubblewrap.
[[nodiscard]] Explanation ExplainLinuxSandbox();

}  // namespace mxc::linux_backend
