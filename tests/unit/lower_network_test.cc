// What becomes of each clause about the network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/linux/lower.h"
#include "tests/unit/linux_policies.h"

namespace mxc::linux_backend::lower_network_test {
namespace {

using ::mxc::testing_policies::PolicyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Everything denied, with the pointers of the directional form.
Policy Closed() {
  Policy policy = PolicyOf({});
  policy.network.egress_pointer = "/network/egress/default";
  policy.network.ingress_pointer = "/network/ingress/default";
  policy.network.host_loopback_pointer = "/network/ingress/hostLoopback";
  return policy;
}

NetworkRule RuleTo(Peer peer, std::string pointer, std::vector<PortRange> ports = {}) {
  return {.to = {std::move(peer)}, .ports = std::move(ports), .pointer = std::move(pointer)};
}

Lowered Lower(const Policy& policy) {
  Result<Lowered> lowered = LowerPolicy(policy);
  EXPECT_TRUE(lowered.ok()) << (lowered.ok() ? "" : lowered.error().message);
  return lowered.ok() ? std::move(*lowered) : Lowered{};
}

// "pointer strength mechanism" of the network's clauses.
std::vector<std::string> Ledger(const Lowered& lowered) {
  std::vector<std::string> lines;
  for (const Enforcement& entry : lowered.ledger) {
    if (!entry.pointer.starts_with("/network")) continue;
    lines.push_back(entry.pointer + " " + std::string(Name(entry.strength)) + ": " + entry.mechanism);
  }
  return lines;
}

void ExpectRefusal(const Policy& policy, const std::string& pointer, const std::string& hint) {
  const Result<Lowered> lowered = LowerPolicy(policy);
  ASSERT_FALSE(lowered.ok()) << pointer;
  EXPECT_EQ(lowered.error().code, ErrorCode::kUnenforceable);
  EXPECT_EQ(lowered.error().pointer, pointer);
  EXPECT_THAT(lowered.error().hint, HasSubstr(hint));
}

TEST(LowerNetwork, NothingAllowedNeedsNoGateway) {
  Policy policy = Closed();
  policy.network.deny = {RuleTo({.host = "a.test"}, "/network/egress/deny/0")};
  const Lowered lowered = Lower(policy);
  EXPECT_TRUE(lowered.sandbox.private_network);
  EXPECT_FALSE(lowered.sandbox.gateway);
  EXPECT_FALSE(lowered.egress);
  EXPECT_THAT(Ledger(lowered),
              ElementsAre("/network kernel: network namespace without a route",
                          "/network/egress/default kernel: network namespace without a route",
                          "/network/egress/deny/0 kernel: network namespace without a route",
                          "/network/ingress/default kernel: network namespace without a route",
                          "/network/ingress/hostLoopback kernel: network namespace without a route"));
}

// Whoever asks what was tried gets the gateway, which tells, and allows nothing either.
TEST(LowerNetwork, NothingAllowedIsToldByTheGateway) {
  Policy policy;
  policy.network.recorded = true;
  const Lowered lowered = Lower(policy);
  EXPECT_TRUE(lowered.sandbox.gateway);
  ASSERT_TRUE(lowered.egress);
  EXPECT_EQ(lowered.egress->egress, RuleAction::kDeny);
  EXPECT_EQ(lowered.egress->host_loopback, RuleAction::kDeny);
  EXPECT_EQ(lowered.egress->egress_pointer, "/network") << "there is something to edit";
  EXPECT_THAT(lowered.egress->allow, IsEmpty());
  EXPECT_THAT(Ledger(lowered), ElementsAre("/network proxy: packet filter rules refuse addresses that no "
                                           "rule allows, the network gateway names and the rest"));

  const Result<Lowered> without = LowerPolicy(policy, {.why_no_gateway = "no nftables"});
  ASSERT_TRUE(without.ok());
  EXPECT_FALSE(without->sandbox.gateway) << "no more than welcome";
}

TEST(LowerNetwork, AnAllowedHostGoesThroughTheGateway) {
  Policy policy = Closed();
  policy.network.allow = {
      RuleTo({.host = "a.test"}, "/network/egress/allow/0", {{Protocol::kTcp, 443, 443}})};
  policy.network.deny = {RuleTo({.cidr = "10.0.0.0/8"}, "/network/egress/deny/0"),
                         RuleTo({.cidr = "10.0.0.0/8"}, "/network/egress/deny/1", {{Protocol::kIcmp}})};
  const Lowered lowered = Lower(policy);
  EXPECT_TRUE(lowered.sandbox.private_network);
  EXPECT_TRUE(lowered.sandbox.gateway);
  ASSERT_TRUE(lowered.egress);
  EXPECT_EQ(lowered.egress->egress, RuleAction::kDeny);
  EXPECT_EQ(lowered.egress->egress_pointer, "/network/egress/default");
  ASSERT_EQ(lowered.egress->allow.size(), 1U);
  EXPECT_EQ(lowered.egress->allow[0].to[0].host, "a.test");
  ASSERT_EQ(lowered.egress->deny.size(), 1U);  // ICMP never gets as far as the gateway
  EXPECT_EQ(lowered.egress->deny[0].pointer, "/network/egress/deny/0");
  EXPECT_THAT(
      Ledger(lowered),
      ElementsAre(
          "/network/egress/default proxy: packet filter rules refuse addresses that no rule allows, the "
          "network gateway names and the rest",
          "/network/egress/allow/0 proxy: every route ends at the network gateway, which dials what is "
          "allowed",
          "/network/egress/deny/0 proxy: packet filter rules refuse the addresses, the network gateway names "
          "that lead there",
          "/network/egress/deny/1 kernel: no route leads out, and packet filter rules drop ICMP",
          "/network/ingress/default kernel: network namespace that no address of the host leads into",
          "/network/ingress/hostLoopback proxy: packet filter rules refuse addresses that no rule allows, "
          "the network gateway names and the rest"));
  EXPECT_THAT(lowered.relaxations, IsEmpty());
}

TEST(LowerNetwork, AnOpenDefaultStillGoesThroughTheGateway) {
  Policy policy = Closed();
  policy.network.egress = RuleAction::kAllow;
  const Lowered lowered = Lower(policy);
  ASSERT_TRUE(lowered.egress);
  EXPECT_EQ(lowered.egress->egress, RuleAction::kAllow);
  EXPECT_THAT(Ledger(lowered)[0], HasSubstr("no loopback, link-local or metadata address"));
}

TEST(LowerNetwork, TheHostsLoopbackHasAName) {
  Policy policy = Closed();
  policy.network.host_loopback = RuleAction::kAllow;
  const Lowered lowered = Lower(policy);
  ASSERT_TRUE(lowered.egress);
  EXPECT_EQ(lowered.egress->host_loopback, RuleAction::kAllow);
  EXPECT_EQ(lowered.egress->host_loopback_pointer, "/network/ingress/hostLoopback");
  EXPECT_EQ(
      Ledger(lowered)[2],
      "/network/ingress/hostLoopback proxy: the network gateway relays the name host.mxc.internal to it");
}

TEST(LowerNetwork, PortsOfTheHostsLoopback) {
  Policy policy = Closed();
  policy.network.loopback_ports = {{.port = 5432, .pointer = "/network/ingress/hostLoopbackPorts/0"}};
  const Lowered lowered = Lower(policy);
  ASSERT_TRUE(lowered.egress);
  EXPECT_EQ(lowered.egress->host_loopback, RuleAction::kDeny);
  ASSERT_EQ(lowered.egress->loopback_ports.size(), 1U);
  EXPECT_EQ(Ledger(lowered)[3],
            "/network/ingress/hostLoopbackPorts/0 proxy: the network gateway relays the port of "
            "host.mxc.internal to the host's loopback, and no other");
  policy.network.proxy = ProxyRule{.host = "proxy.test", .port = 3128, .pointer = "/network/proxy"};
  ExpectRefusal(policy, "/network/ingress/hostLoopbackPorts/0", "remove the port, or the proxy");
}

TEST(LowerNetwork, PublishedPortsAreRelayed) {
  Policy policy = Closed();
  policy.network.publish = {{.host = 18080, .guest = 80, .pointer = "/network/ingress/publish/0"}};
  const Lowered lowered = Lower(policy);
  ASSERT_TRUE(lowered.egress);
  ASSERT_EQ(lowered.egress->publish.size(), 1U);
  EXPECT_EQ(lowered.egress->publish[0].guest, 80);
  EXPECT_EQ(Ledger(lowered)[3],
            "/network/ingress/publish/0 proxy: the network gateway relays the port of the host's loopback");
}

std::string ValueOf(const LinuxSandbox& sandbox, std::string_view name) {
  std::string values;
  for (const Variable& variable : sandbox.environment) {
    if (variable.name == name) values += variable.value.Reveal() + ";";
  }
  return values;
}

TEST(LowerNetwork, AProxyIsTheOnlyWayOutAndProgramsAreTold) {
  Policy policy = Closed();
  policy.network.proxy = ProxyRule{
      .url = "http://proxy.test:3128", .host = "proxy.test", .port = 3128, .pointer = "/network/proxy"};
  policy.process.environment = {{"HTTPS_PROXY", Secret{"http://own:1"}}, {"NO_PROXY", Secret{"*"}}};
  const Lowered lowered = Lower(policy);
  ASSERT_TRUE(lowered.egress && lowered.egress->proxy);
  EXPECT_EQ(lowered.egress->proxy->host, "proxy.test");
  EXPECT_EQ(lowered.egress->proxy->port, 3128);
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "http_proxy", "https_proxy",
                           "all_proxy", "ftp_proxy"}) {
    EXPECT_EQ(ValueOf(lowered.sandbox, name), "http://proxy.test:3128;") << name;
  }
  EXPECT_EQ(ValueOf(lowered.sandbox, "NO_PROXY"), "localhost,127.0.0.1,::1;");
  EXPECT_EQ(Ledger(lowered).back(),
            "/network/proxy proxy: every route ends at the network gateway, which dials the proxy alone");
}

TEST(LowerNetwork, AProxyOnTheHostsLoopbackHasAnAddressInside) {
  for (const char* host : {"localhost", "127.0.0.1", "127.9.9.9", "::1"}) {
    Policy policy = Closed();
    policy.network.proxy = ProxyRule{
        .url = "https://" + std::string(host) + ":3128", .host = host, .port = 3128, .pointer = "/p"};
    EXPECT_EQ(ValueOf(Lower(policy).sandbox, "https_proxy"), "https://198.18.0.1:3128;") << host;
  }
}

// Closed, with the proxy of an environment.
Policy Proxied() {
  Policy policy = Closed();
  policy.network.upstream = {
      .pointer = "/network/egress/upstreamProxy",
      .others = UpstreamProxy{
          .host = "proxy.corp", .port = 3128, .credentials = Secret{"me:marker"}, .variable = "HTTPS_PROXY"}};
  return policy;
}

TEST(LowerNetwork, AnUpstreamProxyIsNamedWithoutItsCredentials) {
  Policy policy = Proxied();
  policy.network.allow = {RuleTo({.host = "a.test"}, "/network/egress/allow/0")};
  policy.network.deny = {RuleTo({.host = "b.a.test"}, "/network/egress/deny/0")};
  const Lowered lowered = Lower(policy);
  ASSERT_TRUE(lowered.egress && lowered.egress->upstream.others);
  EXPECT_EQ(lowered.egress->upstream.others->credentials.Reveal(), "me:marker");
  const std::vector<std::string> ledger = Ledger(lowered);
  EXPECT_THAT(
      ledger,
      Contains("/network/egress/allow/0 proxy: every route ends at the network gateway, which reaches "
               "what is allowed through the host's proxy"));
  EXPECT_EQ(ledger.back(),
            "/network/egress/upstreamProxy proxy: the network gateway asks the proxy for what is allowed: "
            "port 80 directly, for no variable names a proxy, other ports through HTTPS_PROXY (proxy.corp "
            "port 3128)");
  policy.network.upstream.others.reset();
  EXPECT_EQ(Ledger(Lower(policy)).back(),
            "/network/egress/upstreamProxy proxy: no proxy is set for mxc-exec: the network gateway dials");
  policy.network.allow.clear();
  EXPECT_EQ(Ledger(Lower(policy)).back(),
            "/network/egress/upstreamProxy kernel: network namespace without a route");
}

TEST(LowerNetwork, WhatAnUpstreamProxyCannotHoldIsRefused) {
  const std::string allow = "/network/egress/allow/0";
  Policy open = Proxied();
  open.network.egress = RuleAction::kAllow;
  ExpectRefusal(open, "/network/egress/default", "upstreamProxy");
  for (NetworkRule rule :
       {RuleTo({.host = "*"}, allow), RuleTo({.cidr = "0.0.0.0/0"}, allow), NetworkRule{.pointer = allow},
        RuleTo({.host = "a.test"}, allow, {{Protocol::kUdp, 53, 53}})}) {
    Policy policy = Proxied();
    policy.network.allow = {std::move(rule)};
    ExpectRefusal(policy, allow, "upstreamProxy");
  }
  Policy denied = Proxied();
  denied.network.allow = {RuleTo({.host = "a.test"}, allow)};
  denied.network.deny = {RuleTo({.cidr = "10.0.0.0/8"}, "/network/egress/deny/0")};
  ExpectRefusal(denied, "/network/egress/deny/0", "upstreamProxy");
  Policy twice = Proxied();
  twice.network.proxy = ProxyRule{.url = "http://a:1", .host = "a", .port = 1, .pointer = "/p"};
  ExpectRefusal(twice, "/network/egress/upstreamProxy", "upstreamProxy");
}

TEST(LowerNetwork, WhatTheGatewayCannotHoldIsRefused) {
  Policy inbound = Closed();
  inbound.network.ingress = RuleAction::kAllow;
  ExpectRefusal(inbound, "/network/ingress/default", "network.ingress.publish");

  Policy icmp = Closed();
  icmp.network.allow = {RuleTo({.cidr = "10.0.0.0/8"}, "/network/egress/allow/0",
                               {{Protocol::kTcp, 80, 80}, {Protocol::kIcmp}})};
  ExpectRefusal(icmp, "/network/egress/allow/0", "icmp");

  Policy test_proxy = Closed();
  test_proxy.network.proxy = ProxyRule{.url = "builtin:", .pointer = "/network/proxy"};
  ExpectRefusal(test_proxy, "/network/proxy", "url");
}

// What a live probe has found is no claim of the ledger.
TEST(LowerNetwork, AHostWithoutWhatTheGatewayNeedsIsSaidSo) {
  const Facts facts{.why_no_gateway = "no nftables"};
  Policy policy = Closed();
  EXPECT_TRUE(LowerPolicy(policy, facts).ok());
  const auto refused = [&](const std::string& pointer) {
    const Result<Lowered> lowered = LowerPolicy(policy, facts);
    ASSERT_FALSE(lowered.ok());
    EXPECT_EQ(lowered.error().code, ErrorCode::kUnenforceable);
    EXPECT_EQ(lowered.error().pointer, pointer);
    EXPECT_EQ(lowered.error().message, "the network gateway cannot stand here: no nftables");
  };
  policy.network.host_loopback = RuleAction::kAllow;
  refused("/network/ingress/hostLoopback");
  policy.network.publish = {{.host = 1, .guest = 1, .pointer = "/network/ingress/publish/0"}};
  refused("/network/ingress/publish/0");
  policy.network.egress = RuleAction::kAllow;
  refused("/network/egress/default");
  policy.network.allow = {RuleTo({.host = "a.test"}, "/network/egress/allow/0")};
  refused("/network/egress/allow/0");
}

TEST(LowerNetwork, TheHostsNetworkCannotBeFiltered) {
  Policy policy = Closed();
  policy.network.egress = RuleAction::kAllow;
  policy.network.share_host = true;
  policy.network.share_host_pointer = "/network/allowLocalNetwork";
  EXPECT_FALSE(Lower(policy).sandbox.private_network);
  EXPECT_THAT(Lower(policy).relaxations, ElementsAre("shared-host-network"));
  policy.network.deny = {RuleTo({.cidr = "10.0.0.0/8"}, "/network/blockedHosts/0")};
  ExpectRefusal(policy, "/network/blockedHosts/0", "allowLocalNetwork");
}

}  // namespace
}  // namespace mxc::linux_backend::lower_network_test
