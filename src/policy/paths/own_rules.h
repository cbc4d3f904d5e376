// Which paths the search of a grant skips.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "mxc/host.h"
#include "policy/paths/rules.h"

namespace mxc {

// A path with its own rule is searched separately, or not at all.
class OwnRules {
 public:
  // Borrows `rules`, which must not change.
  explicit OwnRules(const RuleSet& rules);

  void TakeOut(const std::string& directory, std::vector<DirectoryEntry>& entries) const;

 private:
  const RuleSet& rules_;
  std::unordered_set<std::string_view> parents_ = {};
};

}  // namespace mxc
