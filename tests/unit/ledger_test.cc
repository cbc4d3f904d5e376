#include "plan/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dispatch.h"
#include "plan/make_plan.h"
#include "tests/support/fake_host.h"
#include "tests/unit/linux_policies.h"

namespace mxc::ledger_test {
namespace {

using namespace testing_policies;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Support kUsable = {
    .usable = true, .tier = Tier::kContainer, .program = "/usr/bin/bwrap", .warnings = {"an old one"}};

Result<Plan> PlanOf(const Policy& policy, const Support& support = kUsable) {
  return MakePlan(Dispatch(policy.containment), policy, support);
}

TEST(MakePlan, EveryClauseIsAnsweredInOrder) {
  Policy policy = PolicyOf({ReadWrite("/w", "/filesystem/readwritePaths/0")});
  policy.process.timeout_ms = 500;
  policy.output.max_bytes = 10;
  policy.audit.path = "/var/log/a";
  policy.minimum_tier = Tier::kContainer;
  for (const char* pointer : {"/network", "/process/timeout", "/output", "/audit", "/minimumTier"}) {
    policy.clauses.push_back({.pointer = pointer, .text = "x"});
  }
  const Result<Plan> plan = PlanOf(policy);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  std::vector<std::string> lines;
  for (const Enforcement& entry : plan->ledger)
    lines.push_back(entry.pointer + " " + std::string(Name(entry.strength)));
  EXPECT_THAT(lines,
              ElementsAre("/filesystem/readwritePaths/0 kernel", "/network kernel", "/process/timeout kernel",
                          "/output proxy", "/audit proxy", "/minimumTier kernel"));
  EXPECT_EQ(plan->timeout_ms, 500U);
  EXPECT_EQ(plan->output.max_bytes, 10U);
  EXPECT_EQ(plan->audit.path, "/var/log/a");
  EXPECT_EQ(plan->command, "/bin/sh");
  EXPECT_EQ(plan->cwd, "/");
  ASSERT_EQ(plan->warnings.size(), 1U);
  EXPECT_EQ(plan->warnings[0].message, "an old one");
}

TEST(MakePlan, WhatARunCannotKeepIsSaid) {
  Policy policy = PolicyOf({});
  policy.destroy_on_exit = false;
  const Result<Plan> plan = PlanOf(policy);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->warnings.size(), 2U);
  EXPECT_EQ(plan->warnings[1].category, "without-effect");
  EXPECT_EQ(plan->warnings[1].pointer, "/lifecycle/destroyOnExit");
}

TEST(MakePlan, AClauseWithoutAMechanismRefuses) {
  Policy policy = PolicyOf({});
  policy.clauses.push_back({.pointer = "/resources/memoryMb", .text = "at most 10 MB"});
  const Result<Plan> plan = PlanOf(policy);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kUnenforceable);
  EXPECT_EQ(plan.error().pointer, "/resources/memoryMb");
  EXPECT_THAT(plan.error().message, HasSubstr("at most 10 MB"));
}

TEST(MakePlan, ATimeoutClauseNeedsATimeout) {
  Policy policy = PolicyOf({});
  policy.clauses.push_back({.pointer = "/process/timeout", .text = "ended"});
  const Result<Plan> plan = PlanOf(policy);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().pointer, "/process/timeout");
  EXPECT_EQ(plan.error().message, "'ended' has no mechanism in the backend 'bubblewrap'");
}

// For the audit record: what a command is, and nothing it was given.
TEST(MakePlan, TheShapeOfACommandHoldsNoArgument) {
  const auto shape = [](const std::string& command_line) {
    Policy policy = PolicyOf({});
    policy.process.argv = {"/bin/sh", "-c", command_line};
    policy.process.command_line = command_line;
    const Result<Plan> plan = PlanOf(policy);
    return plan ? plan->shape.word + " " + std::to_string(plan->shape.bytes) : plan.error().message;
  };
  EXPECT_EQ(shape("git push https://x"), "git 18");
  EXPECT_EQ(shape("  /usr/bin/g++-12|cat"), "/usr/bin/g++-12 21");
  for (const char* hidden : {"TOKEN=abc git push", "$TOKEN", "'a b'", "\"x\"", "(id)", "`x`"}) {
    EXPECT_EQ(shape(hidden).substr(0, 1), " ") << hidden;
  }
  EXPECT_EQ(shape(std::string(300, 'a')), " 300");
}

TEST(MakePlan, UnusableSupportGivesItsReason) {
  const Result<Plan> plan =
      PlanOf(PolicyOf({}), {.code = ErrorCode::kUnavailable, .reason = "no bwrap", .remedy = "install it"});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(plan.error().message, "no bwrap");
  EXPECT_EQ(plan.error().hint, "install it");
}

TEST(MakePlan, MinimumTier) {
  Policy policy = PolicyOf({});
  policy.minimum_tier = Tier::kVirtualMachine;
  const Result<Plan> plan = PlanOf(policy);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kConflict);
  EXPECT_EQ(plan.error().pointer, "/minimumTier");
  policy.minimum_tier = Tier::kProcess;
  EXPECT_TRUE(PlanOf(policy).ok());
}

TEST(Ledger, WeakestEntryOfAPointerCounts) {
  Policy policy;
  policy.clauses = {{.pointer = "/a", .text = "a"}};
  Plan plan{.tier = Tier::kContainer,
            .ledger = {{"/a", Strength::kKernel, "x"},
                       {"/a", Strength::kCooperative, "y"},
                       {"/b", Strength::kKernel, "z"}}};
  EXPECT_FALSE(SettleLedger(policy, plan).ok());
  plan.ledger[1].strength = Strength::kNone;
  EXPECT_FALSE(SettleLedger(policy, plan).ok());
  plan.ledger[1].strength = Strength::kTrustedProcess;
  ASSERT_TRUE(SettleLedger(policy, plan).ok());
  ASSERT_EQ(plan.ledger.size(), 1U);
  EXPECT_EQ(plan.ledger[0].mechanism, "y");
}

TEST(None, RunsTheCommandItself) {
  Policy policy = PolicyOf({});
  policy.containment = Containment::kNone;
  policy.process.timeout_ms = 5;
  policy.clauses = {{.pointer = "/process/timeout", .text = "ended after 5 ms"}};
  const Support support = Dispatch(Containment::kNone).probe(FakeHost{}, ProbeDepth::kQuick);
  const Result<Plan> plan = PlanOf(policy, support);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->tier, Tier::kNone);
  EXPECT_EQ(std::get<DirectLaunch>(plan->launch).command.program, "/bin/sh");
  EXPECT_EQ(plan->ledger[0].strength, Strength::kCooperative);
  EXPECT_THAT(plan->relaxations, ElementsAre("no-isolation"));

  policy.minimum_tier = Tier::kProcess;
  EXPECT_FALSE(PlanOf(policy, support).ok());
}

TEST(None, RefusesClausesAboutFilesAndNetwork) {
  for (const char* pointer : {"/filesystem/readonlyPaths/0", "/network", "/network/egress/default"}) {
    Policy policy = PolicyOf({});
    policy.containment = Containment::kNone;
    policy.clauses = {{.pointer = pointer, .text = "a clause"}};
    const Result<Plan> plan = PlanOf(policy, {.usable = true});
    ASSERT_FALSE(plan.ok()) << pointer;
    EXPECT_EQ(plan.error().code, ErrorCode::kUnenforceable);
    EXPECT_EQ(plan.error().pointer, pointer);
  }
}

TEST(None, NeedsAnAbsoluteProgram) {
  Policy policy = PolicyOf({});
  policy.containment = Containment::kNone;
  policy.process.argv = {"sh"};
  EXPECT_EQ(PlanOf(policy, {.usable = true}).error().pointer, "/process/argv/0");
}

TEST(Dispatch, EveryContainmentHasItsBackend) {
  for (const ContainmentTraits& traits : AllContainments())
    EXPECT_EQ(Dispatch(traits.containment).containment, traits.containment) << traits.name;
}

TEST(Absent, SaysWhyAndWhatElse) {
  FakeHost host;
  for (const Containment containment : {Containment::kMicrovm, Containment::kHyperlight, Containment::kVm}) {
    const Backend& backend = Dispatch(containment);
    const Support support = backend.probe(host, ProbeDepth::kLive);
    EXPECT_FALSE(support.usable);
    const OperatingSystem home = TraitsOf(containment).home;
    const bool here = home == OperatingSystem::kLinux || home == OperatingSystem::kAny;
    EXPECT_EQ(support.code, here ? ErrorCode::kNotBuilt : ErrorCode::kUnsupported) << Name(containment);
    EXPECT_THAT(support.reason, HasSubstr("'" + std::string(Name(containment)) + "'"));
    EXPECT_THAT(support.remedy, HasSubstr("bubblewrap"));
    const Result<Plan> plan = backend.plan(PolicyOf({}), support);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code, support.code);
    EXPECT_EQ(plan.error().message, support.reason);
  }
}

}  // namespace
}  // namespace mxc::ledger_test
