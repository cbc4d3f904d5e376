#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>

#include "base/peer.h"
#include "base/unique_fd.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxStatusBytes = std::size_t{1} << 20U;

#ifndef SO_PEERPIDFD
constexpr int SO_PEERPIDFD = 77;  // NOLINT(readability-identifier-naming): Linux 6.5
#endif

// Older kernels know its number alone, and another process may have it by now.
UniqueFd HandleOfPeer(int socket, pid_t process) {
  int handle = -1;
  socklen_t size = sizeof handle;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &handle, &size) == 0) return UniqueFd{handle};
  if (errno != ENOPROTOOPT) return UniqueFd{};
  return UniqueFd{static_cast<int>(::syscall(SYS_pidfd_open, process, 0U))};
}

bool HasEnded(const UniqueFd& handle) {
  pollfd ended{.fd = handle.Get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 0) != 0;
}

// "NSpid:\t17\n": its number in the namespace of this /proc, which is ours, and in each one further in down
// to its own.
bool IsInOurNamespace(pid_t process) {
  const std::string number = std::to_string(process);
  const UniqueFd file{::open(("/proc/" + number + "/status").c_str(), O_RDONLY | O_CLOEXEC)};
  std::string text;  // its groups come first, of which there may be thousands
  std::array<char, 4096> bytes{};
  ssize_t count = 0;
  while (file && text.size() < kMaxStatusBytes &&
         (count = ::read(file.Get(), bytes.data(), bytes.size())) > 0)
    text.append(bytes.data(), static_cast<std::size_t>(count));
  return text.find("\nNSpid:\t" + number + "\n") != std::string::npos;
}

// A new socket, after ::connect or ::bind with the name. Empty: that has failed, for the reason errno.
UniqueFd SocketWith(const std::string& abstract_name, int (*call)(int, const sockaddr*, socklen_t)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  errno = ENAMETOOLONG;
  if (abstract_name.size() >= sizeof address.sun_path) return {};
  abstract_name.copy(address.sun_path + 1, abstract_name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + abstract_name.size());
  UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (socket && call(socket.Get(), reinterpret_cast<const sockaddr*>(&address), size) == 0) return socket;
  const int number = errno;
  socket.Reset();
  errno = number;
  return {};
}

}  // namespace

pid_t PeerOutsideSandboxes(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return 0;
  if (peer.uid != ::geteuid() && peer.uid != 0) return 0;
  const UniqueFd handle = HandleOfPeer(socket, peer.pid);
  return handle && IsInOurNamespace(peer.pid) && !HasEnded(handle) ? peer.pid : 0;
}

bool IsListenedOutsideSandboxes(const std::string& abstract_name) {
  const UniqueFd socket = SocketWith(abstract_name, ::connect);
  return socket && PeerOutsideSandboxes(socket.Get()) != 0;
}

bool IsNameBound(const std::string& abstract_name) {
  return !SocketWith(abstract_name, ::bind) && errno == EADDRINUSE;
}

std::optional<uid_t> ListenerAt(const std::string& abstract_name) {
  const UniqueFd socket = SocketWith(abstract_name, ::connect);
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!socket || ::getsockopt(socket.Get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace mxc
