// bubblewrap's status pipe: what it says, in which pieces, and who waits for whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#include "base/process_tree.h"
#include "mxc/limit_hint.h"
#include "run/bubblewrap_status.h"
#include "tests/support/needs.h"
#include "tests/support/program.h"
#include "tests/support/run_in_child.h"
#include "tests/unit/ended.h"
#include "tests/unit/engine_sandboxes.h"

namespace mxc::test::status_pipe_test {
namespace {

TEST(SandboxStatus, ReadsBothNumbersFromPieces) {
  const std::string text = "{ \"child-pid\": 4711, \"ipc-namespace\": 40265 }\n{ \"exit-code\": 139 }\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    SandboxStatus report;
    report.Feed(text.substr(0, cut));
    EXPECT_EQ(report.InALine(), cut != 0 && text[cut - 1] != '\n');
    report.Feed(text.substr(cut));
    EXPECT_EQ(report.ChildId(), 4711);
    EXPECT_EQ(report.ExitCode(), 139);
    EXPECT_FALSE(report.InALine());
  }
}

TEST(SandboxStatus, IncompleteOrStrangeLinesSayNothing) {
  SandboxStatus report;
  report.Feed(
      "{ \"child-pid\": }\n{\"exit-code\" 3}\n{\"exit-code\": -1}\n{\"exit-code\": 256}\n{\"exit-code\": 3}");
  EXPECT_FALSE(report.ChildId());
  EXPECT_FALSE(report.ExitCode());
}

TEST(SandboxStatus, IsBounded) {
  SandboxStatus report;
  report.Feed(std::string(SandboxStatus::kMaxBytes, 'x'));
  report.Feed("\n{\"exit-code\": 3}\n");
  EXPECT_FALSE(report.ExitCode());
}

// A stand-in for bubblewrap: a shell script that gets the number of the status pipe as $1.
Plan ToolPlan(const std::string& script) {
  Plan plan = ShellPlan(script);
  ExecOf(plan).argv.emplace_back(std::string("bwrap"));
  ExecOf(plan).argv.emplace_back(FileNumber{0});
  ExecOf(plan).files = {StatusPipe{}};
  plan.launch = BubblewrapLaunch{.bwrap = ExecOf(plan)};
  return plan;
}

TEST(StatusPipe, ExitCodeIsTheReportedOne) {
  const RunReport report =
      RunInChild(ToolPlan("echo '{ \"child-pid\": 1 }' >/proc/self/fd/$1; echo '{ \"exit-code\": 42 }' "
                          ">/proc/self/fd/$1; exit 1"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 42);
  EXPECT_EQ(report.started, 1);
}

long SleepsOf(pid_t process) {
  const std::string status = ReadText("/proc/" + std::to_string(process) + "/status");
  const std::string key = "\nvoluntary_ctxt_switches:";
  const std::size_t at = status.find(key);
  return at == std::string::npos ? -1 : std::stol(status.substr(at + key.size()));
}

// bwrap goes on sooner when each piece of a line does not wake its reader.
TEST(StatusPipe, TheRestOfALineIsAwaited) {
  const ScratchDirectory scratch;
  const std::string go = scratch.Path("go");
  RunningPlan running(ToolPlan("exec 9>/proc/self/fd/$1; printf '{ \"child-pid\": 1' >&9; i=0; while [ $i "
                               "-lt 2000 ]; do printf ' ' >&9; "
                               "i=$((i + 1)); done; printf '}\\n' >&9; while [ ! -e " +
                               go + " ]; do sleep 0.01; done; printf '{ \"exit-code\": 3 }\\n' >&9"),
                      {});
  ASSERT_TRUE(Eventually([&] { return running.Started() == 1; }));
  EXPECT_LT(SleepsOf(running.Launcher()), 200);
  WriteText(go, "");
  EXPECT_EQ(running.Finish().outcome.exit_code, 3);
}

// And each is read when it is there, not only when the tool has ended, nor with the launcher's
// own last look at itself, after 200 ms.
TEST(StatusPipe, LinesMayComeInPieces) {
  const ScratchDirectory scratch;
  const std::string go = scratch.Path("go");
  RunningPlan running(
      ToolPlan(
          "sleep 0.3; exec 9>/proc/self/fd/$1; printf '{ \"child-pid' >&9; sleep 0.02; printf '\": 1' >&9; "
          "sleep 0.02; printf ' }\\n{ \"exit-' >&9; while [ ! -e " +
          go + " ]; do sleep 0.01; done; printf 'code\": 42 }\\n' >&9; exit 1"),
      {});
  EXPECT_TRUE(Eventually([&] { return running.Started() == 1; }));
  WriteText(go, "");
  EXPECT_EQ(running.Finish().outcome.exit_code, 42);
}

// The tool is all that is left to wait for.
TEST(StatusPipe, ItsGuardEndsWithTheCommand) {
  const ScratchDirectory scratch;
  const std::string go = scratch.Path("go");
  RunningPlan running(
      ToolPlan("printf '{ \"child-pid\": 1 }\\n{ \"exit-code\": 3 }\\n' >/proc/self/fd/$1; while [ ! -e " +
               go + " ]; do sleep 0.01; done"),
      {});
  ASSERT_TRUE(Eventually([&] { return running.Started() == 1; }));
  EXPECT_TRUE(Eventually([&] {
    const std::vector<pid_t> children = ChildrenOf(running.Launcher());
    return std::count_if(children.begin(), children.end(), [](pid_t child) { return !HasEnded(child); }) == 1;
  }));
  WriteText(go, "");
  EXPECT_EQ(running.Finish().outcome.exit_code, 3);
}

TEST(StatusPipe, EndWithoutReportIsASetupFailure) {
  const RunReport report =
      RunInChild(ToolPlan("echo '{ \"child-pid\": 1 }' >/proc/self/fd/$1; echo 'bwrap: no' >&2; exit 0"));
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.message, "the sandbox could not be set up; the reason is on standard error, above");
  EXPECT_EQ(report.err, "bwrap: no\n");
}

TEST(StatusPipe, PumpedRunQuotesTheReason) {
  Plan plan = ToolPlan("echo 'bwrap: Can'\"'\"'t find source path /x' >&2; exit 1");
  plan.output.max_bytes = 1000;
  EXPECT_EQ(RunInChild(plan).message, "the sandbox could not be set up: Can't find source path /x");
}

// Its own words are all there is, where they can be read; else what is left of the limit tells.
TEST(StatusPipe, AToolAtALimitGetsAHint) {
  Plan plan =
      ToolPlan("echo 'bwrap: Creating new namespace failed: Resource temporarily unavailable' >&2; exit 1");
  plan.output.max_bytes = 1000;
  EXPECT_EQ(RunInChild(plan).hint, HintOf(EAGAIN));
  plan.output.max_bytes = {};
  EXPECT_EQ(RunInChild(plan).hint, "");
  if (!MayBecomeOrdinary()) GTEST_SKIP() << "needs another user than root, which it may not become here";
  const auto at_limit = [] {
    const rlimit few{.rlim_cur = 3, .rlim_max = 3};  // the launcher, its guard, the tool
    ::setrlimit(RLIMIT_NPROC, &few);
    BecomeOrdinary();
  };
  EXPECT_EQ(RunInChild(plan, {.before = at_limit}).hint, HintOf(EAGAIN));
}

TEST(StatusPipe, KilledToolIsNotTheCommandsSignal) {
  const RunReport report = RunInChild(ToolPlan("kill -KILL $$"));
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.message, "the sandbox was killed by signal 9 before its command ended");
}

// Like bwrap's child while it waits for bwrap: nothing ties it to anybody, and being process 1 of a namespace
// it is killed by no signal but one from outside.
Plan ToolWithAnUntiedChild(const std::string& beat) {
  Plan plan = ToolPlan("unshare --user --map-root-user --pid --fork sh -c 'while :; do echo >> " + beat +
                       "; sleep 0.02; done' & wait");
  ExecOf(plan).new_session = true;
  return plan;
}

TEST(StatusPipe, ChildrenOfTheToolEndWithAKilledLauncher) {
  if (const char* missing = test::MissingNamespaces()) GTEST_SKIP() << missing;
  ScratchDirectory scratch;
  const std::string beat = scratch.Path("beat");
  RunningPlan running(ToolWithAnUntiedChild(beat), {});
  ASSERT_TRUE(Eventually([&] { return ReadText(beat).size() > 3; }));
  running.Signal(SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(running.Finish().wait_status));
  EXPECT_TRUE(Eventually([&] { return Still(beat); }));
}

TEST(StatusPipe, ChildrenOfTheToolEndWithATimeout) {
  if (const char* missing = test::MissingNamespaces()) GTEST_SKIP() << missing;
  ScratchDirectory scratch;
  const std::string beat = scratch.Path("beat");
  Plan plan = ToolWithAnUntiedChild(beat);
  plan.timeout_ms = 600;
  const RunReport report = RunInChild(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_TRUE(report.outcome.timed_out);
  EXPECT_GT(ReadText(beat).size(), 3U);
  EXPECT_TRUE(Still(beat));
}

// bwrap may have ended before anybody reads which process it made. This one takes a while to die: it has much
// memory, and writes to a pipe that nobody empties.
TEST(StatusPipe, SandboxOfAToolThatHasEndedIsGoneWhenTheRunReturns) {
  const ScratchDirectory scratch;
  const std::string pipe = scratch.Path("pipe");
  Plan plan = ToolPlan("mkfifo " + pipe + "; dd if=/dev/zero bs=60000000 count=1 9<>" + pipe + " >" + pipe +
                       " 2>/dev/null & head -c 1 " + pipe + " >/dev/null; rm " + pipe +
                       "; printf '{ \"child-pid\": %d }\\n{ \"exit-code\": 3 }\\n' $! >/proc/self/fd/$1");
  ExecOf(plan).new_session = true;
  for (int i = 0; i < 5; ++i) {
    const RunReport report = RunInChild(plan);
    ASSERT_TRUE(report.ok) << report.message;
    EXPECT_EQ(report.outcome.exit_code, 3);
    EXPECT_GT(report.started, 1);
    EXPECT_TRUE(HasEnded(report.started)) << i;
  }
}

TEST(StatusPipe, TimeoutDuringSetupIsATimeout) {
  Plan plan = ToolPlan("exec sleep 100");
  plan.timeout_ms = 200;
  const RunReport report = RunInChild(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_TRUE(report.outcome.timed_out);
}

}  // namespace
}  // namespace mxc::test::status_pipe_test
