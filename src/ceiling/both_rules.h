// What two rules that allow egress have in common.
#pragma once

#include <optional>

#include "mxc/network.h"

namespace mxc {

[[nodiscard]] bool SameRule(const NetworkRule& left, const NetworkRule& right);  // but for their pointers

// Destinations and ports that both allow; names by pattern, addresses by block. None: there is nothing. What
// a rule opens only by naming it (the loopback, a cloud's metadata) both have to name. A name is in a name,
// in
// "*" and in a rule for everything, and not in a block. The pointer is that of `left`.
[[nodiscard]] std::optional<NetworkRule> BothRules(const NetworkRule& left, const NetworkRule& right);

// Of a rule what passes where the default is to allow. None: nothing.
[[nodiscard]] std::optional<NetworkRule> WithoutOwnRanges(const NetworkRule& rule);

}  // namespace mxc
