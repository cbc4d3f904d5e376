// Lowers the network of a Policy to rules of a profile.
#pragma once

#include "backends/seatbelt/sbpl.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::seatbelt {

// A profile distinguishes only "this machine" and "anywhere". Other rules go through the network gateway on
// one loopback port. Errors: kUnenforceable with the pointer of the clause.
[[nodiscard]] Status LowerNetwork(const Policy& policy, Profile& profile, Plan& plan);

}  // namespace mxc::seatbelt
