#include "backends/landlock/network.h"

#include <string>
#include <string_view>
#include <utility>

#include "backends/landlock/landlock.h"

namespace mxc::landlock {
namespace {

constexpr std::string_view kNoSockets = "seccomp: no socket of any family can be made";
constexpr std::string_view kHostNetwork = "the host's network, unrestricted, without Unix sockets";

Error NeedsNamespace(const std::string& pointer, std::string what) {
  return Unenforceable(
      std::move(what) +
          " needs a network namespace; without one there is no network at all, or the host's own",
      pointer, "deny all traffic, or " + std::string(kChooseUserNamespaces));
}

Status RefuseWhatIsOpened(const Network& network) {
  if (network.proxy) return NeedsNamespace(network.proxy->pointer, "sending traffic through a proxy");
  if (!network.allow.empty()) return NeedsNamespace(network.allow[0].pointer, "allowing some destinations");
  if (network.share_host && !network.deny.empty()) {
    return NeedsNamespace(network.deny[0].pointer, "denying some destinations");
  }
  if (network.share_host) return Done{};
  if (network.egress == RuleAction::kAllow) return NeedsNamespace(network.egress_pointer, "outbound traffic");
  if (network.ingress == RuleAction::kAllow)
    return NeedsNamespace(network.ingress_pointer, "inbound traffic");
  if (network.host_loopback == RuleAction::kAllow) {
    return NeedsNamespace(network.host_loopback_pointer, "access to the host's loopback");
  }
  return Done{};
}

}  // namespace

Status LowerNetwork(const Policy& policy, LandlockSandbox& sandbox, Plan& plan) {
  const Network& network = policy.network;
  if (Status refused = RefuseWhatIsOpened(network); !refused) return refused;
  if (network.share_host) plan.relaxations.emplace_back("shared-host-network");
  sandbox.no_network = !network.share_host;
  const std::string mechanism{network.share_host ? kHostNetwork : kNoSockets};
  const auto record = [&](const std::string& pointer) { plan.AddToLedger(pointer, mechanism); };
  record("/network");  // the clause of a policy that does not mention the network
  record(network.egress_pointer);
  for (const NetworkRule& rule : network.deny) record(rule.pointer);
  record(network.ingress_pointer);
  record(network.host_loopback_pointer);
  record(network.share_host_pointer);
  record(network.upstream.pointer);
  return Done{};
}

}  // namespace mxc::landlock
