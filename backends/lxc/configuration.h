// Renders the empty container for a LinuxSandbox as lxc.container.conf(5).
#pragma once

#include <string>

#include "mxc/policy.h"
#include "mxc/sandbox/linux_sandbox.h"

namespace mxc::lxc {

[[nodiscard]] std::string RenderConfiguration(const LinuxSandbox& sandbox, const Identity& caller);

}  // namespace mxc::lxc
