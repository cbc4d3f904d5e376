// git's own data: what git writes, empties or deletes there by name, whatever stands under it, and the
// indexes that it obeys without a look.
//
//   const GitData found = FindGitData(directories, skipped, host, nullptr);
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
  std::vector<Found> lists = {};  // git_lists.h
  std::vector<Found> refs = {};   // files that git takes for a ref and that lead elsewhere; behind a run
  std::vector<std::string> closed = {};  // directories that cannot be listed
  std::string gap = {};                  // "" when all was looked at
  std::string crowded = {};              // the git directory with more of these than kMaxGitDataBytes, or ""
};

// In all `directories`; what `skipped` holds is left out. Of `objects` the first two levels, and behind a run
// (`before`: what was there; nullptr before it) also what has changed below: git makes nothing but files
// there.
[[nodiscard]] GitData FindGitData(const std::vector<GitDirectory>& directories,
                                  const std::unordered_set<std::string>& skipped, const Host& host,
                                  const GitSnapshot* before, TreeSearch::Opener open = {});

// A directory in which nothing was made, renamed or removed since; and one without others in it.
[[nodiscard]] bool IsUnchanged(const Lookup& directory, const GitSnapshot& before);
[[nodiscard]] bool IsUnchangedLeaf(const Lookup& directory, const GitSnapshot& before);

// What tells an index from another, without its content; its path and inode, and when it was changed last.
[[nodiscard]] std::optional<GitSnapshot::Text> DescribeIndex(const std::string& index, PathWalker& walker);
// Whether `index`, of the repository at `git_directory`, lists nothing but files of a work tree.
[[nodiscard]] bool IsTrustworthyIndexFile(const std::string& index, const std::string& git_directory,
                                          const Host& host);

}  // namespace mxc
