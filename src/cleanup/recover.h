// Removes and restores what killed runs have left on the host.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct RecoveryResult {
  std::size_t restored = 0;
  std::vector<std::string> problems = {};  // one sentence each

  [[nodiscard]] bool Empty() const { return restored == 0 && problems.empty(); }
};

// Reports to the user. False: that failed, and a later call reports the same again.
using ReportRecovery = std::function<bool(std::string_view what, const RecoveryResult& found)>;

struct Recovery {
  std::string_view what = "access control lists";
  RecoveryResult found = {};   // by this call
  bool asked = false;          // by the user: problems that an earlier call has reported are reported again
  ReportRecovery report = {};  // as of RecoverRuns
};

// Leaves running sandboxes alone. On Linux the cleanup process removes everything right after the run, so
// this finds only what is left of runs whose cleanup process was killed, too. `report` is called for each run
// of which something was restored, or could not be. Without it, everything counts as reported.
[[nodiscard]] Recovery RecoverRuns(bool asked = false, const ReportRecovery& report = {});

}  // namespace mxc
