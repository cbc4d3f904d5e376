// What an empty network namespace, or none, can hold of a network policy.
#pragma once

#include "backends/linux/lower.h"

namespace mxc::linux_backend {

// Fills `lowered.sandbox.private_network`, `ledger` and `relaxations`.
// Errors: kUnenforceable, with the pointer of the first clause that would need a gateway.
[[nodiscard]] Status LowerNetwork(const Policy& policy, Lowered& lowered);

}  // namespace mxc::linux_backend
