// The network of a Policy as rules of a profile.
#pragma once

#include "backends/seatbelt/sbpl.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::seatbelt {

// A profile tells addresses apart only as "this machine" and "anywhere". What needs more goes through the
// network gateway, to which one port of the loopback leads. Errors: kUnenforceable with the pointer of the
// clause.
[[nodiscard]] Status LowerNetwork(const Policy& policy, Profile& profile, Plan& plan);

}  // namespace mxc::seatbelt
