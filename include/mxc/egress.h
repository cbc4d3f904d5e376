// The rules of the network gateway, as data, and its records. A planner makes the rules of a Policy's
// Network; src/gateway enforces them.
//
//   EgressRules rules{.allow = {{.to = {{.host = "*.example.com"}}, .ports = {{Protocol::kTcp, 443, 443}},
//                                .pointer = "/network/egress/allow/0"}}};
//
// How a destination is judged: docs/policy/network.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/network.h"

namespace mxc {

// The name by which a command reaches the host's loopback, if the policy allows it.
inline constexpr std::string_view kHostLoopbackName = "host.mxc.internal";
// The address of that name, for proxy variables: not every program resolves names in them.
inline constexpr std::string_view kHostLoopbackAddress = "198.18.0.1";
// The name server in resolv.conf. The same resolver answers on port 53 of every other address.
inline constexpr std::string_view kNameServerAddress = "198.18.0.2";

// The only destination of a policy with a proxy: no other rule applies then. "localhost" or a loopback
// address means the host's loopback: commands reach it as kHostLoopbackName or at its address.
struct OnlyProxy {
  std::string host = {};  // name or address, lower case, without brackets
  std::uint16_t port = 0;
  std::string pointer = {};
};

struct EgressRules {
  RuleAction egress = RuleAction::kDeny;  // for destinations that no rule names
  std::string egress_pointer = {};
  std::vector<NetworkRule> allow = {};  // a host may also be "*": every name
  std::vector<NetworkRule> deny = {};   // beat `allow`
  RuleAction host_loopback = RuleAction::kDeny;
  std::string host_loopback_pointer = {};
  std::vector<LoopbackPort> loopback_ports = {};  // TCP; if `host_loopback` denies
  std::optional<OnlyProxy> proxy = {};
  Upstream upstream = {};
  std::vector<PublishedPort> publish = {};
};

enum class GatewayEvent {
  kName,        // a DNS question
  kConnection,  // TCP, from inside to outside
  kFlow,        // UDP
  kPublished,   // TCP, from the host's loopback to inside
};

// "name", "connection", "flow", "published".
[[nodiscard]] std::string_view Name(GatewayEvent event);

// One decision of the gateway. A refusal is reported at once, an allowed connection when it ends.
struct GatewayRecord {
  std::uint64_t time_ms = 0;  // since 1970, of the decision
  std::uint64_t duration_ms = 0;
  GatewayEvent event = GatewayEvent::kConnection;
  RuleAction verdict = RuleAction::kDeny;
  std::string name = {};        // the name asked for or connected to; empty: a literal address
  std::string address = {};     // the dialled address, or the intended one; empty: the name was not resolved
  std::uint16_t port = 0;       // 0 for a name
  std::string pointer = {};     // clause that decided; empty: none did (a host that is down)
  std::string reason = {};      // "no rule allows it", "always blocked: link-local", "connection refused"
  std::uint64_t bytes_out = 0;  // from inside to outside
  std::uint64_t bytes_in = 0;
  std::uint64_t lost = 0;  // records before this one that nobody read in time
};

}  // namespace mxc
