#include "egress/sockets_linux.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

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

std::optional<IpEndpoint> LocalEndpoint(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return std::nullopt;
  return FromSocketAddress(storage);
}

std::optional<IpEndpoint> RemoteEndpoint(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return std::nullopt;
  return FromSocketAddress(storage);
}

UniqueFd MakeSocket(const IpAddress& address, int type) {
  return UniqueFd{::socket(address.ipv6 ? AF_INET6 : AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
}

void SetOption(int socket, int level, int name, int value) {
  ::setsockopt(socket, level, name, &value, sizeof value);
}

void PrepareRelayed(int socket) {
  SetOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

void PrepareRelayedNear(int socket) {
  SetOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);  // no keep-alive: neither end can be lost
  // There is no round trip to fill: what more is under way only falls out of the caches.
  SetOption(socket, SOL_SOCKET, SO_SNDBUF, 1 << 18);
  ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, kNearCongestionControl,
               static_cast<socklen_t>(std::strlen(kNearCongestionControl)));
}

void CloseWithReset(UniqueFd& socket) {
  if (!socket) return;
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket.Get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  socket.Reset();
}

}  // namespace mxc::egress
