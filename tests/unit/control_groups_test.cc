// Control groups of a run, on this machine's own hierarchies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "tests/support/program.h"
#include "tests/unit/engine_sandboxes.h"

namespace mxc::test::control_groups_test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kUnified = "/sys/fs/cgroup/unified";
constexpr const char* kPids = "/sys/fs/cgroup/pids";

class ControlGroups : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* parent : {kUnified, kPids}) {
      if (::access((std::string(parent) + "/cgroup.procs").c_str(), W_OK) != 0)
        GTEST_SKIP() << "needs a writable control group in " << parent;
    }
  }
  static bool IsGone(const std::string& path) { return ::access(path.c_str(), F_OK) != 0; }
};

Plan WithGroup(Plan plan, ControlGroup group) {
  plan.setup.emplace_back(std::move(group));
  return plan;
}

// Where a process is in version 2, from its own line of /proc/PID/cgroup.
std::string PlaceIn(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST_F(ControlGroups, TheChildOfVersionTwoRunsBelowAGroupOfItsOwn) {
  const ControlGroup group{.parent = kUnified, .unified = true};
  const RunReport report = RunInChild(WithGroup(ShellPlan("grep ^0:: /proc/self/cgroup"), group));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_THAT(report.out, MatchesRegex("0::/mxc-[0-9a-f]+/run\n"));
  EXPECT_TRUE(IsGone(kUnified + PlaceIn(report.out).substr(3)));
}

TEST_F(ControlGroups, TheEngineIsCreatedInsideAndSeesItAsTheRoot) {
  const RunReport report =
      RunInChild(WithGroup(WithGroup(PlanOf(ShellSandbox("grep -E '^0::|:pids:' /proc/self/cgroup; sleep 1")),
                                     {.parent = kUnified, .unified = true}),
                           {.parent = kPids, .settings = {{"pids.max", "20"}}}));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_THAT(report.out, MatchesRegex("[0-9]+:pids:/\n0::/\n"));
}

TEST_F(ControlGroups, SettingsAreWrittenAndWhatTheyCountIsReported) {
  Plan plan = WithGroup(ShellPlan("for i in 1 2 3 4 5 6 7 8; do sleep 0.1 & done; wait"),
                        {.parent = kPids, .settings = {{"pids.max", "4"}, {"no.such.file", "1", true}}});
  plan.resources = {{.resource = Resource::kProcesses, .amount = 4, .pointer = "/resources/processes"}};
  const RunReport report = RunInChild(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.warning,
            "the limit of 4 processes and threads was reached: some could not be started; "
            "`processes` of `resources` sets it");
}

TEST_F(ControlGroups, ASettingTheKernelRefusesStopsTheRun) {
  const RunReport report = RunInChild(WithGroup(
      ShellPlan("echo ran"), {.parent = kPids, .settings = {{"pids.max", "10"}, {"pids.max", "many"}}}));
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.out, "");
  EXPECT_THAT(report.message, MatchesRegex("write 'many' to '/sys/fs/cgroup/pids/mxc-[0-9a-f]+/pids.max': "
                                           "Invalid argument"));
  const std::size_t begin = report.message.find("/sys");
  EXPECT_TRUE(IsGone(report.message.substr(begin, report.message.find("/pids.max") - begin)));
}

TEST_F(ControlGroups, AMissingParentIsAnError) {
  const RunReport report = RunInChild(WithGroup(ShellPlan("echo ran"), {.parent = "/nonexistent"}));
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.message, HasSubstr("make the control group '/nonexistent/mxc-"));
}

TEST_F(ControlGroups, ProcessorTimeOfAllProcessesEndsTheRun) {
  const std::string script = "(while :; do :; done) & while :; do :; done";
  for (const Plan& child : {ShellPlan(script), PlanOf(ShellSandbox(script))}) {
    Plan plan = WithGroup(child, {.parent = kUnified, .unified = true});
    plan.resources = {{.resource = Resource::kCpuTime, .amount = 100, .pointer = "/resources/cpuTimeMs"}};
    plan.timeout_ms = 60000;  // for a child that is not in the group
    const RunReport report = RunInChild(plan);
    ASSERT_TRUE(report.ok) << report.message;
    EXPECT_TRUE(report.outcome.cpu_time_out);
    EXPECT_FALSE(report.outcome.timed_out);
    EXPECT_EQ(report.outcome.reached, std::vector<Resource>{Resource::kCpuTime});
    EXPECT_EQ(report.warning,
              "the limit of 100 ms of processor time was reached: the run was ended; "
              "`cpuTimeMs` of `resources` sets it");
  }
}

// Direct execution has no namespace that would end them.
TEST_F(ControlGroups, WhatIsInTheGroupEndsWithAKilledLauncher) {
  ScratchDirectory scratch;
  for (const bool unified : {true, false}) {
    const std::string file = scratch.Path(unified ? "two" : "one");
    const ControlGroup group{.parent = unified ? kUnified : kPids, .unified = unified};
    RunningPlan running(WithGroup(ShellPlan("setsid sh -c 'echo $$ > " + file + "x; mv " + file + "x " +
                                            file + "; exec sleep 100' & wait"),
                                  group),
                        {});
    ASSERT_TRUE(Eventually([&] { return ::access(file.c_str(), F_OK) == 0; }));
    const pid_t daemon = std::stoi(ReadText(file));
    EXPECT_EQ(::kill(daemon, 0), 0);
    running.Signal(SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(running.Finish().wait_status));
    EXPECT_TRUE(Eventually([&] { return ::kill(daemon, 0) != 0; }));
  }
}

}  // namespace
}  // namespace mxc::test::control_groups_test
