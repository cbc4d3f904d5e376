// What a command has left in the read-write grants for git on the host, held against what stood there before.
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

// Sorted by path. `gap`: "" when all was looked at, else why not. `open`: for directories that could be
// listed before.
[[nodiscard]] std::vector<GitChange> ReviewGit(const GitSnapshot& before, const Host& host, std::string& gap,
                                               const TreeSearch::Opener& open = {});

}  // namespace mxc
