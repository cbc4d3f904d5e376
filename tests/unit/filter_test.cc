// What the kernel is given to decide says what the rule book says.
#include "gateway/rules/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace mxc::egress::filter_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kBlocks[] = {"203.0.113.0/24",  "203.0.113.0/28", "203.0.113.7/32", "0.0.0.0/0",
                                   "10.0.0.0/8",      "169.254.0.0/16", "127.0.0.0/8",    "2001:db8::/32",
                                   "2001:db8:1::/48", "::/0",           "fd00::/8",       "192.0.0.0/20"};
constexpr const char* kAddresses[] = {
    "203.0.113.7",          "203.0.113.8",       "203.0.113.99",  "198.51.100.1", "10.1.2.3",
    "169.254.169.254",      "127.0.0.1",         "192.0.0.9",     "2001:db8::1",  "2001:db8:1::1",
    "64:ff9b::203.0.113.7", "2002:cb00:7108::1", "fd00:ec2::254", "fe80::1",      "2400::1",
    "::203.0.113.8"};

class Rules {
 public:
  explicit Rules(unsigned seed) : random_(seed) {}
  EgressRules Make() {
    EgressRules rules{.egress = Pick(3) == 0 ? RuleAction::kAllow : RuleAction::kDeny};
    for (int i = Pick(4); i > 0; --i) rules.allow.push_back(Rule());
    for (int i = Pick(3); i > 0; --i) rules.deny.push_back(Rule());
    return rules;
  }

 private:
  int Pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  NetworkRule Rule() {
    NetworkRule rule{.pointer = "/rule"};
    for (int i = Pick(3); i > 0; --i) {
      Peer peer{.cidr = kBlocks[Pick(std::size(kBlocks))]};
      if (peer.cidr == kBlocks[0] && Pick(2) == 0) peer.except = {"203.0.113.7/32"};
      if (peer.cidr == kBlocks[7] && Pick(2) == 0) peer.except = {"2001:db8:1::/48"};
      rule.to.push_back(peer);
    }
    if (Pick(4) == 0) rule.to.push_back({.host = "good.test"});
    const Protocol protocols[] = {Protocol::kAny, Protocol::kTcp, Protocol::kUdp, Protocol::kIcmp};
    for (int i = Pick(3); i > 0; --i) {
      const Protocol protocol = protocols[Pick(4)];
      const auto first = static_cast<std::uint16_t>(protocol == Protocol::kIcmp ? 0 : Pick(2) * 80);
      rule.ports.push_back({protocol, first, static_cast<std::uint16_t>(first == 0 ? 0 : first + 2)});
    }
    return rule;
  }
  std::mt19937 random_;
};

bool Covers(const PortRange& range, Protocol protocol, std::uint16_t port) {
  if (range.protocol != Protocol::kAny && range.protocol != protocol) return false;
  return range.first == 0 || (range.first <= port && port <= range.last);
}

// What the filter says about a literal address. True: to the gateway.
bool Passes(const Filter& filter, const IpAddress& address, Protocol protocol, std::uint16_t port) {
  const auto within = [&](const Cidr& block) { return Contains(block, address); };
  for (const AddressFilter& one : filter.addresses) {
    if (!Covers(one.ports, protocol, port) || !within(one.block)) continue;
    if (std::any_of(one.except.begin(), one.except.end(), within)) continue;
    return one.verdict == RuleAction::kAllow;
  }
  return filter.egress == RuleAction::kAllow;
}

// Of a form of IPv6 that holds an IPv4 address, only its gateway knows all.
TEST(Filter, SaysOfAddressesWhatTheRulesSay) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const RuleBook book = RuleBook::Compile(Rules(seed).Make()).value();
    const Filter filter = MakeFilter(book);
    for (const char* text : kAddresses) {
      const IpAddress address = IpAddress::Parse(text).value();
      for (const Protocol protocol : {Protocol::kTcp, Protocol::kUdp}) {
        for (const std::uint16_t port : std::initializer_list<std::uint16_t>{79, 80, 82, 83}) {
          const bool allowed = book.JudgeAddress(address, protocol, port).allowed;
          const bool passes = Passes(filter, address, protocol, port);
          const bool embedded = address.Readings() != std::vector<IpAddress>{address};
          ASSERT_TRUE(embedded ? passes || !allowed : passes == allowed)
              << seed << " " << text << " " << Name(protocol) << " " << port << " rules: " << allowed;
        }
      }
    }
  }
}

TEST(Filter, DeniesWhatEmbedsADeniedBlockAndAllowsNothingThatEmbedsAnAllowedOne) {
  const NetworkRule block{.to = {{.cidr = "203.0.113.0/24"}}, .pointer = "/rule"};
  const Filter allows = MakeFilter(RuleBook::Compile({.allow = {block}}).value());
  const Filter denies =
      MakeFilter(RuleBook::Compile({.egress = RuleAction::kAllow, .deny = {block}}).value());
  const IpAddress inside = IpAddress::Parse("203.0.113.7").value();
  const IpAddress beside = IpAddress::Parse("198.51.100.7").value();
  EXPECT_TRUE(Passes(allows, inside, Protocol::kTcp, 443));
  EXPECT_TRUE(Passes(denies, beside, Protocol::kTcp, 443));
  for (const char* text : {"64:ff9b::203.0.113.7", "2002:cb00:7107::1", "::203.0.113.8"}) {
    const IpAddress address = IpAddress::Parse(text).value();
    EXPECT_FALSE(Passes(allows, address, Protocol::kTcp, 443)) << text;
    EXPECT_FALSE(Passes(denies, address, Protocol::kTcp, 443)) << text;
  }
}

NetworkRule Host(const std::string& host, std::vector<PortRange> ports = {}) {
  return {.to = {{.host = host}}, .ports = std::move(ports), .pointer = host};
}

TEST(Filter, TellsNamesApartByTheirPorts) {
  const PortRange https{Protocol::kTcp, 443, 443};
  const RuleBook book = RuleBook::Compile({.allow = {Host("a.test", {https}), Host("b.test", {https}),
                                                     Host("c.test"), Host("*.d.test", {https}),
                                                     Host("*.e.d.test", {{Protocol::kTcp, 80, 80}})}})
                            .value();
  EXPECT_EQ(book.ClassOf("a.test"), book.ClassOf("b.test"));
  EXPECT_EQ(book.ClassOf("a.test"), book.ClassOf("x.d.test"));
  EXPECT_NE(book.ClassOf("a.test"), book.ClassOf("c.test"));
  EXPECT_NE(book.ClassOf("a.test"), book.ClassOf("x.e.d.test"));
  EXPECT_THAT(book.Classes().at(book.ClassOf("x.e.d.test")).allowed, SizeIs(2));
  EXPECT_THAT(book.Classes().at(book.ClassOf("nobody.test")).allowed, IsEmpty());
  // No datagrams: what is said in them cannot be looked at.
  EXPECT_EQ(book.Classes().at(book.ClassOf("c.test")).allowed.at(0).protocol, Protocol::kTcp);
}

TEST(Filter, LeavesWhatIsTooMuchToTheGateway) {
  EgressRules rules;
  for (std::uint16_t i = 1; i < 500; ++i) {
    rules.allow.push_back({.to = {{.host = "h" + std::to_string(i) + ".test"},
                                  {.cidr = "10.0.0." + std::to_string(i % 250) + "/32"}},
                           .ports = {{Protocol::kTcp, i, i}},
                           .pointer = "/allow"});
  }
  const Filter filter = MakeFilter(RuleBook::Compile(rules).value());
  EXPECT_THAT(filter.names, SizeIs(1));
  EXPECT_THAT(filter.addresses, IsEmpty());
  EXPECT_EQ(filter.egress, RuleAction::kAllow);
}

}  // namespace
}  // namespace mxc::egress::filter_test
