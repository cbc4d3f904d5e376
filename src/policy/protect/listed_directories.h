// What the search before a run has listed, as a tree.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mxc/git_snapshot.h"
#include "policy/paths/paths.h"

namespace mxc {

class ListedDirectories {
 public:
  // Borrows `listed`; nullptr: nothing was listed.
  explicit ListedDirectories(const std::vector<GitSnapshot::Listed>* listed) {
    if (listed == nullptr) return;
    for (const GitSnapshot::Listed& each : *listed) {
      by_path_.emplace(each.path, &each);
      if (each.path != "/") by_parent_.emplace(ParentOf(each.path), &each);
    }
  }

  // nullptr: it was not listed.
  [[nodiscard]] const GitSnapshot::Listed* Find(std::string_view path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : found->second;
  }
  void AddChildren(std::string_view path, std::vector<std::string>& paths) const {
    const auto [first, last] = by_parent_.equal_range(path);
    for (auto child = first; child != last; ++child) paths.push_back(child->second->path);
  }

 private:
  std::unordered_map<std::string_view, const GitSnapshot::Listed*> by_path_ = {};
  std::unordered_multimap<std::string_view, const GitSnapshot::Listed*> by_parent_ = {};
};

}  // namespace mxc
