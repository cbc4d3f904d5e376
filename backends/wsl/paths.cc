#include "backends/wsl/paths.h"

#include <algorithm>
#include <array>
#include <utility>

#include "mxc/fold.h"
#include "mxc/windows/path.h"
#include "mxc/windows/wsl_run.h"

namespace mxc::wsl {
namespace {

constexpr std::array<std::string_view, 2> kServers = {"\\\\wsl$\\", "\\\\wsl.localhost\\"};

std::string WithSlashes(std::string_view path) {
  std::string result{path};
  std::replace(result.begin(), result.end(), '\\', '/');
  return result;
}

Error NoWayIn(std::string_view path, const std::string& pointer, std::string why, std::string hint) {
  return {.code = ErrorCode::kConflict,
          .message = "'" + std::string(path) + "' " + std::move(why),
          .pointer = pointer,
          .hint = std::move(hint)};
}

// On drives upper and lower case are one, and a path of the distribution may lead onto a drive.
bool IsAtOrBelow(std::string_view path, std::string_view ancestor) {
  if (ancestor == "/") return true;
  const std::string_view head = path.substr(0, ancestor.size());
  const bool same = IsOnDriveInside(path) ? IsSameWindowsName(head, ancestor) : head == ancestor;
  return same && (path.size() == ancestor.size() || path[ancestor.size()] == '/');
}

// What the nearest grant or denial above says; denied where there is none.
Access AccessAbove(const std::vector<PathRule>& rules, const PathRule& rule) {
  const PathRule* nearest = nullptr;
  for (const PathRule& other : rules) {
    if (&other == &rule || !IsAtOrBelow(rule.path, other.path)) continue;
    if (nearest == nullptr || other.path.size() >= nearest->path.size()) nearest = &other;
  }
  return nearest == nullptr ? Access::kDenied : nearest->access;
}

bool TakesAway(Access access, Access above) {
  switch (above) {
    case Access::kReadWrite:
      return access != Access::kReadWrite;
    case Access::kReadOnly:
      return access == Access::kDenied;
    case Access::kDenied:
      break;
  }
  return false;
}

}  // namespace

Result<std::string> Translate(std::string_view path, std::string_view distribution,
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

bool IsOnDriveInside(std::string_view path) {
  if (!path.starts_with(kWslDrives) || path.size() == kWslDrives.size()) return false;
  const char letter = Folded(path[kWslDrives.size()]);
  const std::string_view rest = path.substr(kWslDrives.size() + 1);
  return letter >= 'a' && letter <= 'z' && (rest.empty() || rest.front() == '/');
}

Result<std::vector<PathRule>> TranslateRules(const std::vector<PathRule>& rules,
                                             std::string_view distribution) {
  std::vector<PathRule> translated;
  for (const PathRule& rule : rules) {
    Result<std::string> path = Translate(rule.path, distribution, rule.pointer);
    if (!path) return path.error();
    translated.push_back({.path = std::move(*path), .access = rule.access, .pointer = rule.pointer});
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const PathRule& rule = translated[i];
    if (!IsOnDriveInside(rule.path) || !TakesAway(rule.access, AccessAbove(translated, rule))) continue;
    return Error{.code = ErrorCode::kUnenforceable,
                 .message = "'" + rules[i].path +
                            "' cannot be kept from a command that is given the directory around it: a drive "
                            "of Windows knows every file by more names than Linux can close",
                 .pointer = rule.pointer,
                 .hint = "grant the directories beside it one by one, or keep the files in the distribution"};
  }
  return translated;
}

}  // namespace mxc::wsl
