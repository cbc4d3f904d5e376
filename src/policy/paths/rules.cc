#include "policy/paths/rules.h"

#include <algorithm>
#include <utility>

#include "policy/paths/paths.h"

namespace mxc {
Access Stricter(Access left, Access right) {
  for (const Access access : {Access::kDenied, Access::kReadOnly}) {
    if (left == access || right == access) return access;
  }
  return Access::kReadWrite;
}

std::string_view Name(Access access) {
  switch (access) {
    case Access::kReadWrite:
      return "read-write";
    case Access::kReadOnly:
      return "read-only";
    case Access::kDenied:
      return "denied";
  }
  return "denied";
}

std::string_view ListName(Access access) {
  switch (access) {
    case Access::kReadWrite:
      return "readwritePaths";
    case Access::kReadOnly:
      return "readonlyPaths";
    case Access::kDenied:
      return "deniedPaths";
  }
  return "deniedPaths";
}

bool RuleSet::Add(PathRule rule) {
  if (!by_path_.emplace(rule.path, rules_.size()).second) return false;
  longest_ = std::max(longest_, rule.path.size());
  rules_.push_back(std::move(rule));
  return true;
}

void RuleSet::Remove(const std::string& path) {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return;
  const std::size_t at = found->second;
  by_path_.erase(found);
  rules_.erase(rules_.begin() + static_cast<std::ptrdiff_t>(at));
  for (auto& [name, index] : by_path_) index -= index > at ? 1 : 0;
}

const PathRule* RuleSet::Find(std::string_view path) const {
  if (path.size() > longest_) return nullptr;
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &rules_[found->second];
}

const PathRule* RuleSet::Covering(std::string_view path) const {
  const std::string_view barrier = PrivateNodeOf(path);
  for (;; path = ParentOf(path)) {
    if (const PathRule* rule = Find(path)) return rule;
    if (path == "/" || path == barrier) return nullptr;
  }
}

bool RuleSet::Visible(std::string_view path) const {
  const PathRule* rule = Covering(path);
  return rule != nullptr && rule->access != Access::kDenied;
}

std::vector<std::string> RuleSet::PathsWith(Access access) const {
  std::vector<std::string> paths;
  for (const PathRule& rule : rules_) {
    if (rule.access == access) paths.push_back(rule.path);
  }
  return paths;
}

bool RuleSet::HasGrantOfPolicy() const {
  return std::any_of(rules_.begin(), rules_.end(), [](const PathRule& rule) {
    return rule.origin == Origin::kPolicy && rule.access != Access::kDenied;
  });
}

std::vector<std::string> RuleSet::PathsAtOrBelow(std::string_view path) const {
  std::vector<std::string> paths;
  for (const PathRule& rule : rules_) {
    if (IsAtOrBelow(rule.path, path)) paths.push_back(rule.path);
  }
  return paths;
}

std::vector<PathRule> RuleSet::Take() {
  by_path_.clear();
  std::vector<PathRule> result = std::exchange(rules_, {});
  std::sort(result.begin(), result.end(),
            [](const PathRule& left, const PathRule& right) { return PathBefore(left.path, right.path); });
  return result;
}

}  // namespace mxc
