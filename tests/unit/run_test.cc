// Launch: what the started program finds, and how its end is reported.
#include "run/run.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/process_tree.h"
#include "tests/support/program.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::run_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(RunExit, StatusIsTheCommands) {
  for (const int code : {0, 1, 3, 127, 255}) {
    const RunReport report = RunInChild(ShellPlan("exit " + std::to_string(code)));
    ASSERT_TRUE(report.ok) << report.message;
    EXPECT_EQ(report.outcome.exit_code, code);
    EXPECT_EQ(report.outcome.signal, 0);
  }
}

TEST(RunExit, SignalIs128PlusItsNumber) {
  const RunReport report = RunInChild(ShellPlan("kill -SEGV $$"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 139);
  EXPECT_EQ(report.outcome.signal, SIGSEGV);
}

TEST(RunExit, StatusSurvivesACallerThatIgnoresSigchld) {
  const RunReport report = RunInChild(ShellPlan("exit 7"), {.before = [] { ::signal(SIGCHLD, SIG_IGN); }});
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 7);
}

TEST(RunExit, ObserverLearnsTheProcess) {
  const RunReport report = RunInChild(ShellPlan("echo $$"));
  EXPECT_EQ(report.out, std::to_string(report.started) + "\n");
}

TEST(RunLaunch, MissingProgramIsASetupFailure) {
  Plan plan = ShellPlan("");
  ExecOf(plan).program = "/nonexistent/program";
  const RunReport report = RunInChild(plan);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.message, "could not execute '/nonexistent/program': No such file or directory");
}

TEST(RunLaunch, MissingWorkingDirectoryIsASetupFailure) {
  Plan plan = ShellPlan("pwd");
  ExecOf(plan).cwd = "/nonexistent";
  EXPECT_EQ(RunInChild(plan).message, "could not enter the working directory: No such file or directory");
  ExecOf(plan).cwd = "/usr";
  EXPECT_EQ(RunInChild(plan).out, "/usr\n");
}

TEST(RunLaunch, ArgumentsThatAreTooLongSaySo) {
  Plan plan = ShellPlan(":");
  ExecOf(plan).argv.emplace_back(std::string(300000, 'x'));
  EXPECT_THAT(RunInChild(plan).message, HasSubstr("too long"));
}

TEST(RunLaunch, EnvironmentIsExactlyThePlans) {
  Plan plan = ShellPlan("");
  ExecOf(plan).program = "/usr/bin/env";
  ExecOf(plan).argv = {std::string("env")};
  ExecOf(plan).environment = {{.name = "A", .value = Secret("1 2")}, {.name = "B", .value = Secret("")}};
  const RunReport report = RunInChild(plan, {.before = [] { ::setenv("LEAK", "host", 1); }});
  EXPECT_EQ(report.out, "A=1 2\nB=\n");
}

TEST(RunLaunch, StandardInputArrives) {
  EXPECT_EQ(RunInChild(ShellPlan("cat; echo done >&2"), {.input = "typed\n"}).out, "typed\n");
}

TEST(RunLaunch, NoOtherDescriptorCrosses) {
  const RunSetup setup{.before = [] { ::dup2(::open("/etc/passwd", O_RDONLY), 9); }};
  const RunReport report = RunInChild(ShellPlan("for f in /proc/self/fd/*; do echo ${f##*/}; done"), setup);
  // The glob is expanded by the shell itself, whose directory handle is the one that is left.
  EXPECT_EQ(report.out, "0\n1\n2\n3\n");
  EXPECT_EQ(RunInChild(ShellPlan("cat <&9"), setup).out, "");
}

TEST(RunLaunch, SignalMaskAndDispositionsAreClean) {
  const RunSetup setup{.before = [] {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGCHLD, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
  }};
  Plan plan = ShellPlan("");
  ExecOf(plan).program = "/bin/grep";
  ExecOf(plan).argv = {std::string("grep"), std::string("-E"), std::string("^Sig(Blk|Ign)"),
                       std::string("/proc/self/status")};
  EXPECT_EQ(RunInChild(plan, setup).out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(RunLaunch, CoreDumpsAreLimited) {
  EXPECT_EQ(RunInChild(ShellPlan("ulimit -c; ulimit -Hc")).out, "0\n0\n");
}

TEST(RunLaunch, AGroupWithoutATerminalWhenAsked) {
  Plan plan = ShellPlan(
      "read -r p c s pp g sid tty rest < /proc/self/stat; [ $g = $p ] && [ $tty = 0 ] && echo leader");
  EXPECT_EQ(RunInChild(plan).out, "");
  ExecOf(plan).new_session = true;
  EXPECT_EQ(RunInChild(plan).out, "leader\n");
}

TEST(RunLaunch, ChildDiesWithALauncherThatIsKilled) {
  ScratchDirectory scratch;
  RunningPlan running(ShellPlan("echo $$ > " + scratch.Path("pid") + "; exec sleep 100"), {});
  ASSERT_TRUE(Eventually([&] { return ReadText(scratch.Path("pid")).ends_with("\n"); }));
  const pid_t child = std::stoi(ReadText(scratch.Path("pid")));
  running.Signal(SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(running.Finish().wait_status));
  EXPECT_TRUE(Eventually([&] { return ParentOf(child) < 0; }));
}

}  // namespace
}  // namespace mxc::test::run_test
