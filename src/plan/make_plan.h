// Makes a Plan of a Policy through a backend, and checks what no backend may skip: that the containment is
// usable and strong enough, and the ledger complete.
#pragma once

#include "mxc/backend.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// Errors: kUnavailable or kUnsupported from Support, kConflict below minimumTier, kUnenforceable for a clause
// that has no enforcement, or only `none` or `cooperative`.
[[nodiscard]] Result<Plan> MakePlan(const Backend& backend, const Policy& policy, const Support& support);

[[nodiscard]] CommandShape ShapeOf(const Process& process);

}  // namespace mxc
