// Directories through which other users reach held or denied paths.
#pragma once

#include <string>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// The directories in read-write entries that the command could open to others: on the way to paths of
// stricter rules, to git's directories and what git finds by name, and on the caller's PATH. Call it with
// complete rules.
[[nodiscard]] std::vector<Way> FindWays(const Host& host, const RuleSet& rules, const GitSnapshot& git,
                                        PathWalker& walker);

}  // namespace mxc
