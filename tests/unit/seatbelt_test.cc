// What the Seatbelt planner decides that its golden plans do not show.
#include "backends/seatbelt/seatbelt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/make_plan.h"
#include "tests/support/fake_host.h"
#include "tests/support/sbpl.h"
#include "tests/unit/linux_policies.h"

namespace mxc::seatbelt::seatbelt_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_policies::DeniedDirectory;
using testing_policies::DeniedFile;
using testing_policies::PolicyOf;
using testing_policies::ReadOnly;
using testing_policies::ReadWrite;

Policy Of(std::vector<PathRule> paths) {
  Policy policy = PolicyOf(std::move(paths));
  policy.containment = Containment::kSeatbelt;
  policy.system = OperatingSystem::kMacos;
  return policy;
}

Support Mac() { return {.usable = true, .tier = Tier::kProcess}; }

Result<Plan> Planned(const Policy& policy, const Support& support = Mac()) {
  return MakePlan(SeatbeltBackend(), policy, support);
}

SbplProfile ProfileOf(const Policy& policy) {
  const Result<Plan> plan = Planned(policy);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  const Result<SbplProfile> profile = SbplProfile::Parse(std::get<SeatbeltLaunch>(plan->launch).sandbox,
                                                         {{"TEMP", "/private/var/folders/x/run"},
                                                          {"KEYCHAINS", "/Users/me/Library/Keychains"},
                                                          {"MARK", "mark"},
                                                          {"NO_MARK", "none"}});
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
  return *profile;
}

bool May(const SbplProfile& profile, const std::string& operation, const std::string& subject) {
  return profile.Allows({.operation = operation, .subject = subject});
}

Json Section(const std::string& key, bool value) {
  Json flag;
  flag.kind = Json::Kind::kBool;
  flag.boolean = value;
  Json section;
  section.kind = Json::Kind::kObject;
  section.members.push_back({.key = key, .value = flag});
  return section;
}

TEST(Seatbelt, AGrantOfEverythingLeavesTheSystemsOwn) {
  const SbplProfile profile = ProfileOf(Of({ReadWrite("/")}));
  EXPECT_TRUE(May(profile, "file-write-data", "/Users/me/x"));
  EXPECT_FALSE(May(profile, "file-write-data", "/dev/disk0"));
  EXPECT_FALSE(May(profile, "file-write-data", "/dev/ttys001"));
  EXPECT_FALSE(May(profile, "file-read-data", "/private/tmp/x"));
  EXPECT_FALSE(May(profile, "file-read-data", "/private/var/folders/x/y"));
  EXPECT_TRUE(May(profile, "file-write-data", "/private/var/folders/x/run/y"));
  EXPECT_TRUE(May(profile, "file-write-data", "/dev/null"));
}

TEST(Seatbelt, AGrantOfTmpIsTheHosts) {
  const SbplProfile profile = ProfileOf(Of({ReadWrite("/private/tmp")}));
  EXPECT_TRUE(May(profile, "file-write-create", "/private/tmp/x"));
  EXPECT_FALSE(May(profile, "file-write-create", "/private/var/folders/x/run/y"));
}

TEST(Seatbelt, SocketsOfAgentsStayOutOfReach) {
  const SbplProfile profile = ProfileOf(Of({ReadWrite("/")}));
  EXPECT_TRUE(May(profile, "network-outbound", "/Users/me/work/server.sock"));
  EXPECT_FALSE(May(profile, "network-outbound", "/private/var/run/docker.sock"));
  EXPECT_FALSE(May(profile, "network-outbound", "/Users/me/.docker/run/docker.sock"));
  EXPECT_FALSE(May(profile, "network-outbound", "/Users/me/.gnupg/S.gpg-agent.ssh"));
  EXPECT_FALSE(May(profile, "network-outbound", "/private/tmp/com.apple.launchd.x/Listeners"));
}

TEST(Seatbelt, AWrittenSocketNeedsAGrantToWrite) {
  const SbplProfile profile =
      ProfileOf(Of({ReadOnly("/srv/a"), ReadWrite("/srv/b", "/filesystem/readwritePaths/0")}));
  EXPECT_FALSE(May(profile, "network-outbound", "/srv/a/s"));
  EXPECT_TRUE(May(profile, "network-outbound", "/srv/b/s"));
  EXPECT_TRUE(May(profile, "network-bind", "/srv/b/s"));
}

TEST(Seatbelt, NamesLeadNowhereElse) {
  const SbplProfile profile = ProfileOf(Of({ReadWrite("/srv"), DeniedFile("/srv/a/b/secret")}));
  for (const char* above : {"/srv", "/srv/a", "/srv/a/b"}) {
    EXPECT_FALSE(May(profile, "file-write-unlink", above)) << above;
  }
  EXPECT_TRUE(May(profile, "file-write-unlink", "/srv/a/b/other"));
  EXPECT_FALSE(May(profile, "file-link", "/srv/a/b/secret"));
}

TEST(Seatbelt, TheWayToAGrantShowsAndNothingBesideIt) {
  const SbplProfile profile = ProfileOf(Of({ReadOnly("/Users/me/work/x")}));
  EXPECT_TRUE(May(profile, "file-read-metadata", "/Users/me/work"));
  EXPECT_FALSE(May(profile, "file-read-data", "/Users/me/work"));
  EXPECT_FALSE(May(profile, "file-read-metadata", "/Users/me/.ssh"));
}

TEST(Seatbelt, OtherProcessesAndOtherProgramsAreNobodysBusiness) {
  const SbplProfile profile = ProfileOf(Of({}));
  EXPECT_FALSE(profile.Allows({.operation = "signal", .same_sandbox = false}));
  EXPECT_FALSE(profile.Allows({.operation = "process-info-pidinfo", .same_sandbox = false}));
  EXPECT_TRUE(profile.Allows({.operation = "signal"}));
  EXPECT_FALSE(May(profile, "sysctl-read", "kern.procargs2.1"));
  EXPECT_TRUE(May(profile, "sysctl-read", "hw.optional.arm64"));
  for (const char* service : {"com.apple.coreservices.launchservicesd", "com.apple.FSEvents",
                              "com.apple.pasteboard.1", "com.apple.SecurityServer", "com.apple.trustd"}) {
    EXPECT_FALSE(May(profile, "mach-lookup", service)) << service;
  }
}

TEST(Seatbelt, TheMarkOutlivesEveryService) {
  Policy policy = Of({});
  policy.ui.disabled = false;
  policy.section = Section("guiAccess", true);
  const SbplProfile profile = ProfileOf(policy);
  EXPECT_TRUE(May(profile, "mach-lookup", "com.example.anything"));
  EXPECT_TRUE(May(profile, "mach-lookup", "mark"));
  EXPECT_FALSE(May(profile, "mach-lookup", "none"));
}

TEST(Seatbelt, APolicysDenialStandsAgainstAnOption) {
  Policy policy = Of({DeniedDirectory("/Users/me/Library/Keychains")});
  policy.section = Section("keychainAccess", true);
  const SbplProfile profile = ProfileOf(policy);
  EXPECT_TRUE(May(profile, "mach-lookup", "com.apple.SecurityServer"));
  EXPECT_FALSE(May(profile, "file-read-data", "/Users/me/Library/Keychains/login.keychain-db"));
}

TEST(Seatbelt, HostsGoThroughTheGatewayAlone) {
  Policy policy = Of({});
  policy.network.allow = {{.to = {{.host = "example.com"}}, .pointer = "/network/egress/allow/0"}};
  policy.clauses = {{.pointer = "/network/egress/allow/0", .text = "example.com"}};
  policy.process.environment = {
      {"https_proxy", Secret{"http://elsewhere"}}, {"NO_PROXY", Secret{"*"}}, {"A", Secret{"b"}}};
  const Result<Plan> plan = Planned(policy);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->ledger.at(0).strength, Strength::kTrustedProcess);
  ASSERT_TRUE(plan->egress);
  const Result<SbplProfile> profile =
      SbplProfile::Parse(std::get<SeatbeltLaunch>(plan->launch).sandbox,
                         {{"TEMP", "/t"}, {"MARK", "m"}, {"NO_MARK", "n"}, {"GATEWAY", "localhost:4000"}});
  ASSERT_TRUE(profile);
  EXPECT_TRUE(May(*profile, "network-outbound", "localhost:4000"));
  EXPECT_FALSE(May(*profile, "network-outbound", "localhost:4001"));
  EXPECT_FALSE(May(*profile, "network-outbound", "192.0.2.1:443"));
  ASSERT_EQ(std::get<SeatbeltLaunch>(plan->launch).sandbox.environment.size(),
            1U);  // the launcher adds those of the gateway
  EXPECT_EQ(std::get<SeatbeltLaunch>(plan->launch).sandbox.environment[0].name, "A");
  ASSERT_EQ(plan->warnings.size(), 1U);
  EXPECT_EQ(plan->warnings[0].category, "proxy-variables");
}

NetworkRule OnPorts(std::vector<PortRange> ports, const std::string& pointer) {
  return {.to = {{.cidr = "192.0.2.0/24"}}, .ports = std::move(ports), .pointer = pointer};
}

// Of the rule with this pointer.
std::string MechanismOf(const Policy& policy, const std::string& pointer) {
  const Result<Plan> plan = SeatbeltBackend().plan(policy, Mac());
  if (!plan)
    return std::string(Name(plan.error().code)) + " " + plan.error().pointer + ": " + plan.error().message;
  for (const Enforcement& entry : plan->ledger) {
    if (entry.pointer == pointer) return std::string(Name(entry.strength)) + " " + entry.mechanism;
  }
  return "no entry";
}

TEST(Seatbelt, APortOfTcpCarriesNeitherUdpNorIcmp) {
  for (const Protocol protocol : {Protocol::kUdp, Protocol::kIcmp}) {
    Policy policy = Of({});
    policy.network.allow = {OnPorts({{.protocol = Protocol::kTcp}}, "/allow/0"),
                            OnPorts({{.protocol = Protocol::kTcp}, {.protocol = protocol}}, "/allow/1")};
    EXPECT_THAT(MechanismOf(policy, ""), HasSubstr("unenforceable /allow/1: "));
    policy.network.allow.pop_back();
    policy.network.deny = {OnPorts({{.protocol = protocol}}, "/deny/0"),
                           OnPorts({{.protocol = protocol}, {.protocol = Protocol::kTcp}}, "/deny/1")};
    EXPECT_THAT(MechanismOf(policy, "/deny/0"), HasSubstr("kernel no Seatbelt rule grants anything but TCP"));
    EXPECT_THAT(MechanismOf(policy, "/deny/1"), HasSubstr("proxy "));
  }
}

TEST(Seatbelt, WhatEveryProtocolMeansIsSaid) {
  Policy policy = Of({});
  policy.network.allow = {OnPorts({}, "/allow/0"), OnPorts({{.first = 443, .last = 443}}, "/allow/1"),
                          OnPorts({{.protocol = Protocol::kTcp}}, "/allow/2")};
  EXPECT_THAT(MechanismOf(policy, "/allow/0"), HasSubstr("UDP and ICMP stay blocked"));
  EXPECT_THAT(MechanismOf(policy, "/allow/1"), HasSubstr("UDP and ICMP stay blocked"));
  EXPECT_THAT(MechanismOf(policy, "/allow/2"), Not(HasSubstr("stay blocked")));
  policy.network.egress = RuleAction::kAllow;
  policy.network.egress_pointer = "/egress";
  EXPECT_THAT(MechanismOf(policy, "/egress"), HasSubstr("UDP and ICMP stay blocked"));
}

TEST(Seatbelt, AProxyIsReachedByTcpAlone) {
  Policy policy = Of({});
  policy.network.proxy = ProxyRule{.url = "http://127.0.0.1:8080", .host = "127.0.0.1", .port = 8080};
  const SbplProfile profile = ProfileOf(policy);
  SbplQuestion question{.operation = "network-outbound", .subject = "localhost:8080"};
  EXPECT_TRUE(profile.Allows(question));
  question.protocol = "udp";
  EXPECT_FALSE(profile.Allows(question));
}

TEST(Seatbelt, TheTestProxyOfTheReferenceIsNotHere) {
  Policy policy = Of({});
  policy.network.proxy = ProxyRule{.pointer = "/network/proxy"};
  EXPECT_THAT(MechanismOf(policy, ""), HasSubstr("unenforceable /network/proxy: the test proxy"));
}

TEST(Seatbelt, AProxyElsewhereIsTheGatewaysOnlyDestination) {
  Policy policy = Of({});
  policy.network.proxy = ProxyRule{
      .url = "http://proxy.example:3128", .host = "proxy.example", .port = 3128, .pointer = "/proxy"};
  const Result<Plan> plan = SeatbeltBackend().plan(policy, Mac());
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_TRUE(plan->egress->proxy);
  EXPECT_EQ(plan->egress->proxy->host, "proxy.example");
  EXPECT_EQ(plan->egress->proxy->port, 3128);
  policy.network.proxy->url = "https://proxy.example:3128";
  EXPECT_THAT(MechanismOf(policy, ""), HasSubstr("unenforceable /proxy: the way to the proxy"));
}

TEST(Seatbelt, WhatIsLookedAtAgain) {
  const Result<Plan> plan = Planned(Of({ReadWrite("/srv/work")}));
  ASSERT_TRUE(plan);
  ASSERT_EQ(std::get<SeatbeltLaunch>(plan->launch).sandbox.verified.size(), 1U);
  EXPECT_EQ(std::get<SeatbeltLaunch>(plan->launch).sandbox.verified[0].path, "/srv/work");
  EXPECT_EQ(std::get<SeatbeltLaunch>(plan->launch).sandbox.verified[0].object.inode, 2U);
}

TEST(Seatbelt, TheTimeOutReachesWhateverHasMovedAway) {
  Policy policy = Of({});
  policy.process.timeout_ms = 1000;
  policy.clauses = {{.pointer = "/process/timeout", .text = "1000 ms"}};
  const Result<Plan> plan = Planned(policy);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->ledger.at(0).strength, Strength::kKernel);
  EXPECT_THAT(plan->ledger.at(0).mechanism, HasSubstr("every process that carries the mark"));
}

TEST(Seatbelt, ProbeKnowsItsSystem) {
  FakeHost linux_host;
  EXPECT_EQ(ProbeSeatbelt(linux_host, ProbeDepth::kQuick).code, ErrorCode::kUnsupported);
  EXPECT_FALSE(ProbeSeatbelt(linux_host, ProbeDepth::kQuick).usable);
  EXPECT_TRUE(ProbeSeatbelt(linux_host, ProbeDepth::kAssumed).usable);
  FakeHost mac;
  mac.SetSystem(OperatingSystem::kMacos);
  EXPECT_TRUE(ProbeSeatbelt(mac, ProbeDepth::kQuick).usable);
  EXPECT_EQ(ProbeSeatbelt(mac, ProbeDepth::kLive).code, ErrorCode::kUnavailable);
  mac.Answer({"/usr/bin/sandbox-exec", "-p", "(version 1)(allow default)", "/usr/bin/true"}, {});
  EXPECT_TRUE(ProbeSeatbelt(mac, ProbeDepth::kLive).usable);
}

}  // namespace
}  // namespace mxc::seatbelt::seatbelt_test
