#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ceiling/both_rules.h"
#include "ceiling/cut_config.h"

namespace mxc {
namespace {

class NetworkCutter {
 public:
  NetworkCutter(const CeilingSection& section, Network& network, Cuts& cuts)
      : section_(section), bounds_(section.bounds.network), network_(network), cuts_(cuts) {}

  // The host's own network cannot be filtered: what is left of it goes through the gateway.
  void CutSharing() {
    if (!network_.share_host) return;
    cuts_.Add(section_, "/network", network_.share_host_pointer, "the host's own network is not shared");
    network_.share_host = false;
    network_.egress = network_.ingress = network_.host_loopback = RuleAction::kAllow;
    for (std::string* pointer :
         {&network_.egress_pointer, &network_.ingress_pointer, &network_.host_loopback_pointer}) {
      if (pointer->empty()) *pointer = network_.share_host_pointer;
    }
  }

  // A command that speaks through a proxy reaches everything that the proxy reaches.
  void CutProxies() {
    if (!network_.upstream.pointer.empty() && bounds_.upstream.pointer.empty()) {
      cuts_.Add(section_, "/network/egress", network_.upstream.pointer,
                "proxies of the environment are not used");
      network_.upstream = {};
    }
    if (!network_.proxy) return;
    cuts_.Add(section_, "/network", network_.proxy->pointer, "the proxy is not reached, and nothing else is");
    network_.proxy.reset();
    CloseEgress();
  }

  // Who names the proxy decides where everything goes.
  void CutUpstream() {
    Upstream& asked = network_.upstream;
    for (const auto& [proxy, bound] : {std::pair{&asked.http, &bounds_.upstream.http},
                                       std::pair{&asked.others, &bounds_.upstream.others}}) {
      if (!*proxy || (*bound && (*proxy)->host == (*bound)->host && (*proxy)->port == (*bound)->port))
        continue;
      cuts_.Add(section_, "/network/egress/upstreamProxy", asked.pointer,
                "proxies of the environment are not used: " + (*proxy)->variable +
                    " names another than the ceiling");
      asked = {};
      return;
    }
  }

  void CutEgress() {
    std::vector<NetworkRule> allowed;
    for (const NetworkRule& rule : network_.allow) {
      std::vector<NetworkRule> parts = PartsOf(rule);
      AddCuts(rule, parts);
      std::move(parts.begin(), parts.end(), std::back_inserter(allowed));
    }
    if (network_.egress == RuleAction::kAllow && bounds_.egress == RuleAction::kDeny) {
      for (const NetworkRule& bound : bounds_.allow) {
        std::optional<NetworkRule> part = BothRules(NetworkRule{.pointer = network_.egress_pointer}, bound);
        if (part) allowed.push_back(std::move(*part));
      }
      cuts_.Add(section_, "/network/egress", network_.egress_pointer,
                allowed.empty() ? "nothing is reached" : "only what the ceiling lists is reached");
      network_.egress = RuleAction::kDeny;
    }
    network_.allow = std::move(allowed);
  }

  void AddDenials() {
    if (network_.egress == RuleAction::kDeny && network_.allow.empty()) return;
    std::vector<NetworkRule> denials;
    for (const NetworkRule& bound : bounds_.deny) {
      NetworkRule denial = bound;
      denial.pointer = section_.At(bound.pointer);
      if (Meets(bound))
        cuts_.Add(
            section_, bound.pointer,
            network_.egress == RuleAction::kAllow ? network_.egress_pointer : network_.allow.front().pointer,
            "destinations that the ceiling denies are not reached");
      denials.push_back(std::move(denial));
    }
    std::move(denials.begin(), denials.end(), std::back_inserter(network_.deny));
  }

  void CutIngress() {
    CutSwitch(network_.ingress, bounds_.ingress, "/network/ingress", network_.ingress_pointer,
              "connections from outside are not let in");
    if (network_.host_loopback == RuleAction::kAllow && bounds_.host_loopback == RuleAction::kDeny) {
      network_.loopback_ports = bounds_.loopback_ports;
      for (LoopbackPort& port : network_.loopback_ports) port.pointer = network_.host_loopback_pointer;
    }
    CutSwitch(network_.host_loopback, bounds_.host_loopback, "/network/ingress",
              network_.host_loopback_pointer, "the host's loopback is not reached");
    CutPorts(network_.loopback_ports, bounds_.host_loopback == RuleAction::kAllow, bounds_.loopback_ports,
             &LoopbackPort::port, [](const std::string& port) {
               return "port " + port + " of the host's loopback is not reached";
             });
    CutPorts(network_.publish, false, bounds_.publish, &PublishedPort::host,
             [](const std::string& port) { return "the port " + port + " is not published"; });
  }

 private:
  [[nodiscard]] std::vector<NetworkRule> PartsOf(const NetworkRule& rule) const {
    std::vector<NetworkRule> parts;
    const auto add = [&](std::optional<NetworkRule> part) {
      if (!part) return;
      const bool known = std::any_of(parts.begin(), parts.end(),
                                     [&](const NetworkRule& other) { return SameRule(other, *part); });
      if (!known) parts.push_back(std::move(*part));
    };
    if (bounds_.egress == RuleAction::kAllow) add(BothRules(rule, NetworkRule{}));
    for (const NetworkRule& bound : bounds_.allow) add(BothRules(rule, bound));
    const auto whole = std::find_if(parts.begin(), parts.end(),
                                    [&](const NetworkRule& part) { return SameRule(part, rule); });
    if (whole != parts.end()) return {rule};
    return parts;
  }

  void AddCuts(const NetworkRule& rule, const std::vector<NetworkRule>& parts) {
    if (parts.size() == 1 && SameRule(parts.front(), rule)) return;
    cuts_.Add(section_, "/network/egress", rule.pointer,
              parts.empty() ? "nothing of the rule is allowed" : "the rule allows less");
  }

  void CloseEgress() {
    network_.egress = RuleAction::kDeny;
    network_.allow.clear();
  }

  // Whether the denial covers something that the policy allows and does not deny itself.
  [[nodiscard]] bool Meets(const NetworkRule& denial) const {
    const bool known = std::any_of(network_.deny.begin(), network_.deny.end(), [&](const NetworkRule& own) {
      const std::optional<NetworkRule> both = BothRules(denial, own);
      return SameRule(own, denial) || (both && SameRule(*both, denial));
    });
    if (known) return false;
    return network_.egress == RuleAction::kAllow ||
           std::any_of(network_.allow.begin(), network_.allow.end(),
                       [&](const NetworkRule& rule) { return BothRules(rule, denial).has_value(); });
  }

  void CutSwitch(RuleAction& asked, RuleAction bound, const std::string& clause, const std::string& pointer,
                 const std::string& what) {
    if (asked == RuleAction::kDeny || bound == RuleAction::kAllow) return;
    asked = RuleAction::kDeny;
    cuts_.Add(section_, clause, pointer, what);
  }

  // `every`: the ceiling allows all of them.
  template <class Port, class Loss>
  void CutPorts(std::vector<Port>& asked, bool every, const std::vector<Port>& bounds,
                std::uint16_t Port::*number, const Loss& loss) {
    std::erase_if(asked, [&](const Port& port) {
      const bool allowed = every || std::any_of(bounds.begin(), bounds.end(), [&](const Port& bound) {
                             return bound.*number == port.*number;
                           });
      if (!allowed) cuts_.Add(section_, "/network/ingress", port.pointer, loss(std::to_string(port.*number)));
      return !allowed;
    });
  }

  const CeilingSection& section_;
  const Network& bounds_;
  Network& network_;
  Cuts& cuts_;
};

}  // namespace

void CutNetwork(const CeilingSection& section, Network& network, Cuts& cuts) {
  NetworkCutter cutter(section, network, cuts);
  cutter.CutSharing();
  cutter.CutProxies();
  cutter.CutEgress();
  cutter.AddDenials();
  cutter.CutIngress();
}

void CutUpstream(const CeilingSection& section, Network& network, Cuts& cuts) {
  if (section.network) NetworkCutter(section, network, cuts).CutUpstream();
}

}  // namespace mxc
