// The network section: which form it is written in, and the directional form.
#include <algorithm>
#include <optional>
#include <string>

#include "base/cidr.h"
#include "config/decoding.h"
#include "config/endpoint.h"
#include "mxc/egress.h"
#include "mxc/fold.h"

namespace mxc {
namespace {

constexpr std::string_view kLegacyKeys[] = {"defaultPolicy", "enforcementMode", "allowLocalNetwork",
                                            "allowedHosts",  "blockedHosts",    "proxy"};

// A member that only the directional form has, or nullptr.
const Json* DirectionalMember(const Json& document) {
  const Json* network = Member(&document, "network");
  const Json* container = Member(&document, "processContainer");
  for (const Json* value : {Member(network, "egress"), Member(network, "ingress"),
                            Member(&document, "runtimeConfig"), Member(container, "network")}) {
    if (value != nullptr) return value;
  }
  return nullptr;
}

bool UsesLegacyForm(const Json& network) {
  return std::any_of(std::begin(kLegacyKeys), std::end(kLegacyKeys),
                     [&network](std::string_view key) { return Member(&network, key) != nullptr; });
}

// What to write for "example.com:443", which neither `host` nor `cidr` takes; "" where that is not the
// mistake.
std::string PortHint(const std::string& text) {
  const std::optional<WrittenPort> written = FindWrittenPort(text);
  if (!written) return "";
  const std::string key = ParseCidr(written->host, HostBits::kRefuse).ok() ? "`cidr`" : "`host`";
  const std::string port = written->port ? std::to_string(*written->port) : "443";
  return "write the " + key + " as " + written->host +
         ", and a port from 1 to 65535 beside `to`: " + "\"ports\": [{\"port\": " + port + "}]";
}

void DecodeBlocks(Decoding& decoding, const Json& json, const Place& place, Peer& peer) {
  const Json* text = Member(&json, "cidr");
  const Result<Cidr> block = ParseCidr(text->text, HostBits::kRefuse);
  if (!block) {
    const std::string host = HostOfUrl(text->text);
    const bool name = IsHostName(host, Wildcard::kAllowed);
    if (std::string hint = PortHint(text->text); !hint.empty()) {
      decoding.Fail(place.Key("cidr"), *text, Ticked(text->text) + " has a port", std::move(hint));
      return;
    }
    decoding.Fail(place.Key("cidr"), *text, "not a valid address block: " + block.error().message,
                  host.empty() ? ""
                  : name       ? "write the name alone, as `host`: " + host
                               : "write the address alone: " + host);
    return;
  }
  peer.cidr = CidrText(*block);
  const Json* except = Member(&json, "except");
  for (std::size_t i = 0; except != nullptr && i < except->items.size(); ++i) {
    const Place here = place.Key("except").Item(i);
    const Result<Cidr> inner = ParseCidr(except->items[i].text, HostBits::kRefuse);
    if (!inner) {
      decoding.Fail(here, except->items[i], "not a valid address block: " + inner.error().message);
    } else if (!Contains(*block, *inner)) {
      decoding.Fail(here, except->items[i], "must lie inside " + peer.cidr);
    } else {
      peer.except.push_back(CidrText(*inner));
    }
  }
}

Peer DecodePeer(Decoding& decoding, const Json& json, const Place& place) {
  Peer peer;
  const Json* host = Member(&json, "host");
  if (host == nullptr) {
    DecodeBlocks(decoding, json, place, peer);
    return peer;
  }
  if (!IsHostName(host->text, Wildcard::kAllowed)) {
    const std::string alone = HostOfUrl(host->text);
    const std::string port = PortHint(host->text);
    decoding.Fail(place.Key("host"), *host,
                  Ticked(host->text) + (port.empty() ? " is not a host name" : " has a port"),
                  !port.empty()   ? port
                  : alone.empty() ? "write a name such as example.com, or *.example.com for its subdomains"
                                  : "write the host alone: " + alone);
  }
  if (Folded(host->text) == kHostLoopbackName) {
    decoding.Fail(
        place.Key("host"), *host,
        Ticked(host->text) + " is the host's loopback, which rules of `egress` can neither allow nor deny",
        "use network.ingress.hostLoopbackPorts");
  }
  if (const Json* except = Member(&json, "except")) {
    decoding.Fail(place.Key("except"), *except, "only a `cidr` can have exceptions");
  }
  peer.host = Folded(host->text);
  return peer;
}

Protocol ProtocolNamed(std::string_view name) {
  if (name == "tcp") return Protocol::kTcp;
  if (name == "udp") return Protocol::kUdp;
  return name == "icmp" ? Protocol::kIcmp : Protocol::kAny;
}

PortRange DecodePorts(Decoding& decoding, const Json& json, const Place& place) {
  PortRange range{.protocol = ProtocolNamed(json.At("protocol").text)};
  const Json* first = Member(&json, "port");
  const Json* last = Member(&json, "endPort");
  if (last != nullptr && first == nullptr) {
    decoding.Fail(place.Key("endPort"), *last, "a last port needs a first one in `port`");
  } else if (last != nullptr && last->integer < first->integer) {
    decoding.Fail(place.Key("endPort"), *last, "must not be less than port");
  }
  if (first == nullptr) return range;
  if (range.protocol == Protocol::kIcmp) decoding.Fail(place.Key("port"), *first, "icmp has no ports");
  range.first = static_cast<std::uint16_t>(first->integer);
  range.last = last == nullptr ? range.first : static_cast<std::uint16_t>(last->integer);
  return range;
}

// Is nothing to be looked at? A wish for that names what it is for.
bool DecodeUninspected(Decoding& decoding, const Json& json, const Place& place, bool deny,
                       const NetworkRule& rule) {
  const Json* inspect = Member(&json, "inspect");
  if (inspect == nullptr) return false;
  if (deny)
    decoding.Fail(place.Key("inspect"), *inspect, "only a rule that allows can say what is looked at");
  if (TextOf(inspect) != "none") return false;
  const bool named =
      !rule.ports.empty() && std::all_of(rule.ports.begin(), rule.ports.end(),
                                         [](const PortRange& range) { return range.first != 0; });
  if (!named) {
    decoding.Fail(place.Key("inspect"), *inspect, "`none` needs `ports`, each with a `port`",
                  "name the ports of the protocol that cannot be inspected");
  }
  return true;
}

std::vector<NetworkRule> DecodeRules(Decoding& decoding, const Json* list, const Place& place, bool deny) {
  std::vector<NetworkRule> rules;
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const Place here = place.Item(i);
    NetworkRule rule{.pointer = here.pointer};
    const Json* to = Member(&list->items[i], "to");
    for (std::size_t j = 0; to != nullptr && j < to->items.size(); ++j) {
      rule.to.push_back(DecodePeer(decoding, to->items[j], here.Key("to").Item(j)));
    }
    const Json* ports = Member(&list->items[i], "ports");
    for (std::size_t j = 0; ports != nullptr && j < ports->items.size(); ++j) {
      rule.ports.push_back(DecodePorts(decoding, ports->items[j], here.Key("ports").Item(j)));
    }
    rule.uninspected = DecodeUninspected(decoding, list->items[i], here, deny, rule);
    rules.push_back(std::move(rule));
  }
  return rules;
}

// The verdict written at `key`, and where; deny by default.
RuleAction DecodeRuleAction(const Json* parent, const Place& place, std::string_view key,
                            std::string& pointer) {
  const Json* value = Member(parent, key);
  pointer = value == nullptr ? place.pointer : place.Key(key).pointer;
  return TextOf(value) == "allow" ? RuleAction::kAllow : RuleAction::kDeny;
}

std::vector<PublishedPort> DecodePublished(Decoding& decoding, const Json* list, const Place& place) {
  std::vector<PublishedPort> ports;
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const Place here = place.Item(i);
    const Json* host = Member(&list->items[i], "host");
    const Json* guest = Member(&list->items[i], "guest");
    if (host == nullptr) continue;  // reported as missing
    PublishedPort port{.host = static_cast<std::uint16_t>(host->integer), .pointer = here.pointer};
    port.guest = guest == nullptr ? port.host : static_cast<std::uint16_t>(guest->integer);
    const bool twice = std::any_of(ports.begin(), ports.end(),
                                   [&](const PublishedPort& other) { return other.host == port.host; });
    if (twice) decoding.Fail(here.Key("host"), *host, "the port is published twice");
    ports.push_back(std::move(port));
  }
  return ports;
}

std::vector<LoopbackPort> DecodeLoopbackPorts(const Json* list, const Place& place) {
  std::vector<LoopbackPort> ports;
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const Json* port = Member(&list->items[i], "port");
    if (port == nullptr) continue;  // reported as missing
    ports.push_back({.port = static_cast<std::uint16_t>(port->integer), .pointer = place.Item(i).pointer});
  }
  return ports;
}

void DecodeDirectional(Decoding& decoding, const Json& section) {
  Network& network = decoding.config.network;
  const Place place = Place{}.Key("network");
  const Json* egress = Member(&section, "egress");
  const Place egress_place = egress == nullptr ? place : place.Key("egress");
  network.egress = DecodeRuleAction(egress, egress_place, "default", network.egress_pointer);
  network.allow = DecodeRules(decoding, Member(egress, "allow"), egress_place.Key("allow"), false);
  network.deny = DecodeRules(decoding, Member(egress, "deny"), egress_place.Key("deny"), true);
  if (Member(egress, "upstreamProxy") != nullptr) {
    network.upstream.pointer = egress_place.Key("upstreamProxy").pointer;
  }
  const Json* ingress = Member(&section, "ingress");
  const Place ingress_place = ingress == nullptr ? place : place.Key("ingress");
  network.ingress = DecodeRuleAction(ingress, ingress_place, "default", network.ingress_pointer);
  network.host_loopback =
      DecodeRuleAction(ingress, ingress_place, "hostLoopback", network.host_loopback_pointer);
  network.loopback_ports =
      DecodeLoopbackPorts(Member(ingress, "hostLoopbackPorts"), ingress_place.Key("hostLoopbackPorts"));
  network.publish = DecodePublished(decoding, Member(ingress, "publish"), ingress_place.Key("publish"));
}

// An isolation session cannot filter, so the closed contracts want it said that nothing is filtered.
void CheckIsolationSession(Decoding& decoding) {
  const Config& config = decoding.config;
  const bool closed = config.dialect != Dialect::kLegacy && config.dialect != Dialect::kDirectional;
  if (!closed || config.intent != Intent::kConcrete) return;
  if (TraitsOf(config.containment).network != NetworkControl::kOpenOnly) return;
  const Network& network = config.network;
  const bool all_open = network.egress == RuleAction::kAllow && network.ingress == RuleAction::kAllow &&
                        network.host_loopback == RuleAction::kAllow && network.allow.empty() &&
                        network.deny.empty() && !network.proxy;
  if (all_open) return;
  decoding.Fail(Place{}.Key("network"), decoding.document,
                "isolation_session needs egress.default, ingress.default and ingress.hostLoopback `allow`, "
                "and neither rules nor a proxy");
}

}  // namespace

bool UsesLegacyNetwork(const Json& document) {
  const Json* network = document.kind == Json::Kind::kObject ? Member(&document, "network") : nullptr;
  return network != nullptr && network->kind == Json::Kind::kObject && UsesLegacyForm(*network);
}

void DecodeNetwork(Decoding& decoding) {
  const Json* network = Member(&decoding.document, "network");
  decoding.config.network_written = network != nullptr;
  const bool legacy_form = network != nullptr && UsesLegacyForm(*network);
  const Json* directional = DirectionalMember(decoding.document);
  if (legacy_form && directional != nullptr) {
    decoding.Fail(Place{}.Key("network"), *network,
                  "the legacy keys (defaultPolicy, enforcementMode, allowLocalNetwork, allowedHosts, "
                  "blockedHosts, proxy) cannot stand beside egress, ingress, runtimeConfig or "
                  "processContainer.network",
                  "write the whole policy in one of the two forms");
    return;
  }
  if (network != nullptr) {
    const bool upgrade = legacy_form || decoding.config.dialect == Dialect::kLegacy;
    upgrade ? UpgradeLegacyNetwork(decoding, *network) : DecodeDirectional(decoding, *network);
  }
  DecodeRuntimeProxy(decoding);
  CheckIsolationSession(decoding);
}

}  // namespace mxc
