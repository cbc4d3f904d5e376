// The set of path rules while Resolve builds it: one rule per path, the most specific path wins.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/path.h"
#include "mxc/policy.h"

namespace mxc {

// denied > read-only > read-write
[[nodiscard]] Access Stricter(Access left, Access right);
[[nodiscard]] std::string_view Name(Access access);      // "read-only", "read-write", "denied"
[[nodiscard]] std::string_view ListName(Access access);  // "readonlyPaths" ...

class RuleSet {
 public:
  RuleSet() = default;
  explicit RuleSet(const std::vector<PathRule>& rules) {
    for (const PathRule& rule : rules) Add(rule);
  }

  // A path that has a rule keeps it. Returns whether `rule` was added.
  bool Add(PathRule rule);
  // Replaces the existing rule of that path.
  void Replace(PathRule rule) { rules_[by_path_.find(rule.path)->second] = std::move(rule); }
  // Removes the rule of `path`.
  void Remove(const std::string& path);
  [[nodiscard]] const PathRule* Find(std::string_view path) const;
  // The rule that decides about `path`: its own or its nearest ancestor's. nullptr if the path is invisible,
  // also because one of the sandbox's own nodes (/proc, /sys, /dev, /tmp) is in between.
  [[nodiscard]] const PathRule* Covering(std::string_view path) const;
  // Whether `path` of the host can be read inside.
  [[nodiscard]] bool Visible(std::string_view path) const;

  // Whether the policy grants anything.
  [[nodiscard]] bool HasGrantOfPolicy() const;
  // Paths of the rules for `path` and for what is below it.
  [[nodiscard]] std::vector<std::string> PathsAtOrBelow(std::string_view path) const;
  // Paths of the rules with this access.
  [[nodiscard]] std::vector<std::string> PathsWith(Access access) const;

  // Every rule, in the order in which they were added.
  [[nodiscard]] const std::vector<PathRule>& All() const { return rules_; }
  // Every rule, ancestors first. The set is empty afterwards.
  [[nodiscard]] std::vector<PathRule> Take();

 private:
  std::vector<PathRule> rules_ = {};
  std::unordered_map<std::string, std::size_t, PathHash, std::equal_to<>> by_path_ = {};
  std::size_t longest_ = 0;  // bytes of the longest path ever added: most lookups are of longer ones
};

}  // namespace mxc
