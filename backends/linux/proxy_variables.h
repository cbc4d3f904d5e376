// The variables that tell programs of a proxy.
#pragma once

#include <vector>

#include "mxc/policy.h"

namespace mxc::linux_backend {

// The environment of a policy's command. With a proxy: its URL in HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and
// FTP_PROXY in both spellings, in place of whatever the policy has for these and for NO_PROXY, which names
// the sandbox's own loopback. A proxy on the host's loopback stands at kHostLoopbackAddress inside.
[[nodiscard]] std::vector<Variable> CommandEnvironment(const Policy& policy);

}  // namespace mxc::linux_backend
