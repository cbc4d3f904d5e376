#include "gateway/rules/rules.h"

#include <algorithm>

#include "mxc/fold.h"

namespace mxc::egress {
namespace {

constexpr std::string_view kNoRule = "no rule allows it";
constexpr std::string_view kDenied = "denied by a rule";
constexpr std::string_view kNotTheProxy = "only the proxy may be reached";

Error BadRule(const std::string& pointer, std::string_view what) {
  return {.code = ErrorCode::kSchema,
          .message = "the network rule cannot be read: " + std::string(what),
          .pointer = pointer};
}

bool Covers(const std::vector<PortRange>& ranges, Protocol protocol, std::uint16_t port) {
  if (ranges.empty()) return true;
  return std::any_of(ranges.begin(), ranges.end(), [&](const PortRange& range) {
    if (range.protocol != Protocol::kAny && protocol != Protocol::kAny && range.protocol != protocol)
      return false;
    return port == 0 || range.first == 0 || (range.first <= port && port <= range.last);
  });
}

bool IsLabelByte(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

bool IsLabel(std::string_view label) {
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), IsLabelByte);
}

// "0x7f" and "127" are read as numbers of an address by some resolvers.
bool LooksLikeNumber(std::string_view label) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (std::all_of(label.begin(), label.end(), is_digit)) return true;
  if (!label.starts_with("0x")) return false;
  return std::all_of(label.begin() + 2, label.end(),
                     [&](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::optional<std::string> ValidName(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > 253) return std::nullopt;
  std::string name = Folded(text);
  std::string_view rest = name;
  for (;;) {
    const auto dot = rest.find('.');
    if (!IsLabel(rest.substr(0, dot))) return std::nullopt;
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (LooksLikeNumber(rest)) return std::nullopt;
  return name;
}

Result<RuleBook::Block> RuleBook::CompileBlock(const Peer& peer, const std::string& pointer) {
  const Result<Cidr> cidr = ParseCidr(peer.cidr, HostBits::kMask);
  if (!cidr) return BadRule(pointer, cidr.error().message);
  Block block{.cidr = Unmapped(*cidr)};
  block.own = LiesInBlocked(block.cidr);
  for (const std::string& text : peer.except) {
    const Result<Cidr> except = ParseCidr(text, HostBits::kMask);
    if (!except) return BadRule(pointer, except.error().message);
    block.except.push_back(Unmapped(*except));
  }
  return block;
}

Status RuleBook::Add(const NetworkRule& source, bool deny) {
  Rule rule{
      .deny = deny, .uninspected = source.uninspected, .ports = source.ports, .pointer = source.pointer};
  rule.no_peers = rule.every_address = rule.every_name = source.to.empty();
  const std::size_t index = rules_.size();
  for (const Peer& peer : source.to) {
    if (peer.host == "*") {
      rule.every_name = true;
      continue;
    }
    if (peer.host.empty()) {
      Result<Block> block = CompileBlock(peer, source.pointer);
      if (!block) return block.error();
      rule.every_address = rule.every_address || block->cidr.prefix == 0;
      rule.blocks.push_back(std::move(*block));
      continue;
    }
    const bool wildcard = peer.host.starts_with("*.");
    const auto name = ValidName(std::string_view(peer.host).substr(wildcard ? 2 : 0));
    if (!name) return BadRule(source.pointer, "not a host name");
    (wildcard ? wildcard_ : exact_)[*name].push_back(index);
    denies_names_ = denies_names_ || deny;
  }
  if (rule.every_name || (rule.every_address && !deny)) broad_.push_back(index);
  rules_.push_back(std::move(rule));
  return Done{};
}

Result<RuleBook> RuleBook::Compile(const EgressRules& rules) {
  RuleBook book;
  book.egress_ = rules.egress;
  book.egress_pointer_ = rules.egress_pointer;
  book.host_loopback_ = rules.host_loopback;
  book.host_loopback_pointer_ = rules.host_loopback_pointer;
  book.loopback_ports_ = rules.loopback_ports;
  book.proxy_ = rules.proxy;
  book.upstream_ = rules.upstream;
  for (const NetworkRule& rule : rules.deny) {
    if (Status added = book.Add(rule, true); !added) return added.error();
  }
  for (const NetworkRule& rule : rules.allow) {
    if (Status added = book.Add(rule, false); !added) return added.error();
  }
  book.MakeClasses();
  return book;
}

// Port 0 asks about a name's resolution: refused only where no port is left, a rule for some ports decides at
// the connection.
bool RuleBook::Applies(const Rule& rule, bool deny, Protocol protocol, std::uint16_t port) {
  if (rule.deny != deny) return false;
  return port == 0 && deny ? rule.ports.empty() : Covers(rule.ports, protocol, port);
}

const RuleBook::Rule* RuleBook::FindName(std::string_view name, bool deny, Protocol protocol,
                                         std::uint16_t port, Want want) const {
  const auto applies = [&](const Rule& rule) {
    return (want == Want::kFirst || rule.uninspected) && Applies(rule, deny, protocol, port);
  };
  const auto match = [&](const Index& index, std::string_view key) -> const Rule* {
    const auto found = index.find(std::string(key));
    if (found == index.end()) return nullptr;
    for (const std::size_t i : found->second) {
      if (applies(rules_[i])) return &rules_[i];
    }
    return nullptr;
  };
  if (const Rule* rule = match(exact_, name)) return rule;
  for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    if (const Rule* rule = match(wildcard_, name.substr(dot + 1))) return rule;
  }
  for (const Rule& rule : rules_) {
    if (rule.every_name && applies(rule)) return &rule;
  }
  return nullptr;
}

const RuleBook::Rule* RuleBook::FindAddress(const IpAddress& address, bool deny, Reach reach,
                                            Protocol protocol, std::uint16_t port) const {
  const auto holds = [&](const Block& block) {
    if (reach == Reach::kOwn && !block.own) return false;
    if (reach == Reach::kNamed && block.cidr.prefix == 0) return false;
    if (!Contains(block.cidr, address)) return false;
    return std::none_of(block.except.begin(), block.except.end(),
                        [&](const Cidr& except) { return Contains(except, address); });
  };
  for (const Rule& rule : rules_) {
    if (!Applies(rule, deny, protocol, port)) continue;
    if (rule.no_peers && reach == Reach::kAny) return &rule;
    if (std::any_of(rule.blocks.begin(), rule.blocks.end(), holds)) return &rule;
  }
  return nullptr;
}

bool RuleBook::IsProxy(std::string_view host, Protocol protocol, std::uint16_t port) const {
  return proxy_->host == host && protocol != Protocol::kUdp && (port == 0 || port == proxy_->port);
}

Judgement RuleBook::JudgeName(std::string_view name, Protocol protocol, std::uint16_t port) const {
  if (proxy_) {
    if (IsProxy(name, protocol, port)) return {.allowed = true, .pointer = proxy_->pointer, .by_name = true};
    return {.pointer = proxy_->pointer, .reason = kNotTheProxy};
  }
  if (const Rule* rule = FindName(name, true, protocol, port)) {
    return {.pointer = rule->pointer, .reason = kDenied};
  }
  if (const Rule* first = FindName(name, false, protocol, port)) {
    const Rule* uninspected = FindName(name, false, protocol, port, Want::kUninspected);
    const Rule* rule = uninspected != nullptr ? uninspected : first;
    return {.allowed = true,
            .pointer = rule->pointer,
            .by_name = !first->no_peers || !rule->no_peers,
            .strict = !first->every_name && uninspected == nullptr,
            .uninspected = uninspected != nullptr};
  }
  if (egress_ == RuleAction::kAllow) return {.allowed = true, .pointer = egress_pointer_};
  for (const Rule& rule : rules_) {
    if (rule.every_address && Applies(rule, false, protocol, port)) {
      return {.allowed = true, .pointer = rule.pointer};
    }
  }
  return {.pointer = egress_pointer_, .reason = kNoRule};
}

Judgement RuleBook::JudgeAddress(const IpAddress& literal, Protocol protocol, std::uint16_t port) const {
  const IpAddress address = literal.Unmapped();
  if (proxy_) {
    if (IsProxy(address.Text(), protocol, port) || IsProxy(literal.Text(), protocol, port)) {
      return {.allowed = true, .pointer = proxy_->pointer};
    }
    return {.pointer = proxy_->pointer, .reason = kNotTheProxy};
  }
  std::vector<IpAddress> readings = literal.Readings();
  readings.push_back(literal);
  for (const IpAddress& reading : readings) {
    if (const Rule* rule = FindAddress(reading, true, Reach::kAny, protocol, port)) {
      return {.pointer = rule->pointer, .reason = kDenied};
    }
  }
  const BlockedRange* blocked = FindBlocked(literal);
  const bool own_rule_needed = blocked != nullptr && !blocked->is_private;
  const Reach reach = own_rule_needed ? Reach::kOwn : Reach::kAny;
  if (const Rule* rule = FindAddress(address, false, reach, protocol, port)) {
    return {.allowed = true, .pointer = rule->pointer, .uninspected = rule->uninspected};
  }
  if (own_rule_needed) return {.pointer = egress_pointer_, .reason = blocked->what};
  if (egress_ == RuleAction::kAllow) return {.allowed = true, .pointer = egress_pointer_};
  return {.pointer = egress_pointer_, .reason = kNoRule};
}

Judgement RuleBook::JudgeAnswer(const Judgement& name, const IpAddress& address, Protocol protocol,
                                std::uint16_t port) const {
  if (proxy_) return name;  // the policy names this one host, wherever it stands
  const Judgement literal = JudgeAddress(address, protocol, port);
  if (literal.allowed) {
    Judgement allowed = name;
    allowed.allowed = true;
    return allowed;
  }
  if (literal.reason == kDenied || !name.by_name) return literal;
  if (const BlockedRange* blocked = FindBlocked(address)) {
    return {.pointer = name.pointer, .reason = blocked->what};
  }
  return name;
}

Judgement RuleBook::JudgeHostLoopback(Protocol protocol, std::uint16_t port) const {
  if (proxy_) {
    const auto address = IpAddress::Parse(proxy_->host);
    const bool loopback = proxy_->host == "localhost" || (address && address->IsLoopback());
    if (loopback && IsProxy(proxy_->host, protocol, port)) {
      return {.allowed = true, .pointer = proxy_->pointer};
    }
    return {.pointer = proxy_->pointer, .reason = kNotTheProxy};
  }
  if (host_loopback_ == RuleAction::kAllow) return {.allowed = true, .pointer = host_loopback_pointer_};
  for (const LoopbackPort& open : loopback_ports_) {
    const bool named = port == 0 || (protocol == Protocol::kTcp && port == open.port);
    if (named) return {.allowed = true, .pointer = open.pointer};
  }
  return {.pointer = host_loopback_pointer_,
          .reason = loopback_ports_.empty() ? "the host's loopback is not open to the command"
                                            : "this port of the host's loopback is not open to the command"};
}

}  // namespace mxc::egress
