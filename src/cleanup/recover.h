// Takes back what runs that were killed have left on the host.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct Recovery {
  std::size_t restored = 0;
  std::string_view what = "access control lists";
  std::vector<std::string> problems = {};  // one sentence each
  std::vector<std::string> known = {};     // the same, of those that an earlier call has told
};

// Runs that still go on are left alone. On Linux a cleanup process does this right after the run, and only
// what one has left that was killed too is found here.
[[nodiscard]] Recovery RecoverRuns();

}  // namespace mxc
