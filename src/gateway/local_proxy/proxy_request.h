// A request to an HTTP proxy, as the server it is for wants to read it.
#pragma once

#include <string>
#include <string_view>

namespace mxc::egress {

// `head`: of a request whose target has an authority, which ProtocolSniffer has found well-formed; from the
// request line to the empty line. The target loses its authority, the fields that are the proxy's go, and the
// server is asked to close behind its answer: the next request may be for another host.
[[nodiscard]] std::string RequestForServer(std::string_view head);

// An answer of the proxy's own, which ends the connection: "403 Forbidden", and why.
[[nodiscard]] std::string ProxyAnswer(std::string_view status, std::string_view reason);

}  // namespace mxc::egress
