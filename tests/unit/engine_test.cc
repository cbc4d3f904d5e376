// What a command finds inside a sandbox of our own engine, for root and for an ordinary caller.
#include "engine/engine.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "base/process_tree.h"
#include "tests/support/program.h"
#include "tests/unit/engine_run.h"

namespace mxc::test::engine_test {
namespace {

using ::testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Callers, EngineRun, kCallers, CallerName);

TEST_P(EngineRun, StatusAndStreamsAreTheCommands) {
  const RunReport report = RunScript("echo out; echo err >&2; exit 7");
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 7);
  EXPECT_EQ(report.out, "out\n");
  EXPECT_EQ(report.err, "err\n");
}

TEST_P(EngineRun, SignalIs128PlusItsNumber) {
  const RunReport report = RunScript("kill -KILL $$");
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 137);
  EXPECT_EQ(report.outcome.signal, SIGKILL);
}

TEST_P(EngineRun, NothingOfPrivilegeIsLeft) {
  const RunReport report =
      RunScript("grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp|SigBlk|SigIgn):' /proc/self/status");
  EXPECT_EQ(report.out,
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
            "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
            "CapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n");
}

TEST_P(EngineRun, InitShowsNothingOfTheLauncher) {
  const RunReport report = RunScript(
      "tr -d '\\0' </proc/1/cmdline; echo; cat /proc/1/comm; "
      "for f in environ mem maps ns/user root/etc cwd/etc; do cat /proc/1/$f 2>&1 | grep -c 'Permission "
      "denied'; done");
  EXPECT_EQ(report.out, "mxc-init\nmxc-init\n1\n1\n1\n1\n1\n1\n");
}

TEST_P(EngineRun, NoNewUserNamespace) {
  const RunReport report = RunScript("unshare -U true 2>&1; unshare -r id -u 2>&1");
  EXPECT_EQ(
      report.out,
      "unshare: unshare failed: Operation not permitted\nunshare: unshare failed: Operation not permitted\n");
}

TEST_P(EngineRun, OnlyDescriptorsThatWereMeantCross) {
  RunSetup setup;
  setup.before = [] {
    [[maybe_unused]] const int leaked = ::open("/etc/passwd", O_RDONLY);  // NOLINT(android-cloexec-open)
    ::dup2(leaked, 200);
    if (GetParam() == Caller::kOrdinary) BecomeOrdinary();
  };
  const RunReport report = RunInChild(PlanOf(ShellSandbox("ls /proc/self/fd | tr '\\n' ' '")), setup);
  EXPECT_EQ(report.out, "0 1 2 3 ");  // 3: the listing itself
}

TEST_P(EngineRun, NetworkIsALoopback) {
  const RunReport report =
      RunScript("cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' '; cat /proc/net/route | wc -l");
  EXPECT_EQ(report.out, "lo\n1\n");
  const RunReport up = RunScript(
      "python3 -c 'import socket; s=socket.create_server((\"127.0.0.1\",0)); "
      "socket.create_connection(s.getsockname()); print(1)'");
  EXPECT_EQ(up.out, "1\n");
}

TEST_P(EngineRun, NamesAreTheSandboxs) {
  LinuxSandbox sandbox = ShellSandbox("uname -n; cat /proc/sys/kernel/domainname");
  sandbox.hostname = "box";
  EXPECT_EQ(Run(sandbox).out, "box\n(none)\n");
}

TEST_P(EngineRun, OwnTemporaryFilesWork) {
  EXPECT_EQ(
      RunScript("echo x >/dev/null && echo y >/dev/shm/f && echo z >/tmp/f && cat /dev/shm/f /tmp/f").out,
      "y\nz\n");
}

TEST_P(EngineRun, MissingCommandIsASetupFailure) {
  LinuxSandbox sandbox = ShellSandbox("");
  sandbox.argv = {"no-such-command"};
  const RunReport report = Run(sandbox);
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.message, "could not execute 'no-such-command': No such file or directory");
}

TEST_P(EngineRun, CommandIsFoundOnItsOwnPath) {
  const std::string granted = Directory("bin");
  WriteText(granted + "/tool", "#!/bin/sh\necho tool\n");
  ::chmod((granted + "/tool").c_str(), 0755);
  LinuxSandbox sandbox = ShellSandbox("");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadOnly));
  sandbox.environment = {{.name = "PATH", .value = Secret("/nowhere:" + granted + ":/usr/bin")}};
  sandbox.argv = {"tool"};
  EXPECT_EQ(Run(sandbox).out, "tool\n");
}

TEST_P(EngineRun, MissingWorkingDirectoryIsASetupFailure) {
  LinuxSandbox sandbox = ShellSandbox("true");
  sandbox.cwd = "/srv/none";
  EXPECT_EQ(Run(sandbox).message,
            "could not enter the working directory '/srv/none': No such file or directory");
}

TEST_P(EngineRun, OrphansAreBuriedAndDieWithTheCommand) {
  const RunReport report = RunScript(
      "(sh -c 'exit 3' &) ; (sleep 1000 &) ; sleep 0.1; grep -l '^State:.Z' /proc/[0-9]*/status; echo end");
  EXPECT_EQ(report.out, "end\n");
}

TEST_P(EngineRun, SignalReachesTheCommand) {
  RunSetup setup;
  if (GetParam() == Caller::kOrdinary) setup.before = BecomeOrdinary;
  RunningPlan running(PlanOf(ShellSandbox("trap 'exit 9' TERM; for i in $(seq 400); do sleep 0.05; done")),
                      setup);
  ASSERT_TRUE(Eventually([&] { return !ChildrenOf(running.Launcher()).empty(); }));
  const pid_t init = ChildrenOf(running.Launcher()).front();
  ASSERT_TRUE(Eventually([&] { return !ChildrenOf(init).empty(); }));
  // Init alone gets it; it passes it on.
  ASSERT_TRUE(Eventually([&] { return ::kill(init, SIGTERM) != 0 || ChildrenOf(init).empty(); }));
  EXPECT_THAT(running.Finish().outcome.exit_code, ::testing::AnyOf(9, 143));
}

TEST_P(EngineRun, KilledLauncherLeavesNothing) {
  RunSetup setup;
  if (GetParam() == Caller::kOrdinary) setup.before = BecomeOrdinary;
  RunningPlan running(PlanOf(ShellSandbox("sleep 1000 & sleep 1000")), setup);
  ASSERT_TRUE(Eventually([&] { return !ChildrenOf(running.Launcher()).empty(); }));
  const pid_t process = ChildrenOf(running.Launcher()).front();
  const UniqueFd init = HandleOf(process);
  // Until the command runs, init would notice by itself that nobody reads its reports.
  ASSERT_TRUE(Eventually([&] {
    const std::vector<pid_t> commands = ChildrenOf(process);  // at first the task that makes the network
    return !commands.empty() && !ChildrenOf(commands.front()).empty();
  }));
  running.Signal(SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(running.Finish().wait_status));
  EXPECT_TRUE(Eventually(
      [&] { return ::syscall(SYS_pidfd_send_signal, init.Get(), 0, nullptr, 0) != 0 && errno == ESRCH; }));
}

class EngineTerminal : public test::NamespacesTest {};

// The launcher has a controlling terminal; the command must not, or it could push input into it.
TEST_F(EngineTerminal, CallersIsLeft) {
  RunSetup setup;
  setup.before = [] {
    const int outer = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(outer);
    ::unlockpt(outer);
    ::setsid();
    const int inner = ::open(::ptsname(outer), O_RDWR | O_CLOEXEC);  // NOLINT(concurrency-mt-unsafe)
    if (::ioctl(inner, TIOCSCTTY, 0) != 0) ::_exit(98);
    ::signal(SIGHUP, SIG_IGN);
  };
  const RunReport report = RunInChild(PlanOf(ShellSandbox("exec 3<>/dev/tty && echo has one")), setup);
  EXPECT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.out, "");
  EXPECT_THAT(report.err, HasSubstr("No such device or address"));
}

class EngineMemory : public test::NamespacesTest {};

TEST_F(EngineMemory, StreamsThatAreFilesOpenAgain) {
  const ScratchDirectory scratch;
  const int file = ::open(scratch.Path("out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  RunSetup setup;
  setup.standard_output = file;
  const RunReport report = RunInChild(PlanOf(ShellSandbox("echo text >/dev/stdout")), setup);
  ::close(file);
  EXPECT_EQ(report.outcome.exit_code, 0) << report.err;
  EXPECT_EQ(ReadText(scratch.Path("out")), "text\n");
}

}  // namespace
}  // namespace mxc::test::engine_test
