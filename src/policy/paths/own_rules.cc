#include "policy/paths/own_rules.h"

#include "policy/paths/paths.h"

namespace mxc {

OwnRules::OwnRules(const RuleSet& rules) : rules_(rules) {
  parents_.insert("/");  // of the private nodes
  for (const PathRule& rule : rules.All()) parents_.insert(ParentOf(rule.path));
}

void OwnRules::TakeOut(const std::string& directory, std::vector<DirectoryEntry>& entries) const {
  if (!parents_.contains(directory)) return;
  std::erase_if(entries, [&](const DirectoryEntry& entry) {
    if (entry.type != FileType::kDirectory) return false;
    const std::string path = JoinPath(directory, entry.name);
    return rules_.Find(path) != nullptr || PrivateNodeOf(path) == path;
  });
}

}  // namespace mxc
