#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "isolation_fallback.h"
#include "lifecycle_parts.h"
#include "mxc/windows/sandbox_command.h"
#include "plan/make_plan.h"
#include "policy/as_written.h"
#include "policy/process.h"
#include "policy/resolve.h"

namespace mxc {

// Of the others nothing stays between two commands, whether this host has them or not.
Result<Prepared> PrepareSandbox(const Config& config, const Options& options, const Host& host) {
  const Result<Containment> containment =
      SelectContainment(config, host.System(), {.experimental = options.experimental});
  if (!containment) return containment.error();
  if (TraitsOf(*containment).persistent) return Prepare(config, options, host);
  return Error{.code = ErrorCode::kUnsupportedPhase,
               .message = fmt::format("the containment '{}' has no persistent sandboxes", Name(*containment)),
               .pointer = "/phase",
               .hint =
                   "write \"containment\": \"windows_sandbox\", or run each command by itself, without a "
                   "phase"};
}

// Of the two places where a document may say how long, the shorter counts.
session::SessionLimits LimitsOf(const SessionConfig& config, const Policy& policy) {
  session::SessionLimits limits{.idle_ms = config.idle_timeout_ms, .lifetime_ms = config.lifetime_ms};
  const Json* const written = policy.section.Find("idleTimeoutMs");
  if (written == nullptr || written->integer == 0) return limits;
  limits.idle_ms = limits.idle_ms == 0 ? written->integer : std::min(limits.idle_ms, written->integer);
  return limits;
}

Policy VisibleOf(const session::Entry& entry) {
  Policy policy{.containment = entry.plan.containment,
                .system = OperatingSystem::kWindows,
                .path_style = PathStyle::kWindows};
  for (const MappedFolder& folder : std::get<WindowsSandboxLaunch>(entry.plan.launch).run.folders) {
    const Access access = folder.read_only ? Access::kReadOnly : Access::kReadWrite;
    policy.paths.push_back({.path = folder.path, .access = access});
  }
  return policy;
}

Result<Plan> PlanOf(const Config& config, session::Entry& entry, const Host& /*host*/) {
  Plan plan = std::move(entry.plan);
  const ProcessConfig& written = config.process;
  Process process{.argv = written.argv, .command_line = written.command_line};
  process.environment = EnvironmentOf(written, {});
  if (!written.cwd.empty()) {
    Result<std::string> cwd = NormaliseWritten({.path = written.cwd, .pointer = written.cwd_pointer},
                                               {.system = OperatingSystem::kWindows});
    if (!cwd) return cwd.error();
    process.cwd = std::move(*cwd);
    process.cwd_pointer = written.cwd_pointer;
  }
  WindowsSandboxRun& folders = std::get<WindowsSandboxLaunch>(plan.launch).run;
  Result<WindowsSandboxRun> run = WithCommand(std::move(folders), process);
  if (!run) return run.error();
  if (process.argv.empty()) process.argv = {written.command_line};
  plan.timeout_ms = written.timeout_ms;
  plan.command = process.argv.front();
  plan.shape = ShapeOf(process);
  plan.cwd = run->cwd;
  folders = std::move(*run);
  return plan;
}

bool EndRunNamed(const std::string& /*name*/, const Host& /*host*/) { return false; }

}  // namespace mxc
