// What of a network policy an AppContainer's capabilities can hold.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::appcontainer {

// A capability opens the network whoever asked for it: `capabilities` loses those that the policy does not
// give, with a warning each, and gets those that it does.
//
// Errors: kUnenforceable for single destinations, a proxy, published ports, the host's loopback, and for
// incoming without outgoing traffic: the capability for one gives both.
[[nodiscard]] Status PlanNetwork(const Network& network, std::vector<std::string>& capabilities, Plan& plan);

}  // namespace mxc::appcontainer
