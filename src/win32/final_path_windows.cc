#include "win32/final_path_windows.h"

namespace mxc {

std::wstring FinalPath(HANDLE file) {
  std::wstring path(32768, L'\0');
  const DWORD size = ::GetFinalPathNameByHandleW(file, path.data(), static_cast<DWORD>(path.size()), 0);
  path.resize(size < path.size() ? size : 0);
  return path;
}

}  // namespace mxc
