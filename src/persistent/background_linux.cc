// A command that its launcher does not wait for.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <variant>

#include "engine/engine.h"
#include "persistent/persistent.h"
#include "remote/remote.h"
#include "report/audit.h"

namespace mxc::session {
namespace {

Status RecordBeginning(const Plan& plan) {
  if (plan.audit.path.empty()) return Done{};
  Result<AuditLog> log = AuditLog::Open(plan.audit);
  const Status begun = log ? log->Begin(plan) : Status(log.error());
  return plan.audit.on_failure == Audit::OnFailure::kRefuse ? begun : Status(Done{});
}

}  // namespace

Status StartInBackground(const Plan& plan, int connection) {
  if (const Remote* const remote = RemoteOf(plan.containment))
    return remote->sandboxes.start_in_background(plan);
  if (Status recorded = RecordBeginning(plan); !recorded) return recorded;
  const UniqueFd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  if (!null) return SystemError(ErrorCode::kSetupFailed, "open /dev/null", errno);
  const Result<SandboxProcess> process =
      StartInSession({.connection = connection,
                      .sandbox = std::get<PersistentLaunch>(plan.launch).sandbox,
                      .streams = {.standard = {null.Get(), null.Get(), null.Get()}},
                      .background = true});
  return process ? Status(Done{}) : process.error();
}

}  // namespace mxc::session
