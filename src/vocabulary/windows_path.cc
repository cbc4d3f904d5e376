#include <algorithm>

#include "mxc/fold.h"
#include "mxc/windows/path.h"

namespace mxc {
namespace {

constexpr std::size_t kRootSize = 3;  // "C:\"

}  // namespace

bool IsSameWindowsName(std::string_view left, std::string_view right) { return EqualsFolded(left, right); }

bool IsAtOrBelowOnWindows(std::string_view path, std::string_view ancestor) {
  if (ancestor.ends_with('\\')) ancestor.remove_suffix(1);
  if (!IsSameWindowsName(path.substr(0, ancestor.size()), ancestor)) return false;
  return path.size() == ancestor.size() || path[ancestor.size()] == '\\';
}

std::string_view ParentOnWindows(std::string_view path) {
  const std::size_t slash = path.rfind('\\');
  if (slash == std::string_view::npos) return path;
  return path.substr(0, std::max(slash, kRootSize));
}

bool IsOnDrive(std::string_view path) {
  const char letter = path.empty() ? '\0' : Folded(path.front());
  return path.size() >= kRootSize && letter >= 'a' && letter <= 'z' && path[1] == ':' && path[2] == '\\';
}

bool IsDriveRoot(std::string_view path) { return path.size() == kRootSize && IsOnDrive(path); }

}  // namespace mxc
