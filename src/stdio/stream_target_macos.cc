#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "stdio/stream_target.h"

namespace mxc {

// Opening /dev/fd/N duplicates the descriptor here, so there is no other open file description to get.
UniqueFd OwnDescription(int /*borrowed_fd*/) { return {}; }

bool LockTerminal(int borrowed_fd) {
  return ::flock(borrowed_fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}
void UnlockTerminal(int borrowed_fd) { ::flock(borrowed_fd, LOCK_UN); }

// There is no splice(2).
ssize_t MoveNow(int /*borrowed_pipe*/, int /*borrowed_target*/, std::size_t /*most*/) {
  errno = EINVAL;
  return -1;
}

bool Widen(int /*borrowed_pipe*/) { return false; }
void WidenCallers(int /*borrowed_pipe*/) {}

std::size_t HeldBytes(int borrowed_pipe) {
  int count = 0;
  return ::ioctl(borrowed_pipe, FIONREAD, &count) == 0 && count > 0 ? static_cast<std::size_t>(count) : 0;
}

// Nothing opens a pipe again here.
void OpenOnlyFor(int /*borrowed_pipe*/, mode_t /*mode*/) {}

ssize_t WriteNow(int borrowed_pipe, const char* bytes, std::size_t size) {
  if (IsWritable(borrowed_pipe)) return ::write(borrowed_pipe, bytes, std::min<std::size_t>(size, PIPE_BUF));
  errno = EAGAIN;
  return -1;
}

// The launcher ignores SIGPIPE (MacSignals).
ssize_t SendNow(int borrowed_fd, const char* bytes, std::size_t size) {
  return ::send(borrowed_fd, bytes, size, MSG_DONTWAIT);
}

}  // namespace mxc
