#include "mxc/windows/wsl_path.h"

#include <algorithm>
#include <array>
#include <utility>

#include "mxc/fold.h"
#include "mxc/windows/path.h"

namespace mxc {
namespace {

constexpr std::array<std::string_view, 2> kServers = {"\\\\wsl$\\", "\\\\wsl.localhost\\"};

std::string WithSlashes(std::string_view path) {
  std::string result{path};
  std::replace(result.begin(), result.end(), '\\', '/');
  return result;
}

Error NoWayIn(std::string_view path, const std::string& pointer, std::string why, std::string hint) {
  return Conflict("'" + std::string(path) + "' " + std::move(why), pointer, std::move(hint));
}

}  // namespace

Result<std::string> PathInWsl(std::string_view path, std::string_view distribution,
                              const std::string& pointer) {
  if (path.starts_with('/')) return std::string(path);
  if (IsOnDrive(path)) {
    std::string result = std::string(kWslDrives) + Folded(path.front());
    if (!IsDriveRoot(path)) result += WithSlashes(path.substr(2));
    return result;
  }
  for (const std::string_view server : kServers) {
    if (!IsSameWindowsName(path.substr(0, server.size()), server)) continue;
    const std::string_view rest = path.substr(server.size());
    const std::size_t end = std::min(rest.find('\\'), rest.size());
    if (IsSameWindowsName(rest.substr(0, end), distribution)) {
      return end == rest.size() ? std::string("/") : WithSlashes(rest.substr(end));
    }
    return NoWayIn(path, pointer, "belongs to another distribution than '" + std::string(distribution) + "'",
                   "name that distribution: wslc.distribution");
  }
  return NoWayIn(path, pointer, "is a path of the network, which no distribution has",
                 "write a path with a drive letter, or one of the distribution");
}

bool IsOnDriveInWsl(std::string_view path) {
  if (!path.starts_with(kWslDrives) || path.size() == kWslDrives.size()) return false;
  const char letter = Folded(path[kWslDrives.size()]);
  const std::string_view rest = path.substr(kWslDrives.size() + 1);
  return letter >= 'a' && letter <= 'z' && (rest.empty() || rest.front() == '/');
}

bool IsAtOrBelowInWsl(std::string_view path, std::string_view ancestor) {
  if (ancestor == "/") return true;
  const std::string_view head = path.substr(0, ancestor.size());
  const bool same = IsOnDriveInWsl(path) ? IsSameWindowsName(head, ancestor) : head == ancestor;
  return same && (path.size() == ancestor.size() || path[ancestor.size()] == '/');
}

}  // namespace mxc
