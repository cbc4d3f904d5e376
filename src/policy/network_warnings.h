// What the network clauses of a policy give away, or do not give, beyond what their author may expect.
#pragma once

#include "mxc/policy.h"

namespace mxc {

// Adds to the policy's warnings.
void AddNetworkWarnings(Policy& policy);

}  // namespace mxc
