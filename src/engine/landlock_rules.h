// The Landlock rules of a sandbox without namespaces; the launcher builds them before it starts anything.
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

// Opens each granted path once, without following links, and compares it with the object the policy was
// resolved for. Of a directory with a hole (LandlockSandbox::holes) below it, grants the entries beside the
// hole. Errors: kSetupFailed, naming the path; kUnavailable without Landlock.
[[nodiscard]] Result<BuiltRules> BuildRules(const LandlockSandbox& sandbox);

}  // namespace mxc::engine
