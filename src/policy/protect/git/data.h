// git's own data: files that git writes, empties or deletes by name, whatever their type, and the indexes
// that it trusts.
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
    kPassage,  // a symbolic link, a pipe or a device, or a file with further names that git writes in place:
               // git would write to another object
    kIndex,
    kList,  // lists.h
    kRef,   // a file that git takes for a ref, but that leads elsewhere; only after a run
  };
  struct Found {
    Kind kind = Kind::kPassage;
    std::string git_directory = {};  // that contains it
    std::string whole = {};          // of which that is a part, as those of a submodule or a work tree are
    GitSnapshot::Text file = {};     // `text`: its type and target
  };
  std::vector<Found> found = {};
  std::vector<std::string> closed = {};  // directories that cannot be listed
  std::string gap = {};                  // "" if everything was searched
  std::string crowded = {};              // the git directory whose entries exceed kMaxGitDataBytes, or ""
};

// Searches `directories`, except `skipped`. Of `objects` the first two levels, and after a run (`before`: the
// state before it, else nullptr) also the directories below that have changed: git creates only files there.
[[nodiscard]] GitData FindGitData(const std::vector<GitDirectory>& directories,
                                  const std::unordered_set<std::string>& skipped, const Host& host,
                                  const GitSnapshot* before, TreeSearch::Opener open = {});

// After a run: what has changed.
struct GitDataReview {
  std::vector<GitChange> changes = {};   // kPassage, kIndex, kList and kStaged
  std::vector<std::string> closed = {};  // directories that cannot be listed
  std::string gap = {};                  // "" if everything was searched
  std::string crowded = {};              // a git directory that was mostly not searched, or ""
};

[[nodiscard]] GitDataReview ReviewGitData(const GitSnapshot& before, std::vector<GitDirectory> directories,
                                          const Host& host, TreeSearch::Opener open);

// Whether nothing was created, renamed or removed in the directory since; IsUnchangedLeaf: and it has no
// subdirectories.
[[nodiscard]] bool IsUnchanged(const Lookup& directory, const GitSnapshot& before);
[[nodiscard]] bool IsUnchangedLeaf(const Lookup& directory, const GitSnapshot& before);

}  // namespace mxc
