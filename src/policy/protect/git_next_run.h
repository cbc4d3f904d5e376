// Whether what a command has left keeps later runs with the same grants from starting: protection reads every
// repository below them, and refuses what it cannot read.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/git_snapshot.h"
#include "mxc/host.h"

namespace mxc {

struct NextRun {
  Status starts = Done{};  // Errors: its refusal, kConflict
  // Files at or below `left` that cause it: they cannot be read, or name what cannot be.
  std::vector<std::string> obstacles = {};
};

// Protects the repositories at and below `left`, beside what was protected before, as the next run would.
[[nodiscard]] NextRun CheckNextRun(const GitSnapshot& before, const std::vector<std::string>& left,
                                   const Host& host);

}  // namespace mxc
