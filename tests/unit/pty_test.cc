// The private terminal: the command has one of its own, and the caller's is left as it was.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "stdio/private_terminal.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::pty_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// The terminal of somebody who runs the launcher, 33 rows by 101 columns.
class Pty : public ::testing::Test {
 protected:
  void SetUp() override {
    user_.Reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    ASSERT_EQ(::grantpt(user_.Get()), 0);
    ASSERT_EQ(::unlockpt(user_.Get()), 0);
    terminal_.Reset(::ioctl(user_.Get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    ASSERT_TRUE(terminal_);
    Resize(33, 101);
    ASSERT_EQ(::tcgetattr(terminal_.Get(), &before_), 0);
  }

  void Resize(unsigned short rows, unsigned short columns) const {
    const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(user_.Get(), TIOCSWINSZ, &size), 0);
  }

  void Start(const std::string& script) {
    Plan plan = ShellPlan(script);
    std::get<DirectLaunch>(plan.launch).terminal = Terminal::kPrivatePty;
    Start(plan);
  }

  void Start(const Plan& plan) {
    running_ = std::make_unique<RunningPlan>(plan, RunSetup{.before = [this] {
                                               ::setsid();
                                               for (int fd = 0; fd < 3; ++fd) ::dup2(terminal_.Get(), fd);
                                               ::ioctl(0, TIOCSCTTY, 0);
                                               user_.Reset();
                                             }});
  }

  // Reads the screen until `text` is on it.
  void Expect(const std::string& text) {
    while (screen_.find(text) == std::string::npos && ReadScreen(10000)) {
    }
    ASSERT_THAT(screen_, HasSubstr(text));
  }

  bool ReadScreen(int wait_ms) {
    pollfd ready{.fd = user_.Get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, wait_ms) <= 0) return false;
    char buffer[4096];
    const ssize_t count = ::read(user_.Get(), buffer, sizeof buffer);
    if (count > 0) screen_.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  }

  void Type(const std::string& text) const {
    ASSERT_EQ(::write(user_.Get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  RunReport Finish() {
    const RunReport report = running_->Finish();
    while (ReadScreen(100)) {
    }
    return report;
  }

  // Raw mode is on: what is typed is not echoed by this terminal but by the command's own.
  [[nodiscard]] bool IsRaw() const {
    termios modes{};
    ::tcgetattr(terminal_.Get(), &modes);
    return (modes.c_lflag & (ICANON | ECHO | ISIG)) == 0;
  }

  [[nodiscard]] bool IsRestored() const {
    termios modes{};
    ::tcgetattr(terminal_.Get(), &modes);
    return modes.c_lflag == before_.c_lflag && modes.c_iflag == before_.c_iflag &&
           modes.c_oflag == before_.c_oflag && std::memcmp(modes.c_cc, before_.c_cc, NCCS) == 0;
  }

  UniqueFd user_;      // what the user sees and types into
  UniqueFd terminal_;  // the launcher's standard streams
  termios before_{};
  std::string screen_;
  std::unique_ptr<RunningPlan> running_;
};

TEST_F(Pty, CommandHasATerminalOfItsOwnWithTheSameSize) {
  char name[64] = {};
  ASSERT_EQ(::ttyname_r(terminal_.Get(), name, sizeof name), 0);
  Start("tty; stty size; : < /dev/tty && echo controlling; exit 3");
  const RunReport report = Finish();
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 3);
  EXPECT_THAT(screen_, HasSubstr("/dev/pts/"));
  EXPECT_THAT(screen_, Not(HasSubstr(std::string(name) + "\r")));
  EXPECT_THAT(screen_, HasSubstr("33 101\r\ncontrolling\r\n"));
  EXPECT_TRUE(IsRestored());
}

TEST_F(Pty, TypingReachesTheCommand) {
  Start("echo ready; read -r line; echo \"got <$line>\"");
  Expect("ready");
  EXPECT_TRUE(IsRaw());
  Type("some words\r");
  Expect("got <some words>\r\n");
  EXPECT_TRUE(Finish().ok);
  EXPECT_TRUE(IsRestored());
}

TEST_F(Pty, ControlCInterruptsTheCommandNotTheLauncher) {
  Start("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.05; done");
  Expect("ready");
  Type("\x03");
  const RunReport report = Finish();
  EXPECT_EQ(report.outcome.interrupted_by, 0);
  EXPECT_EQ(report.outcome.exit_code, 5);
  EXPECT_THAT(screen_, HasSubstr("caught"));
}

TEST_F(Pty, ControlDEndsTheInput) {
  Start("echo ready; cat; echo end");
  Expect("ready");
  Type("\x04");
  EXPECT_TRUE(Finish().ok);
  EXPECT_THAT(screen_, EndsWith("end\r\n"));
}

TEST_F(Pty, WindowSizeFollows) {
  Start("trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.05; done");
  Expect("ready");
  Resize(12, 34);
  EXPECT_TRUE(Finish().ok);
  EXPECT_THAT(screen_, HasSubstr("12 34\r\n"));
}

TEST_F(Pty, TerminalIsRestoredWhenARunIsEnded) {
  Start("echo ready; exec sleep 100");
  Expect("ready");
  EXPECT_TRUE(IsRaw());
  running_->Signal(SIGTERM);
  const RunReport report = Finish();
  EXPECT_EQ(report.outcome.interrupted_by, SIGTERM);
  EXPECT_TRUE(IsRestored());
}

TEST_F(Pty, TerminalIsRestoredWhenTheStartFails) {
  Plan plan = ShellPlan("");
  std::get<DirectLaunch>(plan.launch).terminal = Terminal::kPrivatePty;
  ExecOf(plan).program = "/nonexistent";
  Start(plan);
  EXPECT_FALSE(Finish().ok);
  EXPECT_TRUE(IsRestored());
}

TEST_F(Pty, NothingIsLostAtTheEnd) {
  for (int round = 0; round < 5; ++round) {
    screen_.clear();
    Start("seq 1 20000");
    Expect("20000\r\n");
    EXPECT_TRUE(Finish().ok);
    EXPECT_EQ(screen_.size(), 108894U + 20000U);
  }
}

TEST_F(Pty, OutputIsCappedAndRedactedToo) {
  Plan plan = ShellPlan("echo ghp_0123456789abcdef0123456789abcdef0123; printf '%050d' 0; exit 2");
  std::get<DirectLaunch>(plan.launch).terminal = Terminal::kPrivatePty;
  plan.output = {.max_bytes = 20, .redact_secrets = true};
  Start(plan);
  const RunReport report = Finish();
  EXPECT_EQ(report.outcome.exit_code, 2);
  EXPECT_EQ(screen_, "[REDACTED]\r\n00000000");
  EXPECT_TRUE(report.outcome.stdout_truncated);
}

// Also the device of its number, where that is on no devpts.
TEST(PtyOfADevpts, NothingElseIsTakenForItsMultiplexer) {
  EXPECT_TRUE(OpenOuterSide(UniqueFd{::open("/dev/pts/ptmx", O_PATH | O_CLOEXEC)}.Get()) || ::geteuid() != 0);
  const std::string place = ::testing::TempDir() + "pty_test-" + std::to_string(::getpid());
  const auto opens = [&] {
    const UniqueFd reference{::open(place.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    ::unlink(place.c_str());
    EXPECT_TRUE(reference);
    return static_cast<bool>(OpenOuterSide(reference.Get()));
  };
  ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
  EXPECT_FALSE(opens());
  ASSERT_EQ(::symlink("/dev/pts/ptmx", place.c_str()), 0);
  EXPECT_FALSE(opens());
  if (::mknod(place.c_str(), S_IFCHR | 0666, makedev(5, 2)) == 0) {
    EXPECT_FALSE(opens());
  }
  for (const char* path : {"/dev/null", "/dev/pts", "/"})
    EXPECT_FALSE(OpenOuterSide(UniqueFd{::open(path, O_PATH | O_CLOEXEC)}.Get())) << path;
  EXPECT_FALSE(OpenOuterSide(-1));
}

TEST(PtyWithoutCaller, EndOfInputIsTyped) {
  Plan plan = ShellPlan("stty -echo; cat; echo end");
  std::get<DirectLaunch>(plan.launch).terminal = Terminal::kPrivatePty;
  for (const std::string input : {"line\n", "line", ""}) {
    const RunReport report = RunInChild(plan, {.input = input});
    ASSERT_TRUE(report.ok) << report.message;
    EXPECT_THAT(report.out, EndsWith("end\r\n"));
    EXPECT_EQ(report.out.find("line") != std::string::npos, !input.empty());
  }
}

}  // namespace
}  // namespace mxc::test::pty_test
