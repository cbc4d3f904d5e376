// Converts addresses from and to sockaddr.
#pragma once

#include <sys/socket.h>

#include <optional>

#include "gateway/rules/address.h"

namespace mxc::egress {

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* Get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// For a socket of its family; for `ipv6_socket` an IPv4 address becomes a mapped one.
[[nodiscard]] SocketAddress ToSocketAddress(const IpEndpoint& endpoint, bool ipv6_socket);
// Mapped addresses become IPv4. Absent for another family.
[[nodiscard]] std::optional<IpEndpoint> FromSocketAddress(const sockaddr_storage& storage);

}  // namespace mxc::egress
