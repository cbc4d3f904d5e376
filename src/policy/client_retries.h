// Clients that retry a refused connection silently, and seem to hang; or that check for a newer version of
// themselves, so that a refusal is reported that has nothing to do with the command's failure.
#pragma once

#include "config/config.h"
#include "mxc/host.h"
#include "mxc/policy.h"

namespace mxc {

// If the network reaches only listed destinations: adds variables of the default environment that keep
// clients from that, and a file in the private HOME for apt. No answer of a resolver has that effect on them.
void ShortenClientRetries(const Config& config, const Host& host, Policy& policy);

}  // namespace mxc
