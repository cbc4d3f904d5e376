#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
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

// The directory that `path` stands in. Policy paths are canonical: a symbolic link on the way was put there
// after they were resolved.
UniqueFd OpenParent(const std::string& path) {
  const std::string parent = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd directory{static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, parent.c_str(), &how, sizeof how))};
  if (directory || (errno != ENOSYS && errno != EPERM)) return directory;
  // Linux < 5.6, or a container's filter.
  return UniqueFd{::open(parent.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
}

// The name still leads to the file that is open.
bool IsStillThere(const HeldFile& held) {
  struct stat named {};
  struct stat open {};
  return ::fstatat(held.directory.Get(), held.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(held.file.Get(), &open) == 0 && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

// One attempt: creates the placeholder, or joins the one of another run. Without a file: errno, EAGAIN when
// the other run was just removing it.
bool TryHold(HeldFile& held) {
  const int directory = held.directory.Get();
  const char* const name = held.name.c_str();
  // O_EXCL does not follow a symbolic link either: whatever is there by now was not made here.
  constexpr int kNew = O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  held.file.Reset(::openat(directory, name, kNew, kPlaceholderMode));
  if (!held.file && errno != EEXIST) return false;
  if (!held.file) {
    held.file.Reset(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    const bool joinable = held.file && ::fstat(held.file.Get(), &status) == 0 && IsPlaceholder(status);
    if (!joinable) {
      errno = !held.file && errno == ENOENT ? EAGAIN : EEXIST;
      return false;
    }
  }
  if (::flock(held.file.Get(), LOCK_SH | LOCK_NB) == 0 && IsStillThere(held)) return true;
  errno = EAGAIN;
  return false;
}

bool Hold(HeldFile& held) {
  constexpr int kAttempts = 200;
  constexpr useconds_t kPauseUs = 1000;
  for (int attempt = 0; !TryHold(held); ++attempt) {
    if (errno != EAGAIN || attempt == kAttempts) return false;
    ::usleep(kPauseUs);
  }
  return true;
}

}  // namespace

std::size_t HoldFiles(const std::vector<std::string>& paths, std::vector<HeldFile>& held) {
  ::umask(0);  // the mode is the mark
  held.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    HeldFile file{.directory = OpenParent(paths[i]), .name = paths[i].substr(paths[i].rfind('/') + 1)};
    if (!file.directory || !Hold(file)) return i;
    held.push_back(std::move(file));
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
    if (last && empty && IsStillThere(*entry)) ::unlinkat(entry->directory.Get(), entry->name.c_str(), 0);
  }
}

}  // namespace mxc
