// Process 1 of a sandbox that stays, where a tool has built the sandbox: the tool executes this program in
// there, with kSessionInitFlag (mxc/plan.h) and the number of a socket to the holder. Our own engine comes to
// the same without execve.
#pragma once

namespace mxc {

// Reports on the socket that it is ready, then does not return: SandboxRequest::session in engine.h says what
// goes over it. Confines nothing: that is done. The status to exit with when `socket` is the number of none.
[[nodiscard]] int RunSessionInit(const char* socket);

}  // namespace mxc
