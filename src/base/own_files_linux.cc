#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/own_files.h"

namespace mxc {

bool FlushToDisk(int borrowed_fd) { return ::fdatasync(borrowed_fd) == 0; }

bool HasRoom(int borrowed_fd, std::size_t size, std::size_t reserve) {
  pollfd room{.fd = borrowed_fd, .events = POLLOUT, .revents = 0};
  if (::poll(&room, 1, 0) <= 0) return false;
  const int capacity = ::fcntl(borrowed_fd, F_GETPIPE_SZ);
  int held = 0;
  if (capacity < 0 || ::ioctl(borrowed_fd, FIONREAD, &held) != 0) return true;  // no pipe
  const auto free = static_cast<std::size_t>(std::max(capacity - held, 0));
  return free >= size + std::min(reserve, static_cast<std::size_t>(capacity) / 2);
}

}  // namespace mxc
