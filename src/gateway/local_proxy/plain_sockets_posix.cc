#include "gateway/local_proxy/plain_sockets_posix.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "gateway/net/socket_address_posix.h"

namespace mxc::egress {
namespace {

constexpr int kDialMs = 30000;
constexpr int kSendMs = 30000;
constexpr int kBacklog = 128;

UniqueFd Dial(const IpEndpoint& endpoint, int& error) {
  UniqueFd socket = Prepared(UniqueFd{::socket(endpoint.address.ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)});
  const SocketAddress address = ToSocketAddress(endpoint, endpoint.address.ipv6);
  error = ETIMEDOUT;
  const bool started = ::connect(socket.Get(), address.Get(), address.size) == 0;
  if (!started && errno != EINPROGRESS) {
    error = errno;
    return {};
  }
  if (!Await(socket.Get(), POLLOUT, kDialMs)) return {};
  socklen_t length = sizeof error;
  ::getsockopt(socket.Get(), SOL_SOCKET, SO_ERROR, &error, &length);
  return error == 0 ? std::move(socket) : UniqueFd();
}

}  // namespace

UniqueFd Prepared(UniqueFd socket) {
  if (!socket) return socket;
  ::fcntl(socket.Get(), F_SETFD, FD_CLOEXEC);
  ::fcntl(socket.Get(), F_SETFL, ::fcntl(socket.Get(), F_GETFL) | O_NONBLOCK);
  return socket;
}

UniqueFd ListenOnLoopback(std::uint16_t port) {
  UniqueFd socket = Prepared(UniqueFd{::socket(AF_INET, SOCK_STREAM, 0)});
  const int on = 1;
  if (socket) ::setsockopt(socket.Get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool stands = socket &&
                      ::bind(socket.Get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                      ::listen(socket.Get(), kBacklog) == 0;
  return stands ? std::move(socket) : UniqueFd();
}

std::uint16_t PortOf(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

bool Await(int socket, short events, int limit_ms) {
  pollfd poll{.fd = socket, .events = events, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&poll, 1, limit_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

Reached DialFirst(const std::vector<IpEndpoint>& endpoints) {
  Reached reached{.error = EHOSTUNREACH};
  for (const IpEndpoint& endpoint : endpoints) {
    reached.socket = Dial(endpoint, reached.error);
    reached.address = endpoint.address.Text();
    if (reached.socket) break;
  }
  return reached;
}

std::vector<IpAddress> AddressesOf(const std::string& name) {
  // A resolver must not ask a server for this name (RFC 6761, 6.3), and not every system lists it in a file.
  if (name == "localhost") return {IpAddress::V4(INADDR_LOOPBACK), IpAddress::Loopback6()};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<IpAddress> addresses;
  if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    sockaddr_storage storage{};
    std::memcpy(&storage, entry->ai_addr, std::min<std::size_t>(entry->ai_addrlen, sizeof storage));
    const auto endpoint = FromSocketAddress(storage);
    if (endpoint) addresses.push_back(endpoint->address);
  }
  ::freeaddrinfo(found);
  return addresses;
}

bool SendAll(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(socket, text.data(), text.size(), 0);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (count < 0 && !Await(socket, POLLOUT, kSendMs)) return false;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace mxc::egress
