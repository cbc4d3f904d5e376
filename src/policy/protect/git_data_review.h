// git's own data, held against what it was before a command has run.
#pragma once

#include <string>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/paths/search.h"
#include "policy/protect/git_places.h"
#include "policy/protect/git_review.h"

namespace mxc {

struct GitDataReview {
  std::vector<GitChange> changes = {};   // kPassage, kIndex and kList
  std::vector<std::string> closed = {};  // directories that cannot be listed
  std::string gap = {};                  // "" when all was looked at
  std::string crowded = {};              // a git directory of which most was not looked at, or ""
};

[[nodiscard]] GitDataReview ReviewGitData(const GitSnapshot& before, std::vector<GitDirectory> directories,
                                          const Host& host, TreeSearch::Opener open);

}  // namespace mxc
