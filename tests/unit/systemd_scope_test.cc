// A scope asked of systemd: what busctl is told, what its answers mean, and runs with one that stands in for
// it and for systemd.
#include "cgroup/systemd_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "cgroup/cgroup_files.h"
#include "tests/support/program.h"
#include "tests/unit/engine_sandboxes.h"

namespace mxc::test::systemd_scope_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kUnified = "/sys/fs/cgroup/unified";

TEST(ScopeCall, NamesTheProcessesTheSliceAndTheDelegation) {
  const ScopeRequest request{
      .busctl = "/usr/bin/busctl", .address = "unix:path=/run/user/1000/bus", .slice = "app.slice"};
  EXPECT_THAT(ScopeCall(request, "mxc-1.scope", {17, 18}),
              ElementsAre("/usr/bin/busctl", "--address=unix:path=/run/user/1000/bus",
                          "--allow-interactive-authorization=no", "call", "org.freedesktop.systemd1",
                          "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
                          "StartTransientUnit", "ssa(sv)a(sa(sv))", "mxc-1.scope", "fail", "5", "Description",
                          "s", "a run of mxc-exec", "CollectMode", "s", "inactive-or-failed", "Delegate", "b",
                          "true", "Slice", "s", "app.slice", "PIDs", "au", "2", "17", "18", "0"));
}

TEST(ScopeRefusal, IsWhatSystemdOrBusctlSays) {
  const auto refusal = [](const ToolRun& call) { return ScopeRefusal(call); };
  EXPECT_EQ(refusal({.started = true, .out = "o \"/org/freedesktop/systemd1/job/20\"\n"}), "");
  EXPECT_EQ(refusal({.started = true, .exit_code = 1, .err = "Call failed: Access denied\nmore\n"}),
            "Access denied");
  EXPECT_EQ(refusal({.started = true, .exit_code = 1, .err = "Failed to connect to bus: no\n"}),
            "Failed to connect to bus: no");
  EXPECT_EQ(refusal({.started = true, .exit_code = 3}), "busctl ended with status 3");
  EXPECT_EQ(refusal({.started = true, .out = "s \"what\"\n"}), "busctl ended with status 0");
  EXPECT_EQ(refusal({.started = true, .timed_out = true}), "its manager does not answer");
  EXPECT_EQ(refusal({}), "busctl does not start");
}

TEST(MembersIn, AreTheNumbersOfALineEach) {
  EXPECT_THAT(MembersIn("17\n4194304\n"), ElementsAre(17, 4194304));
  EXPECT_THAT(MembersIn("0\nx\n\n5"), ElementsAre(5));
}

// A busctl of our own, which does as systemd does: a group of that name, with the processes in it.
std::string StandIn(const ScratchDirectory& scratch, const std::string& body) {
  const std::string path = scratch.Path("busctl");
  std::ofstream(path) << "#!/bin/sh\n" << body;
  ::chmod(path.c_str(), 0755);
  return path;
}

std::string MakesScopesIn(const std::string& parent) {
  return "scope=" + parent + R"(/$9
mkdir "$scope" || exit 1
while test "$1" != au; do shift; done
shift 2
while test $# -gt 1; do echo "$1" >>"$scope/cgroup.procs"; shift; done
echo 'o "/org/freedesktop/systemd1/job/1"'
)";
}

TEST(AskForScope, ReturnsWhenTheProcessesAreInIt) {
  const ScratchDirectory scratch;
  const ScopeRequest request{.busctl = StandIn(scratch, MakesScopesIn(scratch.Path()))};
  EXPECT_TRUE(AskForScope(request, scratch.Path("mxc-1.scope"), {17, 18}).ok());
  const Status again = AskForScope(request, scratch.Path("mxc-1.scope"), {17});
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().message,
              MatchesRegex("systemd gave no scope for the limits of the run: mkdir: .*File exists"));
}

class ScopeGroups : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access((std::string(kUnified) + "/cgroup.procs").c_str(), W_OK) != 0)
      GTEST_SKIP() << "needs a writable control group in " << kUnified;
  }
  static Plan In(Plan plan, const std::string& busctl) {
    plan.setup.emplace_back(ControlGroup{
        .parent = kUnified, .unified = true, .scope = ScopeRequest{.busctl = busctl, .slice = "-.slice"}});
    return plan;
  }
  ScratchDirectory scratch_;
};

// "0::/mxc-X.scope/mxc-X/run": what systemd would do when the last process has gone is done here.
void CheckAndRemove(const std::string& place) {
  ASSERT_THAT(place, MatchesRegex("0::/mxc-[0-9a-f]+\\.scope/mxc-[0-9a-f]+/run\n"));
  const std::string scope = kUnified + place.substr(3, place.find('/', 4) - 3);
  EXPECT_EQ(::rmdir((scope + "/mxc-cleanup").c_str()), 0);
  EXPECT_EQ(::rmdir(scope.c_str()), 0) << "groups are left in " << scope;
}

TEST_F(ScopeGroups, ACommandIsMovedIntoAGroupInTheScope) {
  const std::string busctl = StandIn(scratch_, MakesScopesIn(kUnified));
  const RunReport report = RunInChild(In(ShellPlan("grep ^0:: /proc/self/cgroup"), busctl));
  ASSERT_TRUE(report.ok) << report.message;
  CheckAndRemove(report.out);
}

// Seen from outside: the sandbox takes its group for the root.
TEST_F(ScopeGroups, TheEngineIsMovedBeforeItBuildsTheSandbox) {
  const std::string busctl = StandIn(scratch_, MakesScopesIn(kUnified));
  const std::string marker = std::to_string(::getpid());  // in an argument of its own: grep has written then
  RunningPlan running(
      In(PlanOf(ShellSandbox("grep ^0:: /proc/self/cgroup; n=" + marker + "; sleep 1000.$n")), busctl), {});
  ASSERT_TRUE(Eventually([&] { return !Survivors("1000." + marker).empty() && running.Started() > 0; }));
  const std::string text = ReadText("/proc/" + std::to_string(running.Started()) + "/cgroup");
  const std::string line = text.substr(text.find("0::"));
  running.Signal(SIGTERM);
  const RunReport report = running.Finish();
  EXPECT_EQ(report.out, "0::/\n");
  CheckAndRemove(line.substr(0, line.find('\n') + 1));
}

TEST_F(ScopeGroups, ARefusalOfSystemdsStopsTheRunInItsWords) {
  const std::string busctl = StandIn(scratch_, "echo 'Call failed: Access denied' >&2; exit 1\n");
  for (const Plan& plan : {ShellPlan("echo ran"), PlanOf(ShellSandbox("echo ran"))}) {
    const RunReport report = RunInChild(In(plan, busctl));
    EXPECT_FALSE(report.ok);
    EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
    EXPECT_EQ(report.message, "systemd gave no scope for the limits of the run: Access denied");
    EXPECT_THAT(report.hint, HasSubstr("without memoryMb"));
    EXPECT_EQ(report.out, "");
  }
}

}  // namespace
}  // namespace mxc::test::systemd_scope_test
