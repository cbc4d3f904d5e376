// What a command finds inside a sandbox of our own engine, for root and for an ordinary caller.
#include "process/linux/engine.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "process/process_tree.h"
#include "tests/unit/engine_sandboxes.h"

namespace mxc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

enum class Caller { kRoot, kOrdinary };

class EngineRun : public ::testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (GetParam() == Caller::kRoot && ::getuid() != 0) GTEST_SKIP() << "the tests do not run as root";
    ::chmod(scratch_.Path().c_str(), 0777);
  }
  [[nodiscard]] RunReport Run(LinuxSandbox sandbox) const {
    RunSetup setup;
    if (GetParam() == Caller::kOrdinary) setup.before = BecomeOrdinary;
    return RunInChild(PlanOf(std::move(sandbox)), setup);
  }
  [[nodiscard]] RunReport RunScript(const std::string& script) const { return Run(ShellSandbox(script)); }
  std::string Directory(const std::string& name) const {
    const std::string path = scratch_.Path(name);
    ::mkdir(path.c_str(), 0777);
    ::chmod(path.c_str(), 0777);
    return path;
  }

  ScratchDirectory scratch_;
};

INSTANTIATE_TEST_SUITE_P(Callers, EngineRun, ::testing::Values(Caller::kRoot, Caller::kOrdinary),
                         [](const auto& test) { return test.param == Caller::kRoot ? "Root" : "Ordinary"; });

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

TEST_P(EngineRun, RootAndGrantsAreReadOnly) {
  const std::string granted = Directory("ro");
  LinuxSandbox sandbox = ShellSandbox("for p in / /usr /dev " + granted +
                                      "; do touch $p/x 2>/dev/null && echo $p; done; ls " + granted);
  WriteText(granted + "/file", "text");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadOnly));
  EXPECT_EQ(Run(sandbox).out, "file\n");
}

TEST_P(EngineRun, ReadWriteGrantWrites) {
  const std::string granted = Directory("rw");
  LinuxSandbox sandbox =
      ShellSandbox("cd " + granted + " && mkdir a b && echo text >a/f && mv a/f b/f && ln b/f b/g && rm b/g");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadWrite));
  EXPECT_EQ(Run(sandbox).outcome.exit_code, 0);
  EXPECT_EQ(ReadText(granted + "/b/f"), "text\n");
}

TEST_P(EngineRun, MasksHoldAndStayOffTheHost) {
  const std::string granted = Directory("rw");
  WriteText(granted + "/secret", "TOKEN");
  ::mkdir((granted + "/dir").c_str(), 0777);
  WriteText(granted + "/dir/inner", "TOKEN");
  LinuxSandbox sandbox = ShellSandbox("cd " + granted +
                                      "; cat secret; chmod 777 secret; rm -f secret; ls dir; cat dir/inner; "
                                      "chmod 777 dir; mv dir other; echo x >dir/y; true");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadWrite));
  sandbox.mounts.emplace_back(FileMask{.target = granted + "/secret"});
  sandbox.mounts.emplace_back(
      TmpfsMount{.target = granted + "/dir", .size_bytes = 4096, .mode = 0, .read_only = true});
  const RunReport report = Run(sandbox);
  EXPECT_EQ(report.out, "");
  EXPECT_THAT(report.err, HasSubstr("cat: secret: Permission denied"));
  EXPECT_THAT(report.err, HasSubstr("'dir': Permission denied"));
  EXPECT_EQ(ReadText(granted + "/secret"), "TOKEN");
  EXPECT_EQ(ReadText(granted + "/dir/inner"), "TOKEN");
}

TEST_P(EngineRun, PinnedDirectoryCannotBeRenamed) {
  const std::string granted = Directory("rw");
  ::mkdir((granted + "/way").c_str(), 0777);
  ::chmod((granted + "/way").c_str(), 0777);
  LinuxSandbox sandbox =
      ShellSandbox("cd " + granted + "; mv way gone 2>/dev/null; echo $?; echo x >way/f; cat way/f");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadWrite));
  sandbox.mounts.emplace_back(BindMount{
      .source = granted + "/way", .target = granted + "/way", .access = Access::kReadWrite, .pin = true});
  EXPECT_EQ(Run(sandbox).out, "1\nx\n");
}

TEST_P(EngineRun, OwnTemporaryFilesWork) {
  EXPECT_EQ(
      RunScript("echo x >/dev/null && echo y >/dev/shm/f && echo z >/tmp/f && cat /dev/shm/f /tmp/f").out,
      "y\nz\n");
}

// Landlock holds where a mount does not: the host's file behind standard input is on a writable mount.
TEST_P(EngineRun, InputCannotBeReopenedForWriting) {
  const std::string file = Directory("in") + "/file";
  WriteText(file, "host");
  ::chmod(file.c_str(), 0666);
  RunSetup setup;
  setup.before = [&] {
    const int input = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    ::dup2(input, STDIN_FILENO);
    if (GetParam() == Caller::kOrdinary) BecomeOrdinary();
  };
  const RunReport report =
      RunInChild(PlanOf(ShellSandbox("cat /dev/stdin; echo guest >/proc/self/fd/0")), setup);
  EXPECT_EQ(report.out, "host");
  EXPECT_THAT(report.err, HasSubstr("Permission denied"));
  EXPECT_EQ(ReadText(file), "host");
}

TEST_P(EngineRun, SwappedSourceIsRefused) {
  const std::string granted = Directory("rw");
  LinuxSandbox sandbox = ShellSandbox("true");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadWrite));
  ::rename(granted.c_str(), scratch_.Path("moved").c_str());
  Directory("rw");
  const RunReport report = Run(sandbox);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.message, "'" + granted + "' was replaced while the sandbox was being set up");
}

// A mask over something else would hide nothing.
TEST_P(EngineRun, SwappedTargetOfAMaskIsRefused) {
  const std::string granted = Directory("rw");
  const std::string replaced = "' was replaced while the sandbox was being set up";
  const auto refusal = [&](const MountNode& mask) {
    LinuxSandbox sandbox = ShellSandbox("true");
    sandbox.mounts.emplace_back(Grant(granted, Access::kReadWrite));
    sandbox.mounts.push_back(mask);
    const RunReport report = Run(sandbox);
    return report.ok ? "ran" : report.message;
  };
  Directory("rw/denied");
  WriteText(granted + "/secret", "secret");
  WriteText(granted + "/other", "other");
  EXPECT_EQ(refusal(FileMask{.target = granted + "/secret", .object = ObjectAt(granted + "/secret")}), "ran");
  EXPECT_EQ(refusal(FileMask{.target = granted + "/secret", .object = ObjectAt(granted + "/other")}),
            "'" + granted + "/secret" + replaced);
  EXPECT_EQ(refusal(TmpfsMount{.target = granted + "/denied", .object = ObjectAt(granted + "/denied")}),
            "ran");
  EXPECT_EQ(refusal(TmpfsMount{.target = granted + "/denied", .object = ObjectAt(granted)}),
            "'" + granted + "/denied" + replaced);
  EXPECT_EQ(refusal(FileMask{.target = granted + "/secret", .placeholder = true}),
            "'" + granted + "/secret" + replaced);
  WriteText(granted + "/held", "");
  ::chmod((granted + "/held").c_str(), kPlaceholderMode);
  EXPECT_EQ(refusal(FileMask{.target = granted + "/held", .placeholder = true}), "ran");
}

// A file system whose server never answers: whoever looks at it waits, until it is killed.
void MountSilently(const std::string& target) {
  const int server = ::open("/dev/fuse", O_RDWR);  // stays open as long as the process lives
  const std::string options =
      "fd=" + std::to_string(server) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
  const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                       ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       ::mount("silent", target.c_str(), "fuse", MS_NODEV | MS_NOSUID, options.c_str()) == 0;
  if (!mounted) ::_exit(97);
}

class EngineSilence : public EngineRun {
 protected:
  void SetUp() override {
    EngineRun::SetUp();
    if (::getuid() != 0 || ::access("/dev/fuse", W_OK) != 0) GTEST_SKIP() << "needs root and /dev/fuse";
    granted_ = Directory("silent");
    setup_.before = [this] {
      MountSilently(granted_);
      if (GetParam() == Caller::kOrdinary) BecomeOrdinary();
    };
  }
  [[nodiscard]] Plan SilentPlan() const {
    LinuxSandbox sandbox = ShellSandbox("echo ran");
    sandbox.mounts.emplace_back(BindMount{.source = granted_, .target = granted_});
    return PlanOf(std::move(sandbox));
  }
  std::string granted_;
  RunSetup setup_;
};
INSTANTIATE_TEST_SUITE_P(Callers, EngineSilence, ::testing::Values(Caller::kRoot, Caller::kOrdinary),
                         [](const auto& test) { return test.param == Caller::kRoot ? "Root" : "Ordinary"; });

TEST_P(EngineSilence, TimeoutEndsSetUp) {
  Plan plan = SilentPlan();
  plan.timeout_ms = 300;
  const RunReport report = RunInChild(plan, setup_);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_TRUE(report.outcome.timed_out);
  EXPECT_EQ(report.started, 0);
  EXPECT_EQ(report.out, "");
}

TEST_P(EngineSilence, SignalEndsSetUp) {
  RunningPlan running(SilentPlan(), setup_);
  ASSERT_TRUE(Eventually([&] { return !ChildrenOf(running.Launcher()).empty(); }));
  running.Signal(SIGWINCH);
  running.Signal(SIGTERM);
  const RunReport report = running.Finish();
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.interrupted_by, SIGTERM);
  EXPECT_EQ(report.started, 0);
}

TEST_P(EngineRun, LinkOnTheWayIsRefused) {
  const std::string real = Directory("real");
  ::mkdir((real + "/in").c_str(), 0777);
  ::symlink(real.c_str(), scratch_.Path("link").c_str());
  LinuxSandbox sandbox = ShellSandbox("true");
  sandbox.mounts.emplace_back(Grant(scratch_.Path("link/in"), Access::kReadWrite));
  EXPECT_EQ(Run(sandbox).message,
            "could not open '" + scratch_.Path("link/in") + "': Too many levels of symbolic links");
}

TEST_P(EngineRun, NothingIsMadeOnTheHost) {
  const std::string granted = Directory("rw");
  LinuxSandbox sandbox = ShellSandbox("true");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadWrite));
  sandbox.mounts.emplace_back(TmpfsMount{.target = granted + "/new"});
  EXPECT_EQ(Run(sandbox).message,
            "could not find the mount point '" + granted + "/new': No such file or directory");
  EXPECT_NE(::access((granted + "/new").c_str(), F_OK), 0);
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
  (void)running.Finish();
  EXPECT_TRUE(Eventually(
      [&] { return ::syscall(SYS_pidfd_send_signal, init.Get(), 0, nullptr, 0) != 0 && errno == ESRCH; }));
}

// The launcher has a controlling terminal; the command must not, or it could push input into it.
TEST(EngineTerminal, CallersIsLeft) {
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

TEST(EngineMounts, AttributesAreTheMountsOwn) {
  const RunReport report =
      RunInChild(PlanOf(ShellSandbox("grep -E ' (/|/dev|/usr|/proc|/tmp|/dev/null) ' /proc/self/mounts | "
                                     "cut -d' ' -f2,4 | cut -d, -f1-2")));
  EXPECT_EQ(
      report.out,
      "/ ro,nosuid\n/usr ro,nosuid\n/proc rw,nosuid\n/dev ro,nosuid\n/dev/null ro,nosuid\n/tmp rw,nosuid\n");
}

// A link in a mount that is read-only and keeps times of access is a slow step of every path through it.
TEST(EngineMounts, SealedOnesKeepNoTimes) {
  const RunReport report = RunInChild(
      PlanOf(ShellSandbox("grep -E ' (/|/dev|/tmp) ' /proc/self/mounts | grep noatime | cut -d' ' -f2")));
  EXPECT_EQ(report.out, "/\n/dev\n");
}

TEST(EngineMemory, StreamsThatAreFilesOpenAgain) {
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
}  // namespace mxc::testing
