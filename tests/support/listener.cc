#include "tests/support/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace mxc::test {
namespace {

struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;
  [[nodiscard]] sockaddr* Plain() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address InternetAddress(const std::string& text) {
  Address address;
  if (text.find(':') != std::string::npos) {
    auto* six = reinterpret_cast<sockaddr_in6*>(&address.storage);
    six->sin6_family = AF_INET6;
    ::inet_pton(AF_INET6, text.c_str(), &six->sin6_addr);
    address.length = sizeof(sockaddr_in6);
  } else {
    auto* four = reinterpret_cast<sockaddr_in*>(&address.storage);
    four->sin_family = AF_INET;
    ::inet_pton(AF_INET, text.c_str(), &four->sin_addr);
    address.length = sizeof(sockaddr_in);
  }
  return address;
}

Address LocalAddress(const std::string& name) {
  Address address;
  auto* local = reinterpret_cast<sockaddr_un*>(&address.storage);
  local->sun_family = AF_UNIX;
  std::memcpy(local->sun_path, name.data(), name.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  return address;
}

UniqueFd Bound(Address& address, int type) {
  UniqueFd fd{::socket(address.storage.ss_family, type | SOCK_CLOEXEC, 0)};
  if (!fd || ::bind(fd.Get(), address.Plain(), address.length) != 0) std::abort();
  if (type == SOCK_STREAM && ::listen(fd.Get(), 8) != 0) std::abort();
  return fd;
}

std::string PortOf(int fd, Address& address) {
  ::getsockname(fd, address.Plain(), &address.length);
  // The port stands at the same place in both.
  return std::to_string(ntohs(reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port));
}

}  // namespace

Listener Listener::Tcp(const std::string& address) {
  Listener listener;
  Address where = InternetAddress(address);
  listener.socket_ = Bound(where, SOCK_STREAM);
  listener.port_ = PortOf(listener.socket_.Get(), where);
  return listener;
}

Listener Listener::Udp(const std::string& address) {
  Listener listener;
  Address where = InternetAddress(address);
  listener.socket_ = Bound(where, SOCK_DGRAM);
  listener.port_ = PortOf(listener.socket_.Get(), where);
  return listener;
}

Listener Listener::Unix(const std::string& path) {
  Listener listener;
  Address where = LocalAddress(path);
  listener.socket_ = Bound(where, SOCK_STREAM);
  ::chmod(path.c_str(), 0777);
  return listener;
}

Listener Listener::Abstract(const std::string& name) {
  Listener listener;
  Address where = LocalAddress(std::string(1, '\0') + name);
  listener.socket_ = Bound(where, SOCK_STREAM);
  return listener;
}

bool Listener::WasReached() const {
  pollfd poll{socket_.Get(), POLLIN, 0};
  return ::poll(&poll, 1, 0) == 1;
}

PrivateNetwork::PrivateNetwork(const std::vector<std::string>& addresses)
    : before_(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)) {
  if (::unshare(CLONE_NEWNET) != 0) std::abort();
  const UniqueFd control{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  auto configure = [&control](const std::string& name, const std::string& address) {
    ifreq request{};
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    if (!address.empty()) {
      const Address where = InternetAddress(address);
      std::memcpy(&request.ifr_addr, &where.storage, sizeof(sockaddr_in));
      if (::ioctl(control.Get(), SIOCSIFADDR, &request) != 0) std::abort();
    }
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    if (::ioctl(control.Get(), SIOCSIFFLAGS, &request) != 0) std::abort();
  };
  configure("lo", "");
  int alias = 0;
  for (const std::string& address : addresses) configure("lo:" + std::to_string(alias++), address);
}

PrivateNetwork::~PrivateNetwork() {
  if (::setns(before_.Get(), CLONE_NEWNET) != 0) std::abort();
}

}  // namespace mxc::test
