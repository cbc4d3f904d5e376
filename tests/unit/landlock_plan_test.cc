// The landlock backend: what Landlock and seccomp alone can hold of a policy, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backends/landlock/landlock.h"
#include "plan/make_plan.h"
#include "tests/support/fake_host.h"
#include "tests/unit/linux_policies.h"

namespace mxc::landlock::landlock_plan_test {
namespace {

using namespace testing_policies;  // NOLINT(google-build-using-namespace)
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Support kScoped = {
    .usable = true, .tier = Tier::kProcess, .isolation_level = IsolationLevel::kLandlock, .landlock_abi = 7};

Result<Plan> PlanOf(const Policy& policy, const Support& support = kScoped) {
  return MakePlan(LandlockBackend(), policy, support);
}

// "ro /usr", without the grants that every sandbox has.
std::vector<std::string> Grants(const Plan& plan) {
  std::vector<std::string> text;
  for (const LandlockGrant& grant : std::get<LandlockLaunch>(plan.launch).sandbox.grants) {
    if (grant.optional) continue;
    text.push_back((grant.access == Access::kReadOnly ? "ro " : "rw ") + grant.path);
  }
  return text;
}

std::vector<std::string> Holes(const Plan& plan) {
  std::vector<std::string> text;
  for (const LandlockHole& hole : std::get<LandlockLaunch>(plan.launch).sandbox.holes)
    text.push_back(hole.path + (hole.names_show ? " (names)" : ""));
  return text;
}

Policy PresetIn(const std::string& grant) {
  PathRule hooks = ReadOnly(grant + "/.git/hooks", "/filesystem/protect");
  hooks.origin = Origin::kProtection;
  Policy policy = PolicyOf({ReadWrite(grant), hooks});
  policy.clauses = {{.pointer = "/filesystem/protect"}};
  return policy;
}

TEST(LandlockPlan, PresetsArePutBackBelowReadWrite) {
  const Result<Plan> plan = PlanOf(PresetIn("/w"));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(Grants(*plan), Contains("rw /w"));
  ASSERT_EQ(plan->ledger.size(), 1U);
  EXPECT_EQ(plan->ledger[0].strength, Strength::kTrustedProcess);
  EXPECT_THAT(plan->ledger[0].mechanism, HasSubstr("put back"));
  EXPECT_THAT(plan->not_covered, Contains(HasSubstr("for a moment")));
}

TEST(LandlockPlan, WhatCannotBePutBackIsRefused) {
  Policy closed = PresetIn("/w");
  closed.git.closed = {"/w/.git/hooks"};
  Policy opened = PresetIn("/w");
  opened.paths.push_back(ReadWrite("/w/.git/hooks/mine"));
  for (const Policy& policy : {closed, opened}) {
    const Result<Plan> plan = PlanOf(policy);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code, ErrorCode::kUnenforceable);
  }
  EXPECT_THAT(PlanOf(closed).error().hint, HasSubstr("leave the preset out of `protect`"));
}

TEST(LandlockPlan, APrivateTmpIsAClauseItHolds) {
  Policy policy = PolicyOf({});
  policy.private_temp_pointer = "/filesystem/temp";
  policy.clauses = {{.pointer = "/filesystem/temp"}};
  const Result<Plan> plan = PlanOf(policy);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->ledger[0].pointer, "/filesystem/temp");
}

TEST(LandlockPlan, GrantsAreRules) {
  const Result<Plan> plan = PlanOf(PolicyOf({ReadOnly("/srv/ro"), ReadWrite("/srv/rw")}));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(Grants(*plan), ElementsAre("ro /srv/ro", "rw /srv/rw"));
  EXPECT_EQ(plan->isolation_level, IsolationLevel::kLandlock);
  EXPECT_EQ(plan->tier, Tier::kProcess);
  EXPECT_TRUE(std::get<LandlockLaunch>(plan->launch).sandbox.private_temp);
  EXPECT_EQ(plan->ledger[0].strength, Strength::kKernel);
}

TEST(LandlockPlan, AGrantBelowAGrant) {
  const Result<Plan> plan = PlanOf(
      PolicyOf({ReadOnly("/a"), ReadOnly("/a/b", "/b"), ReadWrite("/a/c"), ReadWrite("/a/c/d", "/d")}));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(Grants(*plan), ElementsAre("ro /a", "rw /a/c"));
}

TEST(LandlockPlan, DeniedBelowReadOnlyIsLeftOut) {
  const Result<Plan> plan = PlanOf(PolicyOf(
      {ReadOnly("/a"), DeniedFile("/a/secret"), DeniedDirectory("/a/d", "/d"), ReadOnly("/a/d/e", "/e")}));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(Grants(*plan), ElementsAre("ro /a", "ro /a/d/e"));
  EXPECT_THAT(Holes(*plan), ElementsAre("/a/d", "/a/secret"));
}

TEST(LandlockPlan, WhatLooksLikeAPlaceholderIsAHole) {
  PathRule rule = DeniedMissing("/a/.env", "/a/.env");
  rule.look_alike = FileObject{.device = 1, .inode = 2, .type = FileType::kRegular};
  const Result<Plan> plan = PlanOf(PolicyOf({ReadOnly("/a"), rule}));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(Holes(*plan), ElementsAre("/a/.env"));
}

TEST(LandlockPlan, NamesOfTheBaselinesSecretsShow) {
  const Result<Plan> plan = PlanOf(PolicyOf({Baseline("/etc"), Baseline("/etc/shadow", Access::kDenied)}));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(Holes(*plan), ElementsAre("/etc/shadow (names)"));
}

TEST(LandlockPlan, NothingIsTakenBackBelowReadWrite) {
  for (const PathRule& rule : {DeniedFile("/w/.env"), ReadOnly("/w/ro", "/filesystem/deniedPaths/0"),
                               DeniedMissing("/w/x/y", "/w/x")}) {
    const Result<Plan> plan = PlanOf(PolicyOf({ReadWrite("/w"), rule}));
    ASSERT_FALSE(plan.ok()) << rule.path;
    EXPECT_EQ(plan.error().code, ErrorCode::kUnenforceable);
    EXPECT_EQ(plan.error().pointer, "/filesystem/deniedPaths/0");
  }
}

// A mount of the kernel's below a grant, say: nobody wrote it, and yet it must hold.
TEST(LandlockPlan, ADenialNobodyWroteIsHeldOrRefusedToo) {
  const Result<Plan> plan = PlanOf(PolicyOf({ReadWrite("/w"), DeniedDirectory("/w/proc", "")}));
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().pointer, "/filesystem/readwritePaths/0");
}

TEST(LandlockPlan, TheWholeHostLeavesOutWhatBelongsToTheSystem) {
  const Result<Plan> read_only = PlanOf(PolicyOf({ReadOnly("/")}));
  ASSERT_TRUE(read_only.ok()) << read_only.error().message;
  EXPECT_THAT(Holes(*read_only), ElementsAre("/dev", "/proc", "/sys", "/tmp"));
  const Result<Plan> read_write = PlanOf(PolicyOf({ReadWrite("/")}));
  ASSERT_FALSE(read_write.ok());
  EXPECT_EQ(read_write.error().pointer, "/filesystem/readwritePaths/0");
}

TEST(LandlockPlan, ADeniedDeviceIsNotGranted) {
  const auto has_terminal = [](const Policy& policy) {
    const Result<Plan> plan = PlanOf(policy);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    const std::vector<LandlockGrant>& grants = std::get<LandlockLaunch>(plan->launch).sandbox.grants;
    return std::any_of(grants.begin(), grants.end(),
                       [](const auto& grant) { return grant.path == "/dev/tty"; });
  };
  EXPECT_TRUE(has_terminal(PolicyOf({})));
  EXPECT_FALSE(has_terminal(PolicyOf({DeniedFile("/dev/tty")})));
}

TEST(LandlockPlan, AGrantedTmpIsTheHosts) {
  const Result<Plan> plan = PlanOf(PolicyOf({ReadWrite("/tmp")}));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_FALSE(std::get<LandlockLaunch>(plan->launch).sandbox.private_temp);
}

TEST(LandlockPlan, NetworkIsNoneOrTheHosts) {
  Policy policy = PolicyOf({});
  EXPECT_TRUE(std::get<LandlockLaunch>(PlanOf(policy)->launch).sandbox.no_network);
  policy.network.share_host = true;
  const Result<Plan> shared = PlanOf(policy);
  EXPECT_FALSE(std::get<LandlockLaunch>(shared->launch).sandbox.no_network);
  EXPECT_THAT(shared->relaxations, ElementsAre("shared-host-network"));
  policy.network = {.allow = {{.pointer = "/network/egress/allow/0"}}};
  const Result<Plan> filtered = PlanOf(policy);
  ASSERT_FALSE(filtered.ok());
  EXPECT_EQ(filtered.error().pointer, "/network/egress/allow/0");
}

TEST(LandlockPlan, MinimumTierRefuses) {
  Policy policy = PolicyOf({});
  policy.minimum_tier = Tier::kContainer;
  const Result<Plan> plan = PlanOf(policy);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().pointer, "/minimumTier");
}

TEST(LandlockPlan, SignalsBeforeTheyWereScoped) {
  Support old = kScoped;
  old.landlock_abi = 5;
  EXPECT_FALSE(std::get<LandlockLaunch>(PlanOf(PolicyOf({}), old)->launch).sandbox.scoped_signals);
  EXPECT_THAT(PlanOf(PolicyOf({}), old)->not_covered, Contains(HasSubstr("can be sent signals")));
  EXPECT_THAT(PlanOf(PolicyOf({}))->not_covered, Not(Contains(HasSubstr("can be sent signals"))));
}

TEST(LandlockPlan, ATimeoutIsHeld) {
  Policy policy = PolicyOf({});
  policy.process.timeout_ms = 5;
  policy.clauses.push_back({.pointer = "/process/timeout", .text = "ended after 5 ms"});
  const Result<Plan> plan = PlanOf(policy);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(plan->ledger[0].mechanism, HasSubstr("every process of its Landlock domain"));
}

TEST(LandlockProbe, AsksTheKernel) {
  FakeHost host;
  EXPECT_TRUE(ProbeLandlock(host.SetLandlockAbi(2), ProbeDepth::kQuick).usable);
  EXPECT_THAT(ProbeLandlock(host.SetLandlockAbi(1), ProbeDepth::kQuick).remedy, HasSubstr("5.19"));
  EXPECT_THAT(ProbeLandlock(host.SetLandlockAbi(0), ProbeDepth::kQuick).remedy, HasSubstr("lsm="));
  EXPECT_EQ(ProbeLandlock(host.SetSystem(OperatingSystem::kMacos), ProbeDepth::kQuick).code,
            ErrorCode::kUnsupported);
}

TEST(LandlockProbe, LiveRunsACommand) {
  const std::vector<std::string> argv = {"/proc/self/exe", "--containment", "landlock", "--", "/bin/true"};
  FakeHost host;
  host.Answer(argv, {.started = true});
  EXPECT_TRUE(ProbeLandlock(host, ProbeDepth::kLive).usable);
  host.Answer(argv, {.started = true, .exit_code = 255, .err = "it failed\nmore"});
  const Support refused = ProbeLandlock(host, ProbeDepth::kLive);
  EXPECT_FALSE(refused.usable);
  EXPECT_THAT(refused.reason, HasSubstr("it failed"));
  EXPECT_THAT(refused.remedy, HasSubstr("by hand"));
}

// The next run makes what is missing of mxc-exec's own directories.
TEST(LandlockPlan, OwnDirectoriesAreLeftOutBeforeTheyExist) {
  PathRule own{.path = "/srv/own", .access = Access::kDenied, .origin = Origin::kBaseline};
  own.own_directory_mode = 0700;
  const Result<Plan> plan = PlanOf(PolicyOf({ReadOnly("/srv"), own}));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(Holes(*plan), Contains("/srv/own (names)"));
  const Result<Plan> writable = PlanOf(PolicyOf({ReadWrite("/srv"), own}));
  ASSERT_FALSE(writable.ok());
  EXPECT_THAT(writable.error().message, HasSubstr("'/srv/own' cannot be denied below the read-write '/srv'"));
}

TEST(LandlockPlan, WithoutAPlaceForTemporaryFilesNothingRuns) {
  Policy policy = PolicyOf({});
  policy.temp_place.clear();
  const Result<Plan> plan = PlanOf(policy);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(plan.error().message, HasSubstr("none of /var/tmp, /dev/shm and /tmp can be written"));
}

}  // namespace
}  // namespace mxc::landlock::landlock_plan_test
