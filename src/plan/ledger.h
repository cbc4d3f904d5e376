// The ledger: which mechanism enforces which clause. Planners write the entries; this completes and checks
// it.
#pragma once

#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// Adds the clauses that the launcher enforces in every plan: time-out, output, audit, tier.
void AddLauncherEntries(const Policy& policy, Plan& plan);

// Keeps one entry per clause, the weakest, in the order of the clauses. Errors: kUnenforceable with the
// pointer of the first clause without an entry, with `none`, or, in a plan that claims isolation, with
// `cooperative`.
[[nodiscard]] Status SettleLedger(const Policy& policy, Plan& plan);

}  // namespace mxc
