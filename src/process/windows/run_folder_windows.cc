#include "process/windows/run_folder_windows.h"

// windows.h stands before what needs it.
// clang-format off
#include <windows.h>
#include <sddl.h>
// clang-format on

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "base/own_files.h"
#include "base/unique_handle_windows.h"
#include "base/wide_windows.h"
#include "process/windows/journal_windows.h"

namespace mxc {
namespace {

std::string Parent() {
  const wchar_t* local = ::_wgetenv(L"LOCALAPPDATA");
  return local == nullptr ? "" : Narrow(local) + "\\mxc-exec\\run";
}

struct FreeMemory {
  void operator()(void* memory) const { ::LocalFree(memory); }
};

std::wstring OwnSid() {
  HANDLE opened = nullptr;
  if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &opened) == 0) return {};
  const UniqueHandle token{opened};
  alignas(TOKEN_USER) std::byte buffer[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
  DWORD size = 0;
  wchar_t* text = nullptr;
  if (::GetTokenInformation(token.Get(), TokenUser, buffer, sizeof buffer, &size) == 0) return {};
  if (::ConvertSidToStringSidW(reinterpret_cast<const TOKEN_USER*>(buffer)->User.Sid, &text) == 0) return {};
  const std::unique_ptr<wchar_t, FreeMemory> owned{text};
  return text;
}

// For the caller and the system, and nothing handed down from above.
Status MakePrivate(const std::string& path) {
  const std::wstring sid = OwnSid();
  const std::wstring list = L"D:P(A;OICI;FA;;;" + sid + L")(A;OICI;FA;;;SY)";
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  if (sid.empty() || ::ConvertStringSecurityDescriptorToSecurityDescriptorW(list.c_str(), SDDL_REVISION_1,
                                                                            &descriptor, nullptr) == 0)
    return WindowsError(ErrorCode::kSetupFailed, "find out who runs this", ::GetLastError());
  const std::unique_ptr<void, FreeMemory> owned{descriptor};
  SECURITY_ATTRIBUTES attributes{};
  attributes.nLength = sizeof attributes;
  attributes.lpSecurityDescriptor = descriptor;
  if (::CreateDirectoryW(Wide(path).c_str(), &attributes) != 0) return Done{};
  return WindowsError(ErrorCode::kSetupFailed, "make the folder '" + path + "'", ::GetLastError());
}

// A link is removed, never followed: what is shared with a guest may hold links that the guest has made.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the longest path allows
void RemoveTree(const std::wstring& path, int depth = 0) {
  constexpr int kMaxDepth = 128;
  const DWORD attributes = ::GetFileAttributesW(path.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES || depth > kMaxDepth) return;
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
    ::SetFileAttributesW(path.c_str(), FILE_ATTRIBUTE_NORMAL);
    ::DeleteFileW(path.c_str());
    return;
  }
  WIN32_FIND_DATAW found{};
  const bool link = (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
  const HANDLE search = link ? INVALID_HANDLE_VALUE : ::FindFirstFileW((path + L"\\*").c_str(), &found);
  if (search != INVALID_HANDLE_VALUE) {
    do {
      const std::wstring_view name = found.cFileName;
      if (name != L"." && name != L"..") RemoveTree(path + L"\\" + found.cFileName, depth + 1);
    } while (::FindNextFileW(search, &found) != 0);
    ::FindClose(search);
  }
  ::RemoveDirectoryW(path.c_str());
}

// "<process>-<when it was created>-<random>"
bool IsOfLiveProcess(const std::string& name) {
  std::uint32_t process = 0;
  std::uint64_t created = 0;
  const char* const end = name.data() + name.size();
  const auto [first, problem] = std::from_chars(name.data(), end, process);
  if (problem != std::errc{} || first == end) return false;
  const auto [second, other] = std::from_chars(first + 1, end, created);
  return other == std::errc{} && second != end && created != 0 && CreationOf(process) == created;
}

}  // namespace

Result<RunFolder> RunFolder::Make() {
  const std::string parent = Parent();
  if (parent.empty()) {
    return Error{.code = ErrorCode::kSetupFailed,
                 .message = "there is no place for the folder of the run",
                 .hint = "set LOCALAPPDATA"};
  }
  std::error_code problem;
  std::filesystem::create_directories(Wide(parent), problem);
  const DWORD own = ::GetCurrentProcessId();
  RunFolder folder{parent + "\\" + std::to_string(own) + "-" + std::to_string(CreationOf(own)) + "-" +
                   RandomName() + RandomName()};
  if (Status made = MakePrivate(folder.path_); !made) {
    folder.path_.clear();
    return made.error();
  }
  return folder;
}

RunFolder::RunFolder(RunFolder&& other) noexcept : path_(std::exchange(other.path_, std::string())) {}

RunFolder::~RunFolder() {
  if (!path_.empty()) RemoveTree(Wide(path_));
}

std::string RunFolder::Token() const { return path_.substr(path_.rfind('-') + 1); }

Status RunFolder::Write(std::string_view name, std::string_view text) const {
  std::ofstream file{std::filesystem::path{Wide(Of(name))}, std::ios::binary | std::ios::trunc};
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return Done{};
  return Error{.code = ErrorCode::kSetupFailed, .message = "cannot write '" + Of(name) + "'"};
}

std::string RunFolder::Read(std::string_view name, std::size_t limit) const {
  std::ifstream file{std::filesystem::path{Wide(Of(name))}, std::ios::binary};
  std::string text(limit, '\0');
  file.read(text.data(), static_cast<std::streamsize>(limit));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void RemoveLeftFolders() {
  std::error_code problem;
  const std::string parent = Parent();
  if (parent.empty() || !std::filesystem::is_directory(Wide(parent), problem)) return;
  for (const auto& entry : std::filesystem::directory_iterator(Wide(parent), problem)) {
    if (IsOfLiveProcess(Narrow(entry.path().filename().wstring()))) continue;
    RemoveTree(entry.path().wstring());
  }
}

}  // namespace mxc
