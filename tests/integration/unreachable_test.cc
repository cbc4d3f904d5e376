// Root's grants that hold, or stand below, a directory which another user keeps for itself: root has no
// privileges inside, and cannot even walk through.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/launcher_test.h"

namespace mxc::test::unreachable_test {
namespace {

using testing::HasSubstr;

constexpr uid_t kOther = 1001;

class Unreachable : public LauncherTest {
 protected:
  void SetUp() override {
    LauncherTest::SetUp();
    if (::geteuid() != 0) GTEST_SKIP() << "another user's files take root";
    top = workspace.Directory("top");
    closed = workspace.Directory("top/closed");
    workspace.File("top/closed/secret", "SECRET");
    workspace.File("top/closed/repository/.git/config", "[core]\n", 0666);
    workspace.Directory("top/closed/repository/.git/objects");
    workspace.Directory("top/closed/repository/.git/refs");
    workspace.File("top/closed/repository/.git/HEAD", "ref: refs/heads/main\n");
    workspace.Directory("top/closed/mounted");
    workspace.File("data/file", "DATA", 0666);
    workspace.File("top/closed/app/file", "APP", 0666);
    ASSERT_EQ(::chown(closed.c_str(), kOther, kOther), 0);
    ASSERT_EQ(::chmod(closed.c_str(), 0700), 0);
  }

  // With something mounted in the closed directory.
  [[nodiscard]] Launch WithMount(const Parts& parts) const {
    Launch launch = PrepareConfig(parts);
    launch.before_exec = [source = workspace.Path("data"), target = closed + "/mounted"] {
      const bool made = ::unshare(CLONE_NEWNS) == 0 &&
                        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                        ::mount(source.c_str(), target.c_str(), nullptr, MS_BIND, nullptr) == 0;
      if (!made) ::_exit(98);
    };
    return launch;
  }

  std::string top;     // NOLINT: the tests read it
  std::string closed;  // NOLINT: of another user, who lets nobody else in
};
INSTANTIATE_TEST_SUITE_P(As, Unreachable,
                         testing::Values(Setting{Caller::kRoot, "namespaces"},
                                         Setting{Caller::kRoot, "bubblewrap"}, Setting{Caller::kRoot, "lxc"}),
                         CallerAndContainmentOf);

TEST_P(Unreachable, BelowAGrantItHindersNothing) {
  for (const bool writable : {true, false}) {
    Parts parts{.command = "ls " + closed + " || touch ok 2>/dev/null; echo ran",
                .denied = {closed + "/secret", closed + "/nosuch"},
                .cwd = top};
    (writable ? parts.read_write : parts.read_only) = {top};
    const Ended ended = Execute(WithMount(parts));
    EXPECT_EQ(ended.out, "ran\n") << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("Permission denied"));
  }
  EXPECT_TRUE(Exists(top + "/ok"));
  EXPECT_FALSE(Exists(closed + "/nosuch"));
}

// Whatever the owner does with it during the run.
TEST_P(Unreachable, WhatStandsBelowStaysHeldWhenItIsOpened) {
  Running running(
      WithMount({.command = "echo up; while [ ! -e go ]; do sleep 0.05; done; cd closed; cat secret; "
                            "echo x >>repository/.git/config; echo x >>mounted/file",
                 .read_write = {top},
                 .denied = {closed + "/secret"},
                 .cwd = top}));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  ASSERT_EQ(::chmod(closed.c_str(), 0777), 0);
  workspace.File("top/go", "");
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.out.find("SECRET"), std::string::npos);
  EXPECT_EQ(Contents(closed + "/repository/.git/config"), "[core]\n");
  EXPECT_EQ(Contents(workspace.Path("data/file")), "DATA");
}

TEST_P(Unreachable, AGrantBehindItIsReachedOrSaysWhatToDo) {
  for (const bool inside : {false, true}) {
    Parts parts{.command = "cat file; echo x >file; ls " + closed,
                .read_write = {closed + "/app"},
                .cwd = closed + "/app"};
    if (inside) parts.read_only = {top};
    const Ended ended = RunConfig(parts);
    if (GetParam().containment == "bubblewrap") {
      EXPECT_EQ(ended.status, 255);
      EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("its owner lets nobody else in"));
      continue;
    }
    EXPECT_EQ(ended.out, (inside ? "x\napp\n" : "APPapp\n")) << ended.err;
    EXPECT_EQ(Contents(closed + "/app/file"), "x\n");
  }
}

TEST_P(Unreachable, GrantedItselfItSaysWhatToDo) {
  const Ended ended = RunConfig({.read_write = {closed}});
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("inside root has no privileges"));
}

}  // namespace
}  // namespace mxc::test::unreachable_test
