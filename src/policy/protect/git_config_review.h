// Configurations that a command could write, held against what stood there before.
#pragma once

#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/protect/git_review.h"

namespace mxc {

// Those that say more than keys that execute nothing, or less than before.
[[nodiscard]] std::vector<GitChange> ReviewGitConfigs(const GitSnapshot& before, const Host& host);

}  // namespace mxc
