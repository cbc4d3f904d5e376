#include "backends/none/none.h"

#include <string>
#include <utility>

#include "mxc/command_line.h"

namespace mxc::none {
namespace {

Support Probe(const Host& /*host*/, ProbeDepth /*depth*/) {
  return {.usable = true, .tier = Tier::kNone, .warnings = {"the command runs without any isolation"}};
}

bool IsAboutFilesOrNetwork(const std::string& pointer) {
  return pointer.starts_with("/filesystem") || pointer.starts_with("/network");
}

Result<Plan> MakeDirectPlan(const Policy& policy, const Support& /*support*/) {
  Plan plan{.containment = Containment::kNone, .tier = Tier::kNone};
  for (const Clause& clause : policy.clauses) {
    if (!IsAboutFilesOrNetwork(clause.pointer)) continue;
    return Unenforceable("direct execution cannot hold '" + clause.text + "'", clause.pointer,
                         "choose a containment, or remove the sections `filesystem` and `network`");
  }
  plan.relaxations.emplace_back("no-isolation");
  if (policy.system == OperatingSystem::kWindows) {
    const Process& process = policy.process;
    AppContainerSandbox none{.no_win32k = false,
                             .ui_limits = 0,
                             .command_line = process.command_line.empty()
                                                 ? JoinArguments(process.argv, QuoteFor::kProgram)
                                                 : process.command_line,
                             .environment = process.environment,
                             .cwd = process.cwd};
    plan.launch = AppContainerLaunch{.sandbox = std::move(none), .confined = false};
    return plan;
  }
  Exec exec;
  exec.program = policy.process.argv.empty() ? "" : policy.process.argv[0];
  if (!exec.program.starts_with('/')) {
    return Conflict("direct execution needs the absolute path of the program: nothing is looked up on PATH",
                    "/process/argv/0", "write the full path, or use `commandLine`");
  }
  exec.argv.assign(policy.process.argv.begin(), policy.process.argv.end());
  exec.environment = policy.process.environment;
  exec.cwd = policy.process.cwd;
  plan.launch = DirectLaunch{.command = std::move(exec),
                             .terminal = policy.interactive ? Terminal::kPrivatePty : Terminal::kInherit};
  return plan;
}

}  // namespace

const Backend& NoneBackend() {
  static const Backend kBackend{.containment = Containment::kNone, .probe = Probe, .plan = MakeDirectPlan};
  return kBackend;
}

}  // namespace mxc::none
