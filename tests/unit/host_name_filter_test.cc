// At which port, and under which rules, the hosts of a client's requests are judged.
#include "gateway/inspect/host_name_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/client_talk.h"

namespace mxc::egress::host_name_filter_test {
namespace {

using testing::StartsWith;

NetworkRule At(const std::string& host, std::uint16_t port) {
  return {.to = {{.host = host}}, .ports = {{Protocol::kTcp, port, port}}, .pointer = "/" + host};
}

std::string Request(const std::string& target, const std::string& host) {
  return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}
std::string Connect(const std::string& target, const std::string& host) {
  return "CONNECT " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

// A server that is no proxy answers at the port of the connection.
TEST(HostNameFilter, AnAbsoluteTargetIsJudgedAtBothPorts) {
  const EgressRules allowed{.allow = {At("good.test", 80), At("good.test", 443), At("evil.test", 443)}};
  const EgressRules denied{.egress = RuleAction::kAllow, .deny = {At("evil.test", 80)}};
  const EgressRules by_star{.allow = {At("good.test", 80), At("*", 443)}};
  for (const EgressRules& rules : {allowed, denied, by_star}) {
    const bool strict = rules.egress == RuleAction::kDeny;
    for (const std::string& request :
         {Request("http://evil.test:443/", "evil.test"), Request("https://evil.test/", "good.test"),
          Request("http://good.test:443/", "evil.test"), Request("/", "evil.test")}) {
      EXPECT_THAT(Talk(rules, 80, strict).Client(request), StartsWith("refused: it opens with the name evil"))
          << request;
    }
    const std::string own = Request("http://good.test/", "good.test:80");
    EXPECT_EQ(Talk(rules, 80, strict).Client(own), own);
  }
  EXPECT_EQ(Talk(allowed, 80).Client(Request("http://evil.test:443/", "evil.test")),
            "refused: it opens with the name evil.test at port 80");
  const std::string both = Request("http://good.test:443/", "good.test");
  EXPECT_EQ(Talk(allowed, 80).Client(both), both);
  EXPECT_EQ(Talk(allowed, 80).Client(Request("http://good.test:81/", "good.test")),
            "refused: it opens with the name good.test at port 81");
}

// Requests are at the port of the tunnel once it is open, and not before.
TEST(HostNameFilter, OnlyAnOpenTunnelLeadsToAnotherPort) {
  const EgressRules rules{.allow = {At("good.test", 80), At("good.test", 443), At("evil.test", 443)}};
  const std::string connect = Connect("good.test:443", "good.test");
  const std::string evil = Request("/", "evil.test");
  for (const char* declined :
       {"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 204 No Content\r\n\r\n"}) {
    Talk talk(rules, 80);
    EXPECT_EQ(talk.Client(connect), connect);
    EXPECT_EQ(talk.Server(declined), "");
    EXPECT_EQ(talk.Client(evil), "refused: a later request is for the name evil.test") << declined;
  }
  Talk open(rules, 80);
  EXPECT_EQ(open.Client(connect), connect);
  EXPECT_EQ(open.Server("HTTP/1.1 200 OK\r\n\r\n"), "");
  EXPECT_EQ(open.Client(evil), evil);
  // Declined by what is at the other end: the first tunnel stays.
  EXPECT_EQ(open.Client(Connect("good.test:80", "good.test")), Connect("good.test:80", "good.test"));
  EXPECT_EQ(open.Server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "");
  EXPECT_EQ(open.Client(evil), evil);
}

// Of the names for an address the program could have looked up any.
TEST(HostNameFilter, AnAddressOfADeniedNameIsRefused) {
  const EgressRules rules{.egress = RuleAction::kAllow, .deny = {At("evil.test", 80)}};
  const HostsFile hosts("203.0.113.6 evil.test alias.test\n203.0.113.7 other.test\n");
  const ResolverTexts texts{.hosts = &hosts};
  for (const std::string host : {"203.0.113.6", "[::ffff:203.0.113.6]", "[64:ff9b::203.0.113.6]"}) {
    for (const std::string& request : {Request("http://" + host + "/", "good.test"), Request("/", host),
                                       Connect(host + ":80", "good.test")})
      EXPECT_THAT(Talk(rules, 80, false, texts).Client(request), StartsWith("refused: ")) << request;
  }
  for (const std::string& request :
       {Request("http://203.0.113.7/", "other.test"), Connect("203.0.113.6:81", "203.0.113.6"),
        Connect("other.test:80", "other.test")})
    EXPECT_EQ(Talk(rules, 80, false, texts).Client(request), request);
  EXPECT_EQ(Talk(rules, 80, false, texts).Client(Connect("alias.test:80", "alias.test")),
            "refused: it opens with the name alias.test at port 80");
}

// A proxy on this host would reach what the name leads to, were it dialled from here.
TEST(HostNameFilter, ATargetThatTheHostsFileLeadsToTheHostItselfIsRefused) {
  const EgressRules open{.egress = RuleAction::kAllow, .deny = {At("evil.test", 80)}};
  const EgressRules named{.allow = {At("good.test", 80), At("localhost", 80), At("*.corp", 80)}};
  const HostsFile hosts(
      "127.0.0.1 localhost\n169.254.169.254 meta.corp both.corp\n"
      "203.0.113.7 x.corp both.corp\n");
  const ResolverTexts texts{.hosts = &hosts};
  for (const EgressRules& rules : {open, named}) {
    const bool strict = rules.egress == RuleAction::kDeny;
    for (const std::string host : {"localhost", "meta.corp", "both.corp"}) {
      for (const std::string& request : {Connect(host + ":80", host), Request("http://" + host + "/", host)})
        EXPECT_EQ(Talk(rules, 80, strict, texts).Client(request),
                  "refused: it opens with the name " + host + " at port 80");
      // Answered by the server itself.
      EXPECT_EQ(Talk(rules, 80, strict, texts).Client(Request("/", host)), Request("/", host));
    }
    EXPECT_EQ(Talk(rules, 80, strict, texts).Client(Connect("x.corp:80", "x.corp")),
              Connect("x.corp:80", "x.corp"));
  }
}

TEST(HostNameFilter, TheFormsOfANameAreJudged) {
  const EgressRules open{.egress = RuleAction::kAllow, .deny = {At("evil.corp", 80)}};
  const EgressRules named{.allow = {At("good.test", 80), At("*", 80)}, .deny = {At("evil.corp", 80)}};
  const ResolvConf conf = ParseResolvConf("search lan corp\n");
  const ResolverTexts texts{.resolv_conf = &conf};
  for (const EgressRules& rules : {open, named}) {
    const bool strict = rules.egress == RuleAction::kDeny;
    for (const std::string& request : {Request("/", "evil"), Request("http://evil/", "good.test"),
                                       Connect("evil:80", "good.test"), Request("/", "evil.corp")})
      EXPECT_THAT(Talk(rules, 80, strict, texts).Client(request), StartsWith("refused: ")) << request;
    for (const std::string& request : {Request("/", "evil.x"), Request("/", "devil")})
      EXPECT_EQ(Talk(rules, 80, strict, texts).Client(request), request);
  }
}

}  // namespace
}  // namespace mxc::egress::host_name_filter_test
