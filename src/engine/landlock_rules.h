// The Landlock rules of a sandbox without namespaces, made by the launcher before anything is started.
#pragma once

#include "base/unique_fd.h"
#include "engine/landlock.h"
#include "mxc/error.h"
#include "mxc/sandbox/landlock_sandbox.h"

namespace mxc::engine {

struct BuiltRules {
  UniqueFd ruleset = {};
  LandlockRules rules = {};  // borrows it
};

// Each granted path is opened once, without a symbolic link anywhere, and compared with the object the policy
// was resolved for. A directory with a hole below it is listed, and what stands beside the hole is granted.
// Errors: kSetupFailed, naming the path; kUnavailable without Landlock.
[[nodiscard]] Result<BuiltRules> BuildRules(const LandlockSandbox& sandbox);

}  // namespace mxc::engine
