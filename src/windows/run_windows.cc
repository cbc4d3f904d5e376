// The whole of a run on Windows: the audit log, and in between the launcher of the plan's child.
#include <string>
#include <variant>

#include "report/audit.h"
#include "run/run.h"
#include "windows/command_windows.h"
#include "windows/persistent_machine_windows.h"
#include "windows/virtual_windows.h"

namespace mxc {
namespace {

Result<Outcome> Run(const AppContainerLaunch& launch, const Plan& plan, RunObserver& observer) {
  return RunCommand({launch.sandbox, plan, launch.confined, launch.terminal, plan.timeout_ms}, observer);
}

Result<Outcome> Run(const WslLaunch& /*launch*/, const Plan& plan, RunObserver& observer) {
  return RunInWsl(plan, observer);
}

Result<Outcome> Run(const WindowsSandboxLaunch& launch, const Plan& plan, RunObserver& observer) {
  return launch.persistent.empty() ? RunInWindowsSandbox(plan, observer)
                                   : RunInPersistentMachine(plan, observer);
}

// Of another system: such a plan is shown here and never run.
template <class OtherLaunch>
Result<Outcome> Run(const OtherLaunch& /*launch*/, const Plan& plan, RunObserver& /*observer*/) {
  return Unavailable("there is no launcher for '" + std::string(Name(plan.containment)) + "' on Windows", {},
                     "--dry-run and --explain show its plan");
}

Result<Outcome> RunToEnd(const Plan& plan, RunObserver& observer) {
  Result<Outcome> outcome =
      std::visit([&](const auto& launch) { return Run(launch, plan, observer); }, plan.launch);
  static_cast<void>(observer.OnEnded());
  return outcome;
}

}  // namespace

Result<Outcome> RunPlan(const Plan& plan, RunObserver& observer, const SandboxConnections& /*connections*/) {
  if (plan.audit.path.empty()) return RunToEnd(plan, observer);
  const bool refuses = plan.audit.on_failure == Audit::OnFailure::kRefuse;
  const auto warn = [&observer](const Error& error) {
    observer.OnWarning({.category = "audit-failed", .message = error.message, .pointer = "/audit"});
  };
  Result<AuditLog> log = AuditLog::Open(plan.audit);
  const Status begun = log ? log->Begin(plan) : Status(log.error());
  if (!begun && refuses) return begun.error();
  if (!begun) warn(begun.error());
  Result<Outcome> outcome = RunToEnd(plan, observer);
  const Status ended = begun ? log->End(outcome) : Status(Done{});
  if (!ended && refuses && outcome) return ended.error();
  if (!ended) warn(ended.error());
  return outcome;
}

}  // namespace mxc
