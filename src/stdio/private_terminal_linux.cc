#include <fcntl.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <string>

#include "stdio/private_terminal.h"

namespace mxc {
namespace {

// A devpts has no device of this number but its own.
bool IsMultiplexer(int fd) {
  constexpr unsigned kMajor = 5;
  constexpr unsigned kMinor = 2;
  struct stat status {};
  struct statfs filesystem {};
  return ::fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(kMajor, kMinor) &&
         ::fstatfs(fd, &filesystem) == 0 && filesystem.f_type == DEVPTS_SUPER_MAGIC;
}

}  // namespace

// By descriptor, here and below: no path is looked up in a /dev/pts that may be another mount.
UniqueFd OpenOuterSide(int borrowed_multiplexer) {
  if (!IsMultiplexer(borrowed_multiplexer)) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(borrowed_multiplexer);
  return UniqueFd{::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
}

UniqueFd OpenInnerSide(int borrowed_outer, int access) {
  return UniqueFd{::ioctl(borrowed_outer, TIOCGPTPEER, access | O_NOCTTY | O_CLOEXEC)};
}

}  // namespace mxc
