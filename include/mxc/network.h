// The network rules, outbound and inbound, of a configuration and of a policy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/secret.h"

namespace mxc {

enum class RuleAction { kDeny, kAllow };

enum class Protocol { kAny, kTcp, kUdp, kIcmp };
[[nodiscard]] std::string_view Name(Protocol protocol);  // "any", "tcp", "udp", "icmp"

struct PortRange {
  Protocol protocol = Protocol::kAny;
  std::uint16_t first = 0;  // 0: every port
  std::uint16_t last = 0;   // inclusive
};

// One destination: exactly one of `cidr` and `host` is set.
struct Peer {
  std::string cidr = {};                 // canonical text, "10.0.0.0/8"
  std::vector<std::string> except = {};  // CIDRs inside `cidr`
  std::string host = {};                 // name, "*.name" for its subdomains, or "*" for every name
};

// Empty `to`: every address. Empty `ports`: every protocol and port.
struct NetworkRule {
  std::vector<Peer> to = {};
  std::vector<PortRange> ports = {};
  // Connections that this rule allows by name are not inspected. Such a rule has `ports`.
  bool uninspected = false;
  std::string pointer = {};
};

struct ProxyRule {
  std::string url = {};   // without credentials; a URL with credentials is refused
  std::string host = {};  // of the URL: name or address, lower case, without brackets
  std::uint16_t port = 0;
  std::string pointer = {};
};

// A TCP port of the host's loopback that the command may reach, as kHostLoopbackName.
struct LoopbackPort {
  std::uint16_t port = 0;
  std::string pointer = {};
};

// A TCP port of the host's loopback that is forwarded to a port of the sandbox's loopback.
struct PublishedPort {
  std::uint16_t host = 0;
  std::uint16_t guest = 0;
  std::string pointer = {};
};

// An HTTP proxy from the launcher's environment.
struct UpstreamProxy {
  std::string host = {};  // name or address, lower case, without brackets
  std::uint16_t port = 0;
  Secret credentials = {};    // "user:password"; empty: none
  std::string variable = {};  // the variable that names it
};

// Proxies through which the gateway reaches allowed destinations, by CONNECT. Without one it dials directly.
struct Upstream {
  std::string pointer = {};                  // empty: not asked for
  std::optional<UpstreamProxy> http = {};    // for port 80
  std::optional<UpstreamProxy> others = {};  // for every other port
  std::vector<std::string> direct = {};      // entries of NO_PROXY
};

struct Network {
  RuleAction egress = RuleAction::kDeny;  // for destinations no rule names
  std::string egress_pointer = {};
  std::vector<NetworkRule> allow = {};
  std::vector<NetworkRule> deny = {};  // beat `allow`
  RuleAction ingress = RuleAction::kDeny;
  std::string ingress_pointer = {};
  RuleAction host_loopback = RuleAction::kDeny;
  std::string host_loopback_pointer = {};
  std::vector<LoopbackPort> loopback_ports = {};  // TCP; if `host_loopback` denies
  std::vector<PublishedPort> publish = {};
  std::optional<ProxyRule> proxy = {};
  Upstream upstream = {};  // Resolve adds the proxies
  // The host's own network, unfiltered: the legacy dialect's defaultPolicy "allow" with allowLocalNetwork
  // true.
  bool share_host = false;
  std::string share_host_pointer = {};
  // Report what the command tries, even if nothing is allowed (--report). Best effort.
  bool recorded = false;
};

}  // namespace mxc
