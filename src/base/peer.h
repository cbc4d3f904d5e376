// Who is at the other end of a connected Unix socket, as the kernel says.
#pragma once

#include <sys/types.h>

#include <string>

namespace mxc {

// The process that has connected, or listens: of our user or root, alive, and in the pid namespace in which
// we are, which no command of a sandbox with sockets is. 0: another, or nobody knows. Linux.
[[nodiscard]] pid_t PeerOutsideSandboxes(int socket);

// Whether such a process listens at the abstract name: any other user can take a name. Does not wait.
[[nodiscard]] bool IsListenedOutsideSandboxes(const std::string& abstract_name);

}  // namespace mxc
