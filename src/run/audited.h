// A run with its audit log around it, whatever machine carries it out.
#pragma once

#include <functional>

#include "mxc/error.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"
#include "run/run.h"

namespace mxc {

// Calls `run` between the two records of the plan's audit log, if it has one; decisions of the gateway are
// recorded in between. Errors: those of `run`, and kSetupFailed when the first record cannot be written and
// the policy wants the run refused then.
[[nodiscard]] Result<Outcome> RunAudited(const Plan& plan, RunObserver& observer,
                                         const std::function<Result<Outcome>(RunObserver&)>& run);

}  // namespace mxc
