// The command of a policy: argv, working directory, environment.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths.h"
#include "policy/rules.h"

namespace mxc {

// What a command gets that was written without an environment.
[[nodiscard]] std::vector<Variable> DefaultEnvironment(const Host& host, Containment containment,
                                                       const RuleSet& rules);

// Errors: kConflict for a working directory that is missing or not visible inside.
[[nodiscard]] Result<Process> ResolveProcess(const ProcessConfig& written, const Host& host,
                                             Containment containment, PathWalker& walker,
                                             const RuleSet& rules);

}  // namespace mxc
