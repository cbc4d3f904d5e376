// The command of a policy: argv, working directory, environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"
#include "policy/tools.h"

namespace mxc {

// The default environment: the variables that every machine of `system` sets, and those that depend on this
// host.
[[nodiscard]] std::vector<Variable> SystemEnvironment(OperatingSystem system,
                                                      const std::vector<PathRule>& rules);
[[nodiscard]] std::vector<Variable> DefaultEnvironment(const Host& host, Containment containment,
                                                       const RuleSet& rules, const std::string& image = {},
                                                       const Tools& tools = {});
// The variables of `written`, added to `standard` if KeepsStandardEnvironment.
[[nodiscard]] std::vector<Variable> EnvironmentOf(const ProcessConfig& written,
                                                  std::vector<Variable> standard);

// Whether the standard variables stay where `written` does not override them.
[[nodiscard]] bool KeepsStandardEnvironment(const ProcessConfig& written);

// The search path for programs named without a slash, in PATH's format.
[[nodiscard]] std::string_view SearchPath(const std::vector<Variable>& environment);

// `rules` are the policy's and the baseline's. `image`: the directory of an image whose files are inside as
// well; "": none. Errors: kConflict for a working directory that is missing or not visible inside.
[[nodiscard]] Result<Process> ResolveProcess(const ProcessConfig& written, const Host& host,
                                             Containment containment, PathWalker& walker,
                                             const RuleSet& rules, const std::string& image = {},
                                             const Tools& tools = {});

// Warns if the first program of a command line is on the caller's PATH but nowhere inside (for an argv,
// ResolveProcess refuses that). Absent: found inside, or unknown.
[[nodiscard]] std::optional<Warning> ProgramOutside(const Process& process, const ProcessConfig& written,
                                                    const Host& host, PathWalker& walker,
                                                    const RuleSet& rules, const Tools& tools);

}  // namespace mxc
