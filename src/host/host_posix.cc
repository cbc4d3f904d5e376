#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <system_error>

#include "base/terminal.h"
#include "base/unique_fd.h"
#include "host/posix_host.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

LookupFailure FailureOf(int number) {
  if (number == ENOENT || number == ENOTDIR) return LookupFailure::kMissing;
  return number == EACCES || number == EPERM ? LookupFailure::kDenied : LookupFailure::kOther;
}

// Servers and processes behind a file system have clocks of their own; these have no device.
std::optional<std::uint64_t> ChangedAt([[maybe_unused]] const struct stat& found) {
#ifdef __linux__
  if (major(found.st_dev) != 0) return Nanoseconds(found.st_ctim);
#endif
  return std::nullopt;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// Most file systems say it with the name; the others are asked.
FileType TypeOf(const dirent& entry, DIR* directory) {
  if (entry.d_type != DT_UNKNOWN) return FileTypeOf(static_cast<mode_t>(DTTOIF(entry.d_type)));
  struct stat found {};
  if (::fstatat(::dirfd(directory), entry.d_name, &found, AT_SYMLINK_NOFOLLOW) != 0)
    return FileType::kRegular;
  return FileTypeOf(found.st_mode);
}

}  // namespace

FileType FileTypeOf(std::uint32_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return FileType::kDirectory;
    case S_IFLNK:
      return FileType::kSymlink;
    case S_IFSOCK:
      return FileType::kSocket;
    case S_IFCHR:
      return FileType::kCharacterDevice;
    case S_IFBLK:
      return FileType::kBlockDevice;
    case S_IFIFO:
      return FileType::kFifo;
    default:
      return FileType::kRegular;
  }
}

Identity CurrentIdentity() { return {.uid = ::getuid(), .gid = ::getgid()}; }

std::string CurrentDirectory() {
  std::array<char, kMaxPathBytes> buffer{};
  const char* here = ::getcwd(buffer.data(), buffer.size());
  return here == nullptr ? "" : here;
}

bool PosixHost::Interactive() const {
  return GivenTerminal() >= 0 || (::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1);
}

std::optional<std::string> PosixHost::Environment(std::string_view name) const {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

Lookup PosixHost::LookAt(const std::string& path) const {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    const int number = errno;
    if (number == ENOENT) return {.failure = LookupFailure::kMissing, .reason = "no such file or directory"};
    return {.failure = FailureOf(number), .reason = std::generic_category().message(number)};
  }
  return {.status = FileStatus{.object = {.device = static_cast<std::uint64_t>(found.st_dev),
                                          .inode = found.st_ino,
                                          .type = FileTypeOf(found.st_mode)},
                               .mode = found.st_mode & 07777U,
                               .uid = found.st_uid,
                               .gid = found.st_gid,
                               .links = found.st_nlink,
                               .size = static_cast<std::uint64_t>(found.st_size),
                               .changed = ChangedAt(found)}};
}

Result<std::string> PosixHost::ReadLink(const std::string& path) const {
  std::array<char, kMaxPathBytes> buffer{};
  const ssize_t size = ::readlink(path.c_str(), buffer.data(), buffer.size());
  if (size < 0) return SystemError(ErrorCode::kConflict, "readlink '" + path + "'", errno);
  return std::string(buffer.data(), static_cast<std::size_t>(size));
}

bool PosixHost::MayAccess(const std::string& path, Access access) const {
  return ::access(path.c_str(), access == Access::kReadWrite ? R_OK | W_OK : R_OK) == 0;
}

bool PosixHost::MayExecute(const std::string& path) const { return ::access(path.c_str(), X_OK) == 0; }

Result<std::vector<std::string>> PosixHost::ListDirectory(const std::string& path) const {
  Result<std::vector<DirectoryEntry>> entries = ListEntries(path, {});
  if (!entries) return entries.error();
  std::vector<std::string> names;
  for (DirectoryEntry& entry : *entries) names.push_back(std::move(entry.name));
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<DirectoryEntry>> PosixHost::ListEntries(const std::string& path,
                                                           const NameFilter& wanted) const {
  const std::unique_ptr<DIR, CloseDirectory> directory{::opendir(path.c_str())};
  struct stat itself {};
  // Mode 0400 lets the names be read, and nothing be learnt of what has them.
  if (!directory || (::fstatat(::dirfd(directory.get()), ".", &itself, 0) != 0 && errno == EACCES))
    return SystemError(ErrorCode::kConflict, "open '" + path + "'", errno);
  std::vector<DirectoryEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe): own stream
    if (entry == nullptr && errno != 0)
      return SystemError(ErrorCode::kConflict, "list '" + path + "'", errno);
    if (entry == nullptr) return entries;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const FileType type = TypeOf(*entry, directory.get());
    if (type != FileType::kDirectory && wanted && !wanted(name)) continue;
    entries.push_back({.name = std::string(name), .type = type, .inode = entry->d_ino});
  }
}

std::uint64_t PosixHost::Clock() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

std::optional<std::uint64_t> PosixHost::Time() const {
  timespec now{};
  return ::clock_gettime(CLOCK_REALTIME, &now) == 0 ? std::optional(Nanoseconds(now)) : std::nullopt;
}

Result<std::string> PosixHost::ReadFile(const std::string& path, std::size_t limit) const {
  // Without O_NONBLOCK a named pipe would hold us.
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file) return SystemError(ErrorCode::kConflict, "open '" + path + "'", errno);
  return ReadOpened(file.Get(), path, limit);
}

Result<std::string> ReadOpened(int fd, const std::string& path, std::size_t limit) {
  std::array<char, 4096> buffer;  // NOLINT(*-member-init): each page that is touched costs a fault
  std::string contents;
  // Files of the kernel say they are empty.
  if (struct stat found{}; ::fstat(fd, &found) == 0 && found.st_size > 0) {
    contents.reserve(std::min(static_cast<std::size_t>(found.st_size), limit));
  }
  while (contents.size() < limit) {
    const ssize_t size = ::read(fd, buffer.data(), std::min(buffer.size(), limit - contents.size()));
    if (size < 0 && errno != EINTR) return SystemError(ErrorCode::kConflict, "read '" + path + "'", errno);
    if (size == 0) break;
    if (size > 0) contents.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return contents;
}

ToolRun PosixHost::Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const {
  return RunTool(argv, limit_ms);
}

}  // namespace mxc
