// Turns a request to an HTTP proxy into one to the server.
#pragma once

#include <string>
#include <string_view>

namespace mxc::egress {

// `head`: a request with an absolute target that ProtocolSniffer has found well-formed, from the request line
// to the empty line. Removes the authority from the target and the proxy's fields, and asks the server to
// close the connection after its answer, because the next request may be for another host.
[[nodiscard]] std::string RequestForServer(std::string_view head);

// An answer of the proxy itself, which ends the connection: "403 Forbidden" and the reason.
[[nodiscard]] std::string ProxyAnswer(std::string_view status, std::string_view reason);

}  // namespace mxc::egress
