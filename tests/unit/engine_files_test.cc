// What a sandbox of our own engine shows of the host's files, and what becomes of files that change
// meanwhile.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>

#include <csignal>

#include "base/process_tree.h"
#include "tests/support/program.h"
#include "tests/unit/engine_run.h"

namespace mxc::test::engine_files_test {
namespace {

using ::testing::HasSubstr;

class EngineFiles : public EngineRun {};
INSTANTIATE_TEST_SUITE_P(Callers, EngineFiles, kCallers, CallerName);

TEST_P(EngineFiles, RootAndGrantsAreReadOnly) {
  const std::string granted = Directory("ro");
  LinuxSandbox sandbox = ShellSandbox("for p in / /usr /dev " + granted +
                                      "; do touch $p/x 2>/dev/null && echo $p; done; ls " + granted);
  WriteText(granted + "/file", "text");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadOnly));
  EXPECT_EQ(Run(sandbox).out, "file\n");
}

TEST_P(EngineFiles, ReadWriteGrantWrites) {
  const std::string granted = Directory("rw");
  LinuxSandbox sandbox =
      ShellSandbox("cd " + granted + " && mkdir a b && echo text >a/f && mv a/f b/f && ln b/f b/g && rm b/g");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadWrite));
  EXPECT_EQ(Run(sandbox).outcome.exit_code, 0);
  EXPECT_EQ(ReadText(granted + "/b/f"), "text\n");
}

TEST_P(EngineFiles, MasksHoldAndStayOffTheHost) {
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

TEST_P(EngineFiles, PinnedDirectoryCannotBeRenamed) {
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

// Landlock holds where a mount does not: the host's file behind standard input is on a writable mount.
TEST_P(EngineFiles, InputCannotBeReopenedForWriting) {
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

TEST_P(EngineFiles, SwappedSourceIsRefused) {
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
TEST_P(EngineFiles, SwappedTargetOfAMaskIsRefused) {
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

// The run that held the name may have ended since, and another one may hold it now.
TEST_P(EngineFiles, MasksOfWhatLooksLikeAPlaceholder) {
  const std::string granted = Directory("ro");
  WriteText(granted + "/other", "other");
  WriteText(granted + "/held", "");
  Directory("ro/names");
  const auto run = [&](const std::string& name, bool directory) {
    LinuxSandbox sandbox = ShellSandbox("cd " + granted + "; cat " + name + " 2>/dev/null && echo open");
    sandbox.mounts.emplace_back(Grant(granted, Access::kReadOnly));
    const std::string target = granted + "/" + name;
    const FileObject object = ObjectAt(granted);
    if (directory)
      sandbox.mounts.emplace_back(TmpfsMount{.target = target, .object = object, .look_alike = true});
    sandbox.mounts.emplace_back(FileMask{.target = granted + "/gone", .object = object, .look_alike = true});
    if (!directory)
      sandbox.mounts.emplace_back(FileMask{.target = target, .object = object, .look_alike = true});
    const RunReport report = Run(sandbox);
    return report.ok ? "ran " + report.out : report.message;
  };
  const std::string replaced = "' was replaced while the sandbox was being set up";
  EXPECT_EQ(run("gone", false), "ran ");
  EXPECT_EQ(run("other/gone", false), "ran ");
  EXPECT_EQ(run("gone/gone", true), "ran ");
  EXPECT_EQ(run("other", false), "'" + granted + "/other" + replaced);
  EXPECT_EQ(run("held", false), "'" + granted + "/held" + replaced);
  EXPECT_EQ(run("names", true), "'" + granted + "/names" + replaced);
  ::chmod((granted + "/held").c_str(), kPlaceholderMode);
  ::chmod((granted + "/names").c_str(), kPlaceholderDirectoryMode);
  EXPECT_EQ(run("held", false), "ran ");
  EXPECT_EQ(run("names", true), "ran ");
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
INSTANTIATE_TEST_SUITE_P(Callers, EngineSilence, kCallers, CallerName);

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

TEST_P(EngineFiles, LinkOnTheWayIsRefused) {
  const std::string real = Directory("real");
  ::mkdir((real + "/in").c_str(), 0777);
  ::symlink(real.c_str(), scratch_.Path("link").c_str());
  LinuxSandbox sandbox = ShellSandbox("true");
  sandbox.mounts.emplace_back(Grant(scratch_.Path("link/in"), Access::kReadWrite));
  EXPECT_EQ(Run(sandbox).message,
            "could not open '" + scratch_.Path("link/in") + "': Too many levels of symbolic links");
}

TEST_P(EngineFiles, NothingIsMadeOnTheHost) {
  const std::string granted = Directory("rw");
  LinuxSandbox sandbox = ShellSandbox("true");
  sandbox.mounts.emplace_back(Grant(granted, Access::kReadWrite));
  sandbox.mounts.emplace_back(TmpfsMount{.target = granted + "/new"});
  EXPECT_EQ(Run(sandbox).message,
            "could not find the mount point '" + granted + "/new': No such file or directory");
  EXPECT_NE(::access((granted + "/new").c_str(), F_OK), 0);
}

class EngineMounts : public test::NamespacesTest {};

TEST_F(EngineMounts, AttributesAreTheMountsOwn) {
  const RunReport report =
      RunInChild(PlanOf(ShellSandbox("grep -E ' (/|/dev|/usr|/proc|/tmp|/dev/null) ' /proc/self/mounts | "
                                     "cut -d' ' -f2,4 | cut -d, -f1-2")));
  EXPECT_EQ(
      report.out,
      "/ ro,nosuid\n/usr ro,nosuid\n/proc rw,nosuid\n/dev ro,nosuid\n/dev/null ro,nosuid\n/tmp rw,nosuid\n");
}

// A link in a mount that is read-only and keeps times of access is a slow step of every path through it.
TEST_F(EngineMounts, SealedOnesKeepNoTimes) {
  const RunReport report = RunInChild(
      PlanOf(ShellSandbox("grep -E ' (/|/dev|/tmp) ' /proc/self/mounts | grep noatime | cut -d' ' -f2")));
  EXPECT_EQ(report.out, "/\n/dev\n");
}

}  // namespace
}  // namespace mxc::test::engine_files_test
