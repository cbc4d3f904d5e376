// Selects the connections that go through a proxy of the host, and speaks to it (RFC 9110, 9.3.6: CONNECT).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/rules/address.h"
#include "mxc/network.h"

namespace mxc::egress {

// The proxy for a connection to `host` (ValidName, or IpAddress::Text); nullptr: it is dialled directly.
// Loopback is always dialled directly, and so is what NO_PROXY lists: "*"; a name, with or without a leading
// dot, for it and every name below; an address or a block; each may have ":port" behind it.
[[nodiscard]] const UpstreamProxy* ProxyFor(const Upstream& upstream, std::string_view host,
                                            std::uint16_t port);

// The request for a connection to `host`, credentials included.
[[nodiscard]] std::string ConnectRequest(const UpstreamProxy& proxy, std::string_view host,
                                         std::uint16_t port);

// The head of the answer.
struct ConnectAnswer {
  enum class State { kMore, kOpen, kRefused };
  State state = State::kMore;
  std::size_t size = 0;  // kOpen: of the head; the bytes behind it come from the destination
  int status = 0;        // kRefused: the HTTP status; 0: no valid answer
};
inline constexpr std::size_t kMaxConnectAnswer = 16384;
// `bytes`: everything the proxy has sent so far.
[[nodiscard]] ConnectAnswer ReadConnectAnswer(std::string_view bytes);

}  // namespace mxc::egress
