// A LinuxSandbox as what bwrap is started with.
#pragma once

#include "mxc/backend.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/sandbox/linux_sandbox.h"

namespace mxc::bubblewrap {

// bwrap counts every argument, those of --args included, and stops above this.
inline constexpr std::size_t kMaxArguments = 9000;

// Errors: kConflict when the policy needs more arguments than bwrap takes, or one longer than execve takes.
[[nodiscard]] Result<Exec> RenderArguments(const LinuxSandbox& sandbox, const Support& support);

}  // namespace mxc::bubblewrap
