// The end of a run, as far as git on the host is concerned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cleanup/guarded_config.h"
#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "mxc/policy.h"

namespace mxc {

// Compares with what stood there before, takes out of git's way what would have it run something of the
// command's, and says what was found, one line for each kind. `configs`: what the command could write.
[[nodiscard]] std::vector<Warning> ReviewRepositories(const GitSnapshot& before,
                                                      const std::vector<GuardedConfig>& configs,
                                                      const Host& host);

// What the cleanup process has to know of the configurations that the command may write.
[[nodiscard]] std::vector<GuardedConfig> ConfigsToGuard(const GitSnapshot& before, const Host& host);

// The line for those of `tried`, configurations that were to be written, which are as they were.
[[nodiscard]] std::optional<Warning> TellOfHeldConfigs(const std::vector<std::string>& tried,
                                                       const GitSnapshot& before, const Host& host);

}  // namespace mxc
