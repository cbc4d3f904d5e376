// The network section of the older dialect in the newest shape.
#include "config/decoding.h"
#include "config/endpoint.h"

namespace mxc {
namespace {

// Each entry is a rule of its own, so that each keeps its place in the document.
std::vector<NetworkRule> UpgradeHosts(Decoding& decoding, const Json& network, std::string_view key) {
  std::vector<NetworkRule> rules;
  const Json* list = Member(&network, key);
  const Place place = Place{}.Key("network").Key(key);
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const Place here = place.Item(i);
    Result<HostEntry> entry = ParseHostEntry(list->items[i].text);
    if (!entry) {
      const std::string& text = list->items[i].text;
      if (const auto written = FindWrittenPort(text); written && !written->port) {
        decoding.Fail(here, list->items[i], Ticked(text) + ": " + std::string(kNotAPort),
                      "write HOST:PORT, or " + written->host + " for every port");
        continue;
      }
      const std::string host = HostOfUrl(text);
      const std::string reason =
          host.empty() ? entry.error().message : "not an address, a block or a host name";
      decoding.Fail(here, list->items[i], Ticked(text) + " is " + reason,
                    host.empty()
                        ? "write an address, a block such as 10.0.0.0/8, or a name such as example.com"
                        : "write the host alone: " + host);
      continue;
    }
    NetworkRule rule{.to = {std::move(entry->peer)}, .pointer = here.pointer};
    if (entry->port != 0) rule.ports.push_back({.first = entry->port, .last = entry->port});
    rules.push_back(std::move(rule));
  }
  return rules;
}

// Containments of other systems that can only open the network or close it.
void CheckUnfilterable(Decoding& decoding, const Json& network) {
  const Containment own = ContainmentFor(decoding.config, decoding.options.system);
  if (TraitsOf(own).network != NetworkControl::kSwitch) return;
  for (const std::string_view key : {"allowedHosts", "blockedHosts"}) {
    const Json* list = Member(&network, key);
    if (list == nullptr || list->items.empty()) continue;
    decoding.Fail(Place{}.Key("network").Key(key), *list, "containment `wslc` cannot filter by host");
  }
}

}  // namespace

void UpgradeLegacyNetwork(Decoding& decoding, const Json& network) {
  Network& upgraded = decoding.config.network;
  const Place place = Place{}.Key("network");
  const Json* policy = Member(&network, "defaultPolicy");
  upgraded.egress = TextOf(policy) == "allow" ? RuleAction::kAllow : RuleAction::kDeny;
  upgraded.egress_pointer = (policy == nullptr ? place : place.Key("defaultPolicy")).pointer;
  upgraded.ingress_pointer = place.pointer;
  upgraded.host_loopback_pointer = place.pointer;
  upgraded.allow = UpgradeHosts(decoding, network, "allowedHosts");
  upgraded.deny = UpgradeHosts(decoding, network, "blockedHosts");
  CheckUnfilterable(decoding, network);
  DecodeLegacyProxy(decoding, network);

  if (!network.At("allowLocalNetwork").boolean) return;
  const std::string pointer = place.Key("allowLocalNetwork").pointer;
  const bool unfiltered = upgraded.egress == RuleAction::kAllow && upgraded.allow.empty() &&
                          upgraded.deny.empty() && !upgraded.proxy;
  if (unfiltered) {
    upgraded.share_host = true;
    upgraded.share_host_pointer = pointer;
  } else {
    // Half of the local network cannot be had: the host reaches in, or it does not.
    upgraded.ingress = RuleAction::kAllow;
    upgraded.ingress_pointer = pointer;
  }
}

}  // namespace mxc
