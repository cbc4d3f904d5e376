#include "egress/door_linux.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "egress/gateway.h"

namespace mxc {
namespace {

struct Descriptors {
  std::array<int, kMaxGatewaySockets> numbers = {};
  std::size_t count = 0;

  // 1 when it is a descriptor.
  std::uint32_t Add(int fd) {
    if (fd < 0 || count >= numbers.size()) return 0;
    numbers[count++] = fd;
    return 1;
  }
  std::uint32_t Add(std::span<const int> fds) {
    std::uint32_t added = 0;
    for (const int fd : fds) added += Add(fd);
    return added;
  }
};

using Control = std::array<char, CMSG_SPACE(sizeof(int) * kMaxGatewaySockets)>;

}  // namespace

int SendGatewaySockets(int door, const GatewaySockets& sockets) {
  Descriptors descriptors;
  egress::DoorMessage content;
  content.tcp = descriptors.Add(sockets.tcp);
  content.udp = descriptors.Add(sockets.udp);
  content.raw4 = descriptors.Add(sockets.raw4);
  content.raw6 = descriptors.Add(sockets.raw6);
  content.inside = descriptors.Add(sockets.inside);
  const std::size_t size = sizeof(int) * descriptors.count;

  alignas(cmsghdr) Control control{};
  iovec bytes{&content, sizeof content};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  // The C libraries disagree about the types of these lengths.
  message.msg_controllen = static_cast<decltype(message.msg_controllen)>(CMSG_SPACE(size));
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = static_cast<decltype(part->cmsg_len)>(CMSG_LEN(size));
  std::memcpy(CMSG_DATA(part), descriptors.numbers.data(), size);
  return ::sendmsg(door, &message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int AwaitGateway(int door) {
  char ready = 0;
  ssize_t count = 0;
  do {
    count = ::recv(door, &ready, 1, 0);
  } while (count < 0 && errno == EINTR);
  if (count == 0) errno = EPIPE;
  return count == 1 ? 0 : -1;
}

namespace egress {

std::optional<ReceivedSockets> ReceiveSockets(int door) {
  DoorMessage content;
  alignas(cmsghdr) Control control{};
  iovec bytes{&content, sizeof content};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t count = 0;
  do {
    count = ::recvmsg(door, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  std::vector<UniqueFd> fds;
  const cmsghdr* part = count > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (part != nullptr && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS) {
    for (std::size_t at = 0; at + sizeof(int) <= part->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + at, sizeof fd);
      fds.emplace_back(fd);
    }
  }
  const std::size_t wanted =
      std::size_t{content.tcp} + content.udp + content.raw4 + content.raw6 + content.inside;
  if (count != static_cast<ssize_t>(sizeof content) || fds.size() != wanted) return std::nullopt;
  ReceivedSockets sockets;
  auto next = fds.begin();
  const auto take = [&next](std::vector<UniqueFd>& into, std::uint32_t number) {
    for (; number > 0; --number) into.push_back(std::move(*next++));
  };
  take(sockets.tcp, content.tcp);
  take(sockets.udp, content.udp);
  if (content.raw4 == 1) sockets.raw4 = std::move(*next++);
  if (content.raw6 == 1) sockets.raw6 = std::move(*next++);
  take(sockets.inside, content.inside);
  return sockets;
}

}  // namespace egress
}  // namespace mxc
