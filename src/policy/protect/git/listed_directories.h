// The directories listed before a run, as a tree, and which of them are unchanged.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/at_once.h"
#include "mxc/git_snapshot.h"
#include "policy/paths/paths.h"

namespace mxc {

class ListedDirectories {
 public:
  // Borrows `listed`; nullptr: nothing was listed. Several threads call `is_as_listed`, once for each.
  template <typename IsAsListed>
  ListedDirectories(const std::vector<GitSnapshot::Listed>* listed, IsAsListed is_as_listed) {
    if (listed == nullptr) return;
    as_listed_.resize(listed->size());
    AtOnce(listed->size(), [&](std::size_t i) { as_listed_[i] = is_as_listed((*listed)[i]) ? 1 : 0; });
    by_path_.reserve(listed->size());
    by_parent_.reserve(listed->size());
    for (std::size_t i = 0; i < listed->size(); ++i) {
      const std::string& path = (*listed)[i].path;
      by_path_.emplace(path, i);
      if (path != "/") by_parent_.emplace(ParentOf(path), &path);
    }
  }

  [[nodiscard]] bool Contains(std::string_view path) const { return by_path_.contains(path); }
  [[nodiscard]] bool IsAsListed(std::string_view path) const {
    const auto found = by_path_.find(path);
    return found != by_path_.end() && as_listed_[found->second] != 0;
  }
  void AddChildren(std::string_view path, std::vector<std::string>& paths) const {
    const auto [first, last] = by_parent_.equal_range(path);
    for (auto child = first; child != last; ++child) paths.push_back(*child->second);
  }

 private:
  std::vector<char> as_listed_ = {};  // bytes, so that threads can write them concurrently
  std::unordered_map<std::string_view, std::size_t> by_path_ = {};
  std::unordered_multimap<std::string_view, const std::string*> by_parent_ = {};
};

}  // namespace mxc
