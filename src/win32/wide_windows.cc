#include "win32/wide_windows.h"

#include <array>

namespace mxc {

std::wstring Wide(std::string_view text) {
  const int bytes = static_cast<int>(text.size());
  const int size = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0);
  std::wstring wide(static_cast<std::size_t>(size), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), size);
  return wide;
}

std::string Narrow(std::wstring_view text) {
  const int units = static_cast<int>(text.size());
  const int size = ::WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr, 0, nullptr, nullptr);
  std::string narrow(static_cast<std::size_t>(size), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), units, narrow.data(), size, nullptr, nullptr);
  return narrow;
}

std::string WindowsText(DWORD number) {
  std::array<wchar_t, 512> buffer{};
  const DWORD flags =
      FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
  const DWORD size =
      ::FormatMessageW(flags, nullptr, number, 0, buffer.data(), static_cast<DWORD>(buffer.size()), nullptr);
  std::string text = Narrow({buffer.data(), size});
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

Error WindowsError(ErrorCode code, std::string_view what, DWORD number) {
  const std::string text = WindowsText(number);
  return {.code = code,
          .message = std::string(what) + ": " + (text.empty() ? "error" : text) + " (" +
                     std::to_string(number) + ")"};
}

}  // namespace mxc
