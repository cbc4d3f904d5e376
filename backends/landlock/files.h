// Path rules as Landlock can hold them: what is granted, and what is left out below a read-only grant.
#pragma once

#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::landlock {

// Fills the grants and holes of `sandbox`, and the ledger of `plan`. Errors: kUnenforceable, with the pointer
// of the clause, for a denied or read-only path below a read-write grant: Landlock only adds rights, and a
// directory of which parts are left out could not get new files.
[[nodiscard]] Status LowerFiles(const Policy& policy, LandlockSandbox& sandbox, Plan& plan);

}  // namespace mxc::landlock
