#include "process/run.h"

namespace mxc {

Result<Outcome> RunPlan(const Plan& plan, RunObserver& /*observer*/) {
  return Error{
      .code = ErrorCode::kUnavailable,
      .message = "this build has no launcher for '" + std::string(Name(plan.containment)) + "' on Windows",
      .hint = "--dry-run and --explain show its plan"};
}

}  // namespace mxc
