#include "ceiling/both_rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/cidr.h"
#include "gateway/rules/address.h"
#include "mxc/fold.h"

namespace mxc {
namespace {

// ---- ports ------------------------------------------------------------------------------------------------

bool SamePorts(const PortRange& left, const PortRange& right) {
  return left.protocol == right.protocol && left.first == right.first && left.last == right.last;
}

std::optional<PortRange> BothPorts(const PortRange& left, const PortRange& right) {
  const bool any_left = left.protocol == Protocol::kAny;
  if (!any_left && right.protocol != Protocol::kAny && left.protocol != right.protocol) return std::nullopt;
  PortRange both = left.first == 0 ? right : left;
  both.protocol = any_left ? right.protocol : left.protocol;
  if (left.first != 0 && right.first != 0) {
    both.first = std::max(left.first, right.first);
    both.last = std::min(left.last, right.last);
    if (both.first > both.last) return std::nullopt;
  }
  if (both.protocol == Protocol::kIcmp && both.first != 0) return std::nullopt;  // it has no ports
  return both;
}

// Absent: none in common. Empty: all.
std::optional<std::vector<PortRange>> BothPorts(const std::vector<PortRange>& left,
                                                const std::vector<PortRange>& right) {
  if (left.empty()) return right;
  if (right.empty()) return left;
  std::vector<PortRange> both;
  for (const PortRange& one : left) {
    for (const PortRange& other : right) {
      const std::optional<PortRange> range = BothPorts(one, other);
      if (!range) continue;
      const bool known = std::any_of(both.begin(), both.end(),
                                     [&](const PortRange& before) { return SamePorts(before, *range); });
      if (!known) both.push_back(*range);
    }
  }
  if (both.empty()) return std::nullopt;
  return both;
}

// ---- destinations -----------------------------------------------------------------------------------------

bool SamePeer(const Peer& left, const Peer& right) {
  return left.cidr == right.cidr && left.except == right.except && left.host == right.host;
}

std::string PlainName(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return Folded(name);
}

// "*.x" has in it every name below x, and no other; "*" every name.
bool NameIsIn(const std::string& name, const std::string& pattern) {
  if (pattern == "*" || name == pattern) return true;
  return pattern.starts_with("*.") && name != "*" && name.size() >= pattern.size() &&
         name.ends_with(std::string_view(pattern).substr(1));
}

std::optional<Peer> BothNames(const Peer& left, const Peer& right) {
  const std::string one = PlainName(left.host);
  const std::string other = PlainName(right.host);
  if (NameIsIn(one, other)) return left;
  if (NameIsIn(other, one)) return right;
  return std::nullopt;
}

std::optional<Cidr> BlockOfText(const std::string& text) {
  const Result<Cidr> block = ParseCidr(text, HostBits::kMask);
  return block ? std::optional(Unmapped(*block)) : std::nullopt;
}

// Without the address ranges that only a rule of their own can allow.
std::optional<Peer> WithoutOwn(Peer peer) {
  if (!peer.host.empty()) return peer;
  const std::optional<Cidr> block = BlockOfText(peer.cidr);
  if (!block) return std::nullopt;
  if (!egress::LiesInBlocked(*block)) return peer;
  for (const egress::BlockedRange& range : egress::BlockedRanges()) {
    if (range.is_private) continue;
    if (Contains(range.block, *block)) return std::nullopt;
    if (Contains(*block, range.block)) peer.except.push_back(CidrText(range.block));
  }
  return peer;
}

// Adds the exceptions that overlap `block`. False: they cover it.
bool TakeExceptions(const std::vector<std::string>& from, const Cidr& block, std::vector<std::string>& into) {
  for (const std::string& text : from) {
    const std::optional<Cidr> except = BlockOfText(text);
    if (!except || Contains(*except, block)) return false;
    if (!Contains(block, *except) || std::find(into.begin(), into.end(), text) != into.end()) continue;
    into.push_back(text);
  }
  return true;
}

std::optional<Peer> BothBlocks(const Peer& left, const Peer& right) {
  const std::optional<Cidr> one = BlockOfText(left.cidr);
  const std::optional<Cidr> other = BlockOfText(right.cidr);
  if (!one || !other || one->width != other->width) return std::nullopt;
  const bool first = Contains(*other, *one);
  if (!first && !Contains(*one, *other)) return std::nullopt;
  const Cidr& block = first ? *one : *other;
  Peer both{.cidr = first ? left.cidr : right.cidr};
  if (!TakeExceptions(left.except, block, both.except) || !TakeExceptions(right.except, block, both.except))
    return std::nullopt;
  if (egress::LiesInBlocked(*one) && egress::LiesInBlocked(*other)) return both;
  return WithoutOwn(std::move(both));
}

// Every address of both families, so every name has its addresses in there.
bool HasEveryAddress(const std::vector<Peer>& peers) {
  const auto has = [&](std::uint8_t width) {
    return std::any_of(peers.begin(), peers.end(), [&](const Peer& peer) {
      const std::optional<Cidr> block =
          peer.host.empty() && peer.except.empty() ? BlockOfText(peer.cidr) : std::nullopt;
      return block && block->width == width && block->prefix == 0;
    });
  };
  return has(32) && has(128);
}

void AddPeer(std::vector<Peer>& peers, std::optional<Peer> peer) {
  if (!peer) return;
  const bool known =
      std::any_of(peers.begin(), peers.end(), [&](const Peer& other) { return SamePeer(other, *peer); });
  if (!known) peers.push_back(std::move(*peer));
}

std::vector<Peer> EachWithoutOwn(const std::vector<Peer>& from) {
  std::vector<Peer> peers;
  for (const Peer& peer : from) AddPeer(peers, WithoutOwn(peer));
  return peers;
}

std::vector<Peer> BothPeers(const std::vector<Peer>& left, const std::vector<Peer>& right) {
  std::vector<Peer> both;
  const bool all_left = HasEveryAddress(left);
  const bool all_right = HasEveryAddress(right);
  for (const Peer& one : left) {
    if (!one.host.empty() && all_right) AddPeer(both, one);
    for (const Peer& other : right) {
      if (!one.host.empty() && !other.host.empty()) AddPeer(both, BothNames(one, other));
      if (one.host.empty() && other.host.empty()) AddPeer(both, BothBlocks(one, other));
    }
  }
  for (const Peer& other : right) {
    if (!other.host.empty() && all_left) AddPeer(both, other);
  }
  return both;
}

}  // namespace

bool SameRule(const NetworkRule& left, const NetworkRule& right) {
  return left.uninspected == right.uninspected &&
         std::equal(left.to.begin(), left.to.end(), right.to.begin(), right.to.end(), SamePeer) &&
         std::equal(left.ports.begin(), left.ports.end(), right.ports.begin(), right.ports.end(), SamePorts);
}

std::optional<NetworkRule> BothRules(const NetworkRule& left, const NetworkRule& right) {
  std::optional<std::vector<PortRange>> ports = BothPorts(left.ports, right.ports);
  if (!ports) return std::nullopt;
  NetworkRule both{.ports = std::move(*ports),
                   .uninspected = left.uninspected && right.uninspected,
                   .pointer = left.pointer};
  if (left.to.empty() && right.to.empty()) return both;
  both.to = left.to.empty()    ? EachWithoutOwn(right.to)
            : right.to.empty() ? EachWithoutOwn(left.to)
                               : BothPeers(left.to, right.to);
  if (both.to.empty()) return std::nullopt;
  return both;
}

}  // namespace mxc
