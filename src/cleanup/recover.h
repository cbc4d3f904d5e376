// Takes back what runs that were killed have left on the host.
#pragma once

#include <string>
#include <vector>

namespace mxc {

struct Recovery {
  std::size_t restored = 0;                // lists put back
  std::vector<std::string> problems = {};  // one sentence each
};

// Runs that still go on are left alone. Nothing is left where a cleanup process does this right after the
// run.
[[nodiscard]] Recovery RecoverRuns();

}  // namespace mxc
