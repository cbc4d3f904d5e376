// The path rules of a Policy as rules of a profile.
#pragma once

#include "backends/seatbelt/sbpl.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::seatbelt {

// Appends to `profile`, to what `sandbox` looks at again, and to the ledger of `plan`.
void LowerFiles(const Policy& policy, Profile& profile, SeatbeltSandbox& sandbox, Plan& plan);

}  // namespace mxc::seatbelt
