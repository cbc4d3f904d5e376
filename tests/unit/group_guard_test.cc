#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/process_tree.h"
#include "spawn/process_group_guard.h"

namespace mxc::group_guard_test {
namespace {

bool IsClosed(int reading, int timeout_ms) {
  pollfd poll{.fd = reading, .events = POLLIN, .revents = 0};
  return ::poll(&poll, 1, timeout_ms) == 1;
}

struct Pipe {
  UniqueFd reading, writing;
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    reading.Reset(ends[0]);
    writing.Reset(ends[1]);
  }
};

// A launcher with a guard, and a tool that is a group of its own and knows nothing of either. Says the tool's
// number.
[[noreturn]] void Launcher(int held, int report) {
  Result<ProcessGroupGuard> guard = ProcessGroupGuard::Start(held);
  if (!guard) ::_exit(1);
  const pid_t tool = ::fork();
  if (tool == 0) {
    ::close_range(0, ~0U, 0);
    for (;;) ::pause();
  }
  // Before it is reported: the launcher may be killed as soon as it is.
  ::setpgid(tool, tool);
  *guard->Group() = tool;
  if (::write(report, &tool, sizeof tool) != sizeof tool) ::_exit(1);
  for (;;) ::pause();
}

TEST(ProcessGroupGuard, HoldsWhatItWasGivenUntilTheGroupIsGone) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
  Pipe held;
  Pipe report;
  const pid_t launcher = ::fork();
  if (launcher == 0) Launcher(held.writing.Get(), report.writing.Get());
  held.writing.Reset();
  pid_t tool = 0;
  ASSERT_EQ(::read(report.reading.Get(), &tool, sizeof tool), static_cast<ssize_t>(sizeof tool));
  pid_t guard = 0;
  for (const pid_t child : ChildrenOf(launcher)) guard = child != tool ? child : guard;
  ASSERT_GT(guard, 0);

  ::kill(guard, SIGSTOP);
  ::kill(launcher, SIGKILL);
  ASSERT_EQ(::waitpid(launcher, nullptr, 0), launcher);
  EXPECT_FALSE(IsClosed(held.reading.Get(), 50)) << "the guard has not acted yet";
  ::kill(guard, SIGCONT);
  EXPECT_EQ(::waitpid(tool, nullptr, 0), tool);
  EXPECT_TRUE(IsClosed(held.reading.Get(), 5000));
  ::waitpid(guard, nullptr, __WALL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0UL);
}

bool IsZombie(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(stat), {}};
  return text.find(") Z ") != std::string::npos;
}

TEST(ProcessGroupGuard, EndsByItselfWhenItIsReleased) {
  Result<ProcessGroupGuard> guard = ProcessGroupGuard::Start(-1);
  ASSERT_TRUE(guard.ok());
  const pid_t guards = ChildrenOf(::getpid()).at(0);
  const pid_t tool = ::fork();
  if (tool == 0) {
    ::close_range(3, ~0U, 0);
    for (;;) ::pause();
  }
  ::setpgid(tool, tool);
  *guard->Group() = tool;
  guard->Release();
  for (int turn = 0; turn < 5000 && !IsZombie(guards); ++turn) ::usleep(1000);
  EXPECT_TRUE(IsZombie(guards));
  EXPECT_EQ(::waitpid(tool, nullptr, WNOHANG), 0) << "it lives";
  guard->Kill();
  EXPECT_EQ(::waitpid(tool, nullptr, 0), tool);
  guard->Dismiss();
  EXPECT_TRUE(ChildrenOf(::getpid()).empty());
}

}  // namespace
}  // namespace mxc::group_guard_test
