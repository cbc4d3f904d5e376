// Our text is UTF-8, that of Windows is UTF-16. Lone surrogates become U+FFFD.
#pragma once

#include <windows.h>

#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

[[nodiscard]] std::wstring Wide(std::string_view text);
[[nodiscard]] std::string Narrow(std::wstring_view text);

// "<what>: <system text> (<number>)", with the number GetLastError gave.
[[nodiscard]] Error WindowsError(ErrorCode code, std::string_view what, DWORD number);
// The system's text for it, without a line break.
[[nodiscard]] std::string WindowsText(DWORD number);

}  // namespace mxc
