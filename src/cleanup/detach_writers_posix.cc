#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "base/quoted.h"
#include "base/unique_fd.h"
#include "cleanup/detach_writers.h"
#include "cleanup/named_place.h"

namespace mxc {
namespace {

enum class Writers { kNone, kSome, kUnknown };

#if defined(__linux__)
// A process that opens the file while we have the lease waits until we give it up, and we get SIGIO.
class NoLeaseSignal {
 public:
  NoLeaseSignal() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGIO, &ignore, &before_);
  }
  NoLeaseSignal(const NoLeaseSignal&) = delete;
  NoLeaseSignal& operator=(const NoLeaseSignal&) = delete;
  ~NoLeaseSignal() { ::sigaction(SIGIO, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

// A read lease is refused as long as there is an open file description for writing, whoever has it.
Writers WritersOf(int file) {
  const NoLeaseSignal no_signal;
  if (::fcntl(file, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN ? Writers::kSome : Writers::kUnknown;
  ::fcntl(file, F_SETLEASE, F_UNLCK);
  return Writers::kNone;
}
#else
Writers WritersOf(int /*file*/) { return Writers::kUnknown; }
#endif

// git writes no sparse files. A huge one costs its maker nothing, and us every byte that we read or copy.
bool HasHoles(int file, off_t size) {
  const off_t hole = ::lseek(file, 0, SEEK_HOLE);
  return hole >= 0 && hole < size;
}

Error Failed(const std::string& what, const std::string& path) {
  return SystemError(ErrorCode::kSetupFailed, what + " " + Quoted(path), errno);
}

// Sets errno.
bool CopyBytes(int from, int to, std::size_t limit) {
  std::array<char, 65536> buffer;  // NOLINT(*-member-init): each page that is touched costs a fault
  std::size_t copied = 0;
  while (true) {
    const ssize_t size = ::pread(from, buffer.data(), buffer.size(), static_cast<off_t>(copied));
    if (size <= 0) return size == 0;
    copied += static_cast<std::size_t>(size);
    errno = EFBIG;
    if (copied > limit || ::write(to, buffer.data(), static_cast<std::size_t>(size)) != size) return false;
  }
}

// Only root can give a file away; a file of another user's becomes ours, as git would have it.
bool CopyMetadata(const struct stat& status, int to) {
  const bool owned = ::fchown(to, status.st_uid, status.st_gid) == 0 || ::geteuid() != 0;
#ifdef __APPLE__
  const std::array<timespec, 2> times = {status.st_atimespec, status.st_mtimespec};
#else
  const std::array<timespec, 2> times = {status.st_atim, status.st_mtim};
#endif
  return owned && ::fchmod(to, status.st_mode & 0777U) == 0 && ::futimens(to, times.data()) == 0;
}

// Under git's own lock file, so that other writers wait or fail.
Status PutCopy(const NamedPlace& place, int file, const struct stat& status, std::size_t limit,
               const std::string& path) {
  const WritableDirectory writable{place.directory.Get()};
  const std::string lock = place.name + ".lock";
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd copy{::openat(place.directory.Get(), lock.c_str(), kNew, 0600)};
  if (!copy) return Failed("create", path + ".lock");
  if (CopyBytes(file, copy.Get(), limit) && CopyMetadata(status, copy.Get()) &&
      ::renameat(place.directory.Get(), lock.c_str(), place.directory.Get(), place.name.c_str()) == 0)
    return Done{};
  Error error = Failed("copy", path);
  ::unlinkat(place.directory.Get(), lock.c_str(), 0);
  return error;
}

}  // namespace

Result<bool> DetachWriters(const std::string& path, std::size_t limit) {
  const Result<NamedPlace> place = OpenPlace(path);
  if (!place) return place.error();
  const int directory = place->directory.Get();
  constexpr int kReading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const UniqueFd file{::openat(directory, place->name.c_str(), kReading)};
  struct stat status {};
  if (!file || ::fstat(file.Get(), &status) != 0) return Failed("open", path);
  if (!S_ISREG(status.st_mode)) return false;
  if (HasHoles(file.Get(), status.st_size)) return SetupFailed(Quoted(path) + " has holes");
  const Writers writers = WritersOf(file.Get());
  if (writers == Writers::kNone && status.st_nlink == 1) return false;
  // A command of the caller's cannot have another user's file open for writing.
  const bool ours = status.st_uid == ::geteuid() || ::geteuid() == 0;
  if (!ours && writers == Writers::kUnknown &&
      ::faccessat(directory, place->name.c_str(), W_OK, AT_EACCESS) != 0)
    return false;
  if (Status put = PutCopy(*place, file.Get(), status, limit, path); !put) return put.error();
  return writers == Writers::kSome;
}

}  // namespace mxc
