// What LXC makes of a LinuxSandbox: an empty container, as lxc.container.conf(5) has it.
#pragma once

#include <string>

#include "mxc/policy.h"
#include "mxc/sandbox/linux_sandbox.h"

namespace mxc::lxc {

[[nodiscard]] std::string RenderConfiguration(const LinuxSandbox& sandbox, const Identity& caller);

}  // namespace mxc::lxc
