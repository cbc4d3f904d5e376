// A recursive search of directories, which names those that it could not search. Several threads list
// directories; one visits them.
//
//   TreeSearch search(host, wanted);
//   search.Run({"/srv/work"}, on_directory);  // called with each directory and its entries
//   if (!search.Gap().empty()) ...  // why it is incomplete
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mxc/host.h"

namespace mxc {

class TreeSearch {
 public:
  // Gets each directory with its subdirectories and the other wanted entries. The directories that it leaves
  // in `entries` are searched as well; links are not followed.
  using Visit = std::function<void(const std::string& directory, std::vector<DirectoryEntry>& entries)>;

  // Makes a directory listable. False: it is unchanged.
  using Opener = std::function<bool(const std::string& directory)>;

  // The bounds of limits.h hold for all searches of one object together. `open`: for directories that cannot
  // be listed.
  explicit TreeSearch(const Host& host, NameFilter wanted = {}, Opener open = {})
      : host_(host), wanted_(std::move(wanted)), open_(std::move(open)), start_(host.Clock()) {}

  // Skips directories below `grants` that a command of root's cannot reach because another user has closed a
  // directory above them: the command has no capability to override that.
  void AsTheCommand(const std::vector<std::string>& grants);

  void Run(std::vector<std::string> roots, const Visit& visit);
  // Inode of the visited directory; 0: not known.
  [[nodiscard]] std::uint64_t Inode() const { return inode_; }
  // "" if everything was searched, else a phrase: "it took longer than 30000 ms".
  [[nodiscard]] const std::string& Gap() const { return gap_; }
  // Directories that cannot be listed, but in which the command could use a known name.
  [[nodiscard]] const std::vector<std::string>& Closed() const { return closed_; }
  // Directories with subdirectories whose paths exceed kMaxSearchedPath, which were not searched.
  [[nodiscard]] const std::vector<std::string>& Deepest() const { return deepest_; }
  // Both.
  [[nodiscard]] std::vector<std::string> Unsearched() const {
    std::vector<std::string> all = closed_;
    all.insert(all.end(), deepest_.begin(), deepest_.end());
    return all;
  }

 private:
  struct Pending {
    std::string path = {};
    std::uint64_t inode = 0;
  };

  // Absent: it could not be listed, or there was no time left.
  using Listing = std::optional<std::vector<DirectoryEntry>>;

  void ListAll(const std::vector<Pending>& directories, std::vector<Listing>& listings) const;
  [[nodiscard]] Listing List(const std::string& directory) const;
  void Take(const Pending& next, Listing& listing, const Visit& visit, std::vector<Pending>& pending);
  [[nodiscard]] const std::unordered_set<std::uint32_t>& GroupsOfRoot();
  [[nodiscard]] bool IsClosedToRoot(const std::string& directory);
  [[nodiscard]] bool IsOutOfReach(const std::string& directory);
  void NoteUnread(const std::string& directory);
  [[nodiscard]] bool Exhausted();
  void NoteGap(std::string text) {
    if (gap_.empty()) gap_ = std::move(text);
  }

  const Host& host_;
  NameFilter wanted_;
  Opener open_;
  std::uint64_t start_;
  bool as_command_ = false;
  std::unordered_set<std::string> reached_ =
      {};  // that root's command can reach: grants, and directories below
  std::optional<std::unordered_set<std::uint32_t>> groups_ = {};  // cached
  std::uint64_t inode_ = 0;
  std::size_t seen_ = 0;   // entries
  std::size_t bytes_ = 0;  // of their directories' paths
  std::string gap_ = {};
  std::vector<std::string> closed_ = {};
  std::vector<std::string> deepest_ = {};
};

}  // namespace mxc
