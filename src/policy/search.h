// A bounded search through directories, level by level: what a bound cuts off is the deepest.
//
//   TreeSearch search(host);
//   search.Run({"/srv/work"}, [](const std::string& directory, std::vector<DirectoryEntry>& entries) { ...
//   }); if (!search.Gap().empty()) ...  // something was not looked at, and why
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mxc/host.h"

namespace mxc {

class TreeSearch {
 public:
  // Gets each directory with what is in it. The directories it leaves in `entries` are searched as well;
  // links are not followed.
  using Visit = std::function<void(const std::string& directory, std::vector<DirectoryEntry>& entries)>;

  // The bounds of limits.h hold for all searches of one object together.
  explicit TreeSearch(const Host& host) : host_(host), start_(host.Clock()) {}

  void Run(std::vector<std::string> roots, const Visit& visit);
  // "" when all was searched, else one phrase: "'/srv/a' cannot be listed".
  [[nodiscard]] const std::string& Gap() const { return gap_; }

 private:
  void Read(const std::string& directory, const Visit& visit, std::vector<std::string>& below);
  [[nodiscard]] bool Exhausted(std::size_t depth);
  [[nodiscard]] bool CouldBeListed(const std::string& directory);
  void NoteGap(std::string text) {
    if (gap_.empty()) gap_ = std::move(text);
  }

  const Host& host_;
  std::uint64_t start_;
  std::size_t seen_ = 0;  // entries
  std::string gap_ = {};
};

}  // namespace mxc
