// Programs that ask a refused network again and again, in silence, and look as if they hung; or for news of
// themselves, so that a refusal is told which has nothing to do with how the command fails.
#pragma once

#include "config/config.h"
#include "mxc/host.h"
#include "mxc/policy.h"

namespace mxc {

// Where nothing is reached but what the policy lists: variables of the default environment that keep clients
// from that, and a file of the private HOME for apt. No answer of a resolver does that for them.
void ShortenClientRetries(const Config& config, const Host& host, Policy& policy);

}  // namespace mxc
