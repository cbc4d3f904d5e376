#include "windows/guest_file_windows.h"

#include <array>
#include <string_view>
#include <utility>

#include "win32/final_path_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxInputBytes = std::size_t{64} << 20U;
constexpr std::size_t kChunk = 65536;
constexpr DWORD kShareWithAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

bool WriteAll(HANDLE stream, std::string_view text) {
  while (!text.empty()) {
    DWORD size = 0;
    if (::WriteFile(stream, text.data(), static_cast<DWORD>(text.size()), &size, nullptr) == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace

Status GuestFile::Make(const std::string& path) {
  // cmd.exe shares what it writes with readers only.
  file_.Reset(::CreateFileW(Wide(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                            CREATE_NEW, 0, nullptr));
  if (file_) return Done{};
  return WindowsError(ErrorCode::kSetupFailed, "make '" + path + "'", ::GetLastError());
}

Result<bool> GuestFile::Open(const std::string& folder, const std::string& name) {
  const std::wstring path = Wide(folder + "\\" + name);
  UniqueHandle file{::CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                  OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr)};
  const DWORD number = ::GetLastError();
  if (!file && (number == ERROR_FILE_NOT_FOUND || number == ERROR_SHARING_VIOLATION)) return false;
  const UniqueHandle own{::CreateFileW(Wide(folder.substr(0, folder.rfind('\\'))).c_str(), 0, kShareWithAll,
                                       nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr)};
  const std::wstring expected = FinalPath(own.Get()) + Wide(folder.substr(folder.rfind('\\')) + "\\" + name);
  BY_HANDLE_FILE_INFORMATION told{};
  constexpr DWORD kNotPlain = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
  if (!file || ::GetFileInformationByHandle(file.Get(), &told) == 0 ||
      (told.dwFileAttributes & kNotPlain) != 0 || FinalPath(file.Get()) != expected) {
    return SetupFailed("the machine has put something else in the place of '" + name + "'",
                       "stop the sandbox: something in it works against you");
  }
  file_ = std::move(file);
  return true;
}

std::string GuestFile::Take(std::size_t limit) {
  std::string text(limit, '\0');
  DWORD size = 0;
  OVERLAPPED position{};
  position.Offset = static_cast<DWORD>(taken_);
  position.OffsetHigh = static_cast<DWORD>(taken_ >> 32U);
  if (::ReadFile(file_.Get(), text.data(), static_cast<DWORD>(limit), &size, &position) == 0) size = 0;
  text.resize(size);
  taken_ += size;
  return text;
}

void GuestOutput::PassOn() {
  for (;;) {
    const std::string text = file_.Take(kChunk);
    if (text.empty()) return;
    open_ = open_ && WriteAll(stream_, text);
  }
}

Result<std::string> AllInput() {
  const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
  DWORD mode = 0;
  std::string text;
  if (input == nullptr || input == INVALID_HANDLE_VALUE || ::GetConsoleMode(input, &mode) != 0) return text;
  std::array<char, kChunk> buffer{};
  DWORD size = 0;
  while (::ReadFile(input, buffer.data(), static_cast<DWORD>(buffer.size()), &size, nullptr) != 0 &&
         size > 0) {
    text.append(buffer.data(), size);
    if (text.size() > kMaxInputBytes) {
      return SetupFailed("standard input is longer than 64 MiB",
                         "put it into a file in a folder that the policy grants");
    }
  }
  return text;
}

}  // namespace mxc
