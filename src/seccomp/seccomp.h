// The seccomp programs compiled when this program was built.
//
//   std::span<const std::byte> program = SeccompProgram(SeccompProfile::kDefault);
//   // an array of `struct sock_filter`, as seccomp(2) and `bwrap --seccomp` take it
#pragma once

#include <cstddef>
#include <span>

#include "mxc/sandbox/linux_sandbox.h"

namespace mxc {

// Static storage; never empty.
[[nodiscard]] std::span<const std::byte> SeccompProgram(SeccompProfile profile);

}  // namespace mxc
