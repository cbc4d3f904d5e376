// What a search of one grant leaves to others.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "mxc/host.h"
#include "policy/paths/rules.h"

namespace mxc {

// What has a rule of its own is searched on its own, or not at all.
class OwnRules {
 public:
  // Borrows `rules`, which stay as they are.
  explicit OwnRules(const RuleSet& rules);

  void TakeOut(const std::string& directory, std::vector<DirectoryEntry>& entries) const;

 private:
  const RuleSet& rules_;
  std::unordered_set<std::string_view> parents_ = {};
};

}  // namespace mxc
