#include "backends/appcontainer/network.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "backends/appcontainer/section.h"
#include "mxc/windows/path.h"

namespace mxc::appcontainer {
namespace {

constexpr std::string_view kInternet = "internetClient";
constexpr std::string_view kServer = "internetClientServer";
constexpr std::string_view kPrivate = "privateNetworkClientServer";
constexpr std::string_view kLoopback = "networkLoopback";
constexpr const char* kNothing =
    "no network capability: the filtering platform of Windows drops every packet";
constexpr const char* kLoopbackAlone = "no capability for the internet or for private networks";
constexpr const char* kOutgoing = "the capability internetClient; not the private networks, not the loopback";
constexpr const char* kEverywhere =
    "the capabilities of the internet and of private networks; not the loopback";
constexpr const char* kRules = "a rule of the base container's security environment";
constexpr const char* kProxied = "the base container's security environment leads to the proxy alone";
constexpr const char* kExempt =
    "no network capability; an exemption for the loopback of this machine, where any service can be reached";
constexpr std::array<std::string_view, 4> kNetworkCapabilities = {kInternet, kServer, kPrivate, kLoopback};

bool IsOfTheNetwork(std::string_view name) {
  return std::any_of(kNetworkCapabilities.begin(), kNetworkCapabilities.end(),
                     [&](std::string_view known) { return IsSameWindowsName(name, known); });
}

Error Contradiction(std::string message, const std::string& pointer, std::string hint) {
  return Conflict(std::move(message), pointer, std::move(hint));
}

bool HasEnvironment(const AppContainerSandbox& sandbox) {
  return sandbox.base && sandbox.base->contract == BaseContract::kSecurityEnvironment;
}

bool NamesHosts(const NetworkRule& rule) {
  return std::any_of(rule.to.begin(), rule.to.end(), [](const Peer& peer) { return !peer.host.empty(); });
}

bool IsOnThisMachine(const ProxyRule& proxy) {
  return proxy.host == "localhost" || proxy.host == "127.0.0.1" || proxy.host == "::1";
}

// The environment takes what the contract names: a proxy on the loopback, reached in its container, or as a
// program of the host.
Status CheckProxy(const Network& network, const BaseContainer& base) {
  const std::string& pointer = network.proxy->pointer;
  if (!IsOnThisMachine(*network.proxy)) {
    return Unenforceable("the base container of Windows is led to proxies of this machine only", pointer,
                         "name a proxy on localhost");
  }
  if (network.ingress == RuleAction::kDeny) {
    return Contradiction("a proxy of this machine answers from outside the container", pointer,
                         "add \"ingress\": {\"default\": \"allow\"}");
  }
  const bool by_host = network.host_loopback == RuleAction::kAllow;
  const bool by_peer = base.peer != kHostLoopbackPeer && !base.peer.empty();
  if (by_host != by_peer) return Done{};
  return Contradiction(
      by_host ? "the proxy runs in a container or on the host, not in both" : "there is no way to the proxy",
      pointer,
      "either name its container (processContainer.network.allowedProxyPeer), or set "
      "network.ingress.hostLoopback to \"allow\"");
}

Status CheckHeldByEnvironment(const Network& network, const BaseContainer& base) {
  for (const auto* rules : {&network.allow, &network.deny}) {
    const auto named = std::find_if(rules->begin(), rules->end(), NamesHosts);
    if (named == rules->end()) continue;
    return Unenforceable("the base container of Windows knows addresses, and no names", named->pointer,
                         "write the addresses as `cidr`, or run on Linux, where a gateway decides");
  }
  return network.proxy ? CheckProxy(network, base) : Done{};
}

// Whatever else is open would lead past the proxy.
Status CheckExemption(const Policy& policy, const Section& section, const WindowsFacts& facts) {
  const Network& network = policy.network;
  const std::string& pointer = network.proxy->pointer;
  if (!policy.windows.loopback_exemption_allowed) {
    return Unenforceable(
        "a proxy of this machine takes an exemption that opens its whole loopback to the container", pointer,
        "set fallback.allowLoopbackExemption, as an administrator; or run on Linux, where a gateway "
        "decides");
  }
  if (!section.proxy_peer.empty()) {
    return Unenforceable("an exemption opens the loopback, and no way into another container",
                         "/processContainer/network/allowedProxyPeer", "remove it");
  }
  if (network.host_loopback_pointer.ends_with("/hostLoopback")) {
    return Unenforceable("the exemption for the proxy opens the loopback as a whole",
                         network.host_loopback_pointer, "remove it, or the proxy");
  }
  if (network.ingress == RuleAction::kAllow || network.share_host) {
    return Unenforceable("the capability for incoming traffic leads past the proxy to private networks",
                         network.ingress_pointer, "deny it");
  }
  if (facts.administrator) return Done{};
  return Unavailable("an exemption for the loopback changes the machine, which only an administrator may",
                     pointer, "start it from an elevated prompt");
}

Status CheckHeldByCapabilities(const Policy& policy, const Section& section, const WindowsFacts& facts) {
  const Network& network = policy.network;
  const std::string all =
      "allow or deny everything with `egress.default`, or run on Linux, where a gateway decides";
  for (const auto* rules : {&network.allow, &network.deny}) {
    if (rules->empty()) continue;
    return Unenforceable(
        "an AppContainer has the internet or has it not: single destinations cannot be told apart",
        rules->front().pointer, all);
  }
  if (network.proxy && IsOnThisMachine(*network.proxy)) return CheckExemption(policy, section, facts);
  if (network.proxy)
    return Unenforceable("an AppContainer cannot be held to one proxy", network.proxy->pointer, all);
  if (network.host_loopback == RuleAction::kAllow) {
    return Unenforceable("the loopback of the host is closed to an AppContainer",
                         network.host_loopback_pointer, "deny it: an exemption is made for a proxy only");
  }
  return Done{};
}

Status CheckHeldByNone(const Network& network) {
  if (!network.publish.empty()) {
    return Unenforceable("nothing leads from a port of the host into an AppContainer",
                         network.publish.front().pointer, "remove the entry");
  }
  const bool outgoing = network.egress == RuleAction::kAllow || network.share_host || network.proxy;
  if (network.ingress == RuleAction::kAllow && !outgoing) {
    return Unenforceable("the capability for incoming traffic allows outgoing traffic as well",
                         network.ingress_pointer, "allow both, or neither");
  }
  return Done{};
}

// The variables that programs look for, in place of whatever the policy has for these.
void NameProxy(const std::string& url, std::vector<Variable>& environment) {
  constexpr std::string_view kVariables[] = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"};
  std::erase_if(environment, [&](const Variable& variable) {
    return std::any_of(std::begin(kVariables), std::end(kVariables),
                       [&](std::string_view name) { return IsSameWindowsName(variable.name, name); });
  });
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY"}) environment.push_back({name, Secret{url}});
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

// No capability of the network stands beside it.
void PlanExemption(const Network& network, AppContainerSandbox& sandbox, Plan& plan) {
  sandbox.loopback_exempt = true;
  plan.relaxations.emplace_back("loopback-exempt");
  plan.not_covered.emplace_back(
      "the loopback of this machine: every service that listens there is reached, not the proxy alone");
  plan.warnings.push_back({.category = "loopback-open",
                           .message = "the command reaches every service of this machine's loopback",
                           .pointer = network.proxy->pointer});
  plan.AddToLedger(network.egress_pointer, kExempt);
  plan.AddToLedger(network.proxy->pointer, kExempt);
  plan.AddToLedger(network.ingress_pointer, "no capability for incoming traffic");
}

// What the capabilities of the network let through.
struct Opened {
  bool outgoing = false;
  bool incoming = false;
  bool loopback = false;
};

Opened AddCapabilities(const Network& network, std::vector<std::string>& capabilities, Plan& plan) {
  const Opened opened{
      .outgoing = network.egress == RuleAction::kAllow || network.share_host || !network.allow.empty(),
      .incoming = network.ingress == RuleAction::kAllow || network.share_host,
      .loopback = network.host_loopback == RuleAction::kAllow};
  if (opened.outgoing) capabilities.emplace_back(kInternet);
  if (network.share_host) {
    capabilities.emplace_back(kServer);
    plan.relaxations.emplace_back("shared-host-network");
  }
  if (opened.incoming) capabilities.emplace_back(kPrivate);
  if (opened.loopback) capabilities.emplace_back(kLoopback);
  return opened;
}

const char* EgressMechanism(const Network& network, const Opened& opened) {
  if (network.proxy) return kProxied;
  if (!network.allow.empty() || !network.deny.empty()) return kRules;
  if (!opened.outgoing) return opened.loopback ? kLoopbackAlone : kNothing;
  return opened.incoming ? kEverywhere : kOutgoing;
}

}  // namespace

Status PlanNetwork(const Policy& policy, const Section& section, const WindowsFacts& facts,
                   AppContainerSandbox& sandbox, Plan& plan) {
  const Network& network = policy.network;
  const bool environment = HasEnvironment(sandbox);
  if (Status held = environment ? CheckHeldByEnvironment(network, *sandbox.base)
                                : CheckHeldByCapabilities(policy, section, facts);
      !held)
    return held;
  if (Status held = CheckHeldByNone(network); !held) return held;
  DropUngiven(sandbox.capabilities, plan);
  if (network.proxy) NameProxy(network.proxy->url, sandbox.environment);
  if (network.proxy && !environment) {
    PlanExemption(network, sandbox, plan);
    return Done{};
  }
  const Opened opened = AddCapabilities(network, sandbox.capabilities, plan);
  plan.AddToLedger(network.egress_pointer, EgressMechanism(network, opened));
  if (network.proxy) {
    plan.AddToLedger(network.proxy->pointer, kProxied);
    plan.not_covered.emplace_back(
        "private networks beside the proxy: what the capability for incoming traffic lets out has not been "
        "seen");
  }
  for (const NetworkRule& rule : network.allow) plan.AddToLedger(rule.pointer, kRules);
  for (const NetworkRule& rule : network.deny) plan.AddToLedger(rule.pointer, kRules);
  plan.AddToLedger(network.ingress_pointer, opened.incoming ? "the capability privateNetworkClientServer"
                                                            : "no capability for incoming traffic");
  plan.AddToLedger(network.host_loopback_pointer,
                   opened.loopback ? "the capability networkLoopback, and the host as the peer"
                                   : "an AppContainer does not reach the loopback of the host");
  plan.AddToLedger(network.share_host_pointer, "every network capability; the loopback stays closed");
  const bool silent = network.egress_pointer.empty() && network.share_host_pointer.empty() &&
                      network.allow.empty() && network.deny.empty();
  if (silent) plan.AddToLedger("/network", opened.loopback ? kLoopbackAlone : kNothing);
  return Done{};
}

}  // namespace mxc::appcontainer
