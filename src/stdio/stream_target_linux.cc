#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <string>

#include "stdio/stream_target.h"

namespace mxc {
namespace {

constexpr unsigned kPtmxMajor = 5;
constexpr unsigned kPtmxMinor = 2;
// As much as a pipe can be made to hold (fs.pipe-max-size, by default): one call empties it.
constexpr std::size_t kPipeBytes = 1U << 20U;
constexpr int kDefaultPipeBytes = 65536;  // pipe(7)
constexpr int kCallersPipeBytes = 262144;

}  // namespace

// A pipe or a terminal can be opened a second time, except the outer side of a pseudo-terminal: opening that
// makes a new one.
UniqueFd OwnDescription(int borrowed_fd) {
  struct stat status {};
  if (::fstat(borrowed_fd, &status) != 0) return {};
  const bool multiplexer = status.st_rdev == makedev(kPtmxMajor, kPtmxMinor);
  const bool terminal = S_ISCHR(status.st_mode) && !multiplexer && ::isatty(borrowed_fd) != 0;
  if (!S_ISFIFO(status.st_mode) && !terminal) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(borrowed_fd);
  return UniqueFd{::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
}

ssize_t MoveNow(int borrowed_pipe, int borrowed_target) {
  return ::splice(borrowed_pipe, nullptr, borrowed_target, nullptr, kPipeBytes,
                  SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

bool Widen(int borrowed_pipe) { return ::fcntl(borrowed_pipe, F_SETPIPE_SZ, kPipeBytes) > 0; }

void WidenCallers(int borrowed_pipe) {
  if (::fcntl(borrowed_pipe, F_GETPIPE_SZ) == kDefaultPipeBytes)
    ::fcntl(borrowed_pipe, F_SETPIPE_SZ, kCallersPipeBytes);
}

bool HoldsBytes(int borrowed_pipe) {
  int count = 0;
  return ::ioctl(borrowed_pipe, FIONREAD, &count) == 0 && count > 0;
}

void OpenOnlyFor(int borrowed_pipe, mode_t mode) { ::fchmod(borrowed_pipe, mode); }

ssize_t SendNow(int borrowed_fd, const char* bytes, std::size_t size) {
  return ::send(borrowed_fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace mxc
