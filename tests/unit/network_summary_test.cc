#include "report/network_summary.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace mxc::network_summary_test {
namespace {

GatewayRecord Refused(std::string name, std::string address, std::uint16_t port,
                      GatewayEvent event = GatewayEvent::kConnection) {
  return {.event = event,
          .verdict = RuleAction::kDeny,
          .name = std::move(name),
          .address = std::move(address),
          .port = port,
          .pointer = "/network/egress",
          .reason = "no rule allows it"};
}

TEST(NetworkSummary, SaysWhatPassed) {
  NetworkSummary summary(PolicyForm::kDirectional);
  summary.Add({.verdict = RuleAction::kAllow, .name = "a.test", .bytes_out = 10, .bytes_in = 32});
  summary.Add({.event = GatewayEvent::kName, .verdict = RuleAction::kAllow, .name = "a.test"});
  EXPECT_EQ(summary.Text(), "mxc-exec: network: 1 connection passed (42 bytes), 0 destinations refused\n");
}

TEST(NetworkSummary, NamesTheRuleThatWouldAllow) {
  NetworkSummary summary(PolicyForm::kDirectional);
  summary.Add(Refused("b.test", "", 443));
  summary.Add(Refused("b.test", "", 443));
  summary.Add(Refused("", "192.0.2.1", 53, GatewayEvent::kFlow));
  summary.Add(Refused("", "2001:db8::1", 80));
  summary.Add(Refused("c.test", "", 0, GatewayEvent::kName));
  EXPECT_EQ(summary.Text(),
            R"(mxc-exec: network: 0 connections passed (0 bytes), 4 destinations refused
  192.0.2.1 port 53 (udp): no rule allows it
    to allow it, add {"to":[{"cidr":"192.0.2.1/32"}],"ports":[{"protocol":"udp","port":53}]} to network.egress.allow
  2001:db8::1 port 80 (tcp): no rule allows it
    to allow it, add {"to":[{"cidr":"2001:db8::1/128"}],"ports":[{"protocol":"tcp","port":80}]} to network.egress.allow
  b.test port 443 (tcp), 2 times: no rule allows it
    to allow it, add {"to":[{"host":"b.test"}],"ports":[{"protocol":"tcp","port":443}]} to network.egress.allow
  c.test (looked up): no rule allows it
    to allow it, add {"to":[{"host":"c.test"}]} to network.egress.allow
)");
}

TEST(NetworkSummary, WritesTheLegacyFormForALegacyFile) {
  NetworkSummary summary(PolicyForm::kLegacy);
  summary.Add(Refused("b.test", "", 443));
  summary.Add(Refused("", "2001:db8::1", 80));
  summary.Add(Refused("c.test", "", 0, GatewayEvent::kName));
  EXPECT_EQ(summary.Text(), R"(mxc-exec: network: 0 connections passed (0 bytes), 3 destinations refused
  2001:db8::1 port 80 (tcp): no rule allows it
    to allow it, add "[2001:db8::1]:80" to network.allowedHosts
  b.test port 443 (tcp): no rule allows it
    to allow it, add "b.test:443" to network.allowedHosts
  c.test (looked up): no rule allows it
    to allow it, add "c.test" to network.allowedHosts
)");
}

TEST(NetworkSummary, WritesFlagsForAPolicyOfFlags) {
  NetworkSummary summary(PolicyForm::kFlags);
  summary.Add(Refused("", "2001:db8::1", 80));
  summary.Add(Refused("c.test", "", 0, GatewayEvent::kName));
  EXPECT_EQ(summary.Text(), R"(mxc-exec: network: 0 connections passed (0 bytes), 2 destinations refused
  2001:db8::1 port 80 (tcp): no rule allows it
    to allow it, add --allow-host '[2001:db8::1]:80'
  c.test (looked up): no rule allows it
    to allow it, add --allow-host c.test
)");
}

TEST(NetworkSummary, NamesTheProfileThatHasTheHost) {
  const auto profile = [](std::string_view host) { return std::string(host == "b.test" ? "tool" : ""); };
  for (const auto& [form, advice] : std::map<PolicyForm, std::string>{
           {PolicyForm::kDirectional, "to network.egress.allow, or \"tool\" to profiles\n"},
           {PolicyForm::kFlags, "--allow-host b.test, or --profile tool\n"},
           {PolicyForm::kLegacy, "\"b.test\" to network.allowedHosts\n"}}) {
    NetworkSummary summary(form, profile);
    summary.Add(Refused("b.test", "", 0, GatewayEvent::kName));
    EXPECT_NE(summary.Text().find(advice), std::string::npos) << summary.Text();
    NetworkSummary other(form, profile);
    other.Add(Refused("b.test", "", 22));
    other.Add(Refused("c.test", "", 443));
    EXPECT_EQ(other.Text().find("profile"), std::string::npos) << other.Text();
  }
}

TEST(NetworkSummary, AdvisesNothingThatHandsOutCredentials) {
  NetworkSummary summary(PolicyForm::kDirectional);
  GatewayRecord record = Refused("", "169.254.169.254", 80);
  record.reason = "always blocked: link-local and cloud metadata";
  summary.Add(record);
  EXPECT_NE(summary.Text().find("nothing is advised"), std::string::npos) << summary.Text();
  EXPECT_TRUE(summary.Short().empty());
  NetworkSummary named(PolicyForm::kFlags);
  named.Add(Refused("metadata.google.internal", "", 80));
  EXPECT_NE(named.Text().find("nothing is advised"), std::string::npos) << named.Text();
  EXPECT_TRUE(named.Short().empty());
}

TEST(NetworkSummary, NamesTheAddressThatIsAlwaysBlocked) {
  NetworkSummary summary(PolicyForm::kDirectional);
  GatewayRecord record = Refused("b.test", "10.0.0.1", 80);
  record.pointer = "/network/egress/allow/0";
  record.reason = "always blocked: private";
  summary.Add(record);
  EXPECT_NE(
      summary.Text().find(R"(add {"to":[{"cidr":"10.0.0.1/32"}],"ports":[{"protocol":"tcp","port":80}]} to)"),
      std::string::npos)
      << summary.Text();
}

TEST(NetworkSummary, SaysHowTheHostsLoopbackIsReached) {
  NetworkSummary summary(PolicyForm::kDirectional);
  summary.Add(Refused(std::string(kHostLoopbackName), "", 0, GatewayEvent::kName));
  EXPECT_NE(summary.Text().find("network.ingress.hostLoopbackPorts opens a port of it"), std::string::npos)
      << summary.Text();
  NetworkSummary of_flags(PolicyForm::kFlags);
  of_flags.Add(Refused(std::string(kHostLoopbackName), "", 5432, GatewayEvent::kConnection));
  EXPECT_NE(of_flags.Text().find("add --allow-host host.mxc.internal:5432"), std::string::npos)
      << of_flags.Text();
}

// Of a connection that was refused inside, to a port at which a program of the host listens.
TEST(NetworkSummary, LeadsFromTheSandboxsLoopbackToTheHosts) {
  const auto advised = [](PolicyForm form, const std::string& pointer) {
    NetworkSummary summary(form);
    GatewayRecord record = Refused("localhost", "127.0.0.1", 5432);
    record.pointer = pointer;
    summary.Add(record);
    const std::string text = summary.Text();
    EXPECT_EQ(summary.Short().size(), 1);
    const std::size_t line = text.find("    ") + 4;
    return text.substr(line, text.find('\n', line) - line);
  };
  EXPECT_EQ(advised(PolicyForm::kFlags, ""),
            "to reach the host's, add --allow-host host.mxc.internal:5432 and connect to "
            "host.mxc.internal:5432");
  EXPECT_EQ(advised(PolicyForm::kDirectional, ""),
            "to reach the host's, add {\"port\": 5432} to network.ingress.hostLoopbackPorts and connect to "
            "host.mxc.internal:5432");
  EXPECT_EQ(advised(PolicyForm::kLegacy, ""),
            "to reach the host's, write network.ingress.hostLoopback, which opens every port, and connect to "
            "host.mxc.internal:5432");
  // The policy lets it in already.
  EXPECT_EQ(advised(PolicyForm::kFlags, "/network/ingress/hostLoopbackPorts/0"),
            "to reach the host's, connect to host.mxc.internal:5432");
}

TEST(NetworkSummary, AdvisesNothingThatNoProgramNeeds) {
  NetworkSummary summary(PolicyForm::kFlags);
  for (const char* name : {"a.test", "a.test.lan", "localhost", "_http._tcp.b.test"})
    summary.Add(Refused(name, "", 0, GatewayEvent::kName));
  const std::string text = summary.Text();
  EXPECT_NE(text.find("add --allow-host a.test\n"), std::string::npos) << text;
  EXPECT_NE(text.find("another form of a.test, which resolvers try as well"), std::string::npos) << text;
  EXPECT_NE(text.find("the sandbox's own name"), std::string::npos) << text;
  EXPECT_EQ(text.find("--allow-host _http"), std::string::npos) << text;
}

// The host may reach the network through its proxy alone.
TEST(NetworkSummary, NamesTheProxyThatIsNotUsed) {
  GatewayRecord unreachable = Refused("b.test", "", 443);
  unreachable.pointer.clear();
  unreachable.reason = "the name has no address";
  constexpr const char* kAdvice = "\"upstreamProxy\": \"environment\" to network.egress";
  for (const auto& [form, advised] : std::map<PolicyForm, bool>{
           {PolicyForm::kDirectional, true}, {PolicyForm::kFlags, true}, {PolicyForm::kLegacy, false}}) {
    NetworkSummary summary(form, nullptr, true);
    summary.Add(unreachable);
    EXPECT_EQ(summary.Text().find(kAdvice) != std::string::npos, advised) << summary.Text();
    EXPECT_EQ(summary.Short().size(), 1U);
  }
  NetworkSummary none(PolicyForm::kFlags, nullptr, false);
  none.Add(unreachable);
  EXPECT_EQ(none.Text().find(kAdvice), std::string::npos) << none.Text();
}

TEST(NetworkSummary, CountsWhatARecordStandsFor) {
  NetworkSummary summary(PolicyForm::kDirectional);
  summary.Add(Refused("b.test", "", 443));
  GatewayRecord again = Refused("b.test", "", 443);
  again.lost = 40;
  summary.Add(again);
  summary.Add({.verdict = RuleAction::kDeny, .reason = "too many decisions to write all of them", .lost = 6});
  EXPECT_NE(summary.Text().find("1 destination refused\n  b.test port 443 (tcp), 42 times: "),
            std::string::npos)
      << summary.Text();
  EXPECT_NE(summary.Text().find("  7 decisions are left out"), std::string::npos) << summary.Text();
}

// A request asked for each of these names.
TEST(NetworkSummary, GivesEachReasonOfADestination) {
  NetworkSummary summary(PolicyForm::kDirectional);
  const auto fronted = [](const std::string& reason, std::uint64_t lost = 0) {
    GatewayRecord record = Refused("a.test", "", 80);
    record.pointer = "/network/egress/allow/0";
    record.reason = reason;
    record.lost = lost;
    return record;
  };
  for (const char* name : {"b.test", "c.test"}) summary.Add(fronted(std::string("it opens with ") + name));
  GatewayRecord unreached = fronted("Connection refused");
  unreached.pointer.clear();
  summary.Add(unreached);
  summary.Add(fronted("it opens with c.test", 4));
  EXPECT_EQ(summary.Text(), R"(mxc-exec: network: 0 connections passed (0 bytes), 1 destination refused
  a.test port 80 (tcp), 8 times: it opens with b.test
    /network/egress/allow/0 allows the destination, not what was said there
    also: it opens with c.test
    also: Connection refused
    no entry of the policy changes that
)");
  NetworkSummary brief(PolicyForm::kDirectional);
  brief.Add(unreached);
  brief.Add(fronted("it opens with b.test"));
  EXPECT_EQ(brief.Short(),
            std::vector<std::string>{"a.test port 80 (tcp): Connection refused, and 1 other reason; "
                                     "no entry of the policy changes that"});
  for (std::size_t i = 3; i < NetworkSummary::kMaxReasons + 5; ++i)
    summary.Add(fronted("it opens with " + std::to_string(i)));
  EXPECT_NE(summary.Text().find("    and 5 refusals for other reasons\n"), std::string::npos)
      << summary.Text();
}

TEST(NetworkSummary, BlamesTheRuleThatDenied) {
  NetworkSummary summary(PolicyForm::kDirectional);
  GatewayRecord record = Refused("b.test", "", 443);
  record.pointer = "/network/egress/deny/0";
  record.reason = "a rule denies it";
  summary.Add(record);
  EXPECT_NE(summary.Text().find("a rule denies it\n    denied by /network/egress/deny/0\n"),
            std::string::npos);
}

TEST(NetworkSummary, SaysThatNobodyListensOnAPublishedPort) {
  NetworkSummary summary(PolicyForm::kFlags);
  GatewayRecord record = Refused("", "::1", 3005, GatewayEvent::kPublished);
  record.reason = "Connection refused";
  summary.Add(record);
  const std::vector<std::string> lines = summary.Short();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0],
            "::1 port 3005 (tcp): Connection refused; published: no server listens on port 3005 of the "
            "sandbox's loopback");
  NetworkSummary full(PolicyForm::kFlags);
  record.reason = "too many connections";
  full.Add(record);
  EXPECT_NE(full.Text().find("too many connections\n    no entry of the policy changes that\n"),
            std::string::npos)
      << full.Text();
}

TEST(NetworkSummary, AdvisesNoRuleWhereNoneWouldHelp) {
  NetworkSummary summary(PolicyForm::kDirectional);
  GatewayRecord unreached = Refused("b.test", "192.0.2.1", 443);
  unreached.pointer.clear();
  unreached.reason = "Connection refused";
  summary.Add(unreached);
  GatewayRecord fronted = Refused("c.test", "192.0.2.1", 443);
  fronted.pointer = "/network/egress/allow/0";
  fronted.reason = "it opens with the name d.test";
  summary.Add(fronted);
  EXPECT_EQ(summary.Text(), R"(mxc-exec: network: 0 connections passed (0 bytes), 2 destinations refused
  b.test port 443 (tcp): Connection refused
    no entry of the policy changes that
  c.test port 443 (tcp): it opens with the name d.test
    /network/egress/allow/0 allows the destination, not what was said there
)");
}

TEST(NetworkSummary, KeepsTheTerminalInOnePiece) {
  NetworkSummary summary(PolicyForm::kDirectional);
  summary.Add(Refused("a\x1b[2Jb\n.test", "", 1));
  EXPECT_NE(summary.Text().find("  a\\x1b[2Jb\\x0a.test port 1 (tcp)"), std::string::npos);
  EXPECT_NE(summary.Text().find(R"(add {"to":[{"host":"a\u001b[2Jb\n.test"}])"), std::string::npos);
}

TEST(NetworkSummary, IsBounded) {
  NetworkSummary summary(PolicyForm::kDirectional);
  for (int i = 0; i < 150; ++i) summary.Add(Refused("n" + std::to_string(i) + ".test", "", 1));
  const std::string text = summary.Text();
  EXPECT_NE(text.find("150 destinations refused"), std::string::npos);
  EXPECT_NE(text.find("  and 50 refusals of other destinations\n"), std::string::npos);
}

TEST(NetworkSummary, ShortOnesNameWhatARuleDecidesTheLastFirst) {
  NetworkSummary summary(PolicyForm::kFlags);
  summary.Add(Refused("b.test", "", 443));
  summary.Add(Refused("a.test", "", 0, GatewayEvent::kName));
  GatewayRecord denied = Refused("z.test", "", 80);
  denied.pointer = "/network/egress/deny/0";
  summary.Add(denied);
  summary.Add(Refused("localhost", "", 0, GatewayEvent::kName));
  GatewayRecord dead = Refused("gone.test", "", 0, GatewayEvent::kName);
  dead.pointer.clear();
  summary.Add(dead);
  GatewayRecord unresolved = Refused("gone.test", "", 443);
  unresolved.pointer.clear();
  unresolved.reason = "the name has no address";
  summary.Add(unresolved);
  const std::vector<std::string> lines = summary.Short();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "gone.test port 443 (tcp): the name has no address; no entry of the policy changes that");
  EXPECT_EQ(lines[1], "z.test port 80 (tcp): no rule allows it; denied by /network/egress/deny/0");
  EXPECT_EQ(lines[2], "a.test (looked up): no rule allows it; to allow it, add --allow-host a.test");
  EXPECT_EQ(lines[3], "b.test port 443 (tcp): no rule allows it; to allow it, add --allow-host b.test:443");
}

}  // namespace
}  // namespace mxc::network_summary_test
