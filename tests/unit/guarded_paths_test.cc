// What is put back at the end of a run, whatever was seen meanwhile.
#include "cleanup/guarded_paths.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "base/unique_fd.h"
#include "cleanup/directory_identity.h"
#include "cleanup/put_back_answer.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::guarded_paths_test {
namespace {

namespace fs = std::filesystem;

class GuardedPathsTest : public ::testing::Test {
 protected:
  GuardedPathsTest() {
    fs::create_directories(At("git/hooks/below"));
    WriteText(At("git/config"), "[core]\n");
    WriteText(At("git/hooks/one"), "#!/bin/sh\n");
    fs::create_symlink("one", At("git/hooks/two"));
  }
  [[nodiscard]] std::string At(const std::string& name) const { return scratch_.Path(name); }
  [[nodiscard]] GuardedPath Guard(const std::string& name) const {
    GuardedPath guarded{.path = At(name), .grant = scratch_.Path("")};
    while (guarded.grant.ends_with('/')) guarded.grant.pop_back();
    struct stat status {};
    if (::lstat(At(name).c_str(), &status) == 0)
      guarded.object = FileObject{.device = status.st_dev, .inode = status.st_ino};
    return guarded;
  }
  [[nodiscard]] GuardedPaths Remembered() const {
    Result<GuardedPaths> guarded = GuardedPaths::Remember(
        {Guard("git/config"), Guard("git/hooks"), Guard("git/hooks/one"), Guard("git/commondir")});
    EXPECT_TRUE(guarded.ok()) << (guarded.ok() ? "" : guarded.error().message);
    EXPECT_EQ(guarded->OpenAlone(), guarded->Size());
    return std::move(*guarded);
  }
  // Names, modes and texts.
  [[nodiscard]] std::string State() const {
    const std::string command = "cd " + At("git") +
                                " && find . -not -name '*.untrusted*' -printf '%p %y %m %l\\n' | "
                                "sort; cat config hooks/one";
    return RunInChild(ShellPlan(command)).out;
  }

  ScratchDirectory scratch_;
};

TEST_F(GuardedPathsTest, NothingIsTouchedThatIsWhatItWas) {
  GuardedPaths guarded = Remembered();
  const fs::file_time_type written = fs::last_write_time(At("git/hooks"));
  WriteText(At("git/index"), "x");
  EXPECT_FALSE(guarded.PutBack());
  EXPECT_TRUE(guarded.Found().empty());
  EXPECT_EQ(fs::last_write_time(At("git/hooks")), written);
}

TEST_F(GuardedPathsTest, EveryKindOfChangeIsUndone) {
  const std::string before = State();
  for (const char* change :
       {"echo x >>config", "chmod 777 config", "ln config l", "rm config", "rm config; mkdir config",
        "rm config; ln -s /etc/passwd config", "echo x >hooks/three", "rm hooks/one", "echo x >hooks/one",
        "chmod 755 hooks/one", "ln -sf /bin/sh hooks/two", "rmdir hooks/below", "rm -r hooks",
        "mv hooks h; ln -s h hooks", "echo .. >commondir", "mkdir commondir", "mkdir hooks/below/more",
        "chmod 0 hooks; chmod 500 ."}) {
    GuardedPaths guarded = Remembered();
    ASSERT_TRUE(RunInChild(ShellPlan("cd " + At("git") + "; " + change)).ok);
    EXPECT_TRUE(guarded.PutBack()) << change;
    EXPECT_FALSE(guarded.PutBack()) << change;
    ASSERT_TRUE(RunInChild(ShellPlan("cd " + At("git") + "; chmod 755 .; rm -rf l h *.untrusted*")).ok);
    EXPECT_EQ(State(), before) << change;
  }
}

// Pipes, sockets, and what belongs to others.
TEST_F(GuardedPathsTest, WhatCannotBeMadeAgainIsNotTriedTwice) {
  ASSERT_TRUE(RunInChild(ShellPlan("cd " + At("git") + "; mkfifo hooks/pipe commondir")).ok);
  static_cast<void>(::lchown(At("git/hooks/two").c_str(), 1, 1));  // by root
  GuardedPaths guarded = Remembered();
  ASSERT_TRUE(RunInChild(ShellPlan("cd " + At("git") + "; echo x >hooks/three; rm commondir")).ok);
  EXPECT_TRUE(guarded.PutBack());
  EXPECT_FALSE(guarded.PutBack());
  EXPECT_FALSE(fs::exists(At("git/hooks/three")));
  struct stat status {};
  ASSERT_EQ(::lstat(At("git/hooks/two").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, ::geteuid() == 0 ? 1U : ::geteuid());
}

TEST_F(GuardedPathsTest, OneCopyIsLeftOfEachContent) {
  GuardedPaths guarded = Remembered();
  for (const char* text : {"a", "b", "a", "b", "a"}) {
    WriteText(At("git/config"), text);
    EXPECT_TRUE(guarded.PutBack());
    ASSERT_EQ(guarded.Found().size(), 1U);
    EXPECT_EQ(ReadText(guarded.Found().front().aside), text);
  }
  EXPECT_EQ(RunInChild(ShellPlan("ls " + At("git") + " | grep -c untrusted")).out, "2\n");
}

TEST_F(GuardedPathsTest, WhatIsRenamedAboveIsFollowedAndItsPlaceIsCleared) {
  GuardedPaths guarded = Remembered();
  fs::rename(At("git"), At("old"));
  WriteText(At("old/config"), "evil");
  fs::create_directories(At("git"));
  WriteText(At("git/config"), "evil");
  WriteText(At("git/index"), "x");
  EXPECT_TRUE(guarded.PutBack());
  EXPECT_EQ(ReadText(At("old/config")), "[core]\n");
  EXPECT_FALSE(fs::exists(At("git/config")));
  EXPECT_TRUE(fs::exists(At("git/index")));
  ASSERT_FALSE(guarded.Found().empty());
  EXPECT_TRUE(guarded.Found().front().gone);
}

TEST_F(GuardedPathsTest, WhatWasMovedAwayForALinkGetsItsNameAgain) {
  const std::string before = State();
  for (const char* trick :
       {"mv git old; ln -s old git", "mkdir d; mv git d/git; chmod 500 d; ln -s d/git git",
        "mv git old; chmod a-w old; echo x >git"}) {
    GuardedPaths guarded = Remembered();
    ASSERT_TRUE(RunInChild(ShellPlan("cd " + At("") + "; " + trick)).ok);
    EXPECT_TRUE(guarded.PutBack()) << trick;
    EXPECT_FALSE(guarded.PutBack()) << trick;
    ASSERT_TRUE(RunInChild(ShellPlan("cd " + At("") + "; chmod -R u+w .; rm -rf d *.untrusted*")).ok);
    EXPECT_EQ(State(), before) << trick;
    ASSERT_EQ(guarded.Found().size(), 1U);
    EXPECT_EQ(guarded.Found().front().path, At("git"));
    EXPECT_FALSE(guarded.Found().front().gone);
  }
}

// Nothing is renamed that is not in the grant, or does not hold what was held.
TEST_F(GuardedPathsTest, WhatIsRemovedForALinkIsGone) {
  for (const char* trick : {"rm -r git; ln -s x git", "mkdir d; mv git/* d; rmdir git; ln -s d git"}) {
    GuardedPaths guarded = Remembered();
    ASSERT_TRUE(RunInChild(ShellPlan("cd " + At("") + "; cp -r git kept; " + trick)).ok);
    EXPECT_TRUE(guarded.PutBack()) << trick;
    EXPECT_FALSE(fs::exists(fs::symlink_status(At("git")))) << trick;
    ASSERT_FALSE(guarded.Found().empty());
    EXPECT_EQ(guarded.Found().front().path, At("git"));
    EXPECT_TRUE(guarded.Found().front().gone);
    ASSERT_TRUE(RunInChild(ShellPlan("cd " + At("") + "; rm -rf d git* ; mv kept git")).ok);
  }
}

// A file system that is full, of blocks or of files, where `scratch/small` is.
class FullFileSystem : public GuardedPathsTest {
 protected:
  // Runs `test` in a child with mounts of its own, in a repository that was remembered before `fill`.
  void In(const char* options, const std::function<void(const std::string& small)>& test) const {
    if (::geteuid() != 0) GTEST_SKIP() << "a file system of its own needs root";
    const std::string small = At("small");
    fs::create_directories(small);
    const pid_t child = ::fork();
    if (child == 0) {
      const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                           ::mount("none", small.c_str(), "tmpfs", 0, options) == 0;
      if (mounted) test(small);
      std::_Exit(!mounted || HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << options;
  }
};

TEST_F(FullFileSystem, WhatTheCommandWroteIsTakenAwayWithoutRoom) {
  for (const char* options : {"size=200k,nr_inodes=40", "nr_inodes=12"}) {
    In(options, [&](const std::string& small) {
      fs::create_directories(small + "/git/hooks");
      WriteText(small + "/git/config", "[core]\n");
      WriteText(small + "/git/hooks/one", "#!/bin/sh\n");
      Result<GuardedPaths> guarded = GuardedPaths::Remember(
          {Guard("small/git/config"), Guard("small/git/hooks"), Guard("small/git/info")});
      ASSERT_TRUE(guarded.ok());
      ASSERT_EQ(guarded->OpenAlone(), guarded->Size());
      WriteText(small + "/git/config", "evil");
      WriteText(small + "/git/hooks/one", "evil");
      // Somebody has what is removed open still: it gives no room back.
      const UniqueFd config{::open((small + "/git/config").c_str(), O_RDONLY | O_CLOEXEC)};
      const UniqueFd hook{::open((small + "/git/hooks/one").c_str(), O_RDONLY | O_CLOEXEC)};
      ASSERT_TRUE(RunInChild(ShellPlan("cd " + small +
                                       "; i=0; while : >f$i; do i=$((i+1)); done; "
                                       "cat /dev/zero >>f0"))
                      .ok);
      EXPECT_TRUE(guarded->PutBack());
      EXPECT_NE(ReadText(small + "/git/config"), "evil");
      EXPECT_NE(ReadText(small + "/git/hooks/one"), "evil");
      for (int i = 0; i < 3; ++i) static_cast<void>(guarded->PutBack());
      EXPECT_EQ(RunInChild(ShellPlan("ls -A " + small + "/git | grep -c untrusted-")).out, "0\n")
          << "attempts leave nothing";
      // It is put back when there is room.
      ASSERT_TRUE(RunInChild(ShellPlan("rm " + small + "/f*")).ok);
      static_cast<void>(guarded->PutBack());
      EXPECT_EQ(ReadText(small + "/git/config"), "[core]\n");
      EXPECT_EQ(ReadText(small + "/git/hooks/one"), "#!/bin/sh\n");
      EXPECT_TRUE(guarded->NotRestored().empty());
      for (const PutBackPath& path : guarded->Found()) EXPECT_EQ(path.failure, "") << path.path;
    });
  }
}

TEST_F(FullFileSystem, WhatIsMissingIsToldAndRecorded) {
  In("nr_inodes=6", [&](const std::string& small) {
    fs::create_directories(small + "/git");
    WriteText(small + "/git/config", "[core]\n");
    Result<GuardedPaths> guarded = GuardedPaths::Remember({Guard("small/git/config")});
    ASSERT_TRUE(guarded.ok());
    ASSERT_EQ(guarded->OpenAlone(), 1U);
    // The command takes the file for another name, and what is free.
    ASSERT_TRUE(RunInChild(ShellPlan("cd " + small +
                                     "; mv git/config f; i=0; "
                                     "while : >f$i; do i=$((i+1)); done"))
                    .ok);
    EXPECT_FALSE(guarded->PutBack());
    ASSERT_EQ(guarded->Found().size(), 1U);
    EXPECT_TRUE(guarded->Found().front().missing);
    EXPECT_NE(guarded->Found().front().failure, "");
    ASSERT_EQ(guarded->NotRestored().size(), 1U);
    EXPECT_TRUE(guarded->NotRestored().front().missing);
    EXPECT_EQ(guarded->NotRestored().front().kept.text, "[core]\n");
  });
}

TEST_F(GuardedPathsTest, WhatWasReplacedBeforeItWasRememberedIsRefused) {
  GuardedPath guard = Guard("git/config");
  fs::rename(At("git/config"), At("kept"));
  EXPECT_FALSE(GuardedPaths::Remember({guard}).ok());
  WriteText(At("git/config"), "other");
  EXPECT_FALSE(GuardedPaths::Remember({guard}).ok());
  guard.object.reset();
  EXPECT_FALSE(GuardedPaths::Remember({guard}).ok());
}

TEST_F(GuardedPathsTest, ALinkLeadsWhereItDid) {
  fs::create_symlink("../elsewhere", At("git/link"));
  GuardedPath link = Guard("git/link");
  link.object.reset();
  link.link = "another";
  EXPECT_FALSE(GuardedPaths::Remember({link}).ok()) << "it was turned since";
  link.link = "../elsewhere";
  Result<GuardedPaths> guarded = GuardedPaths::Remember({link});
  ASSERT_TRUE(guarded.ok());
  ASSERT_EQ(guarded->OpenAlone(), 1U);
  EXPECT_FALSE(guarded->PutBack());
  fs::remove(At("git/link"));
  WriteText(At("git/link"), "evil");
  EXPECT_TRUE(guarded->PutBack());
  EXPECT_EQ(fs::read_symlink(At("git/link")), "../elsewhere");
}

// The first change copies a directory of the lower layer, which has another time of birth then.
TEST_F(FullFileSystem, ADirectoryOfALowerLayerIsTheSameWhenItIsCopied) {
  In("", [](const std::string& small) {
    for (const char* each : {"/low/git", "/up", "/work", "/top"}) fs::create_directories(small + each);
    WriteText(small + "/low/git/config", "[core]\n");
    ::usleep(20'000);  // the time of birth is that of the clock's last tick
    const std::string layers =
        "lowerdir=" + small + "/low,upperdir=" + small + "/up,workdir=" + small + "/work";
    ASSERT_EQ(::mount("overlay", (small + "/top").c_str(), "overlay", 0, layers.c_str()), 0);
    const auto opened = [&] { return UniqueFd{::open((small + "/top/git").c_str(), O_PATH | O_CLOEXEC)}; };
    const std::string identity = IdentityOf(opened().Get());
    WriteText(small + "/top/git/config", "evil");
    EXPECT_TRUE(HasIdentity(opened().Get(), identity));
    fs::remove_all(small + "/top/git");
    ::usleep(20'000);
    fs::create_directories(small + "/top/git");
    EXPECT_FALSE(HasIdentity(opened().Get(), identity));
  });
}

TEST_F(GuardedPathsTest, TwoDoNotGuardAtATime) {
  const GuardedPaths first = Remembered();
  Result<GuardedPaths> second = GuardedPaths::Remember({Guard("git/config")});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->OpenAlone(), 0U);
}

TEST_F(GuardedPathsTest, TheAnswerArrivesWhole) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd ours{ends[0]};
  UniqueFd theirs{ends[1]};
  AnswerPutBack(theirs.Get(), {.paths = {{.path = "/a", .aside = "/a.untrusted", .gone = true},
                                         {.path = "/b", .failure = "why", .missing = true}},
                               .ended = true});
  const auto answer = ReadPutBack(ours.Get(), 1000);
  ASSERT_TRUE(answer.has_value());
  ASSERT_EQ(answer->paths.size(), 2U);
  EXPECT_EQ(answer->paths[0].aside, "/a.untrusted");
  EXPECT_TRUE(answer->paths[0].gone);
  EXPECT_EQ(answer->paths[1].failure, "why");
  EXPECT_FALSE(answer->paths[1].gone);
  EXPECT_TRUE(answer->paths[1].missing);
  EXPECT_FALSE(answer->paths[0].missing);
  EXPECT_TRUE(answer->ended);
  theirs.Reset();
  EXPECT_FALSE(ReadPutBack(ours.Get(), 1000).has_value());
}

}  // namespace
}  // namespace mxc::test::guarded_paths_test
