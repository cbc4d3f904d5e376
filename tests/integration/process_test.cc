// Environment, working directory, timeout, signals, and what is left when a run has ended.
#include <gmock/gmock.h>

#include <csignal>

#include "tests/support/launcher_test.h"

namespace mxc::test::process_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::UnorderedElementsAre;

class Process : public LauncherTest {
 protected:
  // A command that says "up" and then stays, also when asked politely to go.
  static std::string Stubborn(const std::string& marker) {
    return ": " + marker + "; trap '' TERM INT HUP; echo up; while :; do sleep 1; done";
  }
};
MXC_FOR_EACH_CALLER(Process);

TEST_P(Process, DefaultEnvironment) {
  const Ended ended = RunConfig({.command = "env"});
  EXPECT_THAT(Lines(ended.out),
              IsSupersetOf({"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                            "TERM=xterm-256color", "PWD=/", "TMPDIR=/tmp"}));
  EXPECT_EQ(RunConfig({.command = "cd && echo x > file && cat file"}).out, "x\n") << "a home of its own";
}

TEST_P(Process, EnvironmentIsExactlyAsWritten) {
  const Ended ended =
      RunConfig({.command = "/usr/bin/env", .environment = {{"A=1", "B=x=y", "C=", "A=2", "D=two\nlines"}}});
  EXPECT_THAT(Lines(ended.out), UnorderedElementsAre("A=2", "B=x=y", "C=", "D=two", "lines", "PWD=/"));
}

TEST_P(Process, EntriesThatAreNoVariablesAreRefused) {
  for (const char* entry : {"=C", "NAME", ""}) {
    const Ended ended = RunConfig({.environment = {{entry}}});
    EXPECT_EQ(ended.status, 1) << entry;
    EXPECT_THAT(ended.err, HasSubstr("/process/env/0"));
  }
}

TEST_P(Process, WorkingDirectory) {
  const std::string granted = workspace.Directory("rw/inner");
  EXPECT_EQ(RunConfig({.command = "pwd", .read_write = {workspace.Path("rw")}, .cwd = granted}).out,
            granted + "\n");
}

TEST_P(Process, WorkingDirectoryOutsideThePolicyIsRefused) {
  const Ended ended = RunConfig({.command = "pwd", .cwd = workspace.Directory("elsewhere")});
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeCode(ended), "policy_validation");
}

TEST_P(Process, ASignalToItsGroupIsTheCommandsOwn) {
  const Ended ended = RunConfig(
      {.command =
           "trap 'echo caught' USR1; kill -USR1 0; [ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && exit 5"});
  EXPECT_EQ(ended.status, 5) << ended.err;
  EXPECT_EQ(ended.out, "caught\n");
}

TEST_P(Process, TimeoutEndsTheWholeTree) {
  const std::string marker = Token();
  const Ended ended =
      RunConfig({.command = "(" + Stubborn(marker) + ") & " + Stubborn(marker), .timeout_ms = 700});
  EXPECT_EQ(ended.status, 255);
  EXPECT_FALSE(ended.overdue);
  EXPECT_EQ(EnvelopeCode(ended), "backend_error");
  EXPECT_EQ(EnvelopeMessage(ended), "script timed out after 700ms");
  EXPECT_THAT(Survivors(marker), IsEmpty());
}

TEST_P(Process, TimeoutLetsTheCommandTidyUp) {
  const std::string granted = workspace.Directory("rw");
  const Ended ended =
      RunConfig({.command = "trap 'touch " + granted + "/tidy; exit 0' TERM; while :; do sleep 0.1; done",
                 .read_write = {granted},
                 .timeout_ms = 700});
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(Names(granted), ElementsAre("tidy"));
}

TEST_P(Process, ATimeoutThatIsNotReachedChangesNothing) {
  EXPECT_EQ(RunConfig({.command = "exit 3", .timeout_ms = 60000}).status, 3);
}

TEST_P(Process, SignalsToTheLauncherEndTheRun) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGPROF, SIGABRT}) {
    const std::string marker = Token();
    Running running(PrepareConfig({.command = Stubborn(marker)}));
    ASSERT_TRUE(running.SaysOnStdout("up\n"));
    running.Signal(number);
    const Ended ended = running.Wait();
    EXPECT_EQ(ended.status, 128 + number) << ended.err;
    EXPECT_FALSE(ended.overdue);
    EXPECT_THAT(Survivors(marker), IsEmpty());
  }
}

TEST_P(Process, NothingOutlivesAKilledLauncher) {
  const std::string marker = Token();
  Running running(PrepareConfig({.command = Stubborn(marker)}));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  ASSERT_FALSE(Survivors(marker).empty());
  running.Signal(SIGKILL);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.status, -SIGKILL);
  EXPECT_FALSE(ended.overdue) << "somebody still holds the streams";
  EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); }));
}

TEST_P(Process, TheCommandStartsWithACleanSignalState) {
  Launch launch = PrepareConfig({.command = "grep -E '^Sig(Blk|Ign)' /proc/self/status"});
  launch.before_exec = [] {
    ::signal(SIGUSR1, SIG_IGN);
    ::signal(SIGCHLD, SIG_IGN);
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
  };
  EXPECT_THAT(Lines(Execute(launch).out),
              ElementsAre("SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"));
}

}  // namespace
}  // namespace mxc::test::process_test
