// What of a network policy an AppContainer's capabilities can hold.
#pragma once

#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"
#include "mxc/windows/app_container.h"

namespace mxc::appcontainer {

// A capability opens the network whoever asked for it: the sandbox's list loses those that the policy does
// not give, with a warning each, and gets those that it does.
//
// Errors: kUnenforceable for single destinations, a proxy, published ports, the host's loopback, and for
// incoming without outgoing traffic: the capability for one gives both.
// A security environment, where the sandbox has one, tells addresses and ports apart, but no names; it leads
// to a proxy of this machine, and to the host's loopback. kConflict for a proxy without the ways to it.
[[nodiscard]] Status PlanNetwork(const Network& network, AppContainerSandbox& sandbox, Plan& plan);

}  // namespace mxc::appcontainer
