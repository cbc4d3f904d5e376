#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <windows.h>

#include <cerrno>
#include <cstdio>

#include "base/quoted.h"
#include "base/shared_file.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

// Behind every byte there is: a lock on Windows keeps others from reading what it covers.
constexpr DWORD kLockedHigh = 0x40000000;
constexpr DWORD kLockPollMs = 2;

OVERLAPPED LockedPlace() {
  OVERLAPPED place{};
  place.OffsetHigh = kLockedHigh;
  return place;
}

HANDLE FileHandle(int borrowed_fd) { return reinterpret_cast<HANDLE>(::_get_osfhandle(borrowed_fd)); }

}  // namespace

bool LockFile(int borrowed_fd, std::int64_t wait_ms) {
  for (std::int64_t polls = wait_ms / kLockPollMs;; --polls) {
    OVERLAPPED place = LockedPlace();
    constexpr DWORD kFlags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    if (::LockFileEx(FileHandle(borrowed_fd), kFlags, 0, 1, 0, &place) != 0) return true;
    const DWORD problem = ::GetLastError();
    errno = problem == ERROR_LOCK_VIOLATION || problem == ERROR_IO_PENDING ? EAGAIN : EIO;
    if (errno == EIO || polls <= 0) return false;
    ::Sleep(kLockPollMs);
  }
}

void UnlockFile(int borrowed_fd) {
  OVERLAPPED place = LockedPlace();
  ::UnlockFileEx(FileHandle(borrowed_fd), 0, 1, 0, &place);
}

Result<UniqueFd> OpenToRead(const std::string& what, const std::string& path) {
  int number = -1;
  constexpr int kFlags = _O_RDONLY | _O_BINARY | _O_NOINHERIT;
  const errno_t problem = ::_wsopen_s(&number, Wide(path).c_str(), kFlags, _SH_DENYNO, 0);
  const std::string step = what + " " + Quoted(path);
  if (problem != 0) return SystemError(ErrorCode::kSetupFailed, step, problem);
  UniqueFd file{number};
  if (::GetFileType(FileHandle(number)) == FILE_TYPE_DISK) return file;
  return SetupFailed(step + ": it is not a regular file");
}

// A file that is made where one was removed may get its time.
std::string IdentityOfFile(int /*borrowed_fd*/) { return ""; }

std::int64_t SizeOfFile(int borrowed_fd) { return ::_filelengthi64(borrowed_fd); }

std::int64_t ReadFileAt(int borrowed_fd, std::span<char> buffer, std::uint64_t offset) {
  if (::_lseeki64(borrowed_fd, static_cast<__int64>(offset), SEEK_SET) < 0) return -1;
  return ::_read(borrowed_fd, buffer.data(), static_cast<unsigned>(buffer.size()));
}

bool ReplaceContents(int borrowed_fd, std::string_view text) {
  if (::_lseeki64(borrowed_fd, 0, SEEK_SET) < 0) return false;
  const int written = ::_write(borrowed_fd, text.data(), static_cast<unsigned>(text.size()));
  if (written >= 0 && static_cast<std::size_t>(written) != text.size()) errno = ENOSPC;
  return written == static_cast<int>(text.size()) && CutFile(borrowed_fd, text.size());
}

bool CutFile(int borrowed_fd, std::uint64_t size) {
  const errno_t problem = ::_chsize_s(borrowed_fd, static_cast<__int64>(size));
  if (problem != 0) errno = problem;
  return problem == 0;
}

}  // namespace mxc
