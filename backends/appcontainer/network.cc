#include "backends/appcontainer/network.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "mxc/windows_path.h"

namespace mxc::appcontainer {
namespace {

constexpr std::string_view kInternet = "internetClient";
constexpr std::string_view kServer = "internetClientServer";
constexpr std::string_view kPrivate = "privateNetworkClientServer";
constexpr const char* kNothing =
    "no network capability: the filtering platform of Windows drops every packet";
constexpr const char* kOutgoing = "the capability internetClient; not the private networks, not the loopback";
constexpr const char* kRules = "a rule of the base container's security environment";
constexpr std::array<std::string_view, 4> kNetworkCapabilities = {kInternet, kServer, kPrivate,
                                                                  "networkLoopback"};

bool IsOfTheNetwork(std::string_view name) {
  return std::any_of(kNetworkCapabilities.begin(), kNetworkCapabilities.end(),
                     [&](std::string_view known) { return IsSameWindowsName(name, known); });
}

Error Refuse(std::string message, std::string pointer, std::string hint) {
  return {.code = ErrorCode::kUnenforceable,
          .message = std::move(message),
          .pointer = std::move(pointer),
          .hint = std::move(hint)};
}

// Which the base container takes; it has no resolver.
bool NamesHosts(const NetworkRule& rule) {
  return std::any_of(rule.to.begin(), rule.to.end(), [](const Peer& peer) { return !peer.host.empty(); });
}

Status CheckHeldByBase(const Network& network) {
  for (const auto* rules : {&network.allow, &network.deny}) {
    const auto named = std::find_if(rules->begin(), rules->end(), NamesHosts);
    if (named == rules->end()) continue;
    return Refuse("the base container of Windows knows addresses, and no names", named->pointer,
                  "write the addresses as `cidr`, or run on Linux, where a gateway decides");
  }
  return Done{};
}

Status CheckHeld(const Network& network, bool base) {
  const std::string all =
      "allow or deny everything with `egress.default`, or run on Linux, where a gateway decides";
  for (const auto* rules : {&network.allow, &network.deny}) {
    if (rules->empty() || base) continue;
    return Refuse("an AppContainer has the internet or has it not: single destinations cannot be told apart",
                  rules->front().pointer, all);
  }
  if (network.proxy)
    return Refuse("an AppContainer cannot be held to one proxy", network.proxy->pointer, all);
  if (!network.publish.empty()) {
    return Refuse("nothing leads from a port of the host into an AppContainer",
                  network.publish.front().pointer, "remove the entry");
  }
  if (network.host_loopback == Verdict::kAllow) {
    return Refuse("the loopback of the host is closed to an AppContainer", network.host_loopback_pointer,
                  "deny it; an exemption would need an administrator and hold for every run");
  }
  if (network.ingress == Verdict::kAllow && network.egress == Verdict::kDeny && !network.share_host) {
    return Refuse("the capability for incoming traffic allows outgoing traffic as well",
                  network.ingress_pointer, "allow both, or neither");
  }
  return Done{};
}

void DropUngiven(std::vector<std::string>& capabilities, Plan& plan) {
  std::erase_if(capabilities, [&plan](const std::string& name) {
    if (!IsOfTheNetwork(name)) return false;
    plan.warnings.push_back({.category = "capability-removed",
                             .message = "the capability '" + name + "' is left out: `network` decides",
                             .pointer = "/processContainer/capabilities"});
    return true;
  });
}

void Add(Plan& plan, const std::string& pointer, std::string mechanism) {
  if (!pointer.empty()) plan.ledger.push_back({pointer, Strength::kKernel, std::move(mechanism)});
}

}  // namespace

Status PlanNetwork(const Network& network, AppContainerSandbox& sandbox, Plan& plan) {
  const bool base = sandbox.base.has_value();
  if (Status held = CheckHeld(network, base); !held) return held;
  if (Status held = base ? CheckHeldByBase(network) : Status(Done{}); !held) return held;
  std::vector<std::string>& capabilities = sandbox.capabilities;
  DropUngiven(capabilities, plan);
  const bool outgoing = network.egress == Verdict::kAllow || network.share_host || !network.allow.empty();
  const bool incoming = network.ingress == Verdict::kAllow || network.share_host;
  if (outgoing) capabilities.emplace_back(kInternet);
  if (network.share_host) capabilities.emplace_back(kServer);
  if (incoming) capabilities.emplace_back(kPrivate);

  const bool rules = !network.allow.empty() || !network.deny.empty();
  Add(plan, network.egress_pointer, rules ? kRules : outgoing ? kOutgoing : kNothing);
  for (const NetworkRule& rule : network.allow) Add(plan, rule.pointer, kRules);
  for (const NetworkRule& rule : network.deny) Add(plan, rule.pointer, kRules);
  Add(plan, network.ingress_pointer,
      incoming ? "the capability privateNetworkClientServer" : "no capability for incoming traffic");
  Add(plan, network.host_loopback_pointer, "an AppContainer does not reach the loopback of the host");
  Add(plan, network.share_host_pointer, "every network capability; the loopback stays closed");
  const bool silent = network.egress_pointer.empty() && network.share_host_pointer.empty() && !rules;
  if (silent) Add(plan, "/network", kNothing);
  return Done{};
}

}  // namespace mxc::appcontainer
