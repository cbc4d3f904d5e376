// Sockets for threads that may wait: these functions wait with a limit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "gateway/rules/address.h"

namespace mxc::egress {

// Makes it close-on-exec and non-blocking.
[[nodiscard]] UniqueFd Prepared(UniqueFd socket);
// Port 0: a free one. Invalid, with errno, if that fails.
[[nodiscard]] UniqueFd ListenOnLoopback(std::uint16_t port);
[[nodiscard]] std::uint16_t PortOf(int socket);

// False: no event within `limit_ms`.
[[nodiscard]] bool Await(int socket, short events, int limit_ms);

struct Reached {
  UniqueFd socket = {};      // invalid: none answered
  std::string address = {};  // the last one tried
  int error = 0;             // of the last one tried
};
// Dials one after the other until one answers.
[[nodiscard]] Reached DialFirst(const std::vector<IpEndpoint>& endpoints);

// Resolves it by the system's resolver; empty: it has no address.
[[nodiscard]] std::vector<IpAddress> AddressesOf(const std::string& name);

// False: the other end has closed, or reads nothing.
bool SendAll(int socket, std::string_view text);

}  // namespace mxc::egress
