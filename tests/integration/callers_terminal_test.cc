// The terminal of the caller, whose modes a run with a private one changes, and the job that it is there.
#include <gmock/gmock.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/lifecycle_test.h"
#include "tests/support/terminal.h"

namespace mxc::test::callers_terminal_test {
namespace {

using testing::HasSubstr;

// A run that a shell has started in a terminal, and that is up.
class Session {
 public:
  Session(Launch launch, uid_t uid) : terminal_(uid), before_(Modes()) {
    before_.c_iflag |= ICRNL;
    before_.c_oflag |= OPOST | ONLCR;
    before_.c_lflag |= ICANON | ECHO | ISIG;
    Set(before_);
    launch.arguments.insert(launch.arguments.begin(),
                            {"-c", "\"$@\"; echo shell-$?; read x", "sh", launch.program});
    launch.program = "/bin/sh";
    launch.terminal = terminal_.Fd();
    shell_.emplace(launch);
    EXPECT_THAT(terminal_.OutputUpTo("up\r\n"), HasSubstr("up\r\n"));
  }

  [[nodiscard]] termios Modes() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(terminal_.Fd(), &now), 0);
    return now;
  }
  void Set(const termios& modes) const { EXPECT_EQ(::tcsetattr(terminal_.Fd(), TCSANOW, &modes), 0); }
  [[nodiscard]] bool IsAsBefore() const {
    const termios now = Modes();
    return now.c_iflag == before_.c_iflag && now.c_oflag == before_.c_oflag && now.c_lflag == before_.c_lflag;
  }
  // To the launcher, whose shell then tells its end.
  void End(int number) const {
    const std::string shell = std::to_string(shell_->Pid());
    std::ifstream children("/proc/" + shell + "/task/" + shell + "/children");
    pid_t launcher = 0;
    children >> launcher;
    ASSERT_GT(launcher, 1);
    ::kill(launcher, number);
    const std::string told = "shell-" + std::to_string(128 + number);
    EXPECT_THAT(terminal_.OutputUpTo(told), HasSubstr(told));
  }

 private:
  Terminal terminal_;
  termios before_;
  std::optional<Running> shell_ = {};
};

class CallersTerminal : public LauncherTest {
 protected:
  [[nodiscard]] Launch Up() const { return PrepareConfig({.command = "echo up; sleep 60"}); }
};
MXC_FOR_EACH_CALLER_AND_ENGINE(CallersTerminal);

TEST_P(CallersTerminal, IsAsBeforeWhateverEndsTheLauncher) {
  for (const int number : {SIGKILL, SIGTERM, SIGUSR1, SIGALRM, SIGXCPU, SIGIO, SIGSEGV, SIGRTMAX}) {
    const Session session{Up(), uid};
    EXPECT_FALSE(session.IsAsBefore());
    session.End(number);
    EXPECT_TRUE(Eventually([&] { return session.IsAsBefore(); })) << number;
  }
}

// A shell that goes on has modes of its own.
TEST_P(CallersTerminal, WhatSomebodyElseHasSetSinceStays) {
  const Session session{Up(), uid};
  termios other = session.Modes();
  other.c_lflag |= ISIG;
  session.Set(other);
  session.End(SIGKILL);
  ::usleep(300000);
  EXPECT_EQ(session.Modes().c_lflag, other.c_lflag);
}

// ---- ^Z --------------------------------------------------------------------------------------------------

constexpr const char* kSuspendKey = "\x1a";
constexpr const char* kEndKey = "\x04";

// A shell with job control: it tells what becomes of the job, and has it continued after a line.
class Suspended : public LifecycleTest {
 protected:
  // The command says "up" when it is: as `up` where the terminal is raw.
  void Begin(const Launch& command, const std::string& up = "up\r\n") {
    BeginIn("\"$@\"; echo job-$?; read x; fg; echo shell-$?; read x", command, up);
  }
  void BeginIn(const std::string& script, const Launch& command, const std::string& up,
               const std::string& program = "/bin/sh") {
    termios modes = Modes();
    modes.c_iflag |= ICRNL;
    modes.c_oflag |= OPOST | ONLCR;
    modes.c_lflag |= ICANON | ECHO | ISIG;
    ASSERT_EQ(::tcsetattr(terminal.Fd(), TCSANOW, &modes), 0);
    Launch launch = command;
    launch.arguments.insert(launch.arguments.begin(), {"-c", "set -m; " + script, "sh", command.program});
    launch.program = program;
    launch.terminal = terminal.Fd();
    shell.emplace(launch);
    EXPECT_THAT(terminal.OutputUpTo(up), HasSubstr(up));
  }
  [[nodiscard]] termios Modes() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(terminal.Fd(), &now), 0);
    return now;
  }
  [[nodiscard]] bool IsRaw() const { return (Modes().c_lflag & (ICANON | ECHO | ISIG)) == 0; }
  [[nodiscard]] bool Answers(const std::string& typed, const std::string& text) const {
    terminal.Type(typed);
    return terminal.OutputUpTo(text).find(text) != std::string::npos;
  }
  // The shell waits for a line before its `fg`, and says how the job ended, which has read "one".
  void ExpectTypedToInTheForeground(const std::string& answer) const {
    terminal.Type("\n");
    EXPECT_TRUE(Eventually([&] { return IsRaw(); }));
    terminal.Type("one\n");
    EXPECT_THAT(terminal.OutputUpTo("shell-0"), HasSubstr(answer));
    EXPECT_FALSE(IsRaw());
  }

  Terminal terminal{uid};
  std::optional<Running> shell = {};
};
MXC_FOR_EACH_CALLER_AND_ENGINE(Suspended);

const std::string kStopped = "job-" + std::to_string(128 + SIGTSTP);

constexpr const char* kReadsLines = "stty -echo; echo up; while read x; do echo got-$x; done; echo end";

TEST_P(Suspended, AJobStopsAndGoesOnAsAny) {
  std::vector<Launch> commands = {ExecOf(Started(), kReadsLines)};
  // bwrap does not tell that its command stops.
  if (GetParam().containment != "bubblewrap") commands.push_back(PrepareConfig({.command = kReadsLines}));
  for (const Launch& command : commands) {
    Begin(command);
    EXPECT_TRUE(IsRaw());
    EXPECT_TRUE(Answers(kSuspendKey, kStopped));
    EXPECT_FALSE(IsRaw());
    terminal.Type("\n");
    EXPECT_TRUE(Eventually([&] { return IsRaw(); }));
    EXPECT_TRUE(Answers("one\n", "got-one"));
    EXPECT_TRUE(Answers(kEndKey, "shell-0"));
    EXPECT_FALSE(IsRaw());
  }
}

constexpr const char* kInBackground = "\r\r\n";  // the terminal ends lines itself

constexpr const char* kReadsOne =
    "modes=$(stty -a); echo up; read x; echo got-$x; echo \"$modes\" | grep -c -w icanon";

// bash tells a job that runs already nothing when it brings it to the foreground.
TEST_P(Suspended, ABackgroundJobRunsAndIsTypedToInTheForeground) {
  for (const std::string shell_program : {"/bin/sh", "/bin/bash"}) {
    for (const Launch& command : {PrepareConfig({.command = kReadsOne}), ExecOf(Started(), kReadsOne)}) {
      BeginIn("\"$@\" & read x; echo shell-got-$x; read x; fg; echo shell-$?; read x", command,
              std::string("up") + kInBackground, shell_program);
      EXPECT_FALSE(IsRaw());
      EXPECT_TRUE(Answers("mine\n", "shell-got-mine"));
      ExpectTypedToInTheForeground("got-one\r\n1\r\n");
    }
  }
}

TEST_P(Suspended, ABackgroundJobEndsByItself) {
  for (const Launch& command : {PrepareConfig({.command = "echo up; sleep 1; echo over; exit 3"}),
                                ExecOf(Started(), "echo up; sleep 1; echo over; exit 3")}) {
    BeginIn("\"$@\" & wait $!; echo job-$?; read x", command, std::string("up") + kInBackground);
    const termios before = Modes();
    EXPECT_THAT(terminal.OutputUpTo("job-3"), HasSubstr("over"));
    EXPECT_EQ(Modes().c_lflag, before.c_lflag);
  }
}

// As every program that sets its terminal.
TEST_P(Suspended, ABackgroundJobThatSetsItsTerminalStops) {
  for (const Launch& command : {PrepareConfig({.command = kReadsLines}), ExecOf(Started(), kReadsLines)}) {
    BeginIn(
        "\"$@\" & until grep -q 'State:.T' /proc/$!/status; do sleep 0.1; done; echo is-stopped; read x; fg; "
        "echo shell-$?; read x",
        command, "is-stopped\r\n");
    EXPECT_FALSE(IsRaw());
    EXPECT_TRUE(Answers("\n", "up\r\n"));  // which was not shown before
    EXPECT_TRUE(Eventually([&] { return IsRaw(); }));
    EXPECT_TRUE(Answers("one\n", "got-one"));
    EXPECT_TRUE(Answers(kEndKey, "shell-0"));
    EXPECT_FALSE(IsRaw());
    shell.reset();
  }
}

TEST_P(Suspended, AStoppedJobGoesOnInTheBackground) {
  if (GetParam().containment == "bubblewrap") GTEST_SKIP() << "bwrap does not tell that its command stops";
  BeginIn("\"$@\"; echo job-$?; read x; bg; read x; fg; echo shell-$?; read x",
          PrepareConfig(
              {.command = "echo up; for i in 1 2 3; do sleep 1; done; echo passed; read x; echo got-$x"}),
          "up\r\n");
  EXPECT_TRUE(Answers(kSuspendKey, kStopped));
  terminal.Type("\n");
  EXPECT_THAT(terminal.OutputUpTo("passed"), HasSubstr("passed"));
  EXPECT_FALSE(IsRaw());
  ExpectTypedToInTheForeground("got-one");
}

// A job in the background has set nothing that would be to be taken back.
TEST_P(Suspended, ABackgroundJobThatIsKilledLeavesTheModesAlone) {
  BeginIn("\"$@\" & p=$!; read x; stty raw -echo; kill -9 $p; echo killed; read x",
          PrepareConfig({.command = "echo up; sleep 60"}), std::string("up") + kInBackground);
  EXPECT_TRUE(Answers("\n", "killed"));
  const termios raw = Modes();
  ::usleep(300000);
  EXPECT_EQ(Modes().c_lflag, raw.c_lflag);
}

// The kernel stops no program for SIGTTOU that ignores it, and the terminal is the shell's.
TEST_P(Suspended, ABackgroundJobThatCannotBeStoppedLeavesTheTerminalAlone) {
  for (const Launch& command : {PrepareConfig({.command = "echo up; sleep 1; echo over"}),
                                ExecOf(Started(), "echo up; sleep 1; echo over")}) {
    Launch background = command;
    background.arguments.insert(
        background.arguments.begin(),
        {"-c", "set -m; (trap '' TTOU TTIN; exec \"$@\") & wait", "sh", command.program});
    background.program = "/bin/sh";
    Begin(background, "up\r\r\n");
    EXPECT_FALSE(IsRaw());
    termios own = Modes();
    own.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ASSERT_EQ(::tcsetattr(terminal.Fd(), TCSANOW, &own), 0);
    EXPECT_THAT(terminal.OutputUpTo("job-0"), HasSubstr("over"));
    EXPECT_EQ(Modes().c_lflag, own.c_lflag);
  }
}

// The one after a command with a terminal has none of it.
TEST_P(Suspended, ASandboxThatStaysGoesOn) {
  const std::string id = Started();
  Begin(ExecOf(id, "echo up; read x; exit 3"));
  EXPECT_TRUE(Answers("x\n", "job-3"));
  EXPECT_EQ(Exec(id, "(exec 3< /dev/tty) 2>/dev/null || echo none").out, "none\n");
}

// Nobody has typed it, and what shares the job with mxc-exec is not the command's to stop.
TEST_P(Suspended, ACommandThatStopsItselfStopsNobodyElse) {
  if (GetParam().containment == "bubblewrap") GTEST_SKIP() << "bwrap does not tell that its command stops";
  Begin(PrepareConfig({.command = "echo up; read x; kill -STOP $$; kill -TSTP $$; exit 3"}));
  EXPECT_TRUE(Answers("x\n", "job-3"));
}

TEST_P(Suspended, ARunWithATimeLimitGoesOn) {
  Begin(PrepareConfig({.command = "echo up; read x; test \"$x\" = one && exit 3", .timeout_ms = 60000}));
  terminal.Type(kSuspendKey);
  EXPECT_TRUE(Answers("one\n", "job-3"));
}

TEST_P(Suspended, AShellInsideHasItsOwnJobs) {
  Begin(PrepareConfig({.command = "echo up; exec sh -i"}));
  // exec: a shell that is stopped in vfork(2) waits for a child that is, too.
  EXPECT_TRUE(Answers("sh -c 'echo be''gun; exec sleep 60'\n", "begun"));
  EXPECT_TRUE(Answers(kSuspendKey, "Stopped"));
  EXPECT_TRUE(Answers("echo $((40 + 2))\n", "42\r\n"));
}

}  // namespace
}  // namespace mxc::test::callers_terminal_test
