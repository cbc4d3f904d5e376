#include "backends/seatbelt/network.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace mxc::seatbelt {
namespace {

constexpr std::string_view kNoNetwork = "no Seatbelt rule grants a network operation";
constexpr std::string_view kAnywhere =
    "Seatbelt rule: connections to every address but this machine's loopback";
constexpr std::string_view kLoopback = "Seatbelt rule: connections to this machine's loopback";
constexpr std::string_view kNoLoopback = "no Seatbelt rule grants connections to the loopback";
constexpr std::string_view kInbound = "Seatbelt rule: connections from every address";
constexpr std::string_view kNoInbound = "no Seatbelt rule grants inbound connections";
constexpr std::string_view kPublished =
    "Seatbelt rule: the command listens on the port of the loopback itself";
constexpr std::string_view kHostNetwork = "the host's network, unrestricted";
constexpr std::string_view kProxyPort =
    "Seatbelt rule: TCP to the proxy's port of the loopback, and nothing else";
constexpr std::string_view kGateway =
    "Seatbelt rule: TCP to the network gateway's port of the loopback, and nothing else; the gateway decides";
constexpr std::string_view kGatewayUninspected =
    "Seatbelt rule: TCP to the network gateway's port of the loopback, and nothing else; name resolved, "
    "contents "
    "not inspected";
constexpr std::string_view kGatewayOfTcp =
    "Seatbelt rule: TCP to the network gateway's port of the loopback, and nothing else; the gateway "
    "decides, UDP and ICMP stay blocked";
constexpr std::string_view kRelayed =
    "Seatbelt rule: the command listens on its port of the loopback; the network gateway relays to it";
constexpr std::string_view kOnlyTcp = "no Seatbelt rule grants anything but TCP to the network gateway";

// Names are resolved, and certificates judged, by daemons; the sockets and services they answer at.
constexpr std::string_view kResolver = "(literal \"/private/var/run/mDNSResponder\")";
constexpr std::array<std::string_view, 6> kNetworkServices = {
    "com.apple.SystemConfiguration.DNSConfiguration",
    "com.apple.SystemConfiguration.configd",
    "com.apple.dnssd.service",
    "com.apple.networkd",
    "com.apple.trustd",
    "com.apple.trustd.agent",
};

// The way to the gateway is a TCP port.
bool IsNotTcp(const PortRange& range) {
  return range.protocol == Protocol::kUdp || range.protocol == Protocol::kIcmp;
}

bool NamesNoTcp(const NetworkRule& rule) {
  return !rule.ports.empty() && std::all_of(rule.ports.begin(), rule.ports.end(), IsNotTcp);
}

bool NamesEveryProtocol(const NetworkRule& rule) {
  return rule.ports.empty() || std::any_of(rule.ports.begin(), rule.ports.end(), [](const PortRange& range) {
           return range.protocol == Protocol::kAny;
         });
}

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

class NetworkLowering {
 public:
  NetworkLowering(const Policy& policy, Profile& profile, Plan& plan)
      : network_(policy.network), profile_(profile), plan_(plan) {}

  Status Run() {
    profile_.Comment("the network");
    if (network_.proxy && network_.proxy->host.empty()) {
      return Unenforceable("the test proxy of the reference is not a part of this program",
                           network_.proxy->pointer, "start a proxy and name its `url`");
    }
    if (network_.share_host && !NeedsGateway() && !network_.proxy) {
      ShareHost();
      return Done{};
    }
    if (NeedsGateway()) return ThroughGateway();
    if (network_.proxy) {
      ThroughProxy();
    } else {
      Directly();
    }
    return Done{};
  }

 private:
  // What no rule of a profile can tell apart.
  [[nodiscard]] bool NeedsGateway() const {
    if (!network_.allow.empty() || !network_.deny.empty()) return true;
    if (network_.proxy && !IsLoopback(network_.proxy->host)) return true;
    return std::any_of(network_.publish.begin(), network_.publish.end(),
                       [](const PublishedPort& port) { return port.host != port.guest; });
  }

  Status ThroughGateway() {
    if (Status carried = RefuseOtherProtocols(); !carried) return carried;
    if (network_.proxy && network_.proxy->url.starts_with("https:")) {
      return Unenforceable("the way to the proxy is a port of this machine, whose name no certificate has",
                           network_.proxy->pointer, "name a proxy by http:");
    }
    plan_.egress = EgressRules{.egress = network_.egress,
                               .egress_pointer = network_.egress_pointer,
                               .allow = network_.allow,
                               .deny = network_.deny,
                               .host_loopback = network_.host_loopback,
                               .host_loopback_pointer = network_.host_loopback_pointer,
                               .loopback_ports = network_.loopback_ports,
                               .publish = network_.publish};
    if (network_.proxy) {
      plan_.egress->proxy = OnlyProxy{
          .host = network_.proxy->host, .port = network_.proxy->port, .pointer = network_.proxy->pointer};
    }
    profile_.Allow("network-outbound", "(remote tcp " + Profile::LaunchParameter("GATEWAY") + ")");
    Listen();
    RecordGateway();
    plan_.warnings.push_back(
        {.category = "proxy-variables",
         .message =
             "programs reach what is allowed through a proxy that HTTPS_PROXY and its like name; one that "
             "follows no such variable reaches nothing",
         .pointer = "/network"});
    return Done{};
  }

  [[nodiscard]] Status RefuseOtherProtocols() const {
    for (const NetworkRule& rule : network_.allow) {
      if (std::none_of(rule.ports.begin(), rule.ports.end(), IsNotTcp)) continue;
      return Unenforceable("the network gateway is reached at a TCP port: UDP and ICMP stay blocked on macOS",
                           rule.pointer, "remove `udp` and `icmp` from the rule");
    }
    return Done{};
  }

  void RecordGateway() {
    const auto record = [this](const std::string& pointer, std::string_view mechanism) {
      Record(pointer, Strength::kTrustedProcess, mechanism);
    };
    record(network_.egress_pointer, network_.egress == RuleAction::kAllow ? kGatewayOfTcp : kGateway);
    for (const NetworkRule& rule : network_.allow) {
      record(rule.pointer, rule.uninspected           ? kGatewayUninspected
                           : NamesEveryProtocol(rule) ? kGatewayOfTcp
                                                      : kGateway);
    }
    for (const NetworkRule& rule : network_.deny)
      NamesNoTcp(rule) ? Kernel(rule.pointer, kOnlyTcp) : record(rule.pointer, kGateway);
    for (const PublishedPort& port : network_.publish) record(port.pointer, kRelayed);
    for (const LoopbackPort& port : network_.loopback_ports) record(port.pointer, kGateway);
    record(network_.host_loopback_pointer, kGateway);
    if (network_.proxy) record(network_.proxy->pointer, kGateway);
    record(network_.share_host_pointer, kGateway);
    Kernel(network_.ingress_pointer, network_.ingress == RuleAction::kAllow ? kInbound : kNoInbound);
  }

  void ThroughProxy() {
    const std::string port = std::to_string(network_.proxy->port);
    profile_.Allow("network-outbound", "(remote tcp " + Literal("localhost:" + port) + ")");
    Kernel(network_.proxy->pointer, kProxyPort);
    Kernel(network_.egress_pointer, kProxyPort);
    Kernel(network_.host_loopback_pointer, kProxyPort);
    Kernel(network_.ingress_pointer, kNoInbound);
  }

  void Directly() {
    const bool out = network_.egress == RuleAction::kAllow;
    const bool loopback = network_.host_loopback == RuleAction::kAllow;
    const bool in = network_.ingress == RuleAction::kAllow;
    if (out) {
      profile_.Allow("network-outbound", "(remote ip \"*:*\")");
      profile_.Deny("network-outbound", "(remote ip \"localhost:*\")");
      AllowNames();
      plan_.not_covered.emplace_back("link-local and metadata addresses are as far in reach as any other");
    }
    if (loopback) profile_.Allow("network-outbound", "(remote ip \"localhost:*\")");
    for (const LoopbackPort& port : network_.loopback_ports) {
      profile_.Allow("network-outbound",
                     "(remote tcp " + Literal("localhost:" + std::to_string(port.port)) + ")");
      Kernel(port.pointer, kLoopback);
    }
    if (in) {
      profile_.Allow("network-bind network-inbound", "(local ip \"*:*\")");
    } else {
      Publish();
    }
    Kernel("/network", kNoNetwork);  // the clause of a policy that does not mention the network
    Kernel(network_.egress_pointer, out ? kAnywhere : kNoNetwork);
    Kernel(network_.host_loopback_pointer, loopback ? kLoopback : kNoLoopback);
    Kernel(network_.ingress_pointer, in ? kInbound : kNoInbound);
  }

  void Listen() {
    for (const PublishedPort& port : network_.publish) {
      profile_.Allow("network-bind network-inbound",
                     "(local ip " + Literal("localhost:" + std::to_string(port.guest)) + ")");
    }
  }

  void Publish() {
    Listen();
    for (const PublishedPort& port : network_.publish) Kernel(port.pointer, kPublished);
  }

  void AllowNames() {
    profile_.Allow("network-outbound", kResolver);
    profile_.AllowServices(kNetworkServices);
  }

  void Record(const std::string& pointer, Strength strength, std::string_view mechanism) {
    plan_.AddToLedger(pointer, std::string(mechanism), strength);
  }

  void Kernel(const std::string& pointer, std::string_view mechanism) {
    Record(pointer, Strength::kKernel, mechanism);
  }

  void ShareHost() {
    profile_.Allow("network-outbound", "(remote ip \"*:*\")");
    profile_.Allow("network-bind network-inbound", "(local ip \"*:*\")");
    AllowNames();
    plan_.relaxations.emplace_back("shared-host-network");
    Kernel(network_.share_host_pointer, kHostNetwork);
    Kernel(network_.egress_pointer, kHostNetwork);
  }

  const Network& network_;
  Profile& profile_;
  Plan& plan_;
};

}  // namespace

Status LowerNetwork(const Policy& policy, Profile& profile, Plan& plan) {
  return NetworkLowering(policy, profile, plan).Run();
}

}  // namespace mxc::seatbelt
