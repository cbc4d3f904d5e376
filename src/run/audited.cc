#include "run/audited.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "report/audit.h"

namespace mxc {
namespace {

void WarnOfAudit(const Error& error, RunObserver& observer) {
  observer.OnWarning({.category = "audit-failed", .message = error.message, .pointer = "/audit"});
}

// Reports a failure of the audit log, or returns it when the policy wants the run refused.
Status AuditFailure(const Plan& plan, const Error& error, RunObserver& observer) {
  if (plan.audit.on_failure == Audit::OnFailure::kRefuse) return error;
  WarnOfAudit(error, observer);
  return Done{};
}

Result<std::optional<AuditLog>> BeginAudit(const Plan& plan, RunObserver& observer) {
  std::optional<AuditLog> none;
  if (plan.audit.path.empty()) return none;
  Result<AuditLog> log = AuditLog::Open(plan.audit);
  const Status written = log ? log->Begin(plan) : Status(log.error());
  if (written) return std::optional<AuditLog>(std::move(*log));
  if (Status failure = AuditFailure(plan, written.error(), observer); !failure) return failure.error();
  return none;
}

// Decisions of the gateway go to the audit log as well. Those of a persistent sandbox, which concern all of
// its commands, its daemon writes.
class Recorder final : public RunObserver {
 public:
  Recorder(RunObserver& observer, std::optional<AuditLog>& audit, bool writes)
      : observer_(observer), audit_(audit), writes_(writes) {}
  void OnStarted(std::int64_t process_id) override { observer_.OnStarted(process_id); }
  [[nodiscard]] std::vector<GuardedConfig> Configs() const override { return observer_.Configs(); }
  [[nodiscard]] std::vector<GuardedPath> Paths() const override { return observer_.Paths(); }
  void OnPutBack(const std::vector<PutBackPath>& paths) override { observer_.OnPutBack(paths); }
  bool OnEnded() override { return observer_.OnEnded(); }
  void OnWarning(const Warning& warning) override { observer_.OnWarning(warning); }
  [[nodiscard]] bool WantsFiles() const override { return observer_.WantsFiles(); }
  [[nodiscard]] bool SpeaksOnStandardOutput() const override { return observer_.SpeaksOnStandardOutput(); }
  void OnFile(const FileCall& call) override { observer_.OnFile(call); }
  void OnMissedLoopback(std::uint16_t port) override { observer_.OnMissedLoopback(port); }
  void OnNetwork(const GatewayRecord& record) override {
    observer_.OnNetwork(record);
    if (!audit_ || failed_) return;
    if (!writes_) return audit_->Count(record);
    const Status written = audit_->Network(record);
    failed_ = !written.ok();  // said once
    if (failed_) WarnOfAudit(written.error(), observer_);
  }

 private:
  RunObserver& observer_;
  std::optional<AuditLog>& audit_;
  bool writes_;
  bool failed_ = false;
};

}  // namespace

Result<Outcome> RunAudited(const Plan& plan, RunObserver& observer,
                           const std::function<Result<Outcome>(RunObserver&)>& run) {
  Result<std::optional<AuditLog>> audit = BeginAudit(plan, observer);
  if (!audit) return audit.error();
  Recorder recorder(observer, *audit, !std::holds_alternative<PersistentLaunch>(plan.launch));
  Result<Outcome> outcome = run(recorder);
  if (!*audit) return outcome;
  // Too late to refuse: the command has run, and its outcome is what the caller needs.
  if (Status ended = (*audit)->End(outcome); !ended) WarnOfAudit(ended.error(), observer);
  return outcome;
}

}  // namespace mxc
