#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <utility>

#include "stdio/stream_target.h"

namespace mxc {
namespace {

constexpr unsigned kTtyMajor = 5;
constexpr unsigned kPtmxMinor = 2;
constexpr int kDefaultPipeBytes = 65536;  // pipe(7)
constexpr int kCallersPipeBytes = 262144;
constexpr unsigned kNoWait = 0x8;  // RWF_NOWAIT, of Linux 4.14

// The file of a pseudo-terminal that is open as /dev/tty: LockTerminal locks files. Empty if this is not its
// file, which tcgetpgrp(3) says: it fails for every terminal but the controlling one.
UniqueFd OpenPseudoTerminal(int borrowed_tty, int flags) {
  unsigned number = 0;
  // The request is an int to musl's ioctl, and no int to glibc's.
  if (::syscall(SYS_ioctl, borrowed_tty, TIOCGDEV, &number) != 0) return {};
  const std::string path = "/dev/pts/" + std::to_string(minor(number));
  UniqueFd terminal{::open(path.c_str(), flags)};
  return terminal && ::tcgetpgrp(terminal.Get()) >= 0 ? std::move(terminal) : UniqueFd{};
}

}  // namespace

// A pipe or a terminal can be opened a second time, except the outer side of a pseudo-terminal: opening that
// makes a new one.
UniqueFd OwnDescription(int borrowed_fd) {
  struct stat status {};
  if (::fstat(borrowed_fd, &status) != 0) return {};
  const bool multiplexer = status.st_rdev == makedev(kTtyMajor, kPtmxMinor);
  const bool terminal = S_ISCHR(status.st_mode) && !multiplexer && ::isatty(borrowed_fd) != 0;
  if (!S_ISFIFO(status.st_mode) && !terminal) return {};
  constexpr int kFlags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  if (status.st_rdev == makedev(kTtyMajor, 0)) {
    UniqueFd own = OpenPseudoTerminal(borrowed_fd, kFlags);
    if (own) return own;
  }
  const std::string path = "/proc/self/fd/" + std::to_string(borrowed_fd);
  return UniqueFd{::open(path.c_str(), kFlags)};
}

bool LockTerminal(int borrowed_fd) {
  return ::flock(borrowed_fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}
void UnlockTerminal(int borrowed_fd) { ::flock(borrowed_fd, LOCK_UN); }

ssize_t MoveNow(int borrowed_pipe, int borrowed_target, std::size_t most) {
  return ::splice(borrowed_pipe, nullptr, borrowed_target, nullptr, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

bool Widen(int borrowed_pipe) { return ::fcntl(borrowed_pipe, F_SETPIPE_SZ, kMaxPipeBytes) > 0; }

void WidenCallers(int borrowed_pipe) {
  if (::fcntl(borrowed_pipe, F_GETPIPE_SZ) == kDefaultPipeBytes)
    ::fcntl(borrowed_pipe, F_SETPIPE_SZ, kCallersPipeBytes);
}

std::size_t HeldBytes(int borrowed_pipe) {
  int count = 0;
  return ::ioctl(borrowed_pipe, FIONREAD, &count) == 0 && count > 0 ? static_cast<std::size_t>(count) : 0;
}

void OpenOnlyFor(int borrowed_pipe, mode_t mode) { ::fchmod(borrowed_pipe, mode); }

ssize_t WriteNow(int borrowed_pipe, const char* bytes, std::size_t size) {
  const iovec all{.iov_base = const_cast<char*>(bytes), .iov_len = size};
  constexpr long kWhereItIs = -1;
  // musl has pwritev2 of late.
  const ssize_t count = ::syscall(SYS_pwritev2, borrowed_pipe, &all, 1, kWhereItIs, 0L, kNoWait);
  if (count >= 0 || errno == EAGAIN || errno == EINTR || errno == EPIPE) return count;
  if (IsWritable(borrowed_pipe)) return ::write(borrowed_pipe, bytes, std::min<std::size_t>(size, PIPE_BUF));
  errno = EAGAIN;
  return -1;
}

ssize_t SendNow(int borrowed_fd, const char* bytes, std::size_t size) {
  return ::send(borrowed_fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace mxc
