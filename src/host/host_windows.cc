#include <windows.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "base/own_files.h"
#include "host/host.h"
#include "host/windows_host.h"
#include "win32/final_path_windows.h"
#include "win32/run_tool_windows.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr std::size_t kMaxPath = 32768;

// Behind the prefix a path may be longer than 260 units, and is taken as it stands.
std::wstring Long(const std::string& path) {
  const bool drive = path.size() > 2 && path[1] == ':' && path[2] == '\\';
  return Wide(drive ? "\\\\?\\" + path : path);
}

UniqueHandle Open(const std::string& path, DWORD access, DWORD flags = 0) {
  return UniqueHandle{::CreateFileW(Long(path).c_str(), access, kShareAll, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr)};
}

LookupFailure FailureOf(DWORD number) {
  switch (number) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_NOT_READY:
      return LookupFailure::kMissing;
    case ERROR_ACCESS_DENIED:
      return LookupFailure::kDenied;
    default:
      return LookupFailure::kOther;
  }
}

// Other reparse points (cloud files, compressed files) are what they look like.
bool LeadsElsewhere(DWORD attributes, DWORD tag) {
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return false;
  return tag == IO_REPARSE_TAG_SYMLINK || tag == IO_REPARSE_TAG_MOUNT_POINT;
}

FileType TypeOf(DWORD attributes, DWORD tag) {
  if (LeadsElsewhere(attributes, tag)) return FileType::kSymlink;
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileType::kDirectory : FileType::kRegular;
}

std::uint64_t Join(DWORD high, DWORD low) { return (std::uint64_t{high} << 32U) | low; }

Error LastError(const std::string& what) {
  return WindowsError(ErrorCode::kConflict, what, ::GetLastError());
}

struct CloseSearch {
  using pointer = HANDLE;  // NOLINT(readability-identifier-naming): the name unique_ptr looks for
  void operator()(HANDLE search) const { ::FindClose(search); }
};

}  // namespace

Identity WindowsHost::Caller() const { return {.uid = OwnUserId(), .gid = OwnUserId()}; }

std::string WindowsHost::WorkingDirectory() const {
  std::wstring here(kMaxPath, L'\0');
  const DWORD size = ::GetCurrentDirectoryW(static_cast<DWORD>(here.size()), here.data());
  here.resize(size < here.size() ? size : 0);
  return Narrow(here);
}

bool WindowsHost::Interactive() const {
  DWORD mode = 0;
  return ::GetConsoleMode(::GetStdHandle(STD_INPUT_HANDLE), &mode) != 0 &&
         ::GetConsoleMode(::GetStdHandle(STD_OUTPUT_HANDLE), &mode) != 0;
}

std::optional<std::string> WindowsHost::Environment(std::string_view name) const {
  const std::wstring wide = Wide(name);
  const DWORD size = ::GetEnvironmentVariableW(wide.c_str(), nullptr, 0);
  if (size == 0) return std::nullopt;
  std::wstring value(size, L'\0');
  value.resize(::GetEnvironmentVariableW(wide.c_str(), value.data(), size));
  return Narrow(value);
}

bool WindowsHost::MayChangeAccess(const std::string& path) const {
  return static_cast<bool>(Open(path, WRITE_DAC | READ_CONTROL));
}

Lookup WindowsHost::LookAt(const std::string& path) const {
  const UniqueHandle file = Open(path, FILE_READ_ATTRIBUTES, FILE_FLAG_OPEN_REPARSE_POINT);
  if (!file) {
    const DWORD number = ::GetLastError();
    return {.failure = FailureOf(number), .reason = WindowsText(number)};
  }
  BY_HANDLE_FILE_INFORMATION found{};
  FILE_ATTRIBUTE_TAG_INFO tag{};
  if (::GetFileInformationByHandle(file.Get(), &found) == 0) {
    return {.failure = LookupFailure::kOther, .reason = WindowsText(::GetLastError())};
  }
  ::GetFileInformationByHandleEx(file.Get(), FileAttributeTagInfo, &tag, sizeof tag);
  return {.status = FileStatus{.object = {.device = found.dwVolumeSerialNumber,
                                          .inode = Join(found.nFileIndexHigh, found.nFileIndexLow),
                                          .type = TypeOf(found.dwFileAttributes, tag.ReparseTag)},
                               .uid = OwnUserId(),
                               .links = found.nNumberOfLinks,
                               .size = Join(found.nFileSizeHigh, found.nFileSizeLow)}};
}

Result<std::string> WindowsHost::ReadLink(const std::string& path) const {
  const UniqueHandle file = Open(path, FILE_READ_ATTRIBUTES);
  if (!file) return LastError("follow '" + path + "'");
  const std::string final = Narrow(FinalPath(file.Get()));
  if (final.empty()) return LastError("follow '" + path + "'");
  constexpr std::string_view kPrefix = "\\\\?\\";
  return final.starts_with(kPrefix) ? final.substr(kPrefix.size()) : final;
}

bool WindowsHost::MayAccess(const std::string& path, Access access) const {
  const DWORD wanted = access == Access::kReadWrite ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ;
  return static_cast<bool>(Open(path, wanted));
}

Result<std::vector<DirectoryEntry>> WindowsHost::ListEntries(const std::string& path,
                                                             const NameFilter& wanted) const {
  WIN32_FIND_DATAW found{};
  const HANDLE search = ::FindFirstFileW((Long(path) + L"\\*").c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) return LastError("open '" + path + "'");
  const std::unique_ptr<HANDLE, CloseSearch> owned{search};
  std::vector<DirectoryEntry> entries;
  do {
    const std::string name = Narrow(found.cFileName);
    if (name == "." || name == "..") continue;
    const FileType type = TypeOf(found.dwFileAttributes, found.dwReserved0);
    if (type == FileType::kDirectory || !wanted || wanted(name))
      entries.push_back({.name = name, .type = type});
  } while (::FindNextFileW(search, &found) != 0);
  return entries;
}

Result<std::vector<std::string>> WindowsHost::ListDirectory(const std::string& path) const {
  const Result<std::vector<DirectoryEntry>> entries = ListEntries(path, {});
  if (!entries) return entries.error();
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t WindowsHost::Clock() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

Result<std::string> WindowsHost::ReadFile(const std::string& path, std::size_t limit) const {
  const UniqueHandle file = Open(path, GENERIC_READ);
  if (!file) return LastError("open '" + path + "'");
  std::array<char, 16384> buffer{};
  std::string contents;
  while (contents.size() < limit) {
    const auto room = static_cast<DWORD>(std::min(buffer.size(), limit - contents.size()));
    DWORD size = 0;
    if (::ReadFile(file.Get(), buffer.data(), room, &size, nullptr) == 0)
      return LastError("read '" + path + "'");
    if (size == 0) break;
    contents.append(buffer.data(), size);
  }
  return contents;
}

std::optional<std::string> WindowsHost::FindTool(std::string_view name) const {
  std::array<wchar_t, MAX_PATH> directory{};
  if (::GetSystemDirectoryW(directory.data(), MAX_PATH) == 0) return std::nullopt;
  std::string path = Narrow(directory.data()) + "\\" + std::string(name) + ".exe";
  if (::GetFileAttributesW(Wide(path).c_str()) == INVALID_FILE_ATTRIBUTES) return std::nullopt;
  return path;
}

ToolRun WindowsHost::Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const {
  return RunTool(argv, limit_ms);
}

std::unique_ptr<Host> ThisHost() { return std::make_unique<WindowsHost>(); }

}  // namespace mxc
