// The verdict on a destination. Deny beats allow, then the default; nothing else is consulted.
//
//   Result<RuleBook> book = RuleBook::Compile(rules);
//   Judgement may = book->JudgeName("api.example.com", Protocol::kTcp, 443);
//   // Then for each of its addresses, if it is allowed:
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
  // A rule names the host (or the whole of a domain). Otherwise it passes because every address does, and its
  // addresses are judged as if they had been written.
  bool by_name = false;
  // The rule names this host or its domain, not just every name: the connection must open with its name.
  bool strict = false;
  // A rule that applies says that what is said is not to be looked at.
  bool uninspected = false;
};

// Names that may be reached at the same ports. A denied port beats an allowed one; every other is refused.
struct NameClass {
  std::vector<PortRange> denied = {};
  std::vector<PortRange> allowed = {};
};

struct Filter;

class RuleBook {
 public:
  // Errors: kSchema, with the pointer of the rule.
  [[nodiscard]] static Result<RuleBook> Compile(const EgressRules& rules);

  // `name`: ValidName. Port 0: is there any port at which it may be reached (for its resolution)?
  [[nodiscard]] Judgement JudgeName(std::string_view name, Protocol protocol, std::uint16_t port) const;
  // A connection to an address as such.
  [[nodiscard]] Judgement JudgeAddress(const IpAddress& address, Protocol protocol, std::uint16_t port) const;
  // An address that a name turned out to have.
  [[nodiscard]] Judgement JudgeAnswer(const Judgement& name, const IpAddress& address, Protocol protocol,
                                      std::uint16_t port) const;
  // The host's loopback, by its name.
  [[nodiscard]] Judgement JudgeHostLoopback(Protocol protocol, std::uint16_t port) const;

  // The number of the class that this name is of, in the order of Classes.
  [[nodiscard]] std::size_t ClassOf(std::string_view name) const;
  [[nodiscard]] const std::vector<NameClass>& Classes() const { return classes_; }
  // Does a deny rule name this host?
  [[nodiscard]] bool Denies(std::string_view name, Protocol protocol, std::uint16_t port) const {
    return FindName(name, true, protocol, port) != nullptr;
  }
  // Is any name denied for its own sake? Then connections that pass by default are looked into as well.
  [[nodiscard]] bool DeniesNames() const { return denies_names_; }
  [[nodiscard]] const std::optional<OnlyProxy>& Proxy() const { return proxy_; }
  // How what is allowed is reached.
  [[nodiscard]] const Upstream& UpstreamProxies() const { return upstream_; }

 private:
  friend Filter MakeFilter(const RuleBook& book);
  struct Block {
    Cidr cidr = {};
    std::vector<Cidr> except = {};
    bool own = false;  // lies inside an always-blocked range: means it
  };
  struct Rule {
    bool deny = false;
    bool no_peers = false;       // everything, of both families
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
  enum class Reach { kAny, kOwn };
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

// The one form of a host name: lower case, letters, digits, hyphens and underscores in labels of 1 to 63,
// at most 253 bytes, no trailing dot, the last label not a number (which would be an address). Nothing else
// is ever matched, resolved or dialled. Absent: not a name.
[[nodiscard]] std::optional<std::string> ValidName(std::string_view text);

}  // namespace mxc::egress
