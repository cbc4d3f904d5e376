// Whether what a command has left keeps later runs with the same grants from starting: protection reads every
// repository below them, and refuses what it cannot read.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/git_snapshot.h"
#include "mxc/host.h"

namespace mxc {

// Protects the repositories at and below `left`, as the next run would. Errors: its refusal, kConflict.
[[nodiscard]] Status CheckNextRun(const GitSnapshot& before, const std::vector<std::string>& left,
                                  const Host& host);

}  // namespace mxc
