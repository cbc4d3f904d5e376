// What a network namespace, without a way out or with the gateway at its end, holds of a network policy.
#pragma once

#include "backends/linux/lower.h"

namespace mxc::linux_backend {

// Fills `private_network` and `gateway` of the sandbox, `egress`, `ledger` and `relaxations`.
// Errors: kUnenforceable, with the pointer of the first clause that neither can hold.
[[nodiscard]] Status LowerNetwork(const Policy& policy, const Facts& facts, Lowered& lowered);

}  // namespace mxc::linux_backend
