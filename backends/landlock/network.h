// Lowers a network policy to seccomp, which can only deny all sockets or none.
#pragma once

#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::landlock {

// Fills `no_network` of `sandbox`, and the ledger and relaxations of `plan`. Errors: kUnenforceable, with the
// pointer of the first clause that would need a network namespace.
[[nodiscard]] Status LowerNetwork(const Policy& policy, LandlockSandbox& sandbox, Plan& plan);

}  // namespace mxc::landlock
