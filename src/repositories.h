// The end of a run, as far as git on the host is concerned.
#pragma once

#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "mxc/policy.h"

namespace mxc {

// Compares with what stood there before, takes out of git's way what would have it run something of the
// command's, and says what was found, one line for each kind.
[[nodiscard]] std::vector<Warning> ReviewRepositories(const GitSnapshot& before, const Host& host);

}  // namespace mxc
