// Sockets by path that a process has bound: Host::LiveSockets. It runs at every launch with a grant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

// Canonical paths, each once, in order. Of a socket file whether somebody has bound it is asked of the kernel
// by a datagram socket that connects: no server sees that. One that this user can neither use nor open for
// himself is left out, as is one that nobody has bound any more.
[[nodiscard]] std::vector<std::string> FindLiveSockets(const std::vector<std::string>& directories,
                                                       const std::vector<std::string>& skipped);

// What the kernel's list of sockets says of paths.
struct ListedSockets {
  std::vector<std::string> paths = {};  // absolute, as they were bound
  bool others = false;                  // some were bound by a path of which the list does not tell all
};
// `text`: of /proc/net/unix.
[[nodiscard]] ListedSockets ParseListedSockets(std::string_view text);

}  // namespace mxc
