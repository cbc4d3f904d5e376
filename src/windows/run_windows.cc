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

Result<Outcome> RunChild(const Plan& plan, RunObserver& observer) {
  if (const auto* child = std::get_if<AppContainerChild>(&plan.child); child != nullptr && plan.app_container)
    return RunCommand({*plan.app_container, plan, child->confined, child->terminal, plan.timeout_ms},
                      observer);
  if (std::holds_alternative<WslChild>(plan.child) && plan.wsl) return RunInWsl(plan, observer);
  if (const auto* child = std::get_if<WindowsSandboxChild>(&plan.child);
      child != nullptr && plan.windows_sandbox) {
    return child->persistent.empty() ? RunInWindowsSandbox(plan, observer)
                                     : RunInPersistentMachine(plan, observer);
  }
  return Error{.code = ErrorCode::kUnavailable,
               .message = "there is no launcher for '" + std::string(Name(plan.containment)) + "' on Windows",
               .hint = "--dry-run and --explain show its plan"};
}

Result<Outcome> RunToEnd(const Plan& plan, RunObserver& observer) {
  Result<Outcome> outcome = RunChild(plan, observer);
  observer.OnEnded();
  return outcome;
}

}  // namespace

Result<Outcome> RunPlan(const Plan& plan, RunObserver& observer) {
  if (plan.audit.path.empty()) return RunToEnd(plan, observer);
  const bool refuses = plan.audit.on_failure == Audit::OnFailure::kRefuse;
  const auto warn = [&observer](const Error& error) {
    observer.OnWarning({.category = "audit-failed", .message = error.message, .pointer = "/audit"});
  };
  Result<AuditLog> log = AuditLog::Open(plan.audit.path);
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
