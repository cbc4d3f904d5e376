#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/stat.h>
#include <sys/syscall.h>
#endif

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/quoted.h"
#include "base/shared_file.h"

namespace mxc {

bool LockFile(int borrowed_fd, std::int64_t wait_ms) {
  constexpr std::chrono::milliseconds kPoll{2};
  std::int64_t polls = wait_ms / kPoll.count();
  while (::flock(borrowed_fd, LOCK_EX | LOCK_NB) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || polls-- <= 0) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

void UnlockFile(int borrowed_fd) { ::flock(borrowed_fd, LOCK_UN); }

Result<UniqueFd> OpenToRead(const std::string& what, const std::string& path) {
  UniqueFd file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  struct stat status {};
  const std::string step = what + " " + Quoted(path);
  if (!file || ::fstat(file.Get(), &status) != 0) return SystemError(ErrorCode::kSetupFailed, step, errno);
  if (S_ISREG(status.st_mode)) return file;
  return SetupFailed(step + ": it is not a regular file");
}

std::string IdentityOfFile([[maybe_unused]] int borrowed_fd) {
#if defined(__linux__)
  struct statx status {};
  constexpr unsigned kWanted = STATX_INO | STATX_BTIME;
  constexpr int kItself = 0x1000;  // AT_EMPTY_PATH
  // By its number: the statx of libc is younger than some versions of musl that build this program.
  if (::syscall(SYS_statx, borrowed_fd, "", kItself, kWanted, &status) != 0 ||
      (status.stx_mask & kWanted) != kWanted)
    return "";
  return fmt::format("{} {}.{:09}", status.stx_ino, status.stx_btime.tv_sec, status.stx_btime.tv_nsec);
#elif defined(__APPLE__)
  struct stat status {};
  if (::fstat(borrowed_fd, &status) != 0) return "";
  const struct timespec made = status.st_birthtimespec;
  return fmt::format("{} {}.{:09}", status.st_ino, made.tv_sec, made.tv_nsec);
#else
  return "";
#endif
}

std::int64_t SizeOfFile(int borrowed_fd) {
  struct stat status {};
  return ::fstat(borrowed_fd, &status) == 0 ? static_cast<std::int64_t>(status.st_size) : -1;
}

std::int64_t ReadFileAt(int borrowed_fd, std::span<char> buffer, std::uint64_t offset) {
  return ::pread(borrowed_fd, buffer.data(), buffer.size(), static_cast<off_t>(offset));
}

bool ReplaceContents(int borrowed_fd, std::string_view text) {
  const ssize_t written = ::pwrite(borrowed_fd, text.data(), text.size(), 0);
  if (written >= 0 && static_cast<std::size_t>(written) != text.size()) errno = ENOSPC;
  return written == static_cast<ssize_t>(text.size()) && CutFile(borrowed_fd, text.size());
}

bool CutFile(int borrowed_fd, std::uint64_t size) {
  return ::ftruncate(borrowed_fd, static_cast<off_t>(size)) == 0;
}

}  // namespace mxc
