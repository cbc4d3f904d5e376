#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/openat2.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/passed_fds.h"
#include "base/process_tree.h"
#include "gateway/net/socket_address_posix.h"
#include "gateway/rules/names.h"
#include "gateway/setup/tproxy_setup.h"
#include "run/call_watch.h"
#include "seccomp/watched_calls.h"

namespace mxc {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLongestPath = 4096;  // PATH_MAX

// C libraries differ in the type of ioctl's request; the kernel does not.
long Control(int listener, unsigned long request, void* argument) {
  return ::syscall(SYS_ioctl, listener, request, argument);
}

// Reads another process's memory. False: it is not mapped, or the process has ended.
bool Read(pid_t process, std::uint64_t address, void* to, std::size_t size) {
  iovec here{to, size};
  iovec there{reinterpret_cast<void*>(address), size};  // NOLINT(performance-no-int-to-ptr)
  return ::process_vm_readv(process, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

// Reads page by page: the page behind the string may not be mapped.
std::optional<std::string> ReadText(pid_t process, std::uint64_t address) {
  std::string text;
  while (text.size() < kLongestPath) {
    std::array<char, kPage> page{};
    const std::size_t size = kPage - address % kPage;
    if (!Read(process, address, page.data(), size)) return std::nullopt;
    const char* const end = std::find(page.data(), page.data() + size, '\0');
    text.append(page.data(), static_cast<std::size_t>(end - page.data()));
    if (end != page.data() + size) return text;
    address += size;
  }
  return std::nullopt;
}

// The path of a Unix socket; an abstract name is no file.
std::optional<std::string> ReadSocketPath(pid_t process, std::uint64_t address, std::uint64_t size) {
  sockaddr_un socket{};
  constexpr std::size_t kBegin = offsetof(sockaddr_un, sun_path);
  if (size <= kBegin || size > sizeof socket || !Read(process, address, &socket, size)) return std::nullopt;
  const std::string_view path(socket.sun_path, size - kBegin);
  if (socket.sun_family != AF_UNIX || path.front() == '\0') return std::nullopt;
  return std::string(path.substr(0, path.find('\0')));
}

std::optional<std::string> LinkText(const std::string& link) {
  std::array<char, kLongestPath> text{};
  const ssize_t size = ::readlink(link.c_str(), text.data(), text.size());
  if (size <= 0 || text[0] != '/') return std::nullopt;  // of a pipe or a socket
  return std::string(text.data(), static_cast<std::size_t>(size));
}

FileUse UseOf(const WatchedCall& watched, const seccomp_notif& call) {
  if (watched.flags == WatchedCall::kNone || watched.link == LastLink::kByFlags) return watched.use;
  std::uint64_t flags = call.data.args[watched.flags];
  if (watched.how) {
    open_how how{};
    if (!Read(static_cast<pid_t>(call.pid), flags, &how, sizeof how)) return watched.use;
    flags = how.flags;
  }
  if ((flags & O_PATH) != 0) return FileUse::kLook;
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  return writes ? FileUse::kWrite : FileUse::kRead;
}

bool MeansLinkItself(const WatchedCall& watched, const seccomp_notif& call) {
  if (watched.link != LastLink::kByFlags) return watched.link == LastLink::kItself;
  return (call.data.args[watched.flags] & AT_SYMLINK_NOFOLLOW) != 0;
}

bool MakesDirectory(int number) {
#ifdef SYS_mkdir
  if (number == SYS_mkdir) return true;
#endif
  return number == SYS_mkdirat;
}

std::optional<FileCall> CallOf(const WatchedCall& watched, const seccomp_notif& call) {
  const auto process = static_cast<pid_t>(call.pid);
  const std::uint64_t address = call.data.args[watched.path];
  std::optional<std::string> path = watched.size == WatchedCall::kNone
                                        ? ReadText(process, address)
                                        : ReadSocketPath(process, address, call.data.args[watched.size]);
  if (!path || path->empty()) return std::nullopt;
  if (path->front() != '/') {
    std::string base = "/proc/" + std::to_string(process) + "/cwd";
    if (watched.directory != WatchedCall::kNone) {
      const auto directory = static_cast<int>(call.data.args[watched.directory]);
      if (directory != AT_FDCWD)
        base = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(directory);
    }
    const std::optional<std::string> directory = LinkText(base);
    if (!directory) return std::nullopt;
    path = *directory + "/" + *path;
  }
  return FileCall{.use = UseOf(watched, call),
                  .path = std::move(*path),
                  .directory = MakesDirectory(watched.number),
                  .link_itself = MeansLinkItself(watched, call)};
}

// The process of a thread other than its first: pidfd_open takes only processes.
pid_t ProcessOf(pid_t thread) {
  std::ifstream status("/proc/" + std::to_string(thread) + "/status");
  for (std::string word; status >> word;) {
    pid_t process = -1;
    if (word == "Tgid:" && status >> process) return process;
  }
  return -1;
}

UniqueFd SocketOf(const seccomp_notif& call) {
  constexpr long kGetFd = 438;  // SYS_pidfd_getfd, of Linux 5.6
  const auto thread = static_cast<pid_t>(call.pid);
  UniqueFd process = HandleOf(thread);
  if (!process) process = HandleOf(ProcessOf(thread));
  return UniqueFd{
      static_cast<int>(::syscall(kGetFd, process.Get(), static_cast<int>(call.data.args[0]), 0U))};
}

// Of a socket of UDP that holds a datagram back (UDP_CORK, MSG_MORE) there is no other way to send than to
// lengthen that datagram. What is sent counts in the memory of its socket until it arrives at the gateway's,
// which is at once.
bool HoldsDataBack(int borrowed_socket) {
  int corked = 0;
  int unsent = 0;
  socklen_t size = sizeof corked;
  return ::getsockopt(borrowed_socket, IPPROTO_UDP, UDP_CORK, &corked, &size) != 0 || corked != 0 ||
         ::ioctl(borrowed_socket, SIOCOUTQ, &unsent) != 0 || unsent != 0;
}

// Asks the packet filter by a datagram that goes nowhere (gateway/setup/tproxy_setup.h). It refuses with
// EPERM, and logs the refusal for the gateway.
bool FilterRefuses(int borrowed_socket, const sockaddr_storage& address, socklen_t size) {
  alignas(cmsghdr) std::array<char, 2 * CMSG_SPACE(sizeof(int))> control = {};
  sockaddr_storage name = address;
  msghdr message{};
  message.msg_name = &name;
  message.msg_namelen = size;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  char* at = control.data();  // not by CMSG_NXTHDR, whose form in musl compares signed with unsigned
  for (const auto& [level, type] : {std::pair{SOL_IP, IP_TTL}, {SOL_IPV6, IPV6_HOPLIMIT}}) {
    auto* const header = reinterpret_cast<cmsghdr*>(at);
    header->cmsg_level = level;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &egress::kQuestionHops, sizeof(int));
    at += CMSG_SPACE(sizeof(int));
  }
  return ::sendmsg(borrowed_socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EPERM;
}

// The address of connect(2), if it is an Internet one.
std::optional<egress::IpEndpoint> MeantBy(const seccomp_notif& call, sockaddr_storage& address) {
  const auto size = static_cast<socklen_t>(std::min<std::uint64_t>(call.data.args[2], sizeof address));
  if (size < sizeof(sockaddr_in) || !Read(static_cast<pid_t>(call.pid), call.data.args[1], &address, size))
    return std::nullopt;
  return egress::FromSocketAddress(address);
}

int ProtocolOf(int borrowed_socket) {
  int protocol = 0;
  socklen_t length = sizeof protocol;
  const bool known = ::getsockopt(borrowed_socket, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0;
  return known ? protocol : 0;
}

// The port of the loopback to which a socket of TCP is to be connected. The unspecified address means it,
// too.
std::optional<std::uint16_t> PortOfLoopback(const seccomp_notif& call) {
  sockaddr_storage address{};
  const std::optional<egress::IpEndpoint> meant = MeantBy(call, address);
  if (!meant || meant->port == 0) return std::nullopt;
  const egress::IpAddress unspecified{.ipv6 = meant->address.ipv6};
  if (!meant->address.IsLoopback() && meant->address != unspecified) return std::nullopt;
  if (ProtocolOf(SocketOf(call).Get()) != IPPROTO_TCP) return std::nullopt;
  return meant->port;
}

std::optional<std::uint16_t> PortToListenAt(const seccomp_notif& call) {
  const UniqueFd socket = SocketOf(call);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (ProtocolOf(socket.Get()) != IPPROTO_TCP ||
      ::getsockname(socket.Get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return std::nullopt;
  const std::optional<egress::IpEndpoint> bound = egress::FromSocketAddress(address);
  return bound && bound->port != 0 ? std::optional(bound->port) : std::nullopt;
}

// Programs connect UDP sockets to each address of a name to select one (RFC 6724), and send nothing. So
// synthetic addresses are not checked: whether a name is allowed was decided when it was looked up. What
// cannot be asked is refused: who has data held back to one destination hardly connects to another.
bool IsRefusedConnect(int listener, seccomp_notif& call) {
  sockaddr_storage address{};
  const std::optional<egress::IpEndpoint> meant = MeantBy(call, address);
  if (!meant || egress::SyntheticNames::IsSynthetic(meant->address)) return false;
  const UniqueFd socket = SocketOf(call);
  if (ProtocolOf(socket.Get()) != IPPROTO_UDP) return false;
  const auto size = static_cast<socklen_t>(std::min<std::uint64_t>(call.data.args[2], sizeof address));
  const bool same = Control(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) == 0;
  return same && (HoldsDataBack(socket.Get()) || FilterRefuses(socket.Get(), address, size));
}

}  // namespace

Result<CallWatch> CallWatch::Start(Wanted wanted) {
  CallWatch watch;
  watch.wanted_ = std::move(wanted);
  if (!watch.wanted_.connections && !watch.WantsFiles()) return watch;
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return SystemError(ErrorCode::kSetupFailed, "create a pair of sockets", errno);
  watch.ours_ = UniqueFd{ends[0]};
  watch.watch_socket_ = UniqueFd{ends[1]};
  return watch;
}

void CallWatch::Take(short events) {
  if (!listener_) return TakeListener();
  if ((events & POLLIN) != 0) return TakeCall();
  listener_.Reset();  // nobody is left who could call
}

void CallWatch::TakeListener() {
  int number = 0;
  int listener = -1;
  std::size_t count = 0;
  const ssize_t size =
      ReceiveWithFds(ours_.Get(), &number, sizeof number, MSG_DONTWAIT, std::span(&listener, 1), count);
  if (size < 0 && errno == EAGAIN) return;
  ours_.Reset();
  listener_.Reset(listener);
  watched_ = count == 1;
}

// A call with a path always continues. ENOENT: the caller was killed meanwhile.
void CallWatch::TakeCall() {
  seccomp_notif call{};
  if (Control(listener_.Get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;
  seccomp_notif_resp answer{};
  answer.id = call.id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  if (call.data.nr == SYS_connect && wanted_.connections && IsRefusedConnect(listener_.Get(), call)) {
    answer.flags = 0;
    answer.error = -EACCES;
  }
  if (call.data.nr == SYS_connect && WantsFiles() && wanted_.on_loopback) {
    if (const std::optional<std::uint16_t> port = PortOfLoopback(call))
      wanted_.on_loopback(static_cast<pid_t>(call.pid), *port);
  }
  if (call.data.nr == SYS_listen && wanted_.on_listen) {
    if (const std::optional<std::uint16_t> port = PortToListenAt(call)) wanted_.on_listen(*port);
  }
  std::array<std::optional<FileCall>, 2> found;  // a rename has two
  std::size_t count = 0;
  for (const WatchedCall& watched : kWatchedCalls) {
    if (WantsFiles() && watched.number == call.data.nr && count < found.size())
      found[count++] = CallOf(watched, call);
  }
  // Whether it is still the calling process, and not another with its number.
  const bool same = Control(listener_.Get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) == 0;
  Control(listener_.Get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
  if (!same) return;
  for (const std::optional<FileCall>& file : found) {
    if (file) wanted_.on_file(*file);
  }
}

}  // namespace mxc
