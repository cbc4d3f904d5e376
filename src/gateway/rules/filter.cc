#include "gateway/rules/filter.h"

#include <algorithm>
#include <array>
#include <map>

namespace mxc::egress {
namespace {

// Each class costs the kernel a set and some rules. Beyond that the gateway tells names apart.
constexpr std::size_t kMaxClasses = 16;
// One message to the kernel holds them.
constexpr std::size_t kMaxAddresses = 400;

bool IsIcmp(const PortRange& range) { return range.protocol == Protocol::kIcmp; }

// Those of TCP and UDP; no range is every port. Nothing: the rule is about ICMP.
std::vector<PortRange> RangesOf(const std::vector<PortRange>& ports) {
  if (ports.empty()) return {PortRange{}};
  std::vector<PortRange> ranges = ports;
  std::erase_if(ranges, IsIcmp);
  return ranges;
}

std::string TextOf(const NameClass& one) {
  std::string text;
  for (const std::vector<PortRange>* ranges : {&one.denied, &one.allowed}) {
    for (const PortRange& range : *ranges) {
      text += std::to_string(static_cast<int>(range.protocol)) + ":" + std::to_string(range.first) + "-" +
              std::to_string(range.last) + ",";
    }
    text += "|";
  }
  return text;
}

NameClass Everything() { return {.allowed = {PortRange{}}}; }

constexpr Cidr Every(std::uint8_t width) { return {.width = width, .prefix = 0}; }

// The forms of IpAddress::Inner in which an IPv4 block is a block of IPv6 as well: NAT64, 6to4, compatible.
struct Form {
  std::array<std::uint8_t, 12> front;
  std::uint8_t at;  // bytes before the IPv4 address
};
constexpr Form kForms[] = {{{0x00, 0x64, 0xff, 0x9b}, 12}, {{0x20, 0x02}, 2}, {{}, 12}};

Cidr Embedded(const Cidr& block, const Form& form) {
  Cidr wide{.width = 128, .prefix = static_cast<std::uint8_t>(form.at * 8 + block.prefix)};
  std::copy_n(form.front.begin(), form.at, wide.address.begin());
  std::copy_n(block.address.begin(), 4, wide.address.begin() + form.at);
  return wide;
}

class Maker {
 public:
  explicit Maker(std::vector<AddressFilter>& out) : out_(out) {}

  void Add(RuleAction verdict, const Cidr& block, const std::vector<Cidr>& except,
           const std::vector<PortRange>& ports) {
    for (const PortRange& range : RangesOf(ports)) {
      out_.push_back({.verdict = verdict, .block = block, .except = except, .ports = range});
    }
  }
  // A denial, in the IPv6 forms of an IPv4 block.
  void AddEmbedded(const Cidr& block, const std::vector<Cidr>& except, const std::vector<PortRange>& ports) {
    for (const Form& form : kForms) {
      std::vector<Cidr> wide;
      for (const Cidr& one : except) {
        if (one.width == 32) wide.push_back(Embedded(one, form));
      }
      Add(RuleAction::kDeny, Embedded(block, form), wide, ports);
    }
  }
  // A rule of a RuleBook. `own`: no more of it than what it allows of the blocked ranges.
  void AddRule(const auto& rule, bool own) {
    const RuleAction verdict = rule.deny ? RuleAction::kDeny : RuleAction::kAllow;
    for (const auto& block : rule.blocks) {
      if (own && !block.own) continue;
      if (rule.deny && block.cidr.width == 32) AddEmbedded(block.cidr, block.except, rule.ports);
      Add(verdict, block.cidr, block.except, rule.ports);
    }
    if (!rule.no_peers || own) return;
    for (const std::uint8_t width : {std::uint8_t{32}, std::uint8_t{128}})
      Add(verdict, Every(width), {}, rule.ports);
  }

 private:
  std::vector<AddressFilter>& out_;
};

bool Overlap(const Cidr& a, const Cidr& b) {
  return a.width == b.width && (Contains(a, b) || Contains(b, a));
}

bool AllowsSomeOf(const auto& rule, const Cidr& range) {
  return !rule.deny &&
         (rule.no_peers || std::any_of(rule.blocks.begin(), rule.blocks.end(),
                                       [&](const auto& block) { return Overlap(block.cidr, range); }));
}

}  // namespace

// Rules that apply to this name, in their order.
std::vector<std::size_t> RuleBook::RulesFor(std::string_view name) const {
  std::vector<std::size_t> rules = broad_;
  const auto take = [&](const Index& index, std::string_view key) {
    const auto found = index.find(std::string(key));
    if (found != index.end()) rules.insert(rules.end(), found->second.begin(), found->second.end());
  };
  take(exact_, name);
  for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    take(wildcard_, name.substr(dot + 1));
  }
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

// What JudgeName and the refusal of datagrams to names leave.
NameClass RuleBook::MakeClass(std::string_view name) const {
  NameClass made;
  if (proxy_) {
    if (proxy_->host == name) made.allowed.push_back({Protocol::kTcp, proxy_->port, proxy_->port});
    return made;
  }
  for (const std::size_t i : RulesFor(name)) {
    const Rule& rule = rules_[i];
    std::vector<PortRange> ranges = RangesOf(rule.ports);
    for (PortRange& range : ranges) {
      const bool checked = !rule.deny && !rule.every_name && !rule.every_address && !rule.uninspected;
      if (checked && range.protocol == Protocol::kUdp) continue;
      if (checked) range.protocol = Protocol::kTcp;
      (rule.deny ? made.denied : made.allowed).push_back(range);
    }
  }
  if (egress_ == RuleAction::kAllow) made.allowed.push_back({});
  return made;
}

// One for each name and each domain that a rule names, and one for the others: what a name below several of
// the domains may do is what any name below the innermost may.
void RuleBook::MakeClasses() {
  std::map<std::string, NameClass> made;
  const auto add = [&](const std::string& name) {
    NameClass one = MakeClass(name);
    made.emplace(TextOf(one), std::move(one));
  };
  for (const auto& [name, rules] : exact_) add(name);
  for (const auto& [domain, rules] : wildcard_) add("any." + domain);
  add("");
  if (proxy_) add(proxy_->host);
  if (made.size() > kMaxClasses) made = {{"", Everything()}};
  for (auto& [text, one] : made) {
    class_numbers_.emplace(text, classes_.size());
    classes_.push_back(std::move(one));
  }
}

std::size_t RuleBook::ClassOf(std::string_view name) const {
  const auto found = class_numbers_.find(TextOf(MakeClass(name)));
  return found == class_numbers_.end() ? 0 : found->second;
}

// The order of RuleBook::JudgeAddress.
Filter MakeFilter(const RuleBook& book) {
  Filter filter{.egress = book.proxy_ ? RuleAction::kDeny : book.egress_, .names = book.Classes()};
  if (book.JudgeHostLoopback(Protocol::kTcp, 0).allowed) {
    NameClass& open = filter.host_loopback;
    const auto open_port = [&open](std::uint16_t port) {
      open.allowed.push_back({Protocol::kTcp, port, port});
    };
    if (book.proxy_) {
      open_port(book.proxy_->port);
    } else if (book.host_loopback_ == RuleAction::kAllow) {
      open = Everything();
    } else {
      for (const LoopbackPort& port : book.loopback_ports_) open_port(port.port);
    }
  }
  Maker make(filter.addresses);
  if (book.proxy_) {
    const Result<Cidr> host = ParseCidr(book.proxy_->host, HostBits::kMask);
    if (host)
      make.Add(RuleAction::kAllow, *host, {}, {{Protocol::kTcp, book.proxy_->port, book.proxy_->port}});
    return filter;
  }
  const auto add = [&](bool deny, bool own) {
    for (const RuleBook::Rule& rule : book.rules_) {
      if (rule.deny == deny) make.AddRule(rule, own);
    }
  };
  add(true, false);
  add(false, true);
  for (const BlockedRange& range : BlockedRanges()) {
    const bool matters = filter.egress == RuleAction::kAllow ||
                         std::any_of(book.rules_.begin(), book.rules_.end(), [&](const RuleBook::Rule& rule) {
                           return AllowsSomeOf(rule, range.block);
                         });
    if (!range.is_private && matters) make.Add(RuleAction::kDeny, range.block, {}, {});
  }
  add(false, false);
  BoundAddresses(filter);
  return filter;
}

void BoundAddresses(Filter& filter) {
  if (filter.addresses.size() <= kMaxAddresses) return;
  filter.addresses.clear();
  filter.egress = RuleAction::kAllow;
}

}  // namespace mxc::egress
