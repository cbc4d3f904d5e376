// What the network clauses of a policy allow, or do not allow, contrary to what their author may expect.
#pragma once

#include "mxc/policy.h"

namespace mxc {

// Adds to the policy's warnings.
void AddNetworkWarnings(Policy& policy);

}  // namespace mxc
