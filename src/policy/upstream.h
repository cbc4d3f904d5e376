// The proxy that the launcher's environment names, for a policy that asks for it
// (network.egress.upstreamProxy).
#pragma once

#include <string>

#include "mxc/host.h"
#include "mxc/policy.h"

namespace mxc {

// Variables in lower case come before those in capitals. HTTP_PROXY in capitals is not looked at where
// REQUEST_METHOD is set: for a CGI program it is what a client has sent. Errors: kConflict with `pointer`,
// for a value that is no proxy we can speak to; it is never shown.
[[nodiscard]] Result<Upstream> ReadUpstream(const Host& host, const std::string& pointer);

}  // namespace mxc
