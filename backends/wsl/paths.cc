#include "backends/wsl/paths.h"

#include <utility>

#include "mxc/windows/wsl_path.h"

namespace mxc::wsl {
namespace {

// What the nearest grant or denial above says; denied where there is none.
Access AccessAbove(const std::vector<PathRule>& rules, const PathRule& rule) {
  const PathRule* nearest = nullptr;
  for (const PathRule& other : rules) {
    if (&other == &rule || !IsAtOrBelowInWsl(rule.path, other.path)) continue;
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

Result<std::vector<PathRule>> TranslateRules(const std::vector<PathRule>& rules,
                                             std::string_view distribution) {
  std::vector<PathRule> translated;
  for (const PathRule& rule : rules) {
    Result<std::string> path = PathInWsl(rule.path, distribution, rule.pointer);
    if (!path) return path.error();
    translated.push_back({.path = std::move(*path), .access = rule.access, .pointer = rule.pointer});
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const PathRule& rule = translated[i];
    if (!IsOnDriveInWsl(rule.path) || !TakesAway(rule.access, AccessAbove(translated, rule))) continue;
    return Unenforceable("'" + rules[i].path +
                             "' cannot be kept from a command that is given the directory around it: a drive "
                             "of Windows knows every file by more names than Linux can close",
                         rule.pointer,
                         "grant the directories beside it one by one, or keep the files in the distribution");
  }
  return translated;
}

}  // namespace mxc::wsl
