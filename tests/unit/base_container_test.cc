// Which policies the base container of Windows takes, and what it is told of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "backends/appcontainer/appcontainer.h"
#include "dispatch.h"
#include "plan/describe.h"
#include "plan/make_plan.h"

namespace mxc::base_container_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

PathRule Rule(Access access, std::string path) {
  return {.path = std::move(path),
          .access = access,
          .object = FileObject{.type = FileType::kDirectory},
          .pointer = "/filesystem/" + std::string(access == Access::kDenied ? "deniedPaths" : "grants")};
}

Policy Of(std::vector<PathRule> paths) {
  Policy policy{.containment = Containment::kProcessContainer, .system = OperatingSystem::kWindows};
  policy.process.argv = {"x.exe"};
  policy.process.cwd = "C:\\";
  for (const PathRule& rule : paths) policy.clauses.push_back({.pointer = rule.pointer, .text = rule.path});
  policy.paths = std::move(paths);
  return policy;
}

Support New() {
  Support support{.usable = true, .tier = Tier::kProcess};
  support.windows = {.build = 26700,
                     .app_container = true,
                     .capability_names = true,
                     .security_environment = true,
                     .security_environment_denies = true};
  return support;
}

Result<Plan> Planned(const Policy& policy, const Support& support = New()) {
  return MakePlan(appcontainer::AppContainerBackend(), policy, support);
}

bool TakesBase(const Policy& policy, const Support& support = New()) {
  const Result<Plan> plan = Planned(policy, support);
  EXPECT_TRUE(plan) << plan.error().message;
  if (!plan) return false;
  if (!std::get<AppContainerLaunch>(plan->launch).sandbox.base) return false;
  EXPECT_THAT(std::get<AppContainerLaunch>(plan->launch).sandbox.acl, IsEmpty());
  return true;
}

TEST(BaseContainer, ChangesNoList) {
  const Policy policy = Of({Rule(Access::kReadWrite, "C:\\w"), Rule(Access::kReadOnly, "D:\\r"),
                            Rule(Access::kDenied, "C:\\w\\no")});
  const Result<Plan> plan = Planned(policy);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_TRUE(std::get<AppContainerLaunch>(plan->launch).sandbox.base);
  const BaseContainer& base = *std::get<AppContainerLaunch>(plan->launch).sandbox.base;
  EXPECT_THAT(base.read_write, ElementsAre("C:\\w"));
  EXPECT_THAT(base.read_only, ElementsAre("D:\\r"));
  EXPECT_THAT(base.denied, ElementsAre("C:\\w\\no"));
  EXPECT_THAT(std::get<AppContainerLaunch>(plan->launch).sandbox.acl, IsEmpty());
  for (const Enforcement& entry : plan->ledger)
    EXPECT_THAT(entry.mechanism, HasSubstr("security environment"));
  EXPECT_THAT(DescribeText(Dispatch(plan->containment), policy, *plan), HasSubstr("read-only  'D:\\r'"));
  EXPECT_THAT(DescribeJson(Dispatch(plan->containment), policy, *plan), HasSubstr("\"readOnly\": ["));
}

TEST(BaseContainer, NeedsNoLeaveToChangeLists) {
  Policy policy = Of({Rule(Access::kReadWrite, "C:\\w")});
  policy.windows.acl_changes_allowed = false;
  EXPECT_TRUE(TakesBase(policy));
  EXPECT_FALSE(Planned(policy, {.usable = true, .tier = Tier::kProcess}));
}

TEST(BaseContainer, IsTakenWhereItIsThereAndIsWindows) {
  Support support = New();
  EXPECT_TRUE(TakesBase(Of({}), support));
  support.windows.wine = true;
  EXPECT_FALSE(TakesBase(Of({}), support));
  support = New();
  support.windows.security_environment = false;
  EXPECT_FALSE(TakesBase(Of({}), support));
}

TEST(BaseContainer, LeavesWhatIsNotKnownOfItToTheAppContainer) {
  EXPECT_FALSE(TakesBase(Of({Rule(Access::kReadWrite, "C:\\w"), Rule(Access::kReadOnly, "C:\\w\\r")})));
  EXPECT_FALSE(TakesBase(Of({Rule(Access::kReadOnly, "C:\\w"), Rule(Access::kReadWrite, "C:\\w\\x")})));
  EXPECT_FALSE(TakesBase(Of({Rule(Access::kDenied, "C:\\w"), Rule(Access::kReadOnly, "C:\\w\\x")})));
  EXPECT_TRUE(TakesBase(Of({Rule(Access::kReadOnly, "C:\\w"), Rule(Access::kReadOnly, "C:\\w\\x")})));
  EXPECT_TRUE(TakesBase(Of({Rule(Access::kReadOnly, "C:\\w"), Rule(Access::kReadWrite, "C:\\work")})));
  EXPECT_EQ(Planned(Of({Rule(Access::kReadWrite, "C:\\")})).error().pointer, "/filesystem/grants");
  PathRule missing = Rule(Access::kDenied, "C:\\none");
  missing.object.reset();
  EXPECT_FALSE(TakesBase(Of({missing})));
  Support older = New();
  older.windows.security_environment_denies = false;
  EXPECT_FALSE(TakesBase(Of({Rule(Access::kDenied, "C:\\no")}), older));
  EXPECT_TRUE(TakesBase(Of({Rule(Access::kReadOnly, "C:\\r")}), older));
}

TEST(BaseContainer, LeavesAProxyToTheExemptionThatIsAllowed) {
  Policy policy = Of({});
  policy.network.proxy = ProxyRule{.host = "127.0.0.1", .port = 3128, .pointer = "/proxy"};
  Support support = New();
  support.windows.administrator = true;
  EXPECT_FALSE(Planned(policy, support));
  policy.windows.loopback_exemption_allowed = true;
  EXPECT_FALSE(TakesBase(policy, support));
  policy.network.ingress = RuleAction::kAllow;
  policy.network.host_loopback = RuleAction::kAllow;
  EXPECT_TRUE(TakesBase(policy, support));
}

TEST(BaseContainer, HasNeitherLeastPrivilegeNorAProfileThatStays) {
  Policy least = Of({});
  Json flag;
  flag.kind = Json::Kind::kBool;
  flag.boolean = true;
  least.section.kind = Json::Kind::kObject;
  least.section.members.push_back({.key = "leastPrivilege", .value = flag});
  EXPECT_FALSE(TakesBase(least));
  Policy stays = Of({});
  stays.destroy_on_exit = false;
  stays.container_id = "agent";
  EXPECT_FALSE(TakesBase(stays));
}

TEST(BaseContainer, TellsAddressesApart) {
  Policy policy = Of({});
  policy.network.allow = {{.to = {{.cidr = "192.0.2.0/24"}}, .pointer = "/allow/0"}};
  policy.network.deny = {{.to = {{.cidr = "192.0.2.7/32"}}, .pointer = "/deny/0"}};
  policy.clauses = {{.pointer = "/allow/0", .text = "a"}, {.pointer = "/deny/0", .text = "d"}};
  const Result<Plan> plan = Planned(policy);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.base->allow.size(), 1U);
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.base->deny.size(), 1U);
  EXPECT_THAT(std::get<AppContainerLaunch>(plan->launch).sandbox.capabilities, ElementsAre("internetClient"));
  EXPECT_THAT(plan->ledger.at(0).mechanism, HasSubstr("a rule of the base container"));
}

TEST(BaseContainer, KnowsNoNames) {
  Policy policy = Of({});
  policy.network.deny = {{.to = {{.host = "example.com"}}, .pointer = "/deny/0"}};
  const Result<Plan> plan = Planned(policy);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kUnenforceable);
  EXPECT_EQ(plan.error().pointer, "/deny/0");
  EXPECT_THAT(plan.error().message, HasSubstr("no names"));
}

TEST(BaseContainer, OpensOnlyWhatIsOpen) {
  Policy policy = Of({});
  EXPECT_EQ(std::get<AppContainerLaunch>(Planned(policy)->launch).sandbox.base->egress, RuleAction::kDeny);
  EXPECT_THAT(std::get<AppContainerLaunch>(Planned(policy)->launch).sandbox.capabilities, IsEmpty());
  policy.network.egress = RuleAction::kAllow;
  EXPECT_EQ(std::get<AppContainerLaunch>(Planned(policy)->launch).sandbox.base->egress, RuleAction::kAllow);
  policy.network = {.share_host = true};
  EXPECT_EQ(std::get<AppContainerLaunch>(Planned(policy)->launch).sandbox.base->egress, RuleAction::kAllow);
}

// A Windows with the older contract alone.
Support Older() {
  Support support{.usable = true, .tier = Tier::kProcess};
  support.windows = {.build = 26657, .create_in_sandbox = true, .create_in_sandbox_denies = true};
  return support;
}

BaseContract ContractOf(const Policy& policy, const Support& support) {
  const Result<Plan> plan = Planned(policy, support);
  EXPECT_TRUE(plan && std::get<AppContainerLaunch>(plan->launch).sandbox.base)
      << (plan ? "an AppContainer" : plan.error().message);
  return plan && std::get<AppContainerLaunch>(plan->launch).sandbox.base
             ? std::get<AppContainerLaunch>(plan->launch).sandbox.base->contract
             : BaseContract{};
}

TEST(BaseContainer, TheOlderContractComesLast) {
  Policy policy = Of({Rule(Access::kReadWrite, "C:\\w"), Rule(Access::kDenied, "C:\\w\\no")});
  EXPECT_EQ(ContractOf(policy, Older()), BaseContract::kCreateInSandbox);
  Support support = Older();
  support.windows.app_container = true;
  EXPECT_EQ(ContractOf(policy, support), BaseContract::kCreateInSandbox);  // no names of capabilities
  support.windows.capability_names = true;
  EXPECT_FALSE(TakesBase(policy, support));
  policy.windows.acl_changes_allowed = false;
  EXPECT_EQ(ContractOf(policy, support), BaseContract::kCreateInSandbox);
  EXPECT_FALSE(TakesBase(Of({}), support));
  support.windows.security_environment = support.windows.security_environment_denies = true;
  EXPECT_EQ(ContractOf(policy, support), BaseContract::kSecurityEnvironment);
}

TEST(BaseContainer, TheOlderContractHasLeastPrivilegeAndNamesThatStay) {
  Policy policy = Of({});
  policy.destroy_on_exit = false;
  policy.container_id = "agent";
  Json flag;
  flag.kind = Json::Kind::kBool;
  flag.boolean = true;
  policy.section.kind = Json::Kind::kObject;
  policy.section.members.push_back({.key = "leastPrivilege", .value = flag});
  Support both = Older();
  both.windows.security_environment = true;
  const Result<Plan> plan = Planned(policy, both);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.base->contract,
            BaseContract::kCreateInSandbox);
  EXPECT_TRUE(std::get<AppContainerLaunch>(plan->launch).sandbox.least_privilege);
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.name, "agent");
}

TEST(BaseContainer, WhatNeitherHoldsNeedsAnAppContainer) {
  const auto blamed = [](const Policy& policy, const Support& support = Older()) {
    const Result<Plan> plan = Planned(policy, support);
    return plan ? std::string("planned") : std::string(Name(plan.error().code));
  };
  Support deaf = Older();
  deaf.windows.create_in_sandbox_denies = false;
  EXPECT_EQ(blamed(Of({Rule(Access::kDenied, "C:\\no")}), deaf), "unavailable");
  EXPECT_EQ(blamed(Of({Rule(Access::kReadWrite, "C:\\w"), Rule(Access::kReadOnly, "C:\\w\\r")})),
            "unavailable");
  Policy network = Of({});
  network.network.allow = {{.to = {{.cidr = "192.0.2.0/24"}}, .pointer = "/allow/0"}};
  EXPECT_EQ(blamed(network), "unavailable");
  network.network = {.deny = {{.to = {{.cidr = "192.0.2.0/24"}}, .pointer = "/deny/0"}}};
  EXPECT_EQ(blamed(network), "unavailable");
  network.network = {.host_loopback = RuleAction::kAllow};
  EXPECT_EQ(blamed(network), "unavailable");
  network.network = {.egress = RuleAction::kAllow};
  EXPECT_EQ(ContractOf(network, Older()), BaseContract::kCreateInSandbox);
  Policy temporary = Of({});
  temporary.private_temp_pointer = "/filesystem/temp";
  EXPECT_EQ(blamed(temporary), "unavailable");
  Support wine = Older();
  wine.windows.wine = true;
  EXPECT_EQ(blamed(Of({}), wine), "unavailable");
}

TEST(BaseContainer, TheOlderContractSharesTheConsole) {
  Policy policy = Of({});
  policy.interactive = true;
  const Result<Plan> older = Planned(policy, Older());
  ASSERT_TRUE(older) << older.error().message;
  EXPECT_EQ(std::get<AppContainerLaunch>(older->launch).terminal, Terminal::kInherit);
  EXPECT_THAT(older->not_covered, Contains(HasSubstr("shares it")));
  EXPECT_THAT(Planned(policy)->not_covered, Not(Contains(HasSubstr("shares it"))));
  EXPECT_THAT(DescribeText(Dispatch(older->containment), policy, *older),
              HasSubstr("of the older contract of processmodel.dll"));
  EXPECT_THAT(DescribeJson(Dispatch(older->containment), policy, *older),
              HasSubstr("\"contract\": \"create-in-sandbox\""));
  EXPECT_EQ(std::get<AppContainerLaunch>(Planned(policy)->launch).terminal, Terminal::kPrivatePty);
}

Policy WithProxy(std::string host = "127.0.0.1") {
  Policy policy = Of({});
  policy.network.proxy = {
      .url = "http://127.0.0.1:8080", .host = std::move(host), .port = 8080, .pointer = "/proxy"};
  policy.network.ingress = RuleAction::kAllow;
  policy.network.host_loopback = RuleAction::kAllow;
  policy.network.host_loopback_pointer = "/loopback";
  policy.clauses = {{.pointer = "/proxy", .text = "a proxy"}, {.pointer = "/loopback", .text = "the host"}};
  return policy;
}

void NamePeer(Policy& policy, const std::string& name) {
  const auto object = [](std::string key, Json value) {
    Json json;
    json.kind = Json::Kind::kObject;
    json.members.push_back({.key = std::move(key), .value = std::move(value)});
    return json;
  };
  Json text;
  text.kind = Json::Kind::kString;
  text.text = name;
  policy.section = object("network", object("allowedProxyPeer", text));
}

TEST(BaseContainer, LeadsToAProxyOfTheHost) {
  Policy policy = WithProxy();
  policy.process.environment = {
      {"Path", Secret{"C:\\bin"}}, {"no_proxy", Secret{"*"}}, {"ALL_PROXY", Secret{"x"}}};
  const Result<Plan> plan = Planned(policy);
  ASSERT_TRUE(plan) << plan.error().message;
  const AppContainerSandbox& sandbox = std::get<AppContainerLaunch>(plan->launch).sandbox;
  EXPECT_EQ(sandbox.base->proxy, "http://127.0.0.1:8080");
  EXPECT_EQ(sandbox.base->peer, "MXC-Loopback");
  EXPECT_THAT(sandbox.capabilities, ElementsAre("privateNetworkClientServer", "networkLoopback"));
  std::string environment;
  for (const Variable& variable : sandbox.environment)
    environment += variable.name + "=" + variable.value.Reveal() + " ";
  EXPECT_EQ(environment, "Path=C:\\bin HTTP_PROXY=http://127.0.0.1:8080 HTTPS_PROXY=http://127.0.0.1:8080 ");
  EXPECT_THAT(plan->ledger.at(0).mechanism, HasSubstr("leads to the proxy alone"));
  EXPECT_THAT(plan->not_covered, Contains(HasSubstr("private networks beside the proxy")));
  EXPECT_THAT(DescribeText(Dispatch(plan->containment), policy, *plan),
              HasSubstr("peer       'MXC-Loopback'"));
}

TEST(BaseContainer, LeadsToAProxyInAContainer) {
  Policy policy = WithProxy();
  policy.network.host_loopback = RuleAction::kDeny;
  NamePeer(policy, "my.proxy");
  const Result<Plan> plan = Planned(policy);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.base->peer, "my.proxy");
  EXPECT_THAT(std::get<AppContainerLaunch>(plan->launch).sandbox.capabilities,
              ElementsAre("privateNetworkClientServer"));
}

TEST(BaseContainer, AProxyNeedsOneWay) {
  const auto blamed = [](const Policy& policy) {
    const Result<Plan> plan = Planned(policy);
    return plan ? std::string("planned") : std::string(Name(plan.error().code)) + ": " + plan.error().message;
  };
  Policy policy = WithProxy();
  NamePeer(policy, "my.proxy");
  EXPECT_THAT(blamed(policy), HasSubstr("not in both"));
  policy = WithProxy();
  policy.network.host_loopback = RuleAction::kDeny;
  EXPECT_THAT(blamed(policy), HasSubstr("there is no way to the proxy"));
  NamePeer(policy, "  ");
  EXPECT_THAT(blamed(policy), HasSubstr("there is no way to the proxy"));
  policy = WithProxy();
  policy.network.ingress = RuleAction::kDeny;
  EXPECT_THAT(blamed(policy), HasSubstr("policy_conflict: a proxy of this machine answers from outside"));
  EXPECT_THAT(blamed(WithProxy("proxy.example")), HasSubstr("unenforceable: the base container"));
}

TEST(BaseContainer, ReachesTheHostsLoopback) {
  Policy policy = WithProxy();
  policy.network.proxy.reset();
  policy.clauses = {{.pointer = "/loopback", .text = "the host"}};
  policy.network.ingress = RuleAction::kDeny;
  const Result<Plan> plan = Planned(policy);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(std::get<AppContainerLaunch>(plan->launch).sandbox.capabilities,
              ElementsAre("networkLoopback"));
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.base->peer, "MXC-Loopback");
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.base->proxy, "");
}

}  // namespace
}  // namespace mxc::base_container_test
