// The ledger: which mechanism holds which clause. Planners make the entries; this completes and judges them.
#pragma once

#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// Adds what the launcher holds in every plan: time-out, output, audit, tier.
void AddLauncherEntries(const Policy& policy, Plan& plan);

// One entry per clause, in the order of the clauses. Errors: kUnenforceable with the pointer of the first
// clause without an entry, with `none`, or, in a plan that claims isolation, with `cooperative`.
[[nodiscard]] Status SettleLedger(const Policy& policy, Plan& plan);

}  // namespace mxc
