// A LinuxSandbox as what bwrap is started with.
#pragma once

#include <cstddef>

#include "mxc/backend.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/sandbox/linux_sandbox.h"

namespace mxc::bubblewrap {

// bwrap counts every argument, those of --args included, and stops above this.
inline constexpr std::size_t kMaxArguments = 9000;

struct Rendered {
  Exec exec = {};
  std::size_t arguments = 0;  // more than kMaxArguments: bwrap refuses
};

// Errors: kConflict when an argument is longer than execve takes.
[[nodiscard]] Result<Rendered> RenderArguments(const LinuxSandbox& sandbox, const Support& support);

}  // namespace mxc::bubblewrap
