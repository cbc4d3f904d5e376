// Decides whether a destination is allowed. Deny beats allow, allow beats the default.
//
//   Result<RuleBook> book = RuleBook::Compile(rules);
//   Judgement may = book->JudgeName("api.example.com", Protocol::kTcp, 443);
//   // If it is allowed, then for each of its addresses:
//   Judgement sure = book->JudgeAnswer(may, address, Protocol::kTcp, 443);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/rules/address.h"
#include "mxc/egress.h"
#include "mxc/error.h"

namespace mxc::egress {

struct Judgement {
  bool allowed = false;
  std::string_view pointer = {};  // clause that decided; lives as long as the book
  std::string_view reason = {};   // of a refusal
  // A rule allows the name. If false, it is allowed because every address is, and its addresses are judged
  // like literal ones.
  bool by_name = false;
  // The rule names this host or its domain, not "*": the client must name the host in its first bytes.
  bool strict = false;
  // A rule that applies turns inspection of the bytes off.
  bool uninspected = false;
};

// Names that are allowed at the same ports. A denied port beats an allowed one; every other is refused.
struct NameClass {
  std::vector<PortRange> denied = {};
  std::vector<PortRange> allowed = {};
};

struct Filter;

class RuleBook {
 public:
  // Errors: kSchema, with the pointer of the rule.
  [[nodiscard]] static Result<RuleBook> Compile(const EgressRules& rules);

  // `name`: ValidName. Port 0: whether it is allowed at any port, and so may be resolved.
  [[nodiscard]] Judgement JudgeName(std::string_view name, Protocol protocol, std::uint16_t port) const;
  // A connection to a literal address.
  [[nodiscard]] Judgement JudgeAddress(const IpAddress& address, Protocol protocol, std::uint16_t port) const;
  // An address to which a name was resolved.
  [[nodiscard]] Judgement JudgeAnswer(const Judgement& name, const IpAddress& address, Protocol protocol,
                                      std::uint16_t port) const;
  // The host's loopback, by its name.
  [[nodiscard]] Judgement JudgeHostLoopback(Protocol protocol, std::uint16_t port) const;

  // The index of this name's class in Classes.
  [[nodiscard]] std::size_t ClassOf(std::string_view name) const;
  [[nodiscard]] const std::vector<NameClass>& Classes() const { return classes_; }
  // Whether a deny rule names this host.
  [[nodiscard]] bool Denies(std::string_view name, Protocol protocol, std::uint16_t port) const {
    return FindName(name, true, protocol, port) != nullptr;
  }
  // Whether an allow rule has a block that holds this address, and not every one.
  [[nodiscard]] bool AllowsBlockOf(const IpAddress& address, Protocol protocol, std::uint16_t port) const {
    return FindAddress(address.Unmapped(), false, Reach::kNamed, protocol, port) != nullptr;
  }
  // Whether any rule denies a name. Then connections that are allowed by default are inspected as well.
  [[nodiscard]] bool DeniesNames() const { return denies_names_; }
  [[nodiscard]] const std::optional<OnlyProxy>& Proxy() const { return proxy_; }
  // The proxies through which allowed destinations are reached.
  [[nodiscard]] const Upstream& UpstreamProxies() const { return upstream_; }

 private:
  friend Filter MakeFilter(const RuleBook& book);
  struct Block {
    Cidr cidr = {};
    std::vector<Cidr> except = {};
    bool own = false;  // lies inside a blocked range, and so opens it
  };
  struct Rule {
    bool deny = false;
    bool no_peers = false;       // no `to`: every destination, of both families
    bool every_address = false;  // no `to`, or a block of prefix 0
    bool every_name = false;     // no `to`, or "*"
    bool uninspected = false;
    std::vector<Block> blocks = {};
    std::vector<PortRange> ports = {};
    std::string pointer = {};
  };
  using Index = std::unordered_map<std::string, std::vector<std::size_t>>;

  RuleBook() = default;
  [[nodiscard]] Status Add(const NetworkRule& rule, bool deny);
  [[nodiscard]] static Result<Block> CompileBlock(const Peer& peer, const std::string& pointer);
  [[nodiscard]] static bool Applies(const Rule& rule, bool deny, Protocol protocol, std::uint16_t port);
  enum class Want { kFirst, kUninspected };
  [[nodiscard]] const Rule* FindName(std::string_view name, bool deny, Protocol protocol, std::uint16_t port,
                                     Want want = Want::kFirst) const;
  enum class Reach { kAny, kOwn, kNamed };
  [[nodiscard]] const Rule* FindAddress(const IpAddress& address, bool deny, Reach reach, Protocol protocol,
                                        std::uint16_t port) const;
  [[nodiscard]] std::vector<std::size_t> RulesFor(std::string_view name) const;
  [[nodiscard]] NameClass MakeClass(std::string_view name) const;
  void MakeClasses();
  [[nodiscard]] bool IsProxy(std::string_view host, Protocol protocol, std::uint16_t port) const;

  std::vector<Rule> rules_;
  Index exact_;                     // name -> rules
  Index wildcard_;                  // name behind "*." -> rules
  std::vector<std::size_t> broad_;  // rules that apply to every name
  bool denies_names_ = false;
  std::vector<NameClass> classes_;
  std::unordered_map<std::string, std::size_t> class_numbers_;  // by the text of a class
  RuleAction egress_ = RuleAction::kDeny;
  std::string egress_pointer_;
  RuleAction host_loopback_ = RuleAction::kDeny;
  std::string host_loopback_pointer_;
  std::vector<LoopbackPort> loopback_ports_;
  std::optional<OnlyProxy> proxy_;
  Upstream upstream_;
};

// Normalises a host name: lower case, letters, digits, hyphens and underscores in labels of 1 to 63, at most
// 253 bytes, no trailing dot, the last label not a number (which would be an address). Only names in this
// form are matched, resolved and dialled. Absent: not a name.
[[nodiscard]] std::optional<std::string> ValidName(std::string_view text);

}  // namespace mxc::egress
