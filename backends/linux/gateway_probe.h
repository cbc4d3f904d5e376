// Finds out whether the network gateway works on this machine, by a run with one.
#pragma once

#include <string>

#include "mxc/backend.h"
#include "mxc/host.h"

namespace mxc::linux_backend {

// Adds the feature "network-gateway", or `no_gateway` and the warning that policies with network rules will
// be refused. `containment` is usable.
void ProbeGateway(const Host& host, const std::string& containment, Support& support);

}  // namespace mxc::linux_backend
