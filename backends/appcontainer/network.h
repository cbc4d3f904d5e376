// Lowers a network policy to capabilities of an AppContainer, and to an exemption for the loopback.
#pragma once

#include "backends/appcontainer/section.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"
#include "mxc/windows/app_container.h"
#include "mxc/windows/host.h"

namespace mxc::appcontainer {

// Removes the network capabilities that the policy does not grant from the sandbox's list, with a warning
// each, and adds those that it grants.
//
// Errors: kUnenforceable for single destinations, a proxy, published ports, the host's loopback, and for
// incoming without outgoing traffic: the capability for one gives both. If the policy allows the exemption,
// it reaches a proxy of this machine, without a capability for other machines; it also reaches all other
// listeners there, which is a relaxation and a warning. kUnavailable without an administrator. A security
// environment distinguishes addresses and ports, but no names; it reaches a proxy of this machine, and the
// host's loopback. kConflict for a proxy that cannot be reached.
[[nodiscard]] Status PlanNetwork(const Policy& policy, const Section& section, const WindowsFacts& facts,
                                 AppContainerSandbox& sandbox, Plan& plan);

}  // namespace mxc::appcontainer
