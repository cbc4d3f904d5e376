// Lowers path rules to Landlock grants, and to holes below read-only grants.
#pragma once

#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::landlock {

// Fills the grants and holes of `sandbox`, and the ledger of `plan`. Errors: kUnenforceable, with the pointer
// of the clause, for a denied or read-only path below a read-write grant: Landlock only adds rights, and the
// command could create no files in a directory with a hole.
[[nodiscard]] Status LowerFiles(const Policy& policy, LandlockSandbox& sandbox, Plan& plan);

}  // namespace mxc::landlock
