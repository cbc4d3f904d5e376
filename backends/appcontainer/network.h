// What of a network policy an AppContainer can hold: by capabilities, and by an exemption for the loopback.
#pragma once

#include "backends/appcontainer/section.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"
#include "mxc/windows/app_container.h"
#include "mxc/windows/host.h"

namespace mxc::appcontainer {

// A capability opens the network whoever asked for it: the sandbox's list loses those that the policy does
// not give, with a warning each, and gets those that it does.
//
// Errors: kUnenforceable for single destinations, a proxy, published ports, the host's loopback, and for
// incoming without outgoing traffic: the capability for one gives both.
// Where the policy allows the exemption, a proxy of this machine is reached by it, and no capability leads
// past the loopback. What else listens there is reached as well, which is a relaxation and a warning.
// kUnavailable without an administrator. A security environment, where the sandbox has one, tells addresses
// and ports apart, but no names; it leads to a proxy of this machine, and to the host's loopback. kConflict
// for a proxy without the ways to it.
[[nodiscard]] Status PlanNetwork(const Policy& policy, const Section& section, const WindowsFacts& facts,
                                 AppContainerSandbox& sandbox, Plan& plan);

}  // namespace mxc::appcontainer
