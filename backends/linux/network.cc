#include "backends/linux/network.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace mxc::linux_backend {
namespace {

constexpr std::string_view kNoRoute = "network namespace without a route";
constexpr std::string_view kHostNetwork = "the host's network, unrestricted";
constexpr std::string_view kNoWayIn = "network namespace that no address of the host leads into";
// A connect() to an address that no rule could allow ends at nftables; the gateway judges the rest.
constexpr std::string_view kRefused =
    "packet filter rules refuse addresses that no rule allows, the network gateway names and the rest";
constexpr std::string_view kAddressesRefused =
    "packet filter rules refuse the addresses, the network gateway names that lead there";
constexpr std::string_view kNamesRefused = "the network gateway refuses the names";
constexpr std::string_view kDialled = "every route ends at the network gateway, which dials what is allowed";
constexpr std::string_view kUninspected =
    "every route ends at the network gateway, which dials what is allowed: name resolved, contents not "
    "inspected";
constexpr std::string_view kUnlessDenied =
    "every route ends at the network gateway, which dials what no rule denies, and no loopback, link-local "
    "or "
    "metadata address";
constexpr std::string_view kOnlyProxy =
    "every route ends at the network gateway, which dials the proxy alone";
constexpr std::string_view kThroughProxy =
    "every route ends at the network gateway, which reaches what is allowed through the host's proxy";
constexpr std::string_view kNoUpstream = "no proxy is set for mxc-exec: the network gateway dials";
constexpr std::string_view kLoopbackPort =
    "the network gateway relays the port of host.mxc.internal to the host's loopback, and no other";
constexpr std::string_view kLoopbackName = "the network gateway relays the name host.mxc.internal to it";
constexpr std::string_view kNoIcmp = "no route leads out, and packet filter rules drop ICMP";
constexpr std::string_view kPublished = "the network gateway relays the port of the host's loopback";

bool IsIcmp(const PortRange& range) { return range.protocol == Protocol::kIcmp; }

bool OnlyIcmp(const NetworkRule& rule) {
  return !rule.ports.empty() && std::all_of(rule.ports.begin(), rule.ports.end(), IsIcmp);
}

bool OnlyNames(const NetworkRule& rule) {
  return !rule.to.empty() &&
         std::all_of(rule.to.begin(), rule.to.end(), [](const Peer& peer) { return !peer.host.empty(); });
}

// The proxy alone knows which address it takes a name for, and it carries TCP. So a rule that needs an
// address to be judged by, or UDP, would be held for some connections and not for others.
Status RefuseWhatNoProxyHolds(const Network& network) {
  if (network.proxy) {
    return Unenforceable("the command's own proxy is dialled directly", network.upstream.pointer,
                         "leave `upstreamProxy` out");
  }
  if (network.egress == RuleAction::kAllow) {
    return Unenforceable("through a proxy nobody here knows which addresses are reached",
                         network.egress_pointer,
                         "allow destinations by name or block, or leave `upstreamProxy` out");
  }
  for (const NetworkRule& rule : network.deny) {
    const bool blocks =
        std::any_of(rule.to.begin(), rule.to.end(), [](const Peer& peer) { return peer.host.empty(); });
    if (!blocks || OnlyIcmp(rule)) continue;
    return Unenforceable("through a proxy nobody here knows which addresses a name reaches", rule.pointer,
                         "deny names instead, or leave `upstreamProxy` out");
  }
  for (const NetworkRule& rule : network.allow) {
    const bool every = rule.to.empty() || std::any_of(rule.to.begin(), rule.to.end(), [](const Peer& peer) {
                         return peer.host == "*" || peer.cidr.ends_with("/0");
                       });
    if (every) {
      return Unenforceable("through a proxy nobody here knows which addresses are reached", rule.pointer,
                           "name the hosts or blocks, or leave `upstreamProxy` out");
    }
    const bool udp = std::any_of(rule.ports.begin(), rule.ports.end(),
                                 [](const PortRange& range) { return range.protocol == Protocol::kUdp; });
    if (udp) {
      return Unenforceable("an HTTP proxy carries no UDP", rule.pointer,
                           "remove `udp` from the rule, or `upstreamProxy`");
    }
  }
  return Done{};
}

// What no gateway of TCP and UDP can hold.
Status RefuseTheImpossible(const Network& network) {
  if (network.ingress == RuleAction::kAllow) {
    return Unenforceable(
        "inbound traffic cannot be allowed as such: no address of the host leads into the sandbox",
        network.ingress_pointer, "name the ports in network.ingress.publish");
  }
  for (const NetworkRule& rule : network.allow) {
    if (std::none_of(rule.ports.begin(), rule.ports.end(), IsIcmp)) continue;
    return Unenforceable("the network gateway carries TCP and UDP, no ICMP", rule.pointer,
                         "remove `icmp` from the rule");
  }
  if (network.proxy && network.proxy->host.empty()) {
    return Unenforceable("the test proxy of the reference is not a part of this program",
                         network.proxy->pointer, "start a proxy and name its `url`");
  }
  if (network.proxy && !network.loopback_ports.empty()) {
    return Unenforceable("a proxy is the only destination where there is one",
                         network.loopback_ports.front().pointer, "remove the port, or the proxy");
  }
  return network.upstream.pointer.empty() ? Status{Done{}} : RefuseWhatNoProxyHolds(network);
}

bool HasUpstream(const Network& network) { return network.upstream.http || network.upstream.others; }

std::string TextOf(const std::optional<UpstreamProxy>& proxy) {
  if (!proxy) return "directly, for no variable names a proxy";
  return "through " + proxy->variable + " (" + proxy->host + " port " + std::to_string(proxy->port) + ")";
}

// Whom the gateway asks; never with credentials.
std::string UpstreamWords(const Upstream& upstream) {
  return "the network gateway asks the proxy for what is allowed: port 80 " + TextOf(upstream.http) +
         ", other ports " + TextOf(upstream.others) + (upstream.direct.empty() ? "" : "; but for NO_PROXY");
}

// With `share_host` nothing is held, so nothing may be asked for.
Status RefuseFilters(const Network& network) {
  const auto refuse = [](const std::string& pointer) {
    return Unenforceable("with the host's own network nothing can be filtered", pointer,
                         "leave `allowLocalNetwork` out, or the rule");
  };
  if (network.proxy) return refuse(network.proxy->pointer);
  if (!network.loopback_ports.empty()) return refuse(network.loopback_ports.front().pointer);
  if (!network.allow.empty()) return refuse(network.allow.front().pointer);
  if (!network.deny.empty()) return refuse(network.deny.front().pointer);
  return Done{};
}

bool NeedsGateway(const Network& network) {
  return network.egress == RuleAction::kAllow || !network.allow.empty() || network.proxy ||
         network.host_loopback == RuleAction::kAllow || !network.loopback_ports.empty() ||
         !network.publish.empty();
}

std::string FirstClauseThatNeedsGateway(const Network& network) {
  if (!network.allow.empty()) return network.allow.front().pointer;
  if (network.proxy) return network.proxy->pointer;
  if (network.egress == RuleAction::kAllow) return network.egress_pointer;
  if (!network.loopback_ports.empty()) return network.loopback_ports.front().pointer;
  return network.publish.empty() ? network.host_loopback_pointer : network.publish.front().pointer;
}

EgressRules RulesOf(const Network& network) {
  EgressRules rules{.egress = network.egress,
                    .egress_pointer = network.egress_pointer.empty() ? "/network" : network.egress_pointer,
                    .allow = network.allow,
                    .host_loopback = network.host_loopback,
                    .host_loopback_pointer = network.host_loopback_pointer,
                    .loopback_ports = network.loopback_ports,
                    .publish = network.publish};
  rules.upstream = network.upstream;
  std::copy_if(network.deny.begin(), network.deny.end(), std::back_inserter(rules.deny),
               [](const NetworkRule& rule) { return !OnlyIcmp(rule); });
  if (network.proxy) {
    rules.proxy = OnlyProxy{
        .host = network.proxy->host, .port = network.proxy->port, .pointer = network.proxy->pointer};
  }
  return rules;
}

void Record(Lowered& lowered, const std::string& pointer, Strength strength, std::string_view mechanism) {
  if (pointer.empty()) return;
  lowered.ledger.push_back({.pointer = pointer, .strength = strength, .mechanism = std::string(mechanism)});
}

void RecordKernel(const Network& network, std::string_view mechanism, Lowered& lowered) {
  const auto record = [&](const std::string& pointer) {
    Record(lowered, pointer, Strength::kKernel, mechanism);
  };
  record("/network");  // the clause of a policy that does not mention the network
  record(network.egress_pointer);
  for (const NetworkRule& rule : network.deny) record(rule.pointer);
  record(network.ingress_pointer);
  record(network.host_loopback_pointer);
  record(network.share_host_pointer);
  record(network.upstream.pointer);
}

void RecordGateway(const Network& network, Lowered& lowered) {
  const auto record = [&](const std::string& pointer, std::string_view mechanism) {
    Record(lowered, pointer, Strength::kTrustedProcess, mechanism);
  };
  if (!NeedsGateway(network))
    record("/network", kRefused);  // the clause of a policy that does not mention it
  const bool open = network.egress == RuleAction::kAllow && !network.proxy;
  record(network.egress_pointer, network.proxy ? kOnlyProxy : open ? kUnlessDenied : kRefused);
  const bool upstream = HasUpstream(network);
  for (const NetworkRule& rule : network.allow) {
    record(rule.pointer, rule.uninspected ? kUninspected : upstream ? kThroughProxy : kDialled);
  }
  for (const NetworkRule& rule : network.deny) {
    OnlyIcmp(rule) ? Record(lowered, rule.pointer, Strength::kKernel, kNoIcmp)
                   : record(rule.pointer, OnlyNames(rule) ? kNamesRefused : kAddressesRefused);
  }
  Record(lowered, network.ingress_pointer, Strength::kKernel, kNoWayIn);
  record(network.host_loopback_pointer,
         network.host_loopback == RuleAction::kAllow ? kLoopbackName : kRefused);
  if (network.proxy) record(network.proxy->pointer, kOnlyProxy);
  record(network.upstream.pointer, upstream ? UpstreamWords(network.upstream) : std::string(kNoUpstream));
  for (const LoopbackPort& port : network.loopback_ports) record(port.pointer, kLoopbackPort);
  for (const PublishedPort& port : network.publish) record(port.pointer, kPublished);
}

}  // namespace

Status LowerNetwork(const Policy& policy, const Facts& facts, Lowered& lowered) {
  const Network& network = policy.network;
  if (network.share_host) {
    if (Status refused = RefuseFilters(network); !refused) return refused;
    lowered.relaxations.emplace_back("shared-host-network");
    lowered.sandbox.private_network = false;
    RecordKernel(network, kHostNetwork, lowered);
    return Done{};
  }
  if (Status refused = RefuseTheImpossible(network); !refused) return refused;
  // Where nothing is allowed the gateway is there to tell what was tried, and no more than welcome.
  const bool tells = network.recorded && facts.why_no_gateway.empty();
  if (!NeedsGateway(network) && !tells) {
    RecordKernel(network, kNoRoute, lowered);
    return Done{};
  }
  if (!facts.why_no_gateway.empty()) {
    return Unenforceable("the network gateway cannot stand here: " + facts.why_no_gateway,
                         FirstClauseThatNeedsGateway(network),
                         "deny all traffic, or run where the kernel has what is missing");
  }
  lowered.sandbox.gateway = true;
  lowered.egress = RulesOf(network);
  const bool uninspected = std::any_of(network.allow.begin(), network.allow.end(),
                                       [](const NetworkRule& rule) { return rule.uninspected; });
  if (uninspected) lowered.relaxations.emplace_back("contents-uninspected");
  RecordGateway(network, lowered);
  return Done{};
}

}  // namespace mxc::linux_backend
