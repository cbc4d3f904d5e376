// Process 1 of a persistent sandbox that another tool has built: the tool executes this program inside, with
// kSessionInitFlag. Our own engine runs the same code without execve.
#pragma once

#include <span>

namespace mxc {

// Reports on the socket that it is ready, and does not return; engine.h describes the socket
// (SandboxRequest::session). `arguments`: a descriptor of the host's /proc, the number of a SeccompProfile,
// a socket for its mount namespace (a Discard's), and a socket to the daemon. Returns an exit status if they
// are invalid.
[[nodiscard]] int RunSessionInit(std::span<char* const> arguments);

}  // namespace mxc
