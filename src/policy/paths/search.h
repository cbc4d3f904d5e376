// A search through directories, down to the last one. What it could not look at, it names. Directories are
// listed by several threads, and visited by one.
//
//   TreeSearch search(host, wanted);
//   search.Run({"/srv/work"}, on_directory);  // called with each directory and its entries
//   if (!search.Gap().empty()) ...  // it did not come to its end, and why
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
  // Gets each directory with its directories and what else is wanted of it. The directories it leaves in
  // `entries` are searched as well; links are not followed.
  using Visit = std::function<void(const std::string& directory, std::vector<DirectoryEntry>& entries)>;

  // Makes a directory one that can be listed. False: it is as it was.
  using Opener = std::function<bool(const std::string& directory)>;

  // The bounds of limits.h hold for all searches of one object together. `open`: for what cannot be listed.
  explicit TreeSearch(const Host& host, NameFilter wanted = {}, Opener open = {})
      : host_(host), wanted_(std::move(wanted)), open_(std::move(open)), start_(host.Clock()) {}

  // What a command of root's cannot get to below `grants`, because another user keeps a directory above it
  // closed, is passed over where it holds something that is wanted: the command holds no capability against
  // that.
  void AsTheCommand(const std::vector<std::string>& grants);

  void Run(std::vector<std::string> roots, const Visit& visit);
  // Of the directory that is visited; 0: not known.
  [[nodiscard]] std::uint64_t Inode() const { return inode_; }
  // "" when all was searched, else one phrase: "it took longer than 30000 ms".
  [[nodiscard]] const std::string& Gap() const { return gap_; }
  // Directories that cannot be listed, but in which a name that is known could be used.
  [[nodiscard]] const std::vector<std::string>& Closed() const { return closed_; }
  // Directories with others whose paths are longer than kMaxSearchedPath: those were not searched.
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
  std::unordered_set<std::string> reached_ = {};  // by root's command: grants, and directories below
  std::optional<std::unordered_set<std::uint32_t>> groups_ = {};  // once they were asked for
  std::uint64_t inode_ = 0;
  std::size_t seen_ = 0;   // entries
  std::size_t bytes_ = 0;  // of the directories of those
  std::string gap_ = {};
  std::vector<std::string> closed_ = {};
  std::vector<std::string> deepest_ = {};
};

}  // namespace mxc
