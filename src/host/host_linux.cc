#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/limits.h>
#include <linux/openat2.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/lists.h"
#include "base/unique_fd.h"
#include "base/unmapped_owners.h"
#include "host/closed_files_linux.h"
#include "host/host.h"
#include "host/live_sockets_linux.h"
#include "host/posix_host.h"
#include "host/read_directory_linux.h"
#include "unix_sockets/run_marks.h"

namespace mxc {
namespace {

// d_type where the file system fills it in, otherwise fstatat.
FileType TypeOf(const KernelDirectoryEntry& entry, int directory_fd) {
  mode_t mode = static_cast<mode_t>(DTTOIF(entry.type));
  struct stat found {};
  if (entry.type == DT_UNKNOWN && ::fstatat(directory_fd, entry.name, &found, AT_SYMLINK_NOFOLLOW) == 0)
    mode = found.st_mode;
  return FileTypeOf(mode);
}

// For reference only: opening a device or a pipe may do something. Without openat2 no link is followed.
UniqueFd FindIn(int root, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  UniqueFd found{static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how))};
  if (found || (errno != ENOSYS && errno != EPERM)) return found;
  found = UniqueFd{::openat(root, ".", O_PATH | O_CLOEXEC)};
  for (std::string_view rest = path; found && !rest.empty();) {
    const std::string name{TakePiece(rest, "/")};
    const bool above = name == "..";
    if (!name.empty())
      found = UniqueFd{above ? -1 : ::openat(found.Get(), name.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW)};
  }
  return found;
}

class LinuxHost final : public PosixHost {
 public:
  [[nodiscard]] std::optional<std::uint64_t> Time() const override;
  [[nodiscard]] OperatingSystem System() const override { return OperatingSystem::kLinux; }
  [[nodiscard]] std::optional<std::string> CalledAs() const override;
  [[nodiscard]] int LandlockAbi() const override {
    const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return static_cast<int>(std::max(abi, 0L));
  }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                const NameFilter& wanted) const override;
  [[nodiscard]] Result<std::string> ReadFileIn(const std::string& root, const std::string& path,
                                               std::size_t limit) const override;
  [[nodiscard]] std::vector<std::string> ListClosed(const std::string& directory) const override {
    return FindClosedFiles(directory);
  }
  [[nodiscard]] std::vector<std::string> LiveSockets(const SocketPlaces& places) const override {
    return FindLiveSockets(places);
  }
  [[nodiscard]] std::optional<std::uint64_t> OldestRun(const std::vector<std::string>& roots) const override {
    return OldestRunMark(roots);
  }
  // By an unnamed file, which nobody sees. A full disk refuses nothing: a command could fill it to have
  // another directory chosen.
  [[nodiscard]] bool MayMakeFilesIn(const std::string& directory) const override {
    const UniqueFd file{::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
    constexpr int kRefusals[] = {EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP};
    const bool refused =
        !file && std::find(std::begin(kRefusals), std::end(kRefusals), errno) != std::end(kRefusals);
    return !refused && MayAccess(directory, Access::kReadWrite);
  }
  [[nodiscard]] bool CanUnmapOwners(const std::string& directory) const override {
    return mxc::CanUnmapOwners(directory);
  }
  [[nodiscard]] std::optional<std::string> Attribute(const std::string& path,
                                                     const std::string& name) const override {
    std::string value(256, '\0');
    ssize_t size = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (size < 0 && errno == ERANGE) {
      value.resize(XATTR_SIZE_MAX);
      size = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    }
    if (size < 0) return std::nullopt;
    value.resize(static_cast<std::size_t>(size));
    return value;
  }
};

// Of a change of our own, because no clock is exact. Files get the coarse clock, up to 10 ms behind
// CLOCK_REALTIME: by that one, changes right after it would be older. Linux 6.13 gives a file whose time was
// looked at the precise time of its next change, and none that changes later an earlier one: by the coarse
// clock, changes right before would be younger.
std::optional<std::uint64_t> LinuxHost::Time() const {
  const UniqueFd file{::memfd_create("mxc-time", MFD_CLOEXEC)};
  struct stat looked_at {};
  struct stat changed {};
  if (!file || ::fstat(file.Get(), &looked_at) != 0 || ::fchmod(file.Get(), 0600) != 0 ||
      ::fstat(file.Get(), &changed) != 0)
    return PosixHost::Time();
  return Nanoseconds(changed.st_ctim);
}

// execve(2) leaves its path in the auxiliary vector, of a script that of the script.
std::optional<std::string> LinuxHost::CalledAs() const {
  // NOLINTNEXTLINE(*-no-int-to-ptr): getauxval(3) returns addresses so.
  const auto* const path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (path == nullptr || *path == '\0') return std::nullopt;
  const std::string called = *path == '/' ? path : WorkingDirectory() + "/" + path;
  struct stat there {};
  struct stat self {};
  const bool same = called.starts_with('/') && ::stat(called.c_str(), &there) == 0 &&
                    ::stat("/proc/self/exe", &self) == 0 && there.st_dev == self.st_dev &&
                    there.st_ino == self.st_ino;
  return same ? std::optional(called) : std::nullopt;
}

Result<std::vector<DirectoryEntry>> LinuxHost::ListEntries(const std::string& path,
                                                           const NameFilter& wanted) const {
  const UniqueFd fd{::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd) return SystemError(ErrorCode::kConflict, "open '" + path + "'", errno);
  std::vector<DirectoryEntry> entries;
  const auto take = [&](const KernelDirectoryEntry& entry, std::string_view name) {
    const bool named = !wanted || wanted(name);
    if (!named && entry.type != DT_DIR && entry.type != DT_UNKNOWN) return;  // spares the fstatat
    const FileType type = TypeOf(entry, fd.Get());
    if (!named && type != FileType::kDirectory) return;
    entries.push_back({.name = std::string(name), .type = type, .inode = entry.inode});
  };
  if (const int problem = ReadDirectory(fd.Get(), take); problem != 0)
    return SystemError(ErrorCode::kConflict, "list '" + path + "'", problem);
  return entries;
}

Result<std::string> LinuxHost::ReadFileIn(const std::string& root, const std::string& path,
                                          std::size_t limit) const {
  const UniqueFd directory{::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  const UniqueFd found = directory ? FindIn(directory.Get(), path) : UniqueFd();
  struct stat status {};
  if (!found || ::fstat(found.Get(), &status) != 0)
    return SystemError(ErrorCode::kConflict, "open '" + path + "' in '" + root + "'", errno);
  if (!S_ISREG(status.st_mode))
    return Conflict("open '" + path + "' in '" + root + "': no regular file", {}, {});
  const std::string opened = "/proc/self/fd/" + std::to_string(found.Get());
  const UniqueFd file{::open(opened.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file) return SystemError(ErrorCode::kConflict, "open '" + path + "' in '" + root + "'", errno);
  return ReadOpened(file.Get(), path, limit);
}

}  // namespace

std::unique_ptr<Host> ThisHost() { return std::make_unique<LinuxHost>(); }

}  // namespace mxc
