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

// What a command gets that was written without an environment: what stands there on every machine of
// `system`, and with what this host says.
[[nodiscard]] std::vector<Variable> SystemEnvironment(OperatingSystem system,
                                                      const std::vector<PathRule>& rules);
[[nodiscard]] std::vector<Variable> DefaultEnvironment(const Host& host, Containment containment,
                                                       const RuleSet& rules, const std::string& image = {},
                                                       const Tools& tools = {});
// The variables of `written`, on top of `standard` where they are not everything there is to be.
[[nodiscard]] std::vector<Variable> EnvironmentOf(const ProcessConfig& written,
                                                  std::vector<Variable> standard);

// The standard variables stay below those that are written.
[[nodiscard]] bool KeepsStandardEnvironment(const ProcessConfig& written);

// Where programs are looked for that are named without a slash, as PATH writes it.
[[nodiscard]] std::string_view SearchPath(const std::vector<Variable>& environment);

// `rules` are the policy's and the baseline's. With the directory of an `image` its files are there as well.
// Errors: kConflict for a working directory that is missing or not visible inside.
[[nodiscard]] Result<Process> ResolveProcess(const ProcessConfig& written, const Host& host,
                                             Containment containment, PathWalker& walker,
                                             const RuleSet& rules, const std::string& image = {},
                                             const Tools& tools = {});

// The first program of a command line, where it is found nowhere inside, but on the caller's PATH: what is
// said of an argv's by the error. Absent: all is well, or nobody can tell.
[[nodiscard]] std::optional<Warning> ProgramOutside(const Process& process, const ProcessConfig& written,
                                                    const Host& host, PathWalker& walker,
                                                    const RuleSet& rules, const Tools& tools);

}  // namespace mxc
