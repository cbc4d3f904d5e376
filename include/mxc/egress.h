// What the network gateway lets through, as data, and what it reports. Made by a planner from a Policy's
// Network, run by src/gateway.
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

// The name under which a command reaches the host's loopback, where it may.
inline constexpr std::string_view kHostLoopbackName = "host.mxc.internal";
// The address of that name, for programs that must not depend on resolving it: proxy variables.
inline constexpr std::string_view kHostLoopbackAddress = "198.18.0.1";
// An address for resolv.conf. Port 53 of every other address is answered by the same resolver.
inline constexpr std::string_view kNameServerAddress = "198.18.0.2";

// The one destination that a policy with a proxy leaves: no other rule applies then. A host of "localhost" or
// of a loopback address is the host's loopback: commands reach it as kHostLoopbackName or at its address.
struct OnlyProxy {
  std::string host = {};  // name or address, lower case, without brackets
  std::uint16_t port = 0;
  std::string pointer = {};
};

struct EgressRules {
  RuleAction egress = RuleAction::kDeny;  // for destinations no rule names
  std::string egress_pointer = {};
  std::vector<NetworkRule> allow = {};  // a host may also be "*": every name
  std::vector<NetworkRule> deny = {};   // beat `allow`
  RuleAction host_loopback = RuleAction::kDeny;
  std::string host_loopback_pointer = {};
  std::vector<LoopbackPort> loopback_ports = {};  // of TCP, where `host_loopback` denies
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

// One decision of the gateway. A refusal is reported at once, what is let through when it ends.
struct GatewayRecord {
  std::uint64_t time_ms = 0;  // since 1970, of the decision
  std::uint64_t duration_ms = 0;
  GatewayEvent event = GatewayEvent::kConnection;
  RuleAction verdict = RuleAction::kDeny;
  std::string name = {};        // what was asked for or connected to by name; empty: a literal address
  std::string address = {};     // that was dialled, or meant; empty for a name that was not resolved
  std::uint16_t port = 0;       // 0 for a name
  std::string pointer = {};     // clause that decided; empty when none is to blame (a host that is down)
  std::string reason = {};      // "no rule allows it", "always blocked: link-local", "connection refused"
  std::uint64_t bytes_out = 0;  // from inside to outside
  std::uint64_t bytes_in = 0;
  std::uint64_t lost = 0;  // records before this one that nobody read in time
};

}  // namespace mxc
