// Sockets for threads of their own: what a thread waits for, it waits for here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "gateway/rules/address.h"

namespace mxc::egress {

// Neither inherited nor blocking.
[[nodiscard]] UniqueFd Prepared(UniqueFd socket);
// Port 0: one that is free. Invalid, with errno, when it cannot be had.
[[nodiscard]] UniqueFd ListenOnLoopback(std::uint16_t port);
[[nodiscard]] std::uint16_t PortOf(int socket);

// False: not within `limit_ms`.
[[nodiscard]] bool Await(int socket, short events, int limit_ms);

struct Reached {
  UniqueFd socket = {};      // invalid: none answered
  std::string address = {};  // the last that was tried
  int error = 0;             // of it
};
// One after the other.
[[nodiscard]] Reached DialFirst(const std::vector<IpEndpoint>& endpoints);

// As this system resolves it; none: it has no address.
[[nodiscard]] std::vector<IpAddress> AddressesOf(const std::string& name);

// False: the other end is gone, or takes nothing.
bool SendAll(int socket, std::string_view text);

}  // namespace mxc::egress
