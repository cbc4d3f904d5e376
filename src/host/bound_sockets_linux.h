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
  std::uint32_t number = 0;  // of the socket itself, as /proc/PID/fd shows it
};

// Of this network namespace, by sock_diag(7). None: the kernel does not tell.
[[nodiscard]] std::optional<std::vector<BoundSocket>> ListBoundSockets();

// Of all processes that this one may ask: most sockets with a relative path were bound in one of these.
[[nodiscard]] std::vector<std::string> WorkingDirectories();

// Of every other network namespace that a visible process is in, their paths seen from there. None: some have
// bound sockets, and do not tell which; they tell root alone.
[[nodiscard]] std::optional<std::vector<BoundSocket>> ListOthersBoundSockets();

// `text`: of /proc/net/unix. Whether a socket in it is bound by a path.
[[nodiscard]] bool ListsPaths(std::string_view text);

}  // namespace mxc
