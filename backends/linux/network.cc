#include "backends/linux/network.h"

#include <string>
#include <string_view>
#include <utility>

namespace mxc::linux_backend {
namespace {

constexpr std::string_view kNoRoute = "network namespace without a route";
constexpr std::string_view kHostNetwork = "the host's network, unrestricted";

Error NeedsGateway(const std::string& pointer, std::string what) {
  return {.code = ErrorCode::kUnenforceable,
          .message = std::move(what) +
                     " needs a network gateway, which this backend does not have: it can give no "
                     "network at all, or the host's own, unfiltered",
          .pointer = pointer,
          .hint =
              "deny all traffic, or, in a configuration before 0.8, set `defaultPolicy` to \"allow\" and "
              "`allowLocalNetwork` to true to share the host's network"};
}

// With `share_host` only filters are wrong, so nothing here may pass one over.
Status RefuseWhatNeedsAGateway(const Network& network) {
  if (network.proxy) return NeedsGateway(network.proxy->pointer, "sending traffic through a proxy");
  if (!network.allow.empty()) return NeedsGateway(network.allow[0].pointer, "allowing some destinations");
  if (network.egress == Verdict::kAllow || network.share_host) {
    const std::string what = network.deny.empty()
                                 ? "outbound traffic that leaves the host's own network out of reach"
                                 : "allowing all destinations but some";
    return NeedsGateway(network.egress_pointer, what);
  }
  if (network.ingress == Verdict::kAllow) return NeedsGateway(network.ingress_pointer, "inbound traffic");
  if (network.host_loopback == Verdict::kAllow) {
    return NeedsGateway(network.host_loopback_pointer, "access to the host's loopback");
  }
  return Done{};
}

void Record(Lowered& lowered, const std::string& pointer, std::string_view mechanism) {
  if (pointer.empty()) return;
  lowered.ledger.push_back(
      {.pointer = pointer, .strength = Strength::kKernel, .mechanism = std::string(mechanism)});
}

}  // namespace

Status LowerNetwork(const Policy& policy, Lowered& lowered) {
  const Network& network = policy.network;
  const bool filtered = network.proxy || !network.allow.empty() || !network.deny.empty();
  if (!network.share_host || filtered) {
    if (Status refused = RefuseWhatNeedsAGateway(network); !refused) return refused;
  }
  if (network.share_host) lowered.relaxations.emplace_back("shared-host-network");
  lowered.sandbox.private_network = !network.share_host;
  const std::string_view mechanism = network.share_host ? kHostNetwork : kNoRoute;
  Record(lowered, "/network", mechanism);  // the clause of a policy that does not mention the network
  Record(lowered, network.egress_pointer, mechanism);
  for (const NetworkRule& rule : network.deny) Record(lowered, rule.pointer, mechanism);
  Record(lowered, network.ingress_pointer, mechanism);
  Record(lowered, network.host_loopback_pointer, mechanism);
  Record(lowered, network.share_host_pointer, mechanism);
  return Done{};
}

}  // namespace mxc::linux_backend
