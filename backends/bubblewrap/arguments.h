// Renders a LinuxSandbox as arguments of bwrap.
#pragma once

#include <cstddef>

#include "mxc/backend.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/sandbox/linux_sandbox.h"

namespace mxc::bubblewrap {

// bwrap counts every argument, with those of --args, and fails above this.
inline constexpr std::size_t kMaxArguments = 9000;

struct Rendered {
  Exec exec = {};
  std::size_t arguments = 0;  // more than kMaxArguments: bwrap refuses
};

// Errors: kConflict if an argument is too long for execve.
[[nodiscard]] Result<Rendered> RenderArguments(const LinuxSandbox& sandbox, const Support& support);

}  // namespace mxc::bubblewrap
