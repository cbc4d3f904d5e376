// Process 1 of a persistent sandbox, where a tool has built the sandbox: the tool executes this program in
// there, with kSessionInitFlag (mxc/plan.h). Our own engine comes to the same without execve.
#pragma once

#include <span>

namespace mxc {

// Reports on the socket that it is ready, then does not return: SandboxRequest::session in engine.h says what
// goes over it. `arguments`: the numbers of a descriptor of the host's /proc, of a SeccompProfile, and of a
// socket to the daemon. The status to exit with when they are none.
[[nodiscard]] int RunSessionInit(std::span<char* const> arguments);

}  // namespace mxc
