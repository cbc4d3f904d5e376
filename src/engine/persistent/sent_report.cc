#include "engine/persistent/sent_report.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace mxc::engine {

Status ExpectReports(int socket) {
  const int on = 1;
  if (::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "learn who answers", errno);
}

std::optional<SentReport> ReceiveReport(int socket) {
  SentReport sent;
  iovec part{.iov_base = &sent.report, .iov_len = sizeof sent.report};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  const cmsghdr* const sender = CMSG_FIRSTHDR(&header);
  if (count != static_cast<ssize_t>(sizeof sent.report)) return std::nullopt;
  if (sender == nullptr || sender->cmsg_type != SCM_CREDENTIALS) return std::nullopt;
  ucred credentials{};
  std::memcpy(&credentials, CMSG_DATA(sender), sizeof credentials);
  sent.sender = credentials.pid;
  return sent;
}

}  // namespace mxc::engine
