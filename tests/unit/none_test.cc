// Direct execution: what it starts on each system, and what it refuses to promise.
#include "backends/none/none.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "plan/make_plan.h"
#include "tests/support/fake_host.h"

namespace mxc::none_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Policy Running(std::vector<std::string> argv) {
  Policy policy{.containment = Containment::kNone};
  policy.process.argv = std::move(argv);
  policy.process.cwd = "/srv";
  return policy;
}

Result<Plan> Planned(const Policy& policy) {
  const FakeHost host;
  const Backend& backend = none::NoneBackend();
  return MakePlan(backend, policy, backend.probe(host, ProbeDepth::kQuick));
}

std::string RefusalOf(const Policy& policy) {
  const Result<Plan> plan = Planned(policy);
  return plan ? "planned" : std::string(Name(plan.error().code)) + " " + plan.error().pointer;
}

TEST(NoIsolation, IsSaidToBeNone) {
  const Result<Plan> plan = Planned(Running({"/bin/true"}));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->tier, Tier::kNone);
  EXPECT_THAT(plan->relaxations, ElementsAre("no-isolation"));
  EXPECT_EQ(std::get<DirectLaunch>(plan->launch).command.program, "/bin/true");
  EXPECT_EQ(std::get<DirectLaunch>(plan->launch).command.cwd, "/srv");
  ASSERT_EQ(plan->warnings.size(), 1U);
  EXPECT_THAT(plan->warnings[0].message, HasSubstr("without any isolation"));
}

TEST(NoIsolation, ATerminalIsThePrivateOneWhereThereIsOne) {
  Policy policy = Running({"/bin/true"});
  EXPECT_EQ(TerminalOf(Planned(policy)->launch), Terminal::kInherit);
  policy.interactive = true;
  EXPECT_EQ(TerminalOf(Planned(policy)->launch), Terminal::kPrivatePty);
}

TEST(NoIsolation, LooksNothingUp) {
  EXPECT_EQ(RefusalOf(Running({"true"})), "policy_conflict /process/argv/0");
  EXPECT_EQ(RefusalOf(Running({})), "policy_conflict /process/argv/0");
}

TEST(NoIsolation, HoldsNeitherFilesNorNetwork) {
  for (const char* pointer : {"/filesystem/deniedPaths/0", "/network"}) {
    Policy policy = Running({"/bin/true"});
    policy.clauses = {{.pointer = "/process/timeout", .text = "ended"}, {.pointer = pointer, .text = "x"}};
    EXPECT_EQ(RefusalOf(policy), std::string("unenforceable ") + pointer);
  }
}

TEST(NoIsolation, OnWindowsItIsAJobWithoutAContainer) {
  Policy policy = Running({"C:\\a b\\x.exe", "--y"});
  policy.system = OperatingSystem::kWindows;
  policy.process.environment = {{.name = "A", .value = Secret{"1"}}};
  const Result<Plan> plan = Planned(policy);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_FALSE(std::get<AppContainerLaunch>(plan->launch).confined);
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.command_line, "\"C:\\a b\\x.exe\" --y");
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.environment.size(), 1U);
  EXPECT_FALSE(std::get<AppContainerLaunch>(plan->launch).sandbox.no_win32k);
  EXPECT_EQ(std::get<AppContainerLaunch>(plan->launch).sandbox.ui_limits, 0U);
  policy.process.command_line = "x.exe  --as-written";
  EXPECT_EQ(std::get<AppContainerLaunch>(Planned(policy)->launch).sandbox.command_line,
            "x.exe  --as-written");
}

}  // namespace
}  // namespace mxc::none_test
