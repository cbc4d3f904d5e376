// A scope asked of systemd: the unit below which a run's control group lies where systemd keeps the groups.
// busctl speaks to its manager for us.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/resource.h"

namespace mxc {

// busctl's arguments for a scope with `processes` in it, all groups of which are left to us. It goes with the
// last process.
[[nodiscard]] std::vector<std::string> ScopeCall(const ScopeRequest& request, const std::string& name,
                                                 const std::vector<pid_t>& processes);

// Why there will be no scope, in systemd's or busctl's words; empty: systemd has taken the order.
[[nodiscard]] std::string ScopeRefusal(const ToolRun& call);

// Returns when the processes are in the scope, whose group is `directory`, or after some seconds. Errors:
// kSetupFailed.
[[nodiscard]] Status AskForScope(const ScopeRequest& request, const std::string& directory,
                                 const std::vector<pid_t>& processes);

}  // namespace mxc
