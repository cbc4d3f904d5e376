#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <string>

#include "process/stream_target.h"

namespace mxc {
namespace {

constexpr unsigned kPtmxMajor = 5;
constexpr unsigned kPtmxMinor = 2;

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

ssize_t SendNow(int borrowed_fd, const char* bytes, std::size_t size) {
  return ::send(borrowed_fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace mxc
