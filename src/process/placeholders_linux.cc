#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "mxc/plan.h"
#include "process/placeholders.h"

namespace mxc {
namespace {

bool IsPlaceholder(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_size == 0 && (status.st_mode & 07777) == kPlaceholderMode &&
         status.st_uid == ::geteuid();
}

// `path` still names the file that is open.
bool IsStillAt(const std::string& path, int borrowed_fd) {
  struct stat named {};
  struct stat open {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(borrowed_fd, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

// One attempt: creates the placeholder, or joins the one of another run. Without a file: errno, EAGAIN when
// the other run was just removing it.
UniqueFd TryHold(const std::string& path) {
  // O_EXCL does not follow a symbolic link either: whatever is there by now was not made here.
  UniqueFd file{::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPlaceholderMode)};
  if (!file && errno != EEXIST) return file;
  if (!file) {
    file.Reset(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    const bool joinable = file && ::fstat(file.Get(), &status) == 0 && IsPlaceholder(status);
    if (!joinable) {
      errno = !file && errno == ENOENT ? EAGAIN : EEXIST;
      return UniqueFd{};
    }
  }
  if (::flock(file.Get(), LOCK_SH | LOCK_NB) == 0 && IsStillAt(path, file.Get())) return file;
  errno = EAGAIN;
  return UniqueFd{};
}

}  // namespace

std::size_t HoldFiles(const std::vector<std::string>& paths, std::vector<HeldFile>& held) {
  constexpr int kAttempts = 200;
  constexpr useconds_t kPauseUs = 1000;
  ::umask(0);  // the mode is the mark
  held.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    UniqueFd file = TryHold(paths[i]);
    for (int attempt = 0; !file && errno == EAGAIN && attempt < kAttempts; ++attempt) {
      ::usleep(kPauseUs);
      file = TryHold(paths[i]);
    }
    if (!file) return i;
    held.push_back({.path = paths[i], .file = std::move(file)});
  }
  return paths.size();
}

// The last one out removes. Giving the shared lock up and asking for the exclusive one are two steps; of two
// runs that end together, the second to ask gets it.
void ReleaseFiles(const std::vector<HeldFile>& held) {
  for (auto entry = held.rbegin(); entry != held.rend(); ++entry) {
    struct stat status {};
    const bool last = ::flock(entry->file.Get(), LOCK_EX | LOCK_NB) == 0;
    const bool empty = ::fstat(entry->file.Get(), &status) == 0 && status.st_size == 0;
    if (last && empty && IsStillAt(entry->path, entry->file.Get())) ::unlink(entry->path.c_str());
  }
}

}  // namespace mxc
