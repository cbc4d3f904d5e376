#include <fcntl.h>
#include <fmt/format.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/own_files.h"
#include "base/quoted.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

bool IsLink(const std::wstring& path) {
  const DWORD attributes = ::GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

// False for what is no file of a disk.
bool Identify(HANDLE handle, BY_HANDLE_FILE_INFORMATION& information) {
  return handle != INVALID_HANDLE_VALUE && ::GetFileType(handle) == FILE_TYPE_DISK &&
         ::GetFileInformationByHandle(handle, &information) != 0;
}

bool AreOneFile(HANDLE left, HANDLE right) {
  BY_HANDLE_FILE_INFORMATION one{};
  BY_HANDLE_FILE_INFORMATION other{};
  return Identify(left, one) && Identify(right, other) &&
         one.dwVolumeSerialNumber == other.dwVolumeSerialNumber &&
         one.nFileIndexHigh == other.nFileIndexHigh && one.nFileIndexLow == other.nFileIndexLow;
}

HANDLE HandleOf(int borrowed_fd) {
  return IsOpenDescriptor(borrowed_fd) ? reinterpret_cast<HANDLE>(::_get_osfhandle(borrowed_fd))
                                       : INVALID_HANDLE_VALUE;
}

bool IsDisk(int borrowed_fd) {
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(borrowed_fd));
  return handle != INVALID_HANDLE_VALUE && ::GetFileType(handle) == FILE_TYPE_DISK;
}

}  // namespace

Result<UniqueFd> OpenOwnFile(const std::string& what, const std::string& path, OwnFile file) {
  const auto refused = [&](const std::string& why) {
    return SetupFailed(what + " " + Quoted(path) + ": " + why);
  };
  const std::wstring wide = Wide(path);
  if (IsLink(wide)) return refused("it is a symbolic link");
  const bool result = file == OwnFile::kResult;
  int number = -1;
  const bool read = file == OwnFile::kAudit || file == OwnFile::kHead;
  const bool appended = file == OwnFile::kAudit || file == OwnFile::kLog;
  const int flags =
      (read ? _O_RDWR : _O_WRONLY) | _O_CREAT | _O_BINARY | _O_NOINHERIT | (appended ? _O_APPEND : 0);
  const errno_t problem = ::_wsopen_s(&number, wide.c_str(), flags, _SH_DENYNO, _S_IREAD | _S_IWRITE);
  if (problem != 0) return refused(std::generic_category().message(problem));
  UniqueFd fd{number};
  if (HasOtherNames(number)) return refused("it has more than one name");
  const bool disk = IsDisk(number);
  if (read && !disk) return refused("it is not a regular file");
  if (result && disk && ::_chsize_s(number, 0) != 0) return refused(std::generic_category().message(errno));
  return fd;
}

Status CheckOwnFile(const std::string& what, const std::string& path, OwnFile /*file*/) {
  if (!IsLink(Wide(path))) return Done{};
  return Conflict(what + " " + Quoted(path) + ": it is a symbolic link");
}

bool LeadsToFileOf(const std::string& path, int borrowed_fd) {
  const UniqueHandle named{::CreateFileW(Wide(path).c_str(), 0,
                                         FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                         OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr)};
  return named && AreOneFile(named.Get(), HandleOf(borrowed_fd));
}

bool AreOfOneFile(int borrowed_fd, int other_fd) {
  return AreOneFile(HandleOf(borrowed_fd), HandleOf(other_fd));
}

bool HasOtherNames(int borrowed_fd) {
  BY_HANDLE_FILE_INFORMATION information{};
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(borrowed_fd));
  return handle != INVALID_HANDLE_VALUE && ::GetFileInformationByHandle(handle, &information) != 0 &&
         (information.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0 && information.nNumberOfLinks > 1;
}

bool IsOpenDescriptor(int number) {
  // The C runtime ends the program for a number it does not know, unless it is told not to.
  const auto ignore = [](const wchar_t*, const wchar_t*, const wchar_t*, unsigned, std::uintptr_t) {};
  const _invalid_parameter_handler before = ::_set_invalid_parameter_handler(ignore);
  const bool open = number >= 0 && ::_get_osfhandle(number) != -1;
  ::_set_invalid_parameter_handler(before);
  return open;
}

UniqueFd Duplicate(int borrowed_fd) {
  UniqueFd copy{::_dup(borrowed_fd)};
  if (copy) ::SetHandleInformation(HandleOf(copy.Get()), HANDLE_FLAG_INHERIT, 0);
  return copy;
}

std::int64_t ReadSome(int borrowed_fd, std::span<char> buffer) {
  return ::_read(borrowed_fd, buffer.data(), static_cast<unsigned>(buffer.size()));
}

bool TakesText(int /*borrowed_fd*/) { return true; }

std::int64_t WriteSome(int borrowed_fd, std::string_view text) {
  return ::_write(borrowed_fd, text.data(), static_cast<unsigned>(text.size()));
}

bool HasRoom(int /*borrowed_fd*/, std::size_t /*size*/, std::size_t /*reserve*/) { return true; }

bool FlushToDisk(int borrowed_fd) { return ::_commit(borrowed_fd) == 0; }

void IgnoreFileSizeLimit() {}  // there is no such limit

std::int64_t OwnProcessId() { return ::GetCurrentProcessId(); }

std::uint32_t OwnUserId() {
  HANDLE opened = nullptr;
  if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &opened) == 0) return 0;
  const UniqueHandle token{opened};
  alignas(TOKEN_USER) std::byte buffer[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
  DWORD size = 0;
  if (::GetTokenInformation(token.Get(), TokenUser, buffer, sizeof buffer, &size) == 0) return 0;
  const auto& user = *reinterpret_cast<const TOKEN_USER*>(buffer);
  const UCHAR count = *::GetSidSubAuthorityCount(user.User.Sid);
  return count == 0 ? 0 : *::GetSidSubAuthority(user.User.Sid, DWORD{count} - 1);
}

bool FillRandom(std::span<unsigned char> bytes) {
  for (unsigned char& byte : bytes) {
    unsigned number = 0;
    if (::rand_s(&number) != 0) return false;
    byte = static_cast<unsigned char>(number);
  }
  return true;
}

std::string RandomName() {
  std::array<unsigned char, 8> bytes{};
  if (!FillRandom(bytes)) return fmt::format("{:016x}", ::GetCurrentProcessId());
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace mxc
