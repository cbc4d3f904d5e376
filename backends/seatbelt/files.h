// Lowers the path rules of a Policy to rules of a profile.
#pragma once

#include "backends/seatbelt/sbpl.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::seatbelt {

// Appends to `profile`, to `sandbox.verified`, and to the ledger of `plan`.
void LowerFiles(const Policy& policy, Profile& profile, SeatbeltSandbox& sandbox, Plan& plan);

}  // namespace mxc::seatbelt
