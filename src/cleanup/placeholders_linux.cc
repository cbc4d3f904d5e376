#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/path.h"
#include "cleanup/named_place.h"
#include "cleanup/placeholders.h"
#include "mxc/plan.h"

namespace mxc {
namespace {

bool IsDirectory(const Placeholder& placeholder) {
  return placeholder.placeholder_kind && placeholder.placeholder_kind->type == FileType::kDirectory;
}

mode_t ModeOf(const Placeholder& placeholder) {
  if (!placeholder.placeholder_kind) return kPlaceholderMode;
  return IsDirectory(placeholder) ? kPlaceholderDirectoryMode : kPlaceholderFileMode;
}

std::string_view TextOf(const Placeholder& placeholder) {
  return placeholder.placeholder_kind ? std::string_view(placeholder.placeholder_kind->text)
                                      : std::string_view{};
}

bool HasText(int borrowed_fd, std::string_view text) {
  std::string found(text.size() + 1, '\0');
  const ssize_t count = ::pread(borrowed_fd, found.data(), found.size(), 0);
  return count >= 0 && std::string_view(found).substr(0, static_cast<std::size_t>(count)) == text;
}

// Whether the open file has the type, mode and text of this placeholder, whoever made it. Whether a directory
// is empty shows when it is removed.
bool IsPlaceholder(int borrowed_fd, const Placeholder& placeholder) {
  struct stat status {};
  if (::fstat(borrowed_fd, &status) != 0) return false;
  const bool directory = IsDirectory(placeholder);
  if (directory ? !S_ISDIR(status.st_mode) : !S_ISREG(status.st_mode)) return false;
  if ((status.st_mode & 07777) != ModeOf(placeholder)) return false;
  return directory || HasText(borrowed_fd, TextOf(placeholder));
}

// With a second name the command could write the file through that one.
bool HasOneName(int borrowed_fd) {
  struct stat status {};
  return ::fstat(borrowed_fd, &status) == 0 && (S_ISDIR(status.st_mode) || status.st_nlink == 1);
}

// Whether it is a placeholder of any kind, left by a run or imitated by a command. Policies ignore them all.
bool IsAnyPlaceholder(int borrowed_fd) {
  struct stat status {};
  if (::fstat(borrowed_fd, &status) != 0) return false;
  const mode_t mode = status.st_mode & 07777U;
  if (S_ISDIR(status.st_mode)) return mode == kPlaceholderDirectoryMode;
  if (!S_ISREG(status.st_mode)) return false;
  if (mode == kPlaceholderMode) return status.st_size == 0;
  return mode == kPlaceholderFileMode &&
         std::any_of(kPlaceholderTexts.begin(), kPlaceholderTexts.end(),
                     [&](std::string_view text) { return HasText(borrowed_fd, text); });
}

constexpr int kThere = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

// As policies define it (policy/paths/placeholders.h).
// NOLINTNEXTLINE(misc-no-recursion): as deep as kPlaceholderLevels
bool IsPlaceholderTree(int borrowed_fd, int levels) {
  struct stat status {};
  if (!IsAnyPlaceholder(borrowed_fd) || ::fstat(borrowed_fd, &status) != 0) return false;
  if (!S_ISDIR(status.st_mode)) return true;
  std::vector<std::string> names;
  if (levels == 0 || ListNames(borrowed_fd, kPlaceholderEntries, names) != 0) return false;
  // NOLINTNEXTLINE(misc-no-recursion)
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const UniqueFd entry{::openat(borrowed_fd, name.c_str(), kThere)};
    return entry && IsPlaceholderTree(entry.Get(), levels - 1);
  });
}

// The directory that `path` stands in. Policy paths are canonical: a symbolic link on the way was put there
// after they were resolved.
UniqueFd OpenParent(const std::string& path) {
  const std::string parent{ParentOf(path)};
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd directory{static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, parent.c_str(), &how, sizeof how))};
  if (directory || (errno != ENOSYS && errno != EPERM)) return directory;
  // Linux < 5.6, or a container's filter.
  return UniqueFd{::open(parent.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
}

// The name still leads to the file that is open.
bool LeadsTo(int borrowed_directory, const std::string& name, int borrowed_file) {
  struct stat named {};
  struct stat open {};
  return ::fstatat(borrowed_directory, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(borrowed_file, &open) == 0 && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

bool IsStillThere(const HeldFile& held) { return LeadsTo(held.directory.Get(), held.name, held.file.Get()); }

UniqueFd OpenAny(const HeldFile& held) {
  return UniqueFd{::openat(held.directory.Get(), held.name.c_str(), kThere)};
}

// Of a tree that was looked at as a whole. Top down: whoever holds a directory has names in it. One file at a
// time: two names may lead to one.
// NOLINTNEXTLINE(misc-no-recursion): as deep as kPlaceholderLevels
bool RemoveTree(int borrowed_directory, const std::string& name, int levels) {
  const UniqueFd file{::openat(borrowed_directory, name.c_str(), kThere)};
  struct stat open {};
  if (!file || !IsAnyPlaceholder(file.Get()) || ::flock(file.Get(), LOCK_EX | LOCK_NB) != 0 ||
      ::fstat(file.Get(), &open) != 0 || !LeadsTo(borrowed_directory, name, file.Get()))
    return false;
  if (!S_ISDIR(open.st_mode)) return ::unlinkat(borrowed_directory, name.c_str(), 0) == 0;
  std::vector<std::string> names;
  if (levels == 0 || ListNames(file.Get(), kPlaceholderEntries, names) != 0) return false;
  // NOLINTNEXTLINE(misc-no-recursion)
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& entry) { return RemoveTree(file.Get(), entry, levels - 1); }) &&
         ::unlinkat(borrowed_directory, name.c_str(), AT_REMOVEDIR) == 0;
}

// Lets root create a placeholder as the owner of the directory, whose runs have to lock, share and remove it.
class AsOwnerOf {
 public:
  explicit AsOwnerOf(int borrowed_directory) {
    struct stat status {};
    if (::geteuid() != 0 || ::fstat(borrowed_directory, &status) != 0 || status.st_uid == 0) return;
    group_ = ::setfsgid(status.st_gid);
    ::setfsuid(status.st_uid);
    changed_ = true;
  }
  AsOwnerOf(const AsOwnerOf&) = delete;
  AsOwnerOf& operator=(const AsOwnerOf&) = delete;
  ~AsOwnerOf() {
    if (!changed_) return;
    const int number = errno;
    ::setfsuid(0);
    ::setfsgid(static_cast<gid_t>(group_));
    errno = number;
  }
  [[nodiscard]] bool Changed() const { return changed_; }

 private:
  int group_ = 0;
  bool changed_ = false;
};

// After creation: a set-group-ID directory or a default ACL may have changed the mode.
bool GiveMode(int borrowed_fd, const Placeholder& placeholder) {
  return ::fchmod(borrowed_fd, ModeOf(placeholder)) == 0;
}

// Gives the file its name last, so that nobody finds it without its text and mode.
bool CreateUnnamed(const HeldFile& held) {
  const std::string_view text = TextOf(held.placeholder);
  const std::string directory = "/proc/self/fd/" + std::to_string(held.directory.Get());
  const UniqueFd file{::open(directory.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, ModeOf(held.placeholder))};
  if (!file || !GiveMode(file.Get(), held.placeholder)) return false;
  if (::write(file.Get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return false;
  const std::string name = "/proc/self/fd/" + std::to_string(file.Get());
  return ::linkat(AT_FDCWD, name.c_str(), held.directory.Get(), held.name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

bool CreateFile(const HeldFile& held) {
  if (CreateUnnamed(held)) return true;
  if (errno == EEXIST) return false;
  const int directory = held.directory.Get();
  const char* const name = held.name.c_str();
  constexpr int kNew = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file{::openat(directory, name, kNew, ModeOf(held.placeholder))};
  if (!file) return false;
  const std::string_view text = TextOf(held.placeholder);
  if (::write(file.Get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      GiveMode(file.Get(), held.placeholder))
    return true;
  const int number = errno;
  ::unlinkat(directory, name, 0);
  errno = number;
  return false;
}

// Whether it is a directory of another run's that has been created and has not got its mode yet.
bool IsBeingMade(int borrowed_fd, const Placeholder& placeholder) {
  struct stat status {};
  if (!IsDirectory(placeholder) || ::fstat(borrowed_fd, &status) != 0 || !S_ISDIR(status.st_mode))
    return false;
  const unsigned mode = status.st_mode & 07777U & ~static_cast<unsigned>(S_ISGID);
  return (mode & S_ISVTX) != 0 && (mode & ~ModeOf(placeholder)) == 0;
}

bool CreateDirectory(const HeldFile& held) {
  const int directory = held.directory.Get();
  const char* const name = held.name.c_str();
  if (::mkdirat(directory, name, ModeOf(held.placeholder)) != 0) return false;
  const UniqueFd made = OpenAny(held);
  if (made && !IsBeingMade(made.Get(), held.placeholder)) {  // somebody has put another one there
    errno = EEXIST;
    return false;
  }
  if (made && GiveMode(made.Get(), held.placeholder)) return true;
  const int number = errno;
  ::unlinkat(directory, name, AT_REMOVEDIR);
  errno = number;
  return false;
}

// Fails with EEXIST for whatever stands there, a symbolic link included. False: errno.
bool CreateNew(const HeldFile& held) {
  const auto create = [&] {
    return IsDirectory(held.placeholder) ? CreateDirectory(held) : CreateFile(held);
  };
  {
    const AsOwnerOf owner(held.directory.Get());
    if (create()) return true;
    if (!owner.Changed() || errno == EEXIST) return false;
  }
  return create();  // its owner has closed it: root's all the same
}

// The errno for a file that is not the placeholder; `number`: errno of opening it. EAGAIN: it is about to go.
int ErrorOfOther(const HeldFile& held, bool created, int number) {
  const int directory = held.directory.Get();
  // The file system did not keep the mode. A directory is removed only if it is empty.
  if (created && held.file && IsStillThere(held)) {
    ::unlinkat(directory, held.name.c_str(), IsDirectory(held.placeholder) ? AT_REMOVEDIR : 0);
    return number;
  }
  if (number == ENOENT) return EAGAIN;
  if (!held.file) return number;
  const bool goes = IsBeingMade(held.file.Get(), held.placeholder) ||
                    (!created && RemoveStalePlaceholder(directory, held.name));
  return goes ? EAGAIN : number;
}

// `errno` stays.
bool IsOwn(int borrowed_directory) {
  const int number = errno;
  struct stat status {};
  const bool own = ::fstat(borrowed_directory, &status) == 0 && status.st_uid == ::geteuid();
  errno = number;
  return own;
}

// One attempt: creates the placeholder, or joins the one of another run. It is held by a descriptor for
// reading: whoever finds a file of git's open for writing puts a copy in its place. False: errno, EAGAIN when
// another run was just making or removing it, EBUSY when it was locked.
bool TryHold(HeldFile& held) {
  const WritableDirectory writable(held.directory.Get());
  const bool created = CreateNew(held);
  if (!created && errno != EEXIST) return false;
  held.file = OpenAny(held);
  const int number = held.file ? EEXIST : errno;
  if (!held.file || !IsPlaceholder(held.file.Get(), held.placeholder) || !HasOneName(held.file.Get())) {
    errno = ErrorOfOther(held, created, number);
    return false;
  }
  const bool locked = ::flock(held.file.Get(), LOCK_SH | LOCK_NB) == 0;
  if (locked && IsStillThere(held)) return true;
  errno = locked ? EAGAIN : EBUSY;
  return false;
}

bool Hold(HeldFile& held) {
  constexpr int kAttempts = 200;
  constexpr useconds_t kPauseUs = 1000;
  for (int attempt = 0; !TryHold(held); ++attempt) {
    // In a directory of the caller's: another run, or a command that still runs, has just closed it again.
    const bool closed = errno == EACCES && IsOwn(held.directory.Get());
    if (errno != EAGAIN && errno != EBUSY && !closed) return false;
    if (attempt == kAttempts) {
      errno = errno == EAGAIN ? EEXIST : errno;
      return false;
    }
    ::usleep(kPauseUs);
  }
  return true;
}

}  // namespace

bool RemoveStalePlaceholder(int borrowed_directory, const std::string& name) {
  const UniqueFd file{::openat(borrowed_directory, name.c_str(), kThere)};
  return file && IsPlaceholderTree(file.Get(), kPlaceholderLevels) &&
         RemoveTree(borrowed_directory, name, kPlaceholderLevels);
}

std::size_t HoldFiles(const std::vector<Placeholder>& list, std::vector<HeldFile>& held) {
  ::umask(0);  // the mode is the mark
  held.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string& path = list[i].path;
    HeldFile file{.placeholder = list[i], .directory = OpenParent(path), .name = std::string(NameOf(path))};
    if (!file.directory || !Hold(file)) return i;
    held.push_back(std::move(file));
  }
  return list.size();
}

void FindFiles(const std::vector<Placeholder>& list, std::vector<HeldFile>& found) {
  for (const Placeholder& placeholder : list) {
    const std::string& path = placeholder.path;
    HeldFile file{
        .placeholder = placeholder, .directory = OpenParent(path), .name = std::string(NameOf(path))};
    if (file.directory) file.file = OpenAny(file);
    if (file.file && IsPlaceholder(file.file.Get(), placeholder)) found.push_back(std::move(file));
  }
}

// The last run removes the placeholder. Releasing the shared lock and requesting the exclusive one are two
// steps; of two runs that end together, the second request succeeds.
void ReleaseFiles(const std::vector<HeldFile>& held) {
  for (auto entry = held.rbegin(); entry != held.rend(); ++entry) {
    const bool last = ::flock(entry->file.Get(), LOCK_EX | LOCK_NB) == 0;
    const WritableDirectory writable(entry->directory.Get());
    if (!last || !IsPlaceholder(entry->file.Get(), entry->placeholder) || !IsStillThere(*entry)) continue;
    // A directory stays when somebody on the host has put something in.
    const int flags = IsDirectory(entry->placeholder) ? AT_REMOVEDIR : 0;
    ::unlinkat(entry->directory.Get(), entry->name.c_str(), flags);
  }
}

}  // namespace mxc
