// Compares git's files in the read-write grants after a run with those before it.
//
//   for (const GitChange& change : ReviewGit(policy.git, host, gap)) ...
#pragma once

#include <string>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/paths/search.h"
#include "policy/protect/git/change.h"

namespace mxc {

// Sorted by path. `gap`: "" if everything was searched, else the reason. `open`: for directories that could
// be listed before.
[[nodiscard]] std::vector<GitChange> ReviewGit(const GitSnapshot& before, const Host& host, std::string& gap,
                                               const TreeSearch::Opener& open = {});

}  // namespace mxc
