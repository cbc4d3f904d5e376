// The end of a run, as far as git on the host is concerned.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cleanup/guarded_config.h"
#include "cleanup/guarded_path.h"
#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

struct RepositoryReview {
  std::vector<Warning> warnings = {};  // one for each kind
  bool settled = true;                 // no configuration has to be put back yet
};

// Compares with what stood there before, takes out of git's way what would have it run something of the
// command's, and says what was found. `configs`: what the command could write; `tried`: see HeldWarnings;
// `asides`: what is out of git's way under these names, and told.
[[nodiscard]] RepositoryReview ReviewRepositories(const GitSnapshot& before,
                                                  const std::vector<GuardedConfig>& configs,
                                                  const std::vector<std::string>& tried, const Host& host,
                                                  const std::set<std::string>& asides = {});

// What the cleanup process has to know of the configurations that the command may write.
[[nodiscard]] std::vector<GuardedConfig> ConfigsToRestore(const GitSnapshot& before, const Host& host);

// What the cleanup process puts back where no mount holds what `protect` names: on Landlock alone.
[[nodiscard]] std::vector<GuardedPath> ProtectedPathsToRestore(const Policy& policy, const Plan& plan);
// Warnings about what was put back.
[[nodiscard]] std::vector<Warning> PutBackWarnings(const std::vector<PutBackPath>& paths);

// Warnings about what `protect` held of what somebody `tried` (ConfigLockWatch::Tried): configurations that
// are unchanged, and git directories of which HEAD is missing. A persistent sandbox (`stays`) gets other
// advice than a run: it cannot have `"config": "allow-safe"`.
[[nodiscard]] std::vector<Warning> HeldWarnings(const std::vector<std::string>& tried,
                                                const GitSnapshot& before, bool stays, const Host& host);

}  // namespace mxc
