// Lowers a network policy to a network namespace, empty or with the gateway.
#pragma once

#include "backends/linux/lower.h"

namespace mxc::linux_backend {

// Fills `private_network` and `gateway` of the sandbox, `egress`, `ledger` and `relaxations`.
// Errors: kUnenforceable, with the pointer of the first clause that neither can enforce.
[[nodiscard]] Status LowerNetwork(const Policy& policy, const Facts& facts, Lowered& lowered);

}  // namespace mxc::linux_backend
