// Sockets by path that a process has bound: Host::LiveSockets. It runs at every launch.
#pragma once

#include <string>
#include <vector>

namespace mxc {

// Canonical paths, each once, in order. A socket that is not where it was bound, or has more names, is looked
// for in `directories`, but not below `skipped`; each may be a socket itself. Where one is not found, or the kernel does not tell
// which there are, the directories that cannot be searched are in the answer as well, and a search that does
// not come to its end answers with `directories`.
//
// Of a socket file that the kernel's list does not tell of, whether somebody has bound it is asked by a
// datagram socket that connects: no server sees that. One that this user can neither use nor open for himself
// is left out, as is one that nobody has bound any more.
[[nodiscard]] std::vector<std::string> FindLiveSockets(const std::vector<std::string>& directories,
                                                       const std::vector<std::string>& skipped);

}  // namespace mxc
