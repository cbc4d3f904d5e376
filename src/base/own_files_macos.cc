#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/own_files.h"

namespace mxc {

// fsync leaves it in the disk's own memory; file systems that cannot do more say so.
bool FlushToDisk(int borrowed_fd) {
  return ::fcntl(borrowed_fd, F_FULLFSYNC) == 0 || ::fsync(borrowed_fd) == 0;
}

bool IsOfKernel(int /*borrowed_fd*/) { return false; }  // none there has regular files

bool HasRoom(int borrowed_fd, std::size_t /*size*/, std::size_t /*reserve*/) {
  pollfd room{.fd = borrowed_fd, .events = POLLOUT, .revents = 0};
  return ::poll(&room, 1, 0) > 0;
}

}  // namespace mxc
