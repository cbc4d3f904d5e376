// git's own data: what git writes, empties or deletes there by name, whatever stands under it, and the
// indexes that it obeys without a look.
//
//   const GitData found = FindGitData(directories, skipped, host, GitDataOf::kHost);
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/paths/search.h"
#include "policy/protect/git_places.h"

namespace mxc {

struct GitData {
  struct Found {
    std::string git_directory = {};  // in which
    std::string whole = {};          // of which that is a part: of a submodule or a work tree, for instance
    GitSnapshot::Text file = {};     // `text`: what it is, and where it leads
  };
  // Symbolic links, pipes and devices, and files with further names among those git writes in place: git goes
  // through them to something else.
  std::vector<Found> passages = {};
  std::vector<Found> indexes = {};
  std::vector<Found> lists = {};         // git_lists.h
  std::vector<Found> refs = {};          // files that git takes for a ref; without a text
  std::vector<std::string> closed = {};  // directories that cannot be listed
  std::string gap = {};                  // "" when all was looked at
};

// What stands there before a run is the host's; what stands there afterwards is looked at further.
enum class GitDataOf { kHost, kRun };

// In all `directories`; what `skipped` holds is left out. Of the host's `objects` only the first two levels;
// git itself makes nothing but files below those.
[[nodiscard]] GitData FindGitData(const std::vector<GitDirectory>& directories,
                                  const std::unordered_set<std::string>& skipped, const Host& host,
                                  GitDataOf whose, TreeSearch::Opener open = {});

// What tells an index from another, without its content; its path and inode, and when it was changed last.
[[nodiscard]] std::optional<GitSnapshot::Text> DescribeIndex(const std::string& index, PathWalker& walker);
// Whether `index`, of the repository at `git_directory`, lists nothing but files of a work tree.
[[nodiscard]] bool IsTrustworthyIndexFile(const std::string& index, const std::string& git_directory,
                                          const Host& host);

}  // namespace mxc
