// The path rules of a Policy as rules of a profile.
#pragma once

#include "backends/seatbelt/sbpl.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::seatbelt {

// Appends to `profile`, and to the ledger and what is looked at again of `plan`.
void LowerFiles(const Policy& policy, Profile& profile, Plan& plan);

}  // namespace mxc::seatbelt
