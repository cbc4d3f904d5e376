// Processes and terminals: nothing is reached outside, nothing is left behind.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "tests/containment/containment.h"
#include "tests/support/terminal.h"

namespace mxc::test::processes_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Processes : public ContainmentTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(Processes);

TEST_P(Processes, OfTheHostAreNotVisible) {
  const std::string mark = Token();
  Running neighbour(
      {.program = "/bin/sh", .arguments = {"-c", ": " + mark + "; echo up; sleep 300"}, .uid = uid});
  ASSERT_TRUE(neighbour.SaysOnStdout("up"));
  EXPECT_THAT(Try({}, {{"find", mark.substr(0, 9), mark.substr(9)}}), ElementsAre("none"));
}

TEST_P(Processes, SignalsDoNotReachTheHost) {
  // A neighbour of the same user, whom a signal would end.
  Running neighbour({.program = "/bin/sh", .arguments = {"-c", "echo up; sleep 300"}, .uid = uid});
  ASSERT_TRUE(neighbour.SaysOnStdout("up"));
  EXPECT_THAT(Try({}, {{"kill", std::to_string(neighbour.Pid()), "15"}}), ElementsAre("ESRCH"));
  EXPECT_EQ(::kill(neighbour.Pid(), 0), 0);
}

// It has the command's user, and is at most a program of ours.
TEST_P(Processes, ProcessOneCannotBeReadOrWritten) {
  std::vector<Words> operations;
  for (const char* file : {"mem", "environ", "maps", "auxv", "fd/0", "task/1/mem", "task/1/environ"})
    operations.push_back({"read", std::string("/proc/1/") + file});
  for (const char* directory : {"root", "cwd"})
    operations.push_back({"list", std::string("/proc/1/") + directory});
  for (const char* file : {"mem", "oom_score_adj", "coredump_filter", "autogroup", "clear_refs"})
    operations.push_back({"write", std::string("/proc/1/") + file, "1"});
  for (const std::string& said : Try({}, operations))
    EXPECT_THAT(said, testing::AnyOf("EACCES", "EPERM", "ENOENT", "EROFS")) << said;
}

// A task that helps to make the sandbox is moved to others.
TEST_P(Processes, RunOnTheProcessorsOfTheCaller) {
  constexpr std::string_view kName = "Cpus_allowed_list:\t";
  const std::string status = Contents("/proc/self/status").value_or("");
  const std::size_t begin = status.find(kName);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t value = begin + kName.size();
  EXPECT_THAT(Try({}, {{"status", "Cpus_allowed_list"}}),
              ElementsAre(status.substr(value, status.find('\n', value) - value)));
}

TEST_P(Processes, ADaemonEndsWithTheCommand) {
  const std::string rw = workspace.Directory("rw");
  EXPECT_THAT(Try({.read_write = {rw}}, {{"daemon", rw + "/lock"}}), ElementsAre("ok"));
  EXPECT_FALSE(IsLocked(rw + "/lock"));
}

TEST_P(Processes, ADaemonEndsAtTheTimeout) {
  const std::string rw = workspace.Directory("rw");
  const Ended ended =
      Execute(PrepareGuest({.read_write = {rw}, .timeout_ms = 1500}, {{"daemon", rw + "/lock"}, {"wait"}}));
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(ended.out, "ok\n");
  EXPECT_FALSE(IsLocked(rw + "/lock"));
}

TEST_P(Processes, ADaemonEndsWithTheLauncher) {
  const std::string rw = workspace.Directory("rw");
  for (const int number : {SIGTERM, SIGKILL}) {
    Running running(PrepareGuest({.read_write = {rw}}, {{"daemon", rw + "/lock"}, {"wait"}}));
    ASSERT_TRUE(running.SaysOnStdout("ok\n"));
    ASSERT_TRUE(IsLocked(rw + "/lock"));
    running.Signal(number);
    EXPECT_FALSE(running.Wait().overdue);
    EXPECT_TRUE(Eventually([&] { return !IsLocked(rw + "/lock"); })) << number;
  }
}

TEST_P(Processes, NothingIsTypedIntoTheCallersTerminal) {
  const Terminal terminal;
  Launch launch =
      PrepareGuest({}, {{"pushinput", "0"}, {"pushinput", "1"}, {"pushinput", "2"}, {"pushinput", "tty"}});
  launch.terminal = terminal.Fd();
  EXPECT_EQ(Execute(launch).status, 0);
  EXPECT_THAT(terminal.Output(), HasSubstr("EPERM"));
  EXPECT_THAT(terminal.Output(), Not(HasSubstr("ok")));
  EXPECT_EQ(terminal.Typed(), "");
}

TEST_P(Processes, ACallersTerminalIsNotTheCommandsOwn) {
  const Terminal terminal;
  Launch launch = PrepareConfig({.command = "tty"});
  launch.terminal = terminal.Fd();
  EXPECT_EQ(Execute(launch).status, 0);
  std::array<char, 100> name{};
  ASSERT_EQ(::ttyname_r(terminal.Fd(), name.data(), name.size()), 0);
  EXPECT_THAT(terminal.Output(), Not(HasSubstr(name.data())));
}

TEST_P(Processes, ThePrivateTerminalHasAName) {
  const Terminal terminal;
  Launch launch = PrepareConfig({.command = "tty && test -c $(tty) && echo found"});
  launch.terminal = terminal.Fd();
  EXPECT_EQ(Execute(launch).status, 0);
  // The kernel hands over what was written a little later.
  EXPECT_THAT(terminal.OutputUpTo("found"), testing::MatchesRegex("/dev/console\r?\nfound(\r?\n)?"));
}

// Pipes for streams, but the launcher still has a terminal: /dev/tty must not lead to it.
TEST_P(Processes, ARunInTheBackgroundHasNoTerminal) {
  const Terminal terminal;
  const int fd = terminal.Fd();
  EXPECT_THAT(Try({}, {{"pushinput", "tty"}}, [fd] { ::ioctl(fd, TIOCSCTTY, 0); }),
              ElementsAre(testing::AnyOf("ENXIO", "ENOENT")));
  EXPECT_EQ(terminal.Typed(), "");
}

// What is written to a process's autogroup is the weight of its whole session (sched(7)).
TEST_P(Processes, LeaveTheWeightOfTheCallersSession) {
  constexpr const char* kAutogroup = "/proc/self/autogroup";
  const std::optional<std::string> before = Contents(kAutogroup);
  if (!before) GTEST_SKIP() << "this kernel has no autogroups (CONFIG_SCHED_AUTOGROUP)";
  std::vector<std::string> said = {"EAGAIN"};
  // One write in 100 ms is taken, of all on the machine.
  for (int attempt = 0; attempt < 50 && said.front() == "EAGAIN"; ++attempt) {
    ::usleep(100'000);
    said = Try({}, {{"write", kAutogroup, "7"}});
  }
  EXPECT_THAT(said, ElementsAre(testing::AnyOf("ok", "EACCES", "EROFS")));
  EXPECT_EQ(Contents(kAutogroup), before);
}

}  // namespace
}  // namespace mxc::test::processes_test
