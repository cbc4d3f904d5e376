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

Status CheckHeld(const Network& network) {
  const std::string all =
      "allow or deny everything with `egress.default`, or run on Linux, where a gateway decides";
  for (const auto* rules : {&network.allow, &network.deny}) {
    if (rules->empty()) continue;
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

Status PlanNetwork(const Network& network, std::vector<std::string>& capabilities, Plan& plan) {
  if (Status held = CheckHeld(network); !held) return held;
  DropUngiven(capabilities, plan);
  const bool outgoing = network.egress == Verdict::kAllow || network.share_host;
  const bool incoming = network.ingress == Verdict::kAllow || network.share_host;
  if (outgoing) capabilities.emplace_back(kInternet);
  if (network.share_host) capabilities.emplace_back(kServer);
  if (incoming) capabilities.emplace_back(kPrivate);

  Add(plan, network.egress_pointer,
      outgoing ? "the capability internetClient; not the private networks, not the loopback"
               : "no network capability: the filtering platform of Windows drops every packet");
  Add(plan, network.ingress_pointer,
      incoming ? "the capability privateNetworkClientServer" : "no capability for incoming traffic");
  Add(plan, network.host_loopback_pointer, "an AppContainer does not reach the loopback of the host");
  Add(plan, network.share_host_pointer, "every network capability; the loopback stays closed");
  const bool silent = network.egress_pointer.empty() && network.share_host_pointer.empty();
  if (silent)
    Add(plan, "/network", "no network capability: the filtering platform of Windows drops every packet");
  return Done{};
}

}  // namespace mxc::appcontainer
