#include "win32/security_environment.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "win32/flat_buffer.h"

namespace mxc {
namespace {

// Slots of the tables, in the order of the layout.
enum Root : std::size_t {
  kVersion,
  kCapabilities,
  kNoWin32k,
  kUiLimits,
  kReadWrite,
  kReadOnly,
  kDenied,
  kNetwork
};
enum NetworkSlot : std::size_t { kProxy, kEgress, kPeer };
enum ProxySlot : std::size_t { kUrl };
enum PolicySlot : std::size_t { kDefaultAction, kAllow, kDeny };
enum RuleSlot : std::size_t { kDestinations, kPorts };
enum DestinationSlot : std::size_t { kSubnet, kExcept };
enum SubnetSlot : std::size_t { kAddress, kPrefix };
enum PortSlot : std::size_t { kProtocol, kPort, kEndPort };

// Of the older layout. The third slot, of a level of integrity, is no longer read.
enum OlderRoot : std::size_t {
  kOlderVersion,
  kOlderAppContainer,
  kOlderNoWin32k = 3,
  kOlderUiLimits,
  kOlderLeastPrivilege,
  kOlderCapabilities,
  kOlderReadWrite,
  kOlderReadOnly,
  kOlderNetwork,
  kOlderIntegrity,
  kOlderDenied
};

enum class WireProtocol : std::uint8_t { kAny, kTcp, kUdp, kIcmp4, kIcmp6 };
enum class Family { kBoth, kFour, kSix };

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

FlatValue Texts(const std::vector<std::string>& texts) {
  std::vector<FlatValue> items;
  for (const std::string& text : texts) items.push_back(FlatValue::Text(text));
  return FlatValue::List(std::move(items));
}

bool Fits(std::string_view cidr, Family family) {
  const bool six = cidr.find(':') != std::string_view::npos;
  return family == Family::kBoth || six == (family == Family::kSix);
}

FlatValue Subnet(std::string_view cidr) {
  const std::size_t slash = cidr.find('/');
  const std::string_view length = cidr.substr(slash + 1);
  std::uint8_t prefix = 0;
  std::from_chars(length.data(), length.data() + length.size(), prefix);
  return FlatValue::Table(
      {{kAddress, FlatValue::Text(cidr.substr(0, slash))}, {kPrefix, FlatValue::Byte(prefix)}});
}

FlatValue Destination(const Peer& peer) {
  std::vector<FlatValue> except;
  for (const std::string& cidr : peer.except) except.push_back(Subnet(cidr));
  std::vector<FlatValue::Slot> slots = {{kSubnet, Subnet(peer.cidr)}};
  if (!except.empty()) slots.emplace_back(kExcept, FlatValue::List(std::move(except)));
  return FlatValue::Table(std::move(slots));
}

// Without a destination a rule is about every address; that is written out.
std::vector<FlatValue> Destinations(const NetworkRule& rule, Family family) {
  const std::vector<Peer> everything = {{.cidr = "0.0.0.0/0"}, {.cidr = "::/0"}};
  std::vector<FlatValue> destinations;
  for (const Peer& peer : rule.to.empty() ? everything : rule.to) {
    if (Fits(peer.cidr, family)) destinations.push_back(Destination(peer));
  }
  return destinations;
}

FlatValue Port(WireProtocol protocol, const PortRange& range) {
  std::vector<FlatValue::Slot> slots = {{kProtocol, FlatValue::Byte(static_cast<std::uint8_t>(protocol))}};
  if (range.first != 0) slots.emplace_back(kPort, FlatValue::Number16(range.first));
  if (range.last > range.first) slots.emplace_back(kEndPort, FlatValue::Number16(range.last));
  return FlatValue::Table(std::move(slots));
}

void AddRule(const NetworkRule& rule, Family family, std::vector<FlatValue> ports,
             std::vector<FlatValue>& rules) {
  std::vector<FlatValue> destinations = Destinations(rule, family);
  if (destinations.empty()) return;
  std::vector<FlatValue::Slot> slots = {{kDestinations, FlatValue::List(std::move(destinations))}};
  if (!ports.empty()) slots.emplace_back(kPorts, FlatValue::List(std::move(ports)));
  rules.push_back(FlatValue::Table(std::move(slots)));
}

// ICMP has a number for each family of addresses, so it takes rules of its own.
FlatValue Rules(const std::vector<NetworkRule>& written) {
  std::vector<FlatValue> rules;
  for (const NetworkRule& rule : written) {
    std::vector<FlatValue> ports;
    bool icmp = false;
    for (const PortRange& range : rule.ports) {
      icmp = icmp || range.protocol == Protocol::kIcmp;
      if (range.protocol == Protocol::kAny) ports.push_back(Port(WireProtocol::kAny, range));
      if (range.protocol == Protocol::kTcp) ports.push_back(Port(WireProtocol::kTcp, range));
      if (range.protocol == Protocol::kUdp) ports.push_back(Port(WireProtocol::kUdp, range));
    }
    if (rule.ports.empty() || !ports.empty()) AddRule(rule, Family::kBoth, std::move(ports), rules);
    if (!icmp) continue;
    AddRule(rule, Family::kFour, {Port(WireProtocol::kIcmp4, {})}, rules);
    AddRule(rule, Family::kSix, {Port(WireProtocol::kIcmp6, {})}, rules);
  }
  return FlatValue::List(std::move(rules));
}

FlatValue Flag(bool set) { return FlatValue::Byte(set ? 1 : 0); }

// With a proxy nothing else is said of destinations.
FlatValue NetworkOf(const BaseContainer& base) {
  std::vector<FlatValue::Slot> network;
  if (base.proxy.empty()) {
    std::vector<FlatValue::Slot> egress = {{kDefaultAction, Flag(base.egress == RuleAction::kAllow)}};
    if (!base.allow.empty()) egress.emplace_back(kAllow, Rules(base.allow));
    if (!base.deny.empty()) egress.emplace_back(kDeny, Rules(base.deny));
    network.emplace_back(kEgress, FlatValue::Table(std::move(egress)));
  } else {
    network.emplace_back(kProxy, FlatValue::Table({{kUrl, FlatValue::Text(base.proxy)}}));
  }
  if (!base.peer.empty()) network.emplace_back(kPeer, FlatValue::Text(base.peer));
  return FlatValue::Table(std::move(network));
}

void AddTexts(std::size_t slot, const std::vector<std::string>& texts, std::vector<FlatValue::Slot>& root) {
  if (!texts.empty()) root.emplace_back(slot, Texts(texts));
}

void AddCapabilities(std::size_t slot, const AppContainerSandbox& sandbox,
                     std::vector<FlatValue::Slot>& root) {
  if (!sandbox.capabilities.empty()) root.emplace_back(slot, FlatValue::Text(Joined(sandbox.capabilities)));
}

}  // namespace

std::string SecurityEnvironmentBytes(const AppContainerSandbox& sandbox) {
  const BaseContainer base = sandbox.base.value_or(BaseContainer{});
  std::vector<FlatValue::Slot> root = {{kVersion, FlatValue::Pair16(1, 0)}};
  AddCapabilities(kCapabilities, sandbox, root);
  root.emplace_back(kNoWin32k, Flag(sandbox.no_win32k));
  root.emplace_back(kUiLimits, FlatValue::Number64(sandbox.ui_limits));
  AddTexts(kReadWrite, base.read_write, root);
  AddTexts(kReadOnly, base.read_only, root);
  AddTexts(kDenied, base.denied, root);
  root.emplace_back(kNetwork, NetworkOf(base));
  return FlatBuffer(FlatValue::Table(std::move(root)), "PSEC");
}

std::string SandboxSpecificationBytes(const AppContainerSandbox& sandbox) {
  const BaseContainer base = sandbox.base.value_or(BaseContainer{});
  constexpr std::uint8_t kSystemDefault = 0;  // of integrity
  std::vector<FlatValue::Slot> root = {{kOlderVersion, FlatValue::Text("0.1.0")},
                                       {kOlderAppContainer, Flag(true)},
                                       {kOlderNoWin32k, Flag(sandbox.no_win32k)},
                                       {kOlderUiLimits, FlatValue::Number64(sandbox.ui_limits)},
                                       {kOlderLeastPrivilege, Flag(sandbox.least_privilege)}};
  AddCapabilities(kOlderCapabilities, sandbox, root);
  AddTexts(kOlderReadWrite, base.read_write, root);
  AddTexts(kOlderReadOnly, base.read_only, root);
  root.emplace_back(kOlderNetwork, NetworkOf(base));
  root.emplace_back(kOlderIntegrity, FlatValue::Byte(kSystemDefault));
  AddTexts(kOlderDenied, base.denied, root);
  return FlatBuffer(FlatValue::Table(std::move(root)), "SBOX");
}

}  // namespace mxc
