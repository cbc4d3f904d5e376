#include "policy/network_warnings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/quoted.h"
#include "mxc/containment.h"

namespace mxc {
namespace {

bool AllowsEveryName(const NetworkRule& rule) {
  return std::any_of(rule.to.begin(), rule.to.end(), [](const Peer& peer) { return peer.host == "*"; });
}

bool AllowsDatagramsByName(const NetworkRule& rule) {
  const bool datagrams = std::any_of(rule.ports.begin(), rule.ports.end(),
                                     [](const PortRange& range) { return range.protocol == Protocol::kUdp; });
  return datagrams && std::any_of(rule.to.begin(), rule.to.end(),
                                  [](const Peer& peer) { return !peer.host.empty() && peer.host != "*"; });
}

// An AppContainer has one capability for all public addresses, another for private networks, neither with a
// list of hosts, and none for the loopback.
void WarnOfOpenNetwork(const Network& network, Containment containment, std::vector<Warning>& warnings) {
  const auto warn = [&](const char* category, const char* message, const std::string& pointer) {
    warnings.push_back({.category = category, .message = message, .pointer = pointer});
  };
  const bool app_container = TraitsOf(containment).network_capabilities;
  const bool unfiltered = network.egress == RuleAction::kAllow && !network.share_host && !network.proxy;
  if (network.share_host) {
    warn("network-unrestricted",
         app_container ? "the command reaches every network that this host reaches"
                       : "the command shares the host's network, loopback services included",
         network.share_host_pointer);
  }
  if (unfiltered && app_container) {
    warn("network-unrestricted", "the command reaches every public address that this host reaches",
         network.egress_pointer);
  }
  if (unfiltered && !app_container) {
    warn("private-network-reachable", "the command reaches the private networks that this host reaches",
         network.egress_pointer);
  }
  for (const NetworkRule& rule : network.allow) {
    if (AllowsEveryName(rule))
      warn("every-name", "the rule allows every host name that has a public address", rule.pointer);
  }
  if (network.share_host || app_container) return;
  for (const NetworkRule& rule : network.allow) {
    if (rule.uninspected || !AllowsDatagramsByName(rule)) continue;
    warnings.push_back({.category = "datagrams-refused",
                        .message = "datagrams to a host name cannot be checked for it and are refused; "
                                   "`\"inspect\": \"none\"` in the rule lets them pass",
                        .pointer = rule.pointer,
                        .told = true});
  }
}

// Where the command has a network namespace of its own, connections to the loopback never leave it.
void WarnOfOwnLoopback(const Policy& policy, std::vector<Warning>& warnings) {
  if (policy.network.share_host || !TraitsOf(policy.containment).mounts) return;
  const auto own = [](const Peer& peer) {
    return peer.host == "localhost" || peer.cidr.starts_with("127.") || peer.cidr == "::1/128";
  };
  for (const NetworkRule& rule : policy.network.allow) {
    const auto peer = std::find_if(rule.to.begin(), rule.to.end(), own);
    if (peer == rule.to.end()) continue;
    warnings.push_back({.category = "own-loopback",
                        .message = Quoted(peer->host.empty() ? peer->cidr : peer->host) +
                                   " is the sandbox's own loopback inside: `hostLoopbackPorts` of "
                                   "network.ingress, or --allow-host host.mxc.internal:PORT, leads to the "
                                   "host's",
                        .pointer = rule.pointer,
                        .told = true});
  }
}

}  // namespace

void AddNetworkWarnings(Policy& policy) {
  WarnOfOpenNetwork(policy.network, policy.containment, policy.warnings);
  WarnOfOwnLoopback(policy, policy.warnings);
}

}  // namespace mxc
