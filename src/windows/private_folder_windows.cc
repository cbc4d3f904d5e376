#include "windows/private_folder_windows.h"

// windows.h stands before what needs it.
// clang-format off
#include <windows.h>
#include <sddl.h>
// clang-format on

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

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

// A link is removed, never followed: what is shared with a guest may hold links that the guest has made.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the longest path allows
void Remove(const std::wstring& path, int depth) {
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
      if (name != L"." && name != L"..") Remove(path + L"\\" + found.cFileName, depth + 1);
    } while (::FindNextFileW(search, &found) != 0);
    ::FindClose(search);
  }
  ::RemoveDirectoryW(path.c_str());
}

}  // namespace

std::string OwnFolder(std::string_view name) {
  const wchar_t* local = ::_wgetenv(L"LOCALAPPDATA");
  return local == nullptr || *local == L'\0' ? "" : Narrow(local) + "\\mxc-exec\\" + std::string(name);
}

Result<std::string> MakeOwnFolder(std::string_view name) {
  std::string path = OwnFolder(name);
  if (path.empty()) {
    return SetupFailed("there is no place for our folders", "set LOCALAPPDATA");
  }
  std::error_code problem;
  std::filesystem::create_directories(Wide(path), problem);
  return path;
}

// Nothing is handed down from above.
Status MakePrivateFolder(const std::string& path) {
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

void RemoveTree(const std::string& path) { Remove(Wide(path), 0); }

Status WriteFileText(const std::string& path, std::string_view text) {
  std::ofstream file{std::filesystem::path{Wide(path)}, std::ios::binary | std::ios::trunc};
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return Done{};
  return SetupFailed("cannot write '" + path + "'");
}

std::string ReadFileText(const std::string& path, std::size_t limit) {
  std::ifstream file{std::filesystem::path{Wide(path)}, std::ios::binary};
  std::string text(limit, '\0');
  file.read(text.data(), static_cast<std::streamsize>(limit));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace mxc
