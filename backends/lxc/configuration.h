// What LXC makes of a LinuxSandbox: an empty container, as lxc.container.conf(5) has it.
#pragma once

#include <string>

#include "mxc/linux_sandbox.h"
#include "mxc/policy.h"

namespace mxc::lxc {

[[nodiscard]] std::string RenderConfiguration(const LinuxSandbox& sandbox, const Identity& caller);

}  // namespace mxc::lxc
