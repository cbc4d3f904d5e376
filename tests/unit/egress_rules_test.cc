// Verdicts on destinations: names, addresses, and the addresses that names turn out to have.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "gateway/rules/filter.h"
#include "gateway/rules/rules.h"

namespace mxc::egress::egress_rules_test {
namespace {

NetworkRule To(std::vector<Peer> peers, std::vector<PortRange> ports = {}) {
  static int number = 0;
  return {.to = std::move(peers), .ports = std::move(ports), .pointer = "/rule/" + std::to_string(number++)};
}
Peer Host(const std::string& host) { return {.host = host}; }
Peer Cidr(const std::string& cidr, std::vector<std::string> except = {}) {
  return {.cidr = cidr, .except = std::move(except)};
}
RuleBook Book(const EgressRules& rules) {
  Result<RuleBook> book = RuleBook::Compile(rules);
  EXPECT_TRUE(book) << book.error().message;
  return std::move(*book);
}
IpAddress Ip(const std::string& text) { return IpAddress::Parse(text).value(); }

std::string Word(const Judgement& judgement) {
  return judgement.allowed ? "allowed" : std::string(judgement.reason);
}
std::string Name(const RuleBook& book, const std::string& name, std::uint16_t port = 443) {
  return Word(book.JudgeName(name, Protocol::kTcp, port));
}
std::string Address(const RuleBook& book, const std::string& address, std::uint16_t port = 443) {
  return Word(book.JudgeAddress(Ip(address), Protocol::kTcp, port));
}
std::string Answer(const RuleBook& book, const std::string& name, const std::string& address) {
  const Judgement may = book.JudgeName(name, Protocol::kTcp, 443);
  return may.allowed ? Word(book.JudgeAnswer(may, Ip(address), Protocol::kTcp, 443)) : "name refused";
}

constexpr char kAllowed[] = "allowed";
constexpr char kNoRule[] = "no rule allows it";
constexpr char kDenied[] = "denied by a rule";
constexpr char kMetadata[] = "always blocked: link-local and cloud metadata";
constexpr char kLoopback[] = "always blocked: loopback";
constexpr char kPrivate[] = "always blocked: private network";

TEST(ValidName, HasOneForm) {
  EXPECT_EQ(ValidName("API.Example.COM."), "api.example.com");
  EXPECT_EQ(ValidName("xn--bcher-kva.example"), "xn--bcher-kva.example");
  EXPECT_EQ(ValidName("_sip._tcp.example.com"), "_sip._tcp.example.com");
  EXPECT_EQ(ValidName(std::string(63, 'a') + ".test"), std::string(63, 'a') + ".test");
  for (const std::string& text : {std::string(),
                                  std::string("."),
                                  std::string("a..b"),
                                  std::string(".a"),
                                  std::string("a.test.."),
                                  std::string("-a.test"),
                                  std::string("a-.test"),
                                  std::string("a b.test"),
                                  std::string("a%2etest"),
                                  std::string("a\0.test", 7),
                                  std::string("a@b.test"),
                                  std::string("b\xc3\xbc"
                                              ".test"),
                                  std::string("*.test"),
                                  std::string("127.0.0.1"),
                                  std::string("2130706433"),
                                  std::string("127.1"),
                                  std::string("0x7f.0x1"),
                                  std::string("a.0x7f000001"),
                                  std::string(64, 'a') + ".test",
                                  std::string(250, 'a') + ".test"}) {
    EXPECT_EQ(ValidName(text), std::nullopt) << text;
  }
}

TEST(RuleBook, AnEmptyPolicyAllowsNothing) {
  const RuleBook book = Book({});
  EXPECT_EQ(Name(book, "a.test"), kNoRule);
  EXPECT_EQ(Address(book, "203.0.113.1"), kNoRule);
  EXPECT_EQ(Word(book.JudgeHostLoopback(Protocol::kTcp, 80)),
            "the host's loopback is not open to the command");
}

TEST(RuleBook, PortsOfTheHostsLoopbackAreOfTcp) {
  const RuleBook book = Book({.loopback_ports = {{.port = 5432, .pointer = "/0"}}});
  EXPECT_EQ(Word(book.JudgeHostLoopback(Protocol::kAny, 0)), kAllowed);  // the name is resolved
  EXPECT_EQ(Word(book.JudgeHostLoopback(Protocol::kTcp, 5432)), kAllowed);
  for (const auto& [protocol, port] :
       {std::pair{Protocol::kTcp, 5433}, {Protocol::kUdp, 5432}, {Protocol::kTcp, 22}}) {
    EXPECT_EQ(Word(book.JudgeHostLoopback(protocol, static_cast<std::uint16_t>(port))),
              "this port of the host's loopback is not open to the command");
  }
  const Filter filter = MakeFilter(book);
  ASSERT_EQ(filter.host_loopback.allowed.size(), 1U);
  EXPECT_EQ(filter.host_loopback.allowed[0].protocol, Protocol::kTcp);
  EXPECT_EQ(filter.host_loopback.allowed[0].first, 5432);
  EXPECT_EQ(filter.host_loopback.allowed[0].last, 5432);
}

TEST(RuleBook, MatchesNamesExactlyAndWildcardsBelow) {
  const RuleBook book = Book({.allow = {To({Host("a.test"), Host("*.b.test")})}});
  EXPECT_EQ(Name(book, "a.test"), kAllowed);
  EXPECT_EQ(Name(book, "x.a.test"), kNoRule);
  EXPECT_EQ(Name(book, "xa.test"), kNoRule);
  EXPECT_EQ(Name(book, "x.b.test"), kAllowed);
  EXPECT_EQ(Name(book, "y.x.b.test"), kAllowed);
  EXPECT_EQ(Name(book, "b.test"), kNoRule);
  EXPECT_EQ(Name(book, "xb.test"), kNoRule);
  EXPECT_EQ(Name(book, "b.test.evil.test"), kNoRule);
}

TEST(RuleBook, DenyBeatsAllowBeatsTheDefault) {
  const RuleBook book = Book({.egress = RuleAction::kAllow,
                              .allow = {To({Host("*.a.test"), Cidr("203.0.113.0/24")})},
                              .deny = {To({Host("bad.a.test"), Cidr("203.0.113.128/25")})}});
  EXPECT_EQ(Name(book, "x.a.test"), kAllowed);
  EXPECT_EQ(Name(book, "bad.a.test"), kDenied);
  EXPECT_EQ(Name(book, "elsewhere.test"), kAllowed);
  EXPECT_EQ(Address(book, "203.0.113.1"), kAllowed);
  EXPECT_EQ(Address(book, "203.0.113.200"), kDenied);
  EXPECT_EQ(Answer(book, "x.a.test", "203.0.113.200"), kDenied);
}

TEST(RuleBook, LooksAtPortsAndProtocols) {
  const RuleBook book = Book({.allow = {To({Host("a.test")}, {{Protocol::kTcp, 443, 445}}),
                                        To({Host("b.test")}, {{Protocol::kUdp}})},
                              .deny = {To({Host("a.test")}, {{Protocol::kAny, 444, 444}})}});
  EXPECT_EQ(Name(book, "a.test", 443), kAllowed);
  EXPECT_EQ(Name(book, "a.test", 444), kDenied);
  EXPECT_EQ(Name(book, "a.test", 446), kNoRule);
  EXPECT_EQ(Word(book.JudgeName("a.test", Protocol::kUdp, 443)), kNoRule);
  EXPECT_EQ(Name(book, "b.test"), kNoRule);
  EXPECT_EQ(Word(book.JudgeName("b.test", Protocol::kUdp, 1)), kAllowed);
  // Resolution: some port is left.
  EXPECT_EQ(Word(book.JudgeName("a.test", Protocol::kAny, 0)), kAllowed);
}

TEST(RuleBook, ExceptionsAreNotInTheirBlock) {
  const RuleBook book = Book({.allow = {To({Cidr("203.0.113.0/24", {"203.0.113.8/29"})})}});
  EXPECT_EQ(Address(book, "203.0.113.7"), kAllowed);
  EXPECT_EQ(Address(book, "203.0.113.8"), kNoRule);
  EXPECT_EQ(Address(book, "203.0.113.16"), kAllowed);
}

TEST(RuleBook, ANameAloneOpensNoBlockedAddress) {
  const RuleBook book = Book({.allow = {To({Host("a.test")})}});
  EXPECT_EQ(Answer(book, "a.test", "203.0.113.1"), kAllowed);
  EXPECT_EQ(Answer(book, "a.test", "10.0.0.1"), kPrivate);
  EXPECT_EQ(Answer(book, "a.test", "169.254.169.254"), kMetadata);
  EXPECT_EQ(Answer(book, "a.test", "127.0.0.1"), kLoopback);
  EXPECT_EQ(Answer(book, "a.test", "::1"), kLoopback);
  for (const char* address : {"fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe",
                              "fd00:42::42", "fd00:a9fe:a9fe::1", "fd00:100::100:200"})
    EXPECT_EQ(Answer(book, "a.test", address), "always blocked: cloud metadata") << address;
  EXPECT_EQ(Answer(book, "a.test", "fd00::1"), kPrivate);
  EXPECT_EQ(Answer(book, "a.test", "0.0.0.0"), "always blocked: this host");
}

TEST(RuleBook, ANameLeadsToNoReservedAddress) {
  const RuleBook book = Book({.allow = {To({Host("a.test")})}});
  for (const char* address : {"100::1", "200::1", "400::1", "800::1", "1000::1", "1fff::1", "4000::1",
                              "5f00::1", "7fff::1", "8000::1", "bfff::1", "c000::1", "dfff::1", "e000::1",
                              "f000::1", "f800::1", "fbff::1", "fe00::1", "fe7f::1"})
    EXPECT_EQ(Answer(book, "a.test", address), "always blocked: reserved") << address;
  EXPECT_EQ(Answer(book, "a.test", "2001:2::1"), "always blocked: benchmarking");
  EXPECT_EQ(Answer(book, "a.test", "2001:10::1"), "always blocked: identifiers, no addresses");
  EXPECT_EQ(Answer(book, "a.test", "192.88.99.1"), "always blocked: relays of 6to4");
  for (const char* address : {"2000::1", "2606:4700::1111", "3ffe::1"})
    EXPECT_EQ(Answer(book, "a.test", address), kAllowed) << address;
  const RuleBook open = Book({.egress = RuleAction::kAllow});
  EXPECT_EQ(Address(open, "fd00::1"), kAllowed);  // private networks are in reach
  EXPECT_EQ(Address(open, "5f00::1"), "always blocked: reserved");
  EXPECT_EQ(Address(Book({.allow = {To({Cidr("5f00::/16")})}}), "5f00::1"), kAllowed);
}

TEST(RuleBook, AddressesInsideAddressesAreJudgedAsWhatTheyReach) {
  const RuleBook book = Book({.allow = {To({Host("a.test")})}});
  EXPECT_EQ(Answer(book, "a.test", "::ffff:127.0.0.1"), kLoopback);
  EXPECT_EQ(Answer(book, "a.test", "::7f00:1"), kLoopback);
  EXPECT_EQ(Answer(book, "a.test", "64:ff9b::a9fe:a9fe"), kMetadata);
  EXPECT_EQ(Answer(book, "a.test", "2002:a9fe:a9fe::1"), kMetadata);
  EXPECT_EQ(Answer(book, "a.test", "2001:0:203:1::80ff:fffe"), kLoopback);  // Teredo, inverted
  EXPECT_EQ(Answer(book, "a.test", "::ffff:0:127.0.0.1"), kLoopback);
  EXPECT_EQ(Answer(book, "a.test", "2606:4700::5efe:127.0.0.1"), kLoopback);
  EXPECT_EQ(Answer(book, "a.test", "2606:4700::200:5efe:127.0.0.1"), kLoopback);
  EXPECT_EQ(Answer(book, "a.test", "64:ff9b::203.0.113.1"), kAllowed);
  const RuleBook denying = Book({.egress = RuleAction::kAllow, .deny = {To({Cidr("203.0.113.0/24")})}});
  EXPECT_EQ(Address(denying, "64:ff9b::203.0.113.1"), kDenied);
}

// A packet to them passes the hosts of whoever announces 2002::/16 or 64:ff9b::/96, and ends at one of many
// addresses that share those bytes.
TEST(RuleBook, AnAllowedBlockOfIpv4IsNoneOfTheAddressesThatEmbedIt) {
  constexpr const char* kEmbedding[] = {"2002:cb00:7101::1", "2002:cb00:7101:dead::7", "64:ff9b::203.0.113.1",
                                        "::203.0.113.1", "2001:0:203:1::34ff:8efe"};
  const RuleBook one = Book({.allow = {To({Cidr("203.0.113.1/32")})}});
  const RuleBook all = Book({.allow = {To({Cidr("0.0.0.0/0")})}});
  const RuleBook metadata = Book({.allow = {To({Cidr("169.254.169.254/32")})}});
  for (const char* address : kEmbedding) {
    EXPECT_EQ(Address(one, address), kNoRule) << address;
    EXPECT_EQ(Address(all, address), kNoRule) << address;
  }
  EXPECT_EQ(Address(metadata, "64:ff9b::a9fe:a9fe"), kMetadata);
  EXPECT_EQ(Address(one, "::ffff:203.0.113.1"), kAllowed);
  EXPECT_EQ(Address(metadata, "::ffff:169.254.169.254"), kAllowed);
}

TEST(RuleBook, ABlockOfIpv6IsTheAddressesInItThatLeadToNothingBlocked) {
  const RuleBook book = Book({.allow = {To({Cidr("64:ff9b::/96"), Cidr("2002::/16")})}});
  EXPECT_EQ(Address(book, "64:ff9b::203.0.113.1"), kAllowed);
  EXPECT_EQ(Address(book, "64:ff9b::127.0.0.1"), kLoopback);
  EXPECT_EQ(Address(book, "2002:a9fe:a9fe::1"), kMetadata);
  EXPECT_EQ(Address(book, "203.0.113.1"), kNoRule);
}

TEST(RuleBook, OnlyABlockInsideABlockedRangeOpensIt) {
  const RuleBook wide = Book({.allow = {To({Cidr("0.0.0.0/0"), Cidr("::/0")})}});
  EXPECT_EQ(Address(wide, "203.0.113.1"), kAllowed);
  EXPECT_EQ(Address(wide, "10.0.0.1"), kAllowed);  // every address, and it is one
  EXPECT_EQ(Address(wide, "169.254.169.254"), kMetadata);
  EXPECT_EQ(Address(wide, "::1"), kLoopback);
  const RuleBook own =
      Book({.allow = {To({Host("a.test"), Cidr("10.1.0.0/16"), Cidr("169.254.169.254/32")})}});
  EXPECT_EQ(Address(own, "169.254.169.254"), kAllowed);
  EXPECT_EQ(Address(own, "169.254.169.253"), kMetadata);
  EXPECT_EQ(Answer(own, "a.test", "10.1.0.1"), kAllowed);
  EXPECT_EQ(Answer(own, "a.test", "10.2.0.1"), kPrivate);
}

TEST(RuleBook, TheDefaultAllowKeepsTheHostItself) {
  const RuleBook book = Book({.egress = RuleAction::kAllow});
  EXPECT_EQ(Address(book, "203.0.113.1"), kAllowed);
  EXPECT_EQ(Address(book, "192.168.0.1"), kAllowed);
  EXPECT_EQ(Address(book, "127.0.0.1"), kLoopback);
  EXPECT_EQ(Address(book, "169.254.169.254"), kMetadata);
  EXPECT_EQ(Answer(book, "any.test", "192.168.0.1"), kAllowed);
  EXPECT_EQ(Answer(book, "any.test", "127.0.0.1"), kLoopback);
}

TEST(RuleBook, EveryNameIsNoAddress) {
  const RuleBook book = Book({.allow = {To({Host("*")})}});
  EXPECT_EQ(Answer(book, "any.test", "203.0.113.1"), kAllowed);
  EXPECT_EQ(Answer(book, "any.test", "10.0.0.1"), kPrivate);
  EXPECT_EQ(Address(book, "203.0.113.1"), kNoRule);
}

TEST(RuleBook, ARuleWithoutPeersIsEveryAddressOfItsPorts) {
  const RuleBook book = Book({.allow = {To({}, {{Protocol::kTcp, 443, 443}})}});
  EXPECT_EQ(Name(book, "any.test", 443), kAllowed);
  EXPECT_EQ(Name(book, "any.test", 80), kNoRule);
  EXPECT_EQ(Address(book, "203.0.113.1", 443), kAllowed);
  EXPECT_EQ(Address(book, "2001:db8::1", 443), kAllowed);
  EXPECT_EQ(Address(book, "203.0.113.1", 80), kNoRule);
}

TEST(RuleBook, AProxyIsTheOnlyDestination) {
  const RuleBook book =
      Book({.egress = RuleAction::kAllow, .proxy = OnlyProxy{"proxy.test", 3128, "/proxy"}});
  EXPECT_EQ(Name(book, "proxy.test", 3128), kAllowed);
  EXPECT_EQ(Name(book, "proxy.test", 3129), "only the proxy may be reached");
  EXPECT_EQ(Name(book, "a.test", 3128), "only the proxy may be reached");
  EXPECT_EQ(Address(book, "203.0.113.1", 3128), "only the proxy may be reached");
  EXPECT_EQ(Word(book.JudgeHostLoopback(Protocol::kTcp, 3128)), "only the proxy may be reached");
  const RuleBook local = Book({.proxy = OnlyProxy{"localhost", 8080, "/proxy"}});
  EXPECT_EQ(Word(local.JudgeHostLoopback(Protocol::kTcp, 8080)), kAllowed);
  EXPECT_EQ(Word(local.JudgeHostLoopback(Protocol::kTcp, 8081)), "only the proxy may be reached");
}

TEST(RuleBook, RefusesWhatItCannotRead) {
  EXPECT_EQ(RuleBook::Compile({.allow = {{.to = {{.host = "a b"}}, .pointer = "/x"}}}).error().pointer, "/x");
  EXPECT_EQ(RuleBook::Compile({.deny = {{.to = {{.cidr = "300.1.1.1"}}, .pointer = "/y"}}}).error().pointer,
            "/y");
}

}  // namespace
}  // namespace mxc::egress::egress_rules_test
