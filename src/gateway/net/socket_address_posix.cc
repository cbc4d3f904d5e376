#include "gateway/net/socket_address_posix.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

namespace mxc::egress {

SocketAddress ToSocketAddress(const IpEndpoint& endpoint, bool ipv6_socket) {
  SocketAddress out;
  if (!endpoint.address.ipv6 && !ipv6_socket) {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(endpoint.port);
    std::memcpy(&four.sin_addr, endpoint.address.bytes.data(), sizeof four.sin_addr);
    std::memcpy(&out.storage, &four, sizeof four);
    out.size = sizeof four;
    return out;
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(endpoint.port);
  if (endpoint.address.ipv6) {
    std::memcpy(&six.sin6_addr, endpoint.address.bytes.data(), sizeof six.sin6_addr);
  } else {
    six.sin6_addr.s6_addr[10] = six.sin6_addr.s6_addr[11] = 0xff;
    std::memcpy(&six.sin6_addr.s6_addr[12], endpoint.address.bytes.data(), 4);
  }
  std::memcpy(&out.storage, &six, sizeof six);
  out.size = sizeof six;
  return out;
}

std::optional<IpEndpoint> FromSocketAddress(const sockaddr_storage& storage) {
  IpEndpoint endpoint;
  if (storage.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &storage, sizeof four);
    endpoint.port = ntohs(four.sin_port);
    std::memcpy(endpoint.address.bytes.data(), &four.sin_addr, sizeof four.sin_addr);
    return endpoint;
  }
  if (storage.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 six{};
  std::memcpy(&six, &storage, sizeof six);
  endpoint.port = ntohs(six.sin6_port);
  if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
    std::memcpy(endpoint.address.bytes.data(), &six.sin6_addr.s6_addr[12], 4);
    return endpoint;
  }
  endpoint.address.ipv6 = true;
  std::memcpy(endpoint.address.bytes.data(), &six.sin6_addr, sizeof six.sin6_addr);
  return endpoint;
}

}  // namespace mxc::egress
