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
#include "policy/protect/git/change.h"
#include "policy/protect/git/places.h"

namespace mxc {

struct GitData {
  enum class Kind {
    kPassage,  // a symbolic link, a pipe or a device, or a file with further names among those git writes in
               // place: git goes through it to something else
    kIndex,
    kList,  // lists.h
    kRef,   // a file that git takes for a ref and that leads elsewhere; behind a run
  };
  struct Found {
    Kind kind = Kind::kPassage;
    std::string git_directory = {};  // in which
    std::string whole = {};          // of which that is a part: of a submodule or a work tree, for instance
    GitSnapshot::Text file = {};     // `text`: what it is, and where it leads
  };
  std::vector<Found> found = {};
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

// Behind a run: what is not as it was before.
struct GitDataReview {
  std::vector<GitChange> changes = {};   // kPassage, kIndex, kList and kStaged
  std::vector<std::string> closed = {};  // directories that cannot be listed
  std::string gap = {};                  // "" when all was looked at
  std::string crowded = {};              // a git directory of which most was not looked at, or ""
};

[[nodiscard]] GitDataReview ReviewGitData(const GitSnapshot& before, std::vector<GitDirectory> directories,
                                          const Host& host, TreeSearch::Opener open);

// A directory in which nothing was made, renamed or removed since; and one without others in it.
[[nodiscard]] bool IsUnchanged(const Lookup& directory, const GitSnapshot& before);
[[nodiscard]] bool IsUnchangedLeaf(const Lookup& directory, const GitSnapshot& before);

}  // namespace mxc
