// How many descriptors each kind of traffic may take, so that none takes what another needs.
#pragma once

#include <algorithm>
#include <cstddef>

namespace mxc::egress {

struct Shares {
  std::size_t connections = 0;  // of TCP: two sockets and, at worst, two pipes each
  std::size_t flows = 0;        // of UDP: a socket each
  std::size_t lookups = 0;      // names that are being resolved: two sockets each
};

// `files`: RLIMIT_NOFILE. Three quarters of what there is above the first 256 are for connections. Those 256
// are for listeners, DNS over TCP and published ports.
constexpr Shares SharesOf(std::size_t files) {
  constexpr std::size_t kOthers = 256, kFewest = 512;
  const std::size_t room = std::max(files, kFewest) - kOthers;
  return {.connections = std::min<std::size_t>(4096, room / 8),
          .flows = std::min<std::size_t>(2048, room / 8),
          .lookups = std::min<std::size_t>(256, room / 16)};
}

}  // namespace mxc::egress
