// Who is at the other end of a connected Unix socket, as the kernel says.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace mxc {

// The process that has connected, or listens: of our user or root, alive, and in the pid namespace in which
// we are, which no command of a sandbox with sockets is. 0: another, or nobody knows. Linux.
[[nodiscard]] pid_t PeerOutsideSandboxes(int socket);

// Whether such a process listens at the abstract name: any other user can take a name. Does not wait.
[[nodiscard]] bool IsListenedOutsideSandboxes(const std::string& abstract_name);

// Some socket has the abstract name, whether or not it listens. For a moment this process may have it.
[[nodiscard]] bool IsNameBound(const std::string& abstract_name);
// The user whose process, of whatever namespace, listens at the abstract name. Does not wait. Linux.
[[nodiscard]] std::optional<uid_t> ListenerAt(const std::string& abstract_name);

}  // namespace mxc
