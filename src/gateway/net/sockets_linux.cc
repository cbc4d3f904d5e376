#include "gateway/net/sockets_linux.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <cstring>

namespace mxc::egress {

std::optional<IpEndpoint> LocalEndpoint(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return std::nullopt;
  return FromSocketAddress(storage);
}

UniqueFd MakeSocket(const IpAddress& address, int type) {
  return UniqueFd{::socket(address.ipv6 ? AF_INET6 : AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
}

void SetOption(int socket, int level, int name, int value) {
  ::setsockopt(socket, level, name, &value, sizeof value);
}

bool IsReadable(int socket) {
  pollfd readable{.fd = socket, .events = POLLIN, .revents = 0};
  return ::poll(&readable, 1, 0) > 0;
}

void PrepareRelayed(int socket) {
  SetOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(socket, SOL_SOCKET, SO_OOBINLINE, 1);
  SetOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

void PrepareRelayedNear(int socket) {
  SetOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);  // no keep-alive: neither end can be lost
  SetOption(socket, SOL_SOCKET, SO_OOBINLINE, 1);
  // There is no round trip to fill: what more is under way only falls out of the caches.
  SetOption(socket, SOL_SOCKET, SO_SNDBUF, 1 << 18);
  ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, kNearCongestionControl,
               static_cast<socklen_t>(std::strlen(kNearCongestionControl)));
}

void LimitBuffers(int socket, int bytes) {
  const int half = bytes / 2;  // socket(7): the kernel doubles it, for its own bookkeeping
  SetOption(socket, SOL_SOCKET, SO_SNDBUF, half);
  SetOption(socket, SOL_SOCKET, SO_RCVBUF, half);
}

void CloseWithReset(UniqueFd& socket) {
  if (!socket) return;
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket.Get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  socket.Reset();
}

}  // namespace mxc::egress
