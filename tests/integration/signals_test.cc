// Signals to the launcher reach the command as themselves, in every containment.
#include <gmock/gmock.h>
#include <termios.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/support/lifecycle_test.h"
#include "tests/support/terminal.h"

namespace mxc::test::signals_test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Passed {
  int number;
  const char* name;
};
constexpr Passed kThatEnd[] = {{SIGINT, "INT"}, {SIGTERM, "TERM"}, {SIGHUP, "HUP"}, {SIGQUIT, "QUIT"}};
constexpr Passed kThatTell[] = {{SIGUSR1, "USR1"}, {SIGUSR2, "USR2"}};

// Says what it gets, goes on after USR1 and USR2, and exits with 7 after any other.
std::string Listener() {
  std::string script = "trap 'echo got TERM; exit 7' TERM; ";
  for (const Passed& it : {Passed{SIGINT, "INT"}, Passed{SIGHUP, "HUP"}, Passed{SIGQUIT, "QUIT"}})
    script += std::string("trap 'echo got ") + it.name + "; exit 7' " + it.name + "; ";
  for (const Passed& it : kThatTell)
    script += std::string("trap 'echo got ") + it.name + "' " + it.name + "; ";
  return script + "echo up; while :; do sleep 0.05; done";
}

class Signals : public LifecycleTest {
 protected:
  // `running` is a Listener.
  static void ExpectPassedOn(const Launch& launch) {
    for (const Passed& ends : kThatEnd) {
      Running running(launch);
      ASSERT_TRUE(running.SaysOnStdout("up\n"));
      for (const Passed& it : kThatTell) {
        running.Signal(it.number);
        EXPECT_TRUE(running.SaysOnStdout(std::string("got ") + it.name + "\n"));
      }
      running.Signal(ends.number);
      const Ended ended = running.Wait();
      EXPECT_THAT(ended.out, HasSubstr(std::string("got ") + ends.name + "\n"));
      EXPECT_EQ(ended.status, 7) << ended.err;
    }
  }
};
MXC_FOR_EACH_CALLER_AND_ENGINE(Signals);

TEST_P(Signals, ReachTheCommandOfARun) { ExpectPassedOn(PrepareConfig({.command = Listener()})); }

TEST_P(Signals, ReachTheCommandOfAnExec) {
  const std::string id = Started();
  ExpectPassedOn(ExecOf(id, Listener()));
}

TEST_P(Signals, ReachTheCommandWithoutNamespaces) {
  if (GetParam().containment != "namespaces") GTEST_SKIP() << "asked once";
  ExpectPassedOn(PrepareConfig({.containment = "landlock", .command = Listener()}));
  ExpectPassedOn(
      Prepare({"--containment", "none", "--allow-unsandboxed", "--", "/bin/sh", "-c", Listener()}));
}

// A child that has not asked for USR1 would die of it.
TEST_P(Signals, ThatTellSomethingReachTheCommandAlone) {
  const std::string child = "sleep 60 & trap 'kill -0 $! && echo there' USR1; echo up; ";
  Running running(PrepareConfig({.command = child + "while :; do wait; done"}));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  running.Signal(SIGUSR1);
  EXPECT_TRUE(running.SaysOnStdout("there\n"));
  running.Signal(SIGTERM);
  EXPECT_EQ(running.Wait().status, 128 + SIGTERM);
}

// nohup ignores the hang-up of a terminal.
TEST_P(Signals, ThatTheCallerIgnoresReachNobody) {
  Launch launch = PrepareConfig({.command = Listener()});
  launch.before_exec = [] { ::signal(SIGHUP, SIG_IGN); };
  Running running(launch);
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  running.Signal(SIGHUP);
  running.Signal(SIGUSR1);
  EXPECT_TRUE(running.SaysOnStdout("got USR1\n"));
  running.Signal(SIGTERM);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.status, 7) << ended.err;
  EXPECT_THAT(ended.out, Not(HasSubstr("HUP")));
}

TEST_P(Signals, EndTheCommandThatDoesNotHandleThem) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    Running running(PrepareConfig({.command = "echo up; exec sleep 60"}));
    ASSERT_TRUE(running.SaysOnStdout("up\n"));
    running.Signal(number);
    EXPECT_EQ(running.Wait().status, 128 + number);
  }
}

TEST_P(Signals, ACommandThatGoesOnIsKilledAfterTheGraceOrTheSecondSignal) {
  for (const bool again : {false, true}) {
    Running running(PrepareConfig(
        {.command = "trap 'echo no' INT; echo up; while :; do sleep 0.05; done", .timeout_ms = 60000}));
    ASSERT_TRUE(running.SaysOnStdout("up\n"));
    running.Signal(SIGINT);
    EXPECT_TRUE(running.SaysOnStdout("no\n"));
    if (again) running.Signal(SIGTERM);
    EXPECT_EQ(running.Wait().status, 128 + SIGINT);
  }
}

// The command without a sandbox is in the launcher's process group, as of a shell without job control.
TEST_P(Signals, OfAKeyReachACommandOnceThatTheTerminalSignals) {
  if (GetParam().containment != "namespaces") GTEST_SKIP() << "asked once";
  const Terminal terminal;
  termios modes{};
  ASSERT_EQ(::tcgetattr(terminal.Fd(), &modes), 0);
  modes.c_lflag |= ISIG;
  ASSERT_EQ(::tcsetattr(terminal.Fd(), TCSANOW, &modes), 0);
  const std::string counts = "trap 'n=$((n+1))' INT; echo up; sleep 1; sleep 0.2; echo times=$n.; exit 7";
  Launch launch = Prepare({"--containment", "none", "--allow-unsandboxed", "--", "/bin/bash", "-c", counts});
  launch.terminal = terminal.Fd();
  Running running(launch);
  EXPECT_THAT(terminal.OutputUpTo("up"), HasSubstr("up"));
  terminal.Type("\x03");
  EXPECT_THAT(terminal.OutputUpTo("."), HasSubstr("times=1."));
  EXPECT_EQ(running.Wait().status, 7);
}

}  // namespace
}  // namespace mxc::test::signals_test
