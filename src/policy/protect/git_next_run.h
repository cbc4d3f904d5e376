// Whether files that a command has left prevent later runs with the same grants: protection reads every
// repository below them, and refuses those that it cannot read.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/git_snapshot.h"
#include "mxc/host.h"

namespace mxc {

struct NextRun {
  Status starts = Done{};  // Errors: its refusal, kConflict
  // Files at or below `left` that cause it: they, or files that they name, cannot be read.
  std::vector<std::string> obstacles = {};
};

// Protects the repositories at and below `left`, in addition to the earlier protected paths, as the next run
// would.
[[nodiscard]] NextRun CheckNextRun(const GitSnapshot& before, const std::vector<std::string>& left,
                                   const Host& host);

}  // namespace mxc
