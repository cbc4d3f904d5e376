// The proxy that the launcher's environment names, for a policy that asks for it
// (network.egress.upstreamProxy).
#pragma once

#include <string>

#include "mxc/host.h"
#include "mxc/policy.h"

namespace mxc {

// Variables in lower case come before those in capitals. HTTP_PROXY in capitals is ignored where
// REQUEST_METHOD is set: in a CGI program its value comes from the client. Errors: kConflict with `pointer`
// for an unsupported proxy; the value is never shown.
[[nodiscard]] Result<Upstream> ReadUpstream(const Host& host, const std::string& pointer);

}  // namespace mxc
