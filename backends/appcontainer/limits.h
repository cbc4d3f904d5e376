// Which limits of a policy a job holds.
#pragma once

#include "mxc/plan.h"
#include "mxc/policy.h"
#include "mxc/windows/app_container.h"

namespace mxc::appcontainer {

// Those it does not hold get no entry in the ledger, which refuses them.
[[nodiscard]] JobLimits PlanLimits(const Policy& policy, Plan& plan);

}  // namespace mxc::appcontainer
