// What is left of a network policy below a ceiling: by examples, and by the verdicts of the gateway.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "ceiling/both_rules.h"
#include "ceiling/cut_config.h"
#include "gateway/rules/rules.h"
#include "tests/support/fake_host.h"
#include "tests/unit/decode_text.h"

namespace mxc::ceiling_network_test {
namespace {

std::string RuleText(const NetworkRule& rule) {
  std::string text;
  for (const Peer& peer : rule.to) {
    text += (text.empty() ? "" : ",") + peer.host + peer.cidr;
    for (const std::string& except : peer.except) text += "-" + except;
  }
  for (const PortRange& range : rule.ports)
    text += " " + std::string(Name(range.protocol)) + "/" + std::to_string(range.first) +
            (range.last > range.first ? "-" + std::to_string(range.last) : "");
  return text + (rule.uninspected ? " uninspected" : "");
}

// "allow|deny; RULE; RULE; !DENIED" of `asked` below `bound`, both the text of a section `network`.
std::string Below(const std::string& bound, const std::string& asked) {
  const FakeHost host;
  const Result<std::vector<CeilingSection>> sections =
      DecodeCeiling(R"({"network":)" + bound + "}", host, {});
  Result<Config> config = DecodeText(With(R"("network":)" + asked, "1.1.0-alpha"));
  if (!sections || !config) return !sections ? sections.error().message : config.error().message;
  Cuts cuts;
  CutNetwork(sections->front(), config->network, cuts);
  const Network& network = config->network;
  std::string text = network.egress == RuleAction::kAllow ? "allow" : "deny";
  for (const NetworkRule& rule : network.allow) text += "; " + RuleText(rule);
  for (const NetworkRule& rule : network.deny) text += "; !" + RuleText(rule);
  if (network.ingress == RuleAction::kAllow) text += "; ingress";
  if (network.host_loopback == RuleAction::kAllow) text += "; loopback";
  for (const LoopbackPort& port : network.loopback_ports) text += "; loopback " + std::to_string(port.port);
  for (const PublishedPort& port : network.publish) text += "; publish " + std::to_string(port.host);
  return text + (cuts.Warnings().empty() ? "" : "; cut");
}

std::string Allow(const std::string& peers, const std::string& rest = "") {
  return R"({"egress":{"allow":[{"to":[)" + peers + "]" + rest + "}]}}";
}
std::string Host(const std::string& name) { return R"({"host":")" + name + R"("})"; }
std::string Block(const std::string& block) { return R"({"cidr":")" + block + R"("})"; }
constexpr const char* kAll = R"({"egress":{"default":"allow"}})";

TEST(CeilingNetwork, NamesByPattern) {
  EXPECT_EQ(Below(Allow(Host("*.example.com")), Allow(Host("www.example.com"))), "deny; www.example.com");
  EXPECT_EQ(Below(Allow(Host("*.example.com")), Allow(Host("example.com"))), "deny; cut");
  EXPECT_EQ(Below(Allow(Host("*.example.com")), Allow(Host("notexample.com"))), "deny; cut");
  EXPECT_EQ(Below(Allow(Host("www.example.com")), Allow(Host("*.example.com"))),
            "deny; www.example.com; cut");
  EXPECT_EQ(Below(Allow(Host("*.b.example.com")), Allow(Host("*.example.com"))),
            "deny; *.b.example.com; cut");
  EXPECT_EQ(Below(Allow(Host("a.example.com")), Allow(Host("*"))), "deny; a.example.com; cut");
  EXPECT_EQ(Below(Allow(Host("*")), Allow(Host("a.example.com"))), "deny; a.example.com");
  EXPECT_EQ(Below(Allow(Host("WWW.Example.COM")), Allow(Host("www.example.com"))), "deny; www.example.com");
  EXPECT_EQ(Below(Allow(Host("*.xn--bcher-kva.example")), Allow(Host("a.xn--bcher-kva.example"))),
            "deny; a.xn--bcher-kva.example");
}

TEST(CeilingNetwork, AddressesByBlock) {
  EXPECT_EQ(Below(Allow(Block("203.0.113.0/24")), Allow(Block("203.0.113.7/32"))), "deny; 203.0.113.7/32");
  EXPECT_EQ(Below(Allow(Block("203.0.113.7/32")), Allow(Block("203.0.113.0/24"))),
            "deny; 203.0.113.7/32; cut");
  EXPECT_EQ(Below(Allow(Block("203.0.113.0/25")), Allow(Block("203.0.113.128/25"))), "deny; cut");
  EXPECT_EQ(Below(Allow(Block("0.0.0.0/0")), Allow(Block("::ffff:203.0.113.7/128"))),
            "deny; ::ffff:cb00:7107/128");
  EXPECT_EQ(Below(Allow(R"({"cidr":"8.0.0.0/8","except":["8.8.0.0/16"]})"), Allow(Block("8.0.0.0/8"))),
            "deny; 8.0.0.0/8-8.8.0.0/16; cut");
  EXPECT_EQ(Below(Allow(R"({"cidr":"8.0.0.0/8","except":["8.8.0.0/16"]})"), Allow(Block("8.8.8.8/32"))),
            "deny; cut");
  EXPECT_EQ(Below(Allow(Block("0.0.0.0/0")), Allow(Host("a.example.com"))), "deny; cut");
  EXPECT_EQ(Below(Allow(Block("0.0.0.0/0") + "," + Block("::/0")), Allow(Host("a.example.com"))),
            "deny; a.example.com");
}

TEST(CeilingNetwork, RangesThatHaveToBeNamedAreNamedByBoth) {
  EXPECT_EQ(Below(kAll, Allow(Block("127.0.0.0/8"))), "deny; cut");
  EXPECT_EQ(Below(kAll, Allow(Block("169.254.169.254/32"))), "deny; cut");
  EXPECT_EQ(Below(Allow(Block("169.254.169.254/32")), kAll), "deny; cut");
  EXPECT_EQ(Below(kAll, Allow(Block("10.1.0.0/16"))), "deny; 10.1.0.0/16");
  EXPECT_EQ(Below(Allow(Block("127.0.0.1/32")), Allow(Block("127.0.0.0/8"))), "deny; 127.0.0.1/32; cut");
}

TEST(CeilingNetwork, Ports) {
  const std::string https = R"(,"ports":[{"protocol":"tcp","port":443}])";
  const std::string high = R"(,"ports":[{"port":400,"endPort":500}])";
  EXPECT_EQ(Below(Allow(Host("a.b"), https), Allow(Host("a.b"))), "deny; a.b tcp/443; cut");
  EXPECT_EQ(Below(Allow(Host("a.b"), high), Allow(Host("a.b"), https)), "deny; a.b tcp/443");
  EXPECT_EQ(Below(Allow(Host("a.b"), https), Allow(Host("a.b"), R"(,"ports":[{"protocol":"udp"}])")),
            "deny; cut");
  EXPECT_EQ(Below(Allow(Host("a.b"), high), Allow(Host("a.b"), R"(,"ports":[{"protocol":"icmp"}])")),
            "deny; cut");
  EXPECT_EQ(Below(Allow(Host("a.b"), https), Allow(Host("a.b"), https + R"(,"inspect":"none")")),
            "deny; a.b tcp/443; cut");
}

TEST(CeilingNetwork, DefaultsAndDenials) {
  EXPECT_EQ(Below(kAll, kAll), "allow");
  EXPECT_EQ(Below("{}", kAll), "deny; cut");
  EXPECT_EQ(Below(Allow(Host("a.b")), kAll), "deny; a.b; cut");
  const std::string denial = R"({"egress":{"default":"allow","deny":[{"to":[{"host":"evil.com"}]}]}})";
  EXPECT_EQ(Below(denial, kAll), "allow; !evil.com; cut");
  EXPECT_EQ(Below(denial, denial), "allow; !evil.com; !evil.com");
  EXPECT_EQ(Below(denial, Allow(Host("*.evil.com"))), "deny; *.evil.com; !evil.com");
  EXPECT_EQ(Below(denial, "{}"), "deny");
}

TEST(CeilingNetwork, FromOutside) {
  const std::string open =
      R"({"ingress":{"default":"allow","hostLoopback":"allow","publish":[{"host":80}]}})";
  EXPECT_EQ(Below("{}", open), "deny; cut");
  EXPECT_EQ(Below(open, open), "deny; ingress; loopback; publish 80");
  EXPECT_EQ(Below(R"({"ingress":{"publish":[{"host":81}]}})", R"({"ingress":{"publish":[{"host":80}]}})"),
            "deny; cut");
}

TEST(CeilingNetwork, PortsOfTheHostsLoopback) {
  const std::string ports = R"({"ingress":{"hostLoopbackPorts":[{"port":80},{"port":5432}]}})";
  const std::string one = R"({"ingress":{"hostLoopbackPorts":[{"port":5432}]}})";
  const std::string every = R"({"ingress":{"hostLoopback":"allow"}})";
  EXPECT_EQ(Below("{}", ports), "deny; cut");
  EXPECT_EQ(Below(kAll, ports), "deny; cut");
  EXPECT_EQ(Below(one, ports), "deny; loopback 5432; cut");
  EXPECT_EQ(Below(ports, one), "deny; loopback 5432");
  EXPECT_EQ(Below(every, ports), "deny; loopback 80; loopback 5432");
  EXPECT_EQ(Below(one, every), "deny; loopback 5432; cut");
}

TEST(CeilingNetwork, TheHostsOwnAndProxies) {
  const FakeHost host;
  const Result<std::vector<CeilingSection>> sections =
      DecodeCeiling(R"({"network":{"egress":{"default":"allow"}}})", host, {});
  Network shared{.share_host = true, .share_host_pointer = "/network"};
  Cuts cuts;
  CutNetwork(sections->front(), shared, cuts);
  EXPECT_FALSE(shared.share_host);
  EXPECT_EQ(shared.egress, RuleAction::kAllow);
  EXPECT_EQ(shared.host_loopback, RuleAction::kDeny);
  Network proxy{.egress = RuleAction::kAllow, .proxy = ProxyRule{.host = "127.0.0.1", .port = 3128}};
  proxy.upstream.pointer = "/network/egress/upstreamProxy";
  CutNetwork(sections->front(), proxy, cuts);
  EXPECT_FALSE(proxy.proxy.has_value());
  EXPECT_EQ(proxy.upstream.pointer, "");
  EXPECT_EQ(proxy.egress, RuleAction::kDeny);
}

// The caller chooses what the environment names.
TEST(CeilingNetwork, AProxyOfTheEnvironmentIsTheOneThatTheCeilingNames) {
  const FakeHost host;
  const auto left = [&](const std::string& bound, const Upstream& asked) {
    const Result<std::vector<CeilingSection>> sections = DecodeCeiling(
        R"({"network":{"egress":{"default":"allow","upstreamProxy":")" + bound + "\"}}}", host, {});
    if (!sections) return sections.error().message + "; " + sections.error().hint;
    Network network{.upstream = asked};
    network.upstream.pointer = "/network/egress/upstreamProxy";
    Cuts cuts;
    CutNetwork(sections->front(), network, cuts);
    CutUpstream(sections->front(), network, cuts);
    const std::vector<Warning> told = cuts.Warnings();
    return (network.upstream.pointer.empty() ? "none"
            : network.upstream.http          ? "http"
                                             : "others") +
           (told.empty() ? std::string() : "; " + told.back().message);
  };
  const auto proxy = [](const char* name, std::uint16_t port) {
    return UpstreamProxy{.host = name, .port = port, .variable = "V"};
  };
  const std::string bound = "http://Proxy.corp:3128";
  EXPECT_EQ(left(bound, {.http = proxy("proxy.corp", 3128)}), "http");
  EXPECT_EQ(left(bound, {.others = proxy("proxy.corp", 3128)}), "others");
  const std::string cut =
      "none; proxies of the environment are not used: V names another than the ceiling "
      "(/ceiling/network/egress/upstreamProxy)";
  EXPECT_EQ(left(bound, {.http = proxy("proxy.corp", 3129)}), cut);
  EXPECT_EQ(left(bound, {.http = proxy("proxy.corp", 3128), .others = proxy("evil", 3128)}), cut);
  const std::string remedy = "; write the proxy: http://HOST:PORT";
  const std::string at = "/network/egress/upstreamProxy";
  EXPECT_EQ(left("environment", {}), "`environment` at " + at + " is the caller's to choose" + remedy);
  EXPECT_EQ(left("https://proxy.corp:443", {}),
            "the gateway does not speak TLS to a proxy, at " + at + remedy);
  EXPECT_EQ(left("proxy.corp", {}), "the proxy URL must start with http:// or https://, at " + at + remedy);
}

// ---- many ----------------------------------------------------------------------------------------------

constexpr const char* kNames[] = {"a.x",     "b.a.x", "x",   "*.x", "*.a.x", "*",
                                  "b.c.a.x", "y",     "*.y", "a.y", "ax"};
constexpr const char* kBlocks[] = {
    "0.0.0.0/0",   "::/0",          "8.0.0.0/8",    "8.8.0.0/16",     "8.8.8.8/32",         "10.0.0.0/8",
    "10.1.0.0/16", "127.0.0.0/8",   "127.0.0.1/32", "169.254.0.0/16", "169.254.169.254/32", "192.168.0.0/16",
    "2000::/3",    "2001:db8::/32", "fd00::/8",     "::1/128",        "172.16.0.0/12"};
constexpr const char* kAddresses[] = {
    "8.8.8.8",    "8.9.9.9",         "10.1.2.3",        "10.9.9.9",    "127.0.0.1",
    "127.9.9.9",  "169.254.169.254", "192.168.1.1",     "2001:db8::1", "fd00::1",
    "::1",        "93.184.216.34",   "64:ff9b::7f00:1", "2600::1",     "64:ff9b::a01:203",
    "172.16.3.4", "::ffff:10.1.2.3", "100.64.1.1"};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  [[nodiscard]] unsigned Below(std::size_t bound) {
    return static_cast<unsigned>(random_() % static_cast<unsigned>(bound));
  }
  template <std::size_t N>
  [[nodiscard]] const char* Of(const char* const (&all)[N]) {
    return all[Below(N)];
  }
  [[nodiscard]] NetworkRule Rule() {
    NetworkRule rule;
    for (unsigned i = Below(4); i != 0; --i) {
      Peer peer;
      if (Below(2) == 0) {
        peer.host = Of(kNames);
      } else {
        peer.cidr = Of(kBlocks);
        if (Below(4) == 0 && peer.cidr == "8.0.0.0/8") peer.except = {"8.8.0.0/16"};
      }
      rule.to.push_back(std::move(peer));
    }
    for (unsigned i = Below(3); i != 0; --i) {
      const auto protocol = static_cast<Protocol>(Below(4));
      const auto first = static_cast<std::uint16_t>(protocol == Protocol::kIcmp ? 0 : Below(3));
      rule.ports.push_back({.protocol = protocol,
                            .first = first,
                            .last = static_cast<std::uint16_t>(first == 0 ? 0 : first + Below(2))});
    }
    return rule;
  }
  [[nodiscard]] Network Any() {
    Network network{.egress = Below(3) == 0 ? RuleAction::kAllow : RuleAction::kDeny};
    for (unsigned i = Below(4); i != 0; --i) network.allow.push_back(Rule());
    for (unsigned i = Below(3); i != 0; --i) network.deny.push_back(Rule());
    return network;
  }

 private:
  std::mt19937 random_;
};

egress::RuleBook Book(const Network& network) {
  return std::move(
      *egress::RuleBook::Compile({.egress = network.egress, .allow = network.allow, .deny = network.deny}));
}

// One bit for each destination that passes: addresses, and names with each of them.
std::vector<bool> Passes(const egress::RuleBook& book) {
  std::vector<bool> passes;
  for (const Protocol protocol : {Protocol::kTcp, Protocol::kUdp}) {
    for (const std::uint16_t port : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{9}}) {
      for (const char* text : kAddresses) {
        const egress::IpAddress address = *egress::IpAddress::Parse(text);
        passes.push_back(book.JudgeAddress(address, protocol, port).allowed);
        for (const char* name : {"a.x", "b.a.x", "y", "a.y", "ax", "z"}) {
          const egress::Judgement named = book.JudgeName(name, protocol, port);
          passes.push_back(named.allowed && book.JudgeAnswer(named, address, protocol, port).allowed);
        }
      }
    }
  }
  return passes;
}

std::string Whole(const Network& network) {
  std::string text = network.egress == RuleAction::kAllow ? "allow" : "deny";
  for (const NetworkRule& rule : network.allow) text += "; " + RuleText(rule);
  for (const NetworkRule& rule : network.deny) text += "; !" + RuleText(rule);
  return text;
}

// MXC_CEILING_PAIRS: how many.
TEST(CeilingNetwork, WhatIsLeftPassesInBoth) {
  const char* const asked = std::getenv("MXC_CEILING_PAIRS");
  const int pairs = asked != nullptr ? std::atoi(asked) : 400;
  Random random(20);
  int open = 0;
  for (int i = 0; i < pairs; ++i) {
    CeilingSection section{.network = true};
    section.bounds.network = random.Any();
    const Network request = random.Any();
    Network left = request;
    Cuts cuts;
    CutNetwork(section, left, cuts);
    const std::vector<bool> bound = Passes(Book(section.bounds.network));
    const std::vector<bool> before = Passes(Book(request));
    const std::vector<bool> after = Passes(Book(left));
    for (std::size_t at = 0; at < after.size(); ++at) {
      open += after[at] ? 1 : 0;
      ASSERT_TRUE(!after[at] || (bound[at] && before[at]))
          << "pair " << i << ", destination " << at << "\nceiling " << Whole(section.bounds.network)
          << "\nrequest " << Whole(request) << "\nleft    " << Whole(left);
    }
  }
  EXPECT_GT(open, pairs);  // not everything is closed
}

}  // namespace
}  // namespace mxc::ceiling_network_test
