// The command of one call in a pod that stays.
#pragma once

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::kubernetes {

// Errors: kConflict: a command could write where the mxc-exec is that holds the commands after it.
[[nodiscard]] Status KeepProgramApart(const Policy& policy, const Plan& plan);
// `plan`: of the sandbox's record. The command ends before the claim does.
[[nodiscard]] Result<Plan> PlanInPod(const ProcessConfig& written, Plan plan);

}  // namespace mxc::kubernetes
