// The preset `git`, with the real git: what it executes or obeys cannot be changed, and the daily work goes
// on.
#include <cstdlib>

#include "tests/containment/containment.h"

namespace mxc::test {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSetUp = R"sh(set -e
git init -q up && cd up
git config user.email t@example.org; git config user.name t; git config protocol.file.allow always
echo one > file && git add . && git commit -qm one && cd ..
git clone -q up work && cd work
git config user.email t@example.org; git config user.name t
git -c protocol.file.allow=always submodule --quiet add ../up sub && git commit -qm sub
git worktree add -q ../tree -b tree
git init -q vendor/deep/nested
git init -q --bare ../bare.git
git init -q --template= ../plain
cd ../up && echo two >> file && git commit -qam two
)sh";

class Git : public ContainmentTest {
 protected:
  void SetUp() override {
    ContainmentTest::SetUp();
    if (IsSkipped()) return;
    if (!Exists("/usr/bin/git")) GTEST_SKIP() << "git is not installed";
    root = workspace.Directory("root");
    const Ended made = Shell(kSetUp, root);
    ASSERT_EQ(made.status, 0) << made.err;
    for (const char* name : {"work/.git", "work/.git/modules/sub", "work/vendor/deep/nested/.git", "bare.git",
                             "plain/.git", "up/.git"}) {
      git_directories.push_back(root + "/" + name);
    }
  }

  // On the host, as the caller.
  [[nodiscard]] Ended Shell(const std::string& script, const std::string& cwd) const {
    Launch launch{.program = "/bin/sh", .arguments = {"-c", script}, .cwd = cwd, .uid = uid};
    launch.environment = {"PATH=/usr/bin:/bin",
                          "HOME=" + workspace.Root(),
                          "GIT_CONFIG_NOSYSTEM=1",
                          "GIT_CONFIG_COUNT=1",
                          "GIT_CONFIG_KEY_0=init.defaultBranch",
                          "GIT_CONFIG_VALUE_0=main"};
    return Execute(launch);
  }
  [[nodiscard]] Ended Inside(const std::string& containment, const std::string& script) const {
    return RunConfig({.containment = containment,
                      .command = "export GIT_CONFIG_NOSYSTEM=1; cd " + root + "/work; " + script,
                      .read_write = {root}});
  }
  [[nodiscard]] std::string Listing() const {
    return Shell("find . -path '*/.git/*' -name 'c*' -o -name hooks -o -name .git | sort", root).out;
  }

  std::string root;
  std::vector<std::string> git_directories;
};
MXC_FOR_EACH_CALLER(Git);

const std::vector<const char*> kEngines = Engines();

TEST_P(Git, WhatGitObeysCannotBeChanged) {
  const std::string before = Listing();
  for (const char* engine : kEngines) {
    for (const std::string& git : git_directories) {
      SCOPED_TRACE(std::string(engine) + " " + git);
      workspace.File("root/evil", "EVIL");
      const auto answers = Try({.containment = engine, .read_write = {root}},
                               {{"write", git + "/config", "x"},
                                {"rename", root + "/evil", git + "/config"},
                                {"unlink", git + "/config"},
                                {"write", git + "/config.worktree", "x"},
                                {"rename", root + "/evil", git + "/config.worktree"},
                                {"write", git + "/commondir", "x"},
                                {"unlink", git + "/commondir"},
                                {"symlink", "x", git + "/commondir"},
                                {"write", git + "/hooks/pre-commit", "x"},
                                {"rename", git + "/hooks", git + "/h"},
                                {"mkdir", git + "/hooks"},
                                {"rename", git, git + "x"},
                                {"rename", root + "/work", root + "/moved"}});
      EXPECT_THAT(answers, Each(AnyOf("EROFS", "EBUSY", "EEXIST", "EXDEV", "EACCES")));
    }
  }
  EXPECT_EQ(Listing(), before);
}

TEST_P(Git, PointersToGitDirectoriesCannotBeChanged) {
  for (const char* engine : kEngines) {
    for (const char* name : {"/tree/.git", "/work/sub/.git", "/work/.git/worktrees/tree/commondir",
                             "/work/.git/worktrees/tree/gitdir"}) {
      const std::string file = root + name;
      const auto before = Contents(file);
      EXPECT_THAT(Try({.containment = engine, .read_write = {root}},
                      {{"write", file, "x"}, {"unlink", file}, {"rename", file, file + "x"}}),
                  ElementsAre("EROFS", "EBUSY", "EBUSY"))
          << engine << file;
      EXPECT_EQ(Contents(file), before);
    }
  }
}

TEST_P(Git, HooksInTheWorkTreeCannotBeChanged) {
  workspace.File("root/work/.husky/pre-commit", "#!/bin/sh\n");
  workspace.File("root/work/included", "[alias]\n");
  ASSERT_EQ(
      Shell("git config core.hooksPath .husky; git config include.path ../included", root + "/work").status,
      0);
  for (const char* engine : kEngines) {
    EXPECT_THAT(Try({.containment = engine, .read_write = {root}},
                    {{"write", root + "/work/.husky/pre-commit", "x"},
                     {"write", root + "/work/.husky/new", "x"},
                     {"rename", root + "/work/.husky", root + "/work/h"},
                     {"write", root + "/work/included", "x"}}),
                ElementsAre("EROFS", "EROFS", "EBUSY", "EROFS"))
        << engine;
  }
}

TEST_P(Git, DailyWorkGoesOn) {
  for (const char* engine : kEngines) {
    const Ended ended = Inside(engine, R"sh(set -e
echo more >> mine; git add mine; git commit -qm more; git status --short
git branch side; git checkout -q side; echo s >> s; git add s; git commit -qm s; git checkout -q -
git fetch -q; git merge -q --no-edit side; git rebase -q origin/HEAD
echo dirty >> file; git stash -q; git stash pop -q; git checkout -q file
git worktree add -q ../another -b another; (cd ../another; echo a >> a; git add a; git commit -qm a)
git worktree remove ../another; git branch -q -D side another 2>&1 | sed s/^/ignored:/
(cd ../tree; echo t >> t; git add t; git commit -qm t)
(cd sub; git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m sub)
git tag v1; git gc -q; git fsck --no-progress
git init -q ../new; cd ../new; git config user.name new; echo x > .git/hooks/post-commit
git clone -q ../work ../cloned; git -C ../cloned log --oneline > /dev/null
rm -rf ../new ../cloned; cd ../work; git tag -d v1 > /dev/null
echo done)sh");
    EXPECT_EQ(ended.status, 0) << engine << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("done\n")) << engine << ended.err;
    EXPECT_EQ(Shell("git branch", root + "/work").out, "* main\n+ tree\n") << ended.out << ended.err;
    EXPECT_EQ(Shell("git fsck --no-progress && git status --short", root + "/work").status, 0);
  }
}

TEST_P(Git, TheHostsGitSeesNoDifferenceDuringARun) {
  const std::string script =
      "git rev-parse --git-dir; realpath $(git rev-parse --git-common-dir); git status --short; git worktree "
      "list; "
      "git config --list --local; git log --oneline --all; git -C sub status";
  const std::string before = Shell(script, root + "/work").out;
  for (const char* engine : kEngines) {
    const Launch launch = PrepareConfig(
        {.containment = engine, .command = "echo up; read -r x < " + root + "/fifo", .read_write = {root}});
    ASSERT_EQ(Shell("rm -f fifo; mkfifo fifo", root).status, 0);
    Running running(launch);
    ASSERT_TRUE(running.SaysOnStdout("up"));
    EXPECT_TRUE(Exists(root + "/work/.git/commondir"));
    const Ended during = Shell(script, root + "/work");
    EXPECT_EQ(during.out, before) << engine << during.err;
    EXPECT_EQ(during.err, "");
    ASSERT_EQ(Shell("echo > fifo", root).status, 0);
    EXPECT_EQ(running.Wait().status, 0);
    EXPECT_FALSE(Exists(root + "/work/.git/commondir"));
  }
}

// The next `git status` of the repository around would run what the new one names.
TEST_P(Git, NewRepositoriesAreNamedAndTakenOutOfTheWay) {
  for (const char* engine : kEngines) {
    const std::string canary = workspace.Path("canary");
    const Ended ended = Inside(engine, R"sh(set -e
git init -q ../beside; git -C ../beside config core.pager x; git init -q plain
git init -q lib; cd lib; git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m x; cd ..
git add lib 2> /dev/null; git -C lib config core.fsmonitor "touch )sh" +
                                           canary + R"sh(; false")sh");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("the command has left new git repositories: '" + root +
                                     "/beside/.git', '" + root + "/work/plain/.git'; see"))
        << engine;
    EXPECT_THAT(ended.err,
                HasSubstr("'" + root + "/work/lib/.git' (now '" + root + "/work/lib/.git.untrusted')"));
    EXPECT_EQ(Shell("git status", root + "/work").status, 0);
    EXPECT_FALSE(Exists(canary)) << engine;
    EXPECT_EQ(Shell("rm -rf ../beside plain lib; git rm -q --cached lib", root + "/work").status, 0);
  }
}

TEST_P(Git, ProtectedLinksLeadWhereTheyDid) {
  for (const char* engine : kEngines) {
    ASSERT_EQ(
        Shell("rm -rf plain/.git/hooks plain/hk; mkdir plain/hk; ln -s ../hk plain/.git/hooks", root).status,
        0);
    const Ended ended = RunConfig(
        {.containment = engine,
         .command = "cd " + root + "/plain/.git && rm hooks && mkdir hooks && echo > hooks/pre-commit",
         .read_write = {root}});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err,
                HasSubstr("'" + root + "/plain/.git/hooks' (now '" + root + "/plain/.git/hooks.untrusted"));
    EXPECT_EQ(Shell("readlink plain/.git/hooks", root).out, "../hk\n") << engine;
  }
}

TEST_P(Git, WithoutThePresetTheyAreFiles) {
  for (const char* engine : kEngines) {
    const Ended ended =
        RunConfig({.containment = engine,
                   .command = "cd " + root + "/work && git config a.b c && echo > .git/hooks/x",
                   .read_write = {root},
                   .filesystem = R"("protect":[])"});
    EXPECT_EQ(ended.status, 0) << ended.err;
  }
}

}  // namespace
}  // namespace mxc::test
