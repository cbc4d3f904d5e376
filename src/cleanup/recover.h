// Removes and restores what killed runs have left on the host.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct Recovery {
  std::size_t restored = 0;
  std::string_view what = "access control lists";
  std::vector<std::string> problems = {};  // one sentence each
  bool asked = false;  // by the user: problems that an earlier call has reported are reported again
  std::function<bool(const std::string& problem)> tell = {};  // as of RecoverRuns
};

// Leaves running sandboxes alone. On Linux the cleanup process removes everything right after the run, so
// this finds only what is left of runs whose cleanup process was killed, too. `tell` is called with each
// problem: what it returns false for has not been heard, and a later call reports it again. Without it all
// count as heard.
[[nodiscard]] Recovery RecoverRuns(bool asked = false,
                                   const std::function<bool(const std::string& problem)>& tell = {});

}  // namespace mxc
