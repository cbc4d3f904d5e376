// Where a handle really leads.
#pragma once

#include <windows.h>

#include <string>

namespace mxc {

// "\\?\C:\...", without links; empty when Windows does not say.
[[nodiscard]] std::wstring FinalPath(HANDLE file);

}  // namespace mxc
