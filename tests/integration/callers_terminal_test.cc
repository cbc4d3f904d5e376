// The terminal of the caller, whose modes a run with a private one changes.
#include <gmock/gmock.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <string>

#include "tests/support/launcher_test.h"
#include "tests/support/terminal.h"

namespace mxc::test {
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

}  // namespace
}  // namespace mxc::test
