// Policy to Plan through a backend, and the checks no backend may skip: usable, strong enough, ledger
// complete.
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
