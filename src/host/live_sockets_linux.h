// Sockets by path that a process has bound: Host::LiveSockets. It runs at every launch.
#pragma once

#include <string>
#include <vector>

#include "mxc/host.h"

namespace mxc {

// Canonical paths, each once, in order. A socket that is not where it was bound, or has more names, is looked
// for in all directories of its file system; each may be a socket itself. Root is told by the kernel where it
// is, or that it has no name any more. Where one is not found, or the kernel does not tell which there are,
// the directories that cannot be searched are in the answer as well, and a search that does not come to its
// end answers with all that it began with.
//
// Of a socket file that the kernel's list does not tell of, whether somebody has bound it is asked by a
// datagram socket that connects: no server sees that. One that this user can neither use nor open for himself
// is left out, as is one that nobody has bound any more.
[[nodiscard]] std::vector<std::string> FindLiveSockets(const SocketPlaces& places);

}  // namespace mxc
