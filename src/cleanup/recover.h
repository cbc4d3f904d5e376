// Removes and restores what killed runs have left on the host.
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
  bool asked = false;  // by the user: problems that an earlier call has reported are reported again
};

// Leaves running sandboxes alone. On Linux the cleanup process removes everything right after the run, so
// this finds only what is left of runs whose cleanup process was killed, too.
[[nodiscard]] Recovery RecoverRuns(bool asked = false);

}  // namespace mxc
