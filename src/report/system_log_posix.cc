#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"
#include "report/system_log.h"

namespace mxc {
namespace {

// syslog(3) does not say when nobody has taken a message.
#if defined(__APPLE__)
constexpr const char* kSystemLog = "/var/run/syslog";
#else
constexpr const char* kSystemLog = "/dev/log";
#endif
#if defined(__linux__)
constexpr int kDatagrams = SOCK_DGRAM | SOCK_CLOEXEC;
#else
constexpr int kDatagrams = SOCK_DGRAM;
#endif
constexpr timeval kPatience{.tv_sec = 5, .tv_usec = 0};  // with a reader that is behind
constexpr int kPriority = 10 * 8 + 6;                    // authpriv.info, RFC 3164

}  // namespace

Status WriteToSystemLog(const std::string& text) {
  const UniqueFd socket{::socket(AF_UNIX, kDatagrams, 0)};
  if (socket) ::setsockopt(socket.Get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, kSystemLog, std::strlen(kSystemLog));
  const std::string message =
      "<" + std::to_string(kPriority) + ">mxc-exec[" + std::to_string(::getpid()) + "]: " + text;
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);  // NOLINT: as connect(2) takes it
  if (socket && ::connect(socket.Get(), name, sizeof address) == 0 &&
      ::send(socket.Get(), message.data(), message.size(), 0) == static_cast<ssize_t>(message.size()))
    return Done{};
  return SystemError(ErrorCode::kSetupFailed, std::string("write to the system's log ") + kSystemLog, errno);
}

}  // namespace mxc
