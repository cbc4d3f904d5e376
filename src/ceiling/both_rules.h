// The intersection of two rules that allow egress.
#pragma once

#include <optional>

#include "mxc/network.h"

namespace mxc {

[[nodiscard]] bool SameRule(const NetworkRule& left, const NetworkRule& right);  // but for their pointers

// The destinations and ports that both allow; absent: none. Names are compared by pattern, addresses by
// block. A name matches a name, "*" and a rule for everything, but no block. A destination that a rule must
// name to open it (the loopback, a cloud's metadata) must be named by both. The pointer is that of `left`.
[[nodiscard]] std::optional<NetworkRule> BothRules(const NetworkRule& left, const NetworkRule& right);

}  // namespace mxc
