// Persistent sandboxes in a cluster: a claim that stays, and a record of it beside the sockets of the others.
// The functions are those of persistent.h.
#pragma once

#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"
#include "persistent/directory.h"
#include "persistent/id.h"
#include "persistent/persistent.h"

namespace mxc::kubernetes {

// The claim, the pod judged, the program in it, and the record. Errors: nothing of that is left, or the
// message says what. A launcher that is killed leaves a claim that ends with its lease.
[[nodiscard]] Result<session::Provisioned> ProvisionPod(Plan plan, const session::SessionLimits& limits);
[[nodiscard]] Status StartPod(const session::SandboxId& id);
[[nodiscard]] Status StopPod(const session::SandboxId& id);  // and every command that runs in it
[[nodiscard]] Result<std::vector<Warning>> DeprovisionPod(const session::SandboxId& id);
[[nodiscard]] Result<session::Entered> EnterPod(const session::SandboxId& id);

// As its record and this machine's clock have it: no cluster is asked.
[[nodiscard]] session::Listed ListedPod(const session::StateDirectory& directory,
                                        const session::SandboxId& id);
// Removes a record whose sandbox cannot be there any more. False: it may be.
[[nodiscard]] bool RemoveDeadPod(const session::StateDirectory& directory, const session::SandboxId& id);

// Errors: kConflict: a command could write where the mxc-exec is that holds the commands after it.
[[nodiscard]] Status KeepProgramApart(const Policy& policy, const Plan& plan);
// `plan`: of the sandbox's record. The command ends before the claim does.
[[nodiscard]] Result<Plan> PlanInPod(const ProcessConfig& written, Plan plan);

}  // namespace mxc::kubernetes
