#include "win32/elevation_windows.h"

#include <windows.h>

#include "win32/unique_handle_windows.h"

namespace mxc {

bool IsElevated() {
  HANDLE opened = nullptr;
  TOKEN_ELEVATION elevation{};
  DWORD size = 0;
  const bool asked = ::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &opened) != 0;
  const UniqueHandle token{opened};
  return asked &&
         ::GetTokenInformation(token.Get(), TokenElevation, &elevation, sizeof elevation, &size) != 0 &&
         elevation.TokenIsElevated != 0;
}

}  // namespace mxc
