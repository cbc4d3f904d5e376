#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "base/own_files.h"
#include "base/quoted.h"
#include "base/remove_tree.h"
#include "cleanup/named_place.h"

namespace mxc {
namespace {

#if defined(__linux__)
constexpr int kWay = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#else
constexpr int kWay = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#endif

// Restores the caller's right to search a directory, which the command may have removed.
bool LetThrough(int directory) {
  struct stat status {};
  return ::fstat(directory, &status) == 0 && status.st_uid == ::geteuid() &&
         ChangeMode(directory, (status.st_mode & 07777U) | S_IXUSR);
}

}  // namespace

// By its link in /proc: a directory without the right to search cannot be reached by ".".
bool ChangeMode(int borrowed_directory, unsigned mode) {
  const std::string link = "/proc/self/fd/" + std::to_string(borrowed_directory);
  return ::chmod(link.c_str(), static_cast<mode_t>(mode)) == 0 ||
         ::fchmodat(borrowed_directory, ".", static_cast<mode_t>(mode), 0) == 0;
}

bool GiveOwnersRightsBack(int borrowed_directory, unsigned mode) {
  struct stat status {};
  if (::fstat(borrowed_directory, &status) != 0) return false;
  return (mode & ~status.st_mode & S_IRWXU) != 0 && ChangeMode(borrowed_directory, mode);
}

// Component by component: another run could have put a link anywhere on the way.
Result<NamedPlace> OpenPlace(const std::string& path, bool make) {
  UniqueFd directory{::open("/", kWay)};
  std::string_view rest = std::string_view(path).substr(1);
  for (std::size_t slash = rest.find('/'); directory && slash != std::string_view::npos;
       slash = rest.find('/')) {
    const std::string name{rest.substr(0, slash)};
    constexpr mode_t kMode = 0777;
    if (make) static_cast<void>(::mkdirat(directory.Get(), name.c_str(), kMode));
    UniqueFd next{::openat(directory.Get(), name.c_str(), kWay)};
    if (!next && errno == EACCES && LetThrough(directory.Get()))
      next = UniqueFd{::openat(directory.Get(), name.c_str(), kWay)};
    directory = std::move(next);
    rest.remove_prefix(slash + 1);
  }
  if (!directory) return SystemError(ErrorCode::kSetupFailed, "open the directory of " + Quoted(path), errno);
  return NamedPlace{.directory = std::move(directory), .name = std::string(rest)};
}

int ListNames(int borrowed_directory, std::size_t limit, std::vector<std::string>& names) {
  UniqueFd directory{::openat(borrowed_directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  const std::unique_ptr<DIR, int (*)(DIR*)> listing{directory ? ::fdopendir(directory.Get()) : nullptr,
                                                    ::closedir};
  if (!listing) return -1;
  static_cast<void>(directory.Release());
  errno = 0;
  while (const dirent* entry = ::readdir(listing.get())) {  // NOLINT(concurrency-mt-unsafe): own stream
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    names.push_back(name);
    if (names.size() <= limit) continue;
    errno = EFBIG;
    return -1;
  }
  return errno == 0 ? 0 : -1;
}

std::string NameAside(const std::string& name, const std::string& random) {
  constexpr std::size_t kLongestName = 255;
  const std::string ending = ".untrusted" + random;
  return name.substr(0, kLongestName - ending.size()) + ending;
}

Result<std::string> RenameAside(int borrowed_from, const std::string& name, int borrowed_to,
                                const std::string& wanted) {
  const WritableDirectory opened_from{borrowed_from};
  const WritableDirectory opened_to{borrowed_to};
  constexpr int kAttempts = 10;
  for (int i = 0; i < kAttempts; ++i) {
    std::string aside = NameAside(wanted, i == 0 ? "" : "-" + RandomName());
    struct stat there {};
    if (::fstatat(borrowed_to, aside.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) continue;
    if (::renameat(borrowed_from, name.c_str(), borrowed_to, aside.c_str()) == 0) return aside;
    break;
  }
  return SystemError(ErrorCode::kSetupFailed, "rename " + Quoted(name), errno);
}

bool IsOfNoRoom(int number) { return number == ENOSPC || number == EDQUOT; }

bool EmptyNamed(int borrowed_directory, const std::string& name) {
  constexpr int kWriting = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const UniqueFd file{::openat(borrowed_directory, name.c_str(), kWriting)};
  struct stat status {};
  return file && ::fstat(file.Get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
         ::ftruncate(file.Get(), 0) == 0;
}

bool RemoveNamed(int borrowed_directory, const std::string& name) {
  const WritableDirectory opened{borrowed_directory};
  if (::unlinkat(borrowed_directory, name.c_str(), 0) == 0) return true;
#ifdef __linux__
  struct stat status {};
  if (::fstatat(borrowed_directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (!S_ISDIR(status.st_mode)) return ::unlinkat(borrowed_directory, name.c_str(), 0) == 0;
  RemoveTree(("/proc/self/fd/" + std::to_string(borrowed_directory) + "/" + name).c_str());
  if (::fstatat(borrowed_directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return true;
#endif
  return ::unlinkat(borrowed_directory, name.c_str(), AT_REMOVEDIR) == 0;
}

Result<std::string> TakeAway(int borrowed_directory, const std::string& name) {
  Result<std::string> aside = RenameAside(borrowed_directory, name, borrowed_directory, name);
  if (aside) return aside;
  if (RemoveNamed(borrowed_directory, name)) return std::string();
  static_cast<void>(EmptyNamed(borrowed_directory, name));
  return aside;
}

WritableDirectory::WritableDirectory(int borrowed_directory) : directory_(borrowed_directory) {
  constexpr mode_t kOwner = S_IWUSR | S_IXUSR;
  struct stat status {};
  if (::fstat(directory_, &status) != 0 || status.st_uid != ::geteuid()) return;
  mode_ = status.st_mode & 07777U;
  changed_ = (mode_ & kOwner) != kOwner && ChangeMode(directory_, mode_ | kOwner);
}

WritableDirectory::~WritableDirectory() {
  const int number = errno;
  if (changed_) static_cast<void>(ChangeMode(directory_, mode_));
  errno = number;
}

}  // namespace mxc
