// Relay: timeout, signals, and that nothing is left.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/process_tree.h"
#include "tests/support/program.h"
#include "tests/support/run_in_child.h"
#include "tests/unit/ended.h"
#include "tests/unit/engine_sandboxes.h"

namespace mxc::test::relay_test {
namespace {

using ::testing::HasSubstr;

pid_t NumberIn(const std::string& path) {
  EXPECT_TRUE(Eventually([&] { return ReadText(path).ends_with("\n"); })) << path;
  return std::stoi("0" + ReadText(path));
}

TEST(Timeout, EndsTheCommandAndKeepsItsOutput) {
  Plan plan = ShellPlan("echo begun; sleep 100");
  plan.timeout_ms = 300;
  const RunReport report = RunInChild(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_TRUE(report.outcome.timed_out);
  // The shell by the signal, or by itself because its sleep has ended that way.
  EXPECT_EQ(report.outcome.exit_code, 128 + SIGTERM);
  EXPECT_EQ(report.out, "begun\n");
}

TEST(Timeout, CommandMayCleanUpOnSigterm) {
  Plan plan = ShellPlan("trap 'echo bye; exit 4' TERM; while :; do sleep 0.05; done");
  plan.timeout_ms = 300;
  const RunReport report = RunInChild(plan);
  EXPECT_TRUE(report.outcome.timed_out);
  EXPECT_EQ(report.outcome.exit_code, 4);
  EXPECT_THAT(report.out, HasSubstr("bye"));
}

TEST(Timeout, IsNotHeldUpByOutputThatNeverStops) {
  Plan plan = ShellPlan("yes");
  plan.output.max_bytes = 10;
  plan.timeout_ms = 300;
  const RunReport report = RunInChild(plan);
  EXPECT_TRUE(report.outcome.timed_out);
  EXPECT_EQ(report.out, "y\ny\ny\ny\ny\n");
}

TEST(Timeout, KillsATreeThatIgnoresSigtermAndItsDaemons) {
  ScratchDirectory scratch;
  Plan plan = ShellPlan("trap '' TERM; (setsid sh -c 'trap \"\" TERM; echo $$ > " + scratch.Path("daemon") +
                        "; while :; do sleep 1; done' &) ; while :; do sleep 1; done");
  plan.timeout_ms = 500;
  const RunReport report = RunInChild(plan);
  EXPECT_TRUE(report.outcome.timed_out);
  EXPECT_EQ(report.outcome.signal, SIGKILL);
  EXPECT_LT(ParentOf(NumberIn(scratch.Path("daemon"))), 0);
}

TEST(Interrupt, EachSignalEndsTheRunAndIsReported) {
  for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGQUIT}) {
    ScratchDirectory scratch;
    RunningPlan running(ShellPlan("echo $$ > " + scratch.Path("pid") + "; exec sleep 100"), {});
    const pid_t child = NumberIn(scratch.Path("pid"));
    running.Signal(number);
    const RunReport report = running.Finish();
    ASSERT_TRUE(report.ok) << report.message;
    EXPECT_EQ(report.outcome.interrupted_by, number);
    EXPECT_FALSE(report.outcome.timed_out);
    EXPECT_LT(ParentOf(child), 0);
  }
}

TEST(Interrupt, SecondSignalDoesNotWaitForTheGrace) {
  ScratchDirectory scratch;
  RunningPlan running(ShellPlan("trap 'echo asked > " + scratch.Path("asked") + "' TERM; echo 1 > " +
                                scratch.Path("up") + "; while :; do sleep 0.05; done"),
                      {});
  NumberIn(scratch.Path("up"));
  running.Signal(SIGTERM);
  ASSERT_TRUE(Eventually([&] { return ReadText(scratch.Path("asked")) == "asked\n"; }));
  running.Signal(SIGINT);
  const RunReport report = running.Finish();
  EXPECT_EQ(report.outcome.interrupted_by, SIGTERM);
  EXPECT_EQ(report.outcome.signal, SIGKILL);
}

TEST(Interrupt, IgnoredHangupStaysIgnored) {
  ScratchDirectory scratch;
  RunningPlan running(ShellPlan("echo 1 > " + scratch.Path("up") + "; until [ -e " + scratch.Path("go") +
                                " ]; do sleep 0.05; done; exit 6"),
                      {.before = [] { ::signal(SIGHUP, SIG_IGN); }});
  NumberIn(scratch.Path("up"));
  running.Signal(SIGHUP);
  WriteText(scratch.Path("go"), "");
  const RunReport report = running.Finish();
  EXPECT_EQ(report.outcome.interrupted_by, 0);
  EXPECT_EQ(report.outcome.exit_code, 6);
}

TEST(Background, ProcessThatHoldsStandardOutputDoesNotHangAndDoesNotSurvive) {
  ScratchDirectory scratch;
  Plan plan = ShellPlan("(setsid sleep 100 & echo $! > " + scratch.Path("pid") + "); echo done");
  for (const std::uint64_t cap : {0U, 1000U}) {
    plan.output.max_bytes = cap;
    const RunReport report = RunInChild(plan);
    EXPECT_TRUE(report.ok);
    EXPECT_EQ(report.out, "done\n");
    EXPECT_LT(ParentOf(NumberIn(scratch.Path("pid"))), 0);
  }
}

// The real tool, options on a sealed memory file.
class RelayBubblewrap : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access("/usr/bin/bwrap", X_OK) != 0) GTEST_SKIP() << "bwrap is not installed";
    if (!RunInChild(Sandbox("exit 0")).ok) GTEST_SKIP() << "this host does not let bwrap create namespaces";
  }

  static Plan Sandbox(const std::string& script, const std::vector<std::string>& more = {}) {
    ArgumentFile options;
    for (const char* text : {"--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc",
                             "--dev", "/dev", "--setenv", "TOKEN"}) {
      options.arguments.emplace_back(std::string(text));
    }
    options.arguments.emplace_back(Secret("canary-value"));
    for (const std::string& text : more) options.arguments.emplace_back(text);
    options.arguments.emplace_back(std::string("--json-status-fd"));
    options.arguments.emplace_back(FileNumber{0});
    Plan plan;
    plan.launch = BubblewrapLaunch{
        .bwrap = {.program = "/usr/bin/bwrap",
                  .argv = {std::string("bwrap"), std::string("--args"), FileNumber{1}, std::string("--"),
                           std::string("/bin/sh"), std::string("-c"), script},
                  .environment = {{.name = "PATH", .value = Secret("/usr/bin:/bin")}},
                  .files = {StatusPipe{}, options}}};
    return plan;
  }
};

TEST_F(RelayBubblewrap, CommandRunsAndItsStatusArrives) {
  const RunReport report = RunInChild(Sandbox("echo $TOKEN; exit 9"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 9);
  EXPECT_EQ(report.out, "canary-value\n");
  EXPECT_GT(report.started, 1);
  EXPECT_EQ(RunInChild(Sandbox("kill -9 $$")).outcome.exit_code, 137);
}

TEST_F(RelayBubblewrap, FailedSetupIsAnError) {
  const RunReport report = RunInChild(Sandbox("exit 0", {"--ro-bind", "/nonexistent", "/x"}));
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_THAT(report.err, HasSubstr("/nonexistent"));
}

// bubblewrap finds the place of a mask by name, after it was compared with the plan.
TEST_F(RelayBubblewrap, AMaskedPathThatGoesMeanwhileMakesThePlanOutdated) {
  const ScratchDirectory scratch;
  const auto run = [&](const std::string& masked, const std::string& first, bool one_stream) {
    const FileObject object = ObjectAt(scratch.Path(masked));
    Plan plan = Sandbox("echo command-began", {"--tmpfs", scratch.Path("directory"), "--ro-bind", "/dev/null",
                                               scratch.Path("above/file")});
    plan.tier = Tier::kContainer;  // its streams are relayed
    auto& launch = std::get<BubblewrapLaunch>(plan.launch);
    if (masked == "directory")
      launch.sandbox.mounts = {TmpfsMount{.target = scratch.Path(masked), .object = object}};
    else
      launch.sandbox.mounts = {FileMask{.target = scratch.Path(masked), .object = object}};
    launch.bwrap.verified = {{.path = scratch.Path(masked), .object = object}};
    launch.bwrap.program = "/bin/sh";
    launch.bwrap.argv.insert(launch.bwrap.argv.begin(),
                             {std::string("sh"), std::string("-c"), first + "; exec /usr/bin/bwrap \"$@\""});
    const RunSetup setup{.before = [one_stream] {
      if (one_stream) ::dup2(STDERR_FILENO, STDOUT_FILENO);
    }};
    RunReport report = RunInChild(plan, setup);
    std::filesystem::create_directories(scratch.Path("directory"));
    std::filesystem::create_directories(scratch.Path("above"));
    WriteText(scratch.Path("above/file"), "");
    return report;
  };
  std::filesystem::create_directories(scratch.Path("directory"));
  std::filesystem::create_directories(scratch.Path("above"));
  WriteText(scratch.Path("above/file"), "");
  const std::string file = scratch.Path("above/file");
  for (const bool one_stream : {false, true}) {
    EXPECT_TRUE(run("directory", "true", one_stream).ok);
    for (const auto& [masked, first] : std::vector<std::pair<std::string, std::string>>{
             {"directory", "rmdir " + scratch.Path("directory")},
             {"above/file", "rm " + file},
             {"above/file", "rm " + file + "; rmdir " + scratch.Path("above")}}) {
      const RunReport report = run(masked, first, one_stream);
      EXPECT_FALSE(report.ok);
      EXPECT_TRUE(report.outdated) << report.message;
      EXPECT_THAT(report.out + report.err, ::testing::Not(HasSubstr("command-began")));
    }
    const RunReport other = run("directory", "rm " + file, one_stream);
    EXPECT_FALSE(other.ok);
    EXPECT_FALSE(other.outdated) << "no path of the plan: " << other.message;
    const RunReport there =
        run("directory", "echo \"bwrap: Can't mkdir " + scratch.Path("directory") + ": no\" >&2; exit 1",
            one_stream);
    EXPECT_FALSE(there.ok);
    EXPECT_FALSE(there.outdated) << "it is where it was";
  }
}

TEST_F(RelayBubblewrap, NothingOfOursIsOpenInside) {
  const RunSetup setup{.before = [] { ::dup2(::open("/etc/passwd", O_RDONLY), 9); }};
  EXPECT_EQ(RunInChild(Sandbox("for f in /proc/self/fd/*; do echo ${f##*/}; done"), setup).out,
            "0\n1\n2\n3\n");
}

TEST_F(RelayBubblewrap, TimeoutAsksTheCommandFirst) {
  Plan plan = Sandbox("trap 'echo bye; exit 4' TERM; while :; do sleep 0.05; done");
  plan.timeout_ms = 600;
  const RunReport report = RunInChild(plan);
  EXPECT_TRUE(report.outcome.timed_out);
  EXPECT_EQ(report.outcome.exit_code, 4);
  EXPECT_THAT(report.out, HasSubstr("bye"));
}

TEST_F(RelayBubblewrap, TimeoutKillsWhatIgnoresIt) {
  Plan plan = Sandbox(
      "trap '' TERM; (setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' &); while :; do sleep 1; "
      "done");
  plan.timeout_ms = 600;
  const RunReport report = RunInChild(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_TRUE(report.outcome.timed_out);
  EXPECT_EQ(report.outcome.exit_code, 137);
  EXPECT_TRUE(HasEnded(report.started));
}

TEST_F(RelayBubblewrap, SandboxIsGoneWhenTheRunReturns) {
  // Process 1 outlives bubblewrap itself by a moment; the run lasts until it has ended.
  for (int i = 0; i < 20; ++i) {
    const RunReport report = RunInChild(Sandbox("(setsid sleep 100 &); exit 0"));
    ASSERT_TRUE(report.ok) << report.message;
    EXPECT_TRUE(HasEnded(report.started));
  }
}

TEST_F(RelayBubblewrap, SandboxDiesWithALauncherThatIsKilled) {
  ScratchDirectory scratch;
  const std::string beat = scratch.Path("beat");
  WriteText(beat, "");
  RunningPlan running(Sandbox("while :; do echo >> " + beat + "; sleep 0.02; done",
                              {"--bind", scratch.Path(), scratch.Path()}),
                      {});
  ASSERT_TRUE(Eventually([&] { return ReadText(beat).size() > 3; }));
  running.Signal(SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(running.Finish().wait_status));
  EXPECT_TRUE(Eventually([&] { return Still(beat); }));
}

}  // namespace
}  // namespace mxc::test::relay_test
