// Which policies the base container of Windows takes, and what it is told of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "backends/appcontainer/appcontainer.h"
#include "plan/describe.h"
#include "plan/make_plan.h"

namespace mxc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  if (!plan->app_container->base) return false;
  EXPECT_THAT(plan->app_container->acl, IsEmpty());
  return true;
}

TEST(BaseContainer, ChangesNoList) {
  const Policy policy = Of({Rule(Access::kReadWrite, "C:\\w"), Rule(Access::kReadOnly, "D:\\r"),
                            Rule(Access::kDenied, "C:\\w\\no")});
  const Result<Plan> plan = Planned(policy);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_TRUE(plan->app_container->base);
  const BaseContainer& base = *plan->app_container->base;
  EXPECT_THAT(base.read_write, ElementsAre("C:\\w"));
  EXPECT_THAT(base.read_only, ElementsAre("D:\\r"));
  EXPECT_THAT(base.denied, ElementsAre("C:\\w\\no"));
  EXPECT_THAT(plan->app_container->acl, IsEmpty());
  for (const Enforcement& entry : plan->ledger)
    EXPECT_THAT(entry.mechanism, HasSubstr("security environment"));
  EXPECT_THAT(DescribeText(policy, *plan), HasSubstr("read-only  'D:\\r'"));
  EXPECT_THAT(DescribeJson(policy, *plan), HasSubstr("\"readOnly\": ["));
}

TEST(BaseContainer, NeedsNoLeaveToChangeLists) {
  Policy policy = Of({Rule(Access::kReadWrite, "C:\\w")});
  policy.acl_changes_allowed = false;
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
  PathRule missing = Rule(Access::kDenied, "C:\\none");
  missing.object.reset();
  EXPECT_FALSE(TakesBase(Of({missing})));
  Support older = New();
  older.windows.security_environment_denies = false;
  EXPECT_FALSE(TakesBase(Of({Rule(Access::kDenied, "C:\\no")}), older));
  EXPECT_TRUE(TakesBase(Of({Rule(Access::kReadOnly, "C:\\r")}), older));
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
  EXPECT_EQ(plan->app_container->base->allow.size(), 1U);
  EXPECT_EQ(plan->app_container->base->deny.size(), 1U);
  EXPECT_THAT(plan->app_container->capabilities, ElementsAre("internetClient"));
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
  EXPECT_EQ(Planned(policy)->app_container->base->egress, Verdict::kDeny);
  EXPECT_THAT(Planned(policy)->app_container->capabilities, IsEmpty());
  policy.network.egress = Verdict::kAllow;
  EXPECT_EQ(Planned(policy)->app_container->base->egress, Verdict::kAllow);
  policy.network = {.share_host = true};
  EXPECT_EQ(Planned(policy)->app_container->base->egress, Verdict::kAllow);
}

}  // namespace
}  // namespace mxc
