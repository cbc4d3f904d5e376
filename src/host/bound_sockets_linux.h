// Unix sockets by path that a process has bound, as the kernel tells of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct BoundSocket {
  std::string path = {};     // as it was bound: perhaps relative, perhaps renamed since
  std::uint64_t device = 0;  // st_dev of its file, but on btrfs
  std::uint32_t inode = 0;   // the lower half
};

// Of this network namespace, by sock_diag(7). None: the kernel does not tell.
[[nodiscard]] std::optional<std::vector<BoundSocket>> ListBoundSockets();

// Of all processes that this one may ask: most sockets with a relative path were bound in one of these.
[[nodiscard]] std::vector<std::string> WorkingDirectories();

// Whether some socket is bound by a path in another network namespace that a visible process is in. Of these
// nobody learns which files they are.
[[nodiscard]] bool OthersHaveBoundSockets();

// `text`: of /proc/net/unix. Whether a socket in it is bound by a path.
[[nodiscard]] bool ListsPaths(std::string_view text);

}  // namespace mxc
