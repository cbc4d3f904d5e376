#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/passed_fds.h"

namespace mxc {
namespace {

struct Message {
  iovec part;
  alignas(cmsghdr)
      std::array<char, CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(kMaxPassedFds * sizeof(int))> control = {};
  msghdr header = {};

  Message(void* bytes, std::size_t size, std::size_t room, bool credentials = false)
      : part{.iov_base = bytes, .iov_len = size} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (room == 0 && !credentials) return;
    header.msg_control = control.data();
    // Without the padding, in which the kernel would find room for one more. The C libraries differ in the
    // type.
    const std::size_t first = credentials ? CMSG_SPACE(sizeof(ucred)) : 0;
    header.msg_controllen =
        static_cast<decltype(header.msg_controllen)>(first + (room == 0 ? 0 : CMSG_LEN(room * sizeof(int))));
  }
};

}  // namespace

ssize_t SendWithFds(int socket, const void* bytes, std::size_t size, std::span<const int> fds) {
  if (fds.size() > kMaxPassedFds) {
    errno = EINVAL;
    return -1;
  }
  // NOLINTNEXTLINE(*-const-cast): the kernel only reads it
  Message message(const_cast<void*>(bytes), size, fds.size());
  if (!fds.empty()) {
    cmsghdr* const rights = CMSG_FIRSTHDR(&message.header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = static_cast<decltype(rights->cmsg_len)>(CMSG_LEN(fds.size_bytes()));
    std::memcpy(CMSG_DATA(rights), fds.data(), fds.size_bytes());
  }
  return ::sendmsg(socket, &message.header, MSG_NOSIGNAL);
}

ssize_t ReceiveWithFds(int socket, void* bytes, std::size_t size, int flags, std::span<int> fds,
                       std::size_t& count, ucred* sender) {
  count = 0;
  Message message(bytes, size, std::min(fds.size(), kMaxPassedFds), sender != nullptr);
  ssize_t received = 0;
  do {
    received = ::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC | flags);
  } while (received < 0 && errno == EINTR);
  if (received <= 0) return received;
  // Not CMSG_NXTHDR, whose form in musl compares signed with unsigned.
  const std::size_t end = message.header.msg_controllen;
  for (std::size_t at = 0, length = 0; at + sizeof(cmsghdr) <= end; at += CMSG_ALIGN(length)) {
    const auto* const part = reinterpret_cast<const cmsghdr*>(message.control.data() + at);
    length = part->cmsg_len;
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_CREDENTIALS && sender != nullptr)
      std::memcpy(sender, CMSG_DATA(part), sizeof *sender);
    if (part->cmsg_type != SCM_RIGHTS) continue;
    count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(fds.data(), CMSG_DATA(part), count * sizeof(int));
  }
  return received;
}

}  // namespace mxc
