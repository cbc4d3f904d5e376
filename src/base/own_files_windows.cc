#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

// rand_s is declared for who asks.
#define _CRT_RAND_S
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/own_files.h"
#include "base/unique_handle_windows.h"
#include "base/wide_windows.h"

namespace mxc {
namespace {

bool IsLink(const std::wstring& path) {
  const DWORD attributes = ::GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

}  // namespace

UniqueFd OpenOwnFile(const std::string& path, OwnFile file) {
  const std::wstring wide = Wide(path);
  if (IsLink(wide)) {
    errno = ELOOP;
    return UniqueFd{};
  }
  const int position = file == OwnFile::kResult ? _O_TRUNC : _O_APPEND;
  int number = -1;
  const int flags = _O_WRONLY | _O_CREAT | _O_BINARY | _O_NOINHERIT | position;
  if (::_wsopen_s(&number, wide.c_str(), flags, _SH_DENYNO, _S_IREAD | _S_IWRITE) != 0) return UniqueFd{};
  return UniqueFd{number};
}

bool IsRegularFile(int borrowed_fd) {
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(borrowed_fd));
  return handle != INVALID_HANDLE_VALUE && ::GetFileType(handle) == FILE_TYPE_DISK;
}

bool IsOpenDescriptor(int number) {
  // The C runtime ends the program for a number it does not know, unless it is told not to.
  const auto ignore = [](const wchar_t*, const wchar_t*, const wchar_t*, unsigned, std::uintptr_t) {};
  const _invalid_parameter_handler before = ::_set_invalid_parameter_handler(ignore);
  const bool open = number >= 0 && ::_get_osfhandle(number) != -1;
  ::_set_invalid_parameter_handler(before);
  return open;
}

std::int64_t ReadSome(int borrowed_fd, std::span<char> buffer) {
  return ::_read(borrowed_fd, buffer.data(), static_cast<unsigned>(buffer.size()));
}

std::int64_t WriteSome(int borrowed_fd, std::string_view text) {
  return ::_write(borrowed_fd, text.data(), static_cast<unsigned>(text.size()));
}

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
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

}  // namespace mxc
