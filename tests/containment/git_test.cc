// The preset `git`, with the real git: what it executes or obeys cannot be changed, and the daily work goes
// on.
#include <fcntl.h>

#include <csignal>
#include <cstdlib>

#include "base/unique_fd.h"
#include "tests/containment/containment.h"

namespace mxc::test::git_test {
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
                     {"write", root + "/work/included", "x"},
                     // Where git stands for a push.
                     {"mkdir", root + "/work/.git/.husky"},
                     {"write", root + "/work/.git/.husky/update", "x"}}),
                ElementsAre("EROFS", "EROFS", "EBUSY", "EROFS", "EEXIST", "EROFS"))
        << engine;
  }
}

// Of a directory of dotfiles that is granted, git obeys some; there is no repository.
TEST_P(Git, TheCallersConfigurationIsHeldWhereverItLeads) {
  const std::string home = workspace.Directory("home");
  const std::string dot = workspace.Directory("dot");
  ASSERT_EQ(Shell("echo x > tool; git config -f config core.fsmonitor " + dot + "/tool; " + "ln -s " + dot +
                      "/config " + home + "/.gitconfig; mkdir -p " + home + "/.config/git; ln -s " + dot +
                      "/missing " + home + "/.config/git/config",
                  dot)
                .status,
            0);
  for (const char* engine : kEngines) {
    Launch launch =
        PrepareGuest({.containment = engine, .read_write = {dot}}, {{"write", dot + "/tool", "x"},
                                                                    {"write", dot + "/config", "x"},
                                                                    {"unlink", dot + "/config"},
                                                                    {"write", dot + "/missing", "x"},
                                                                    {"write", dot + "/other", "x"}});
    launch.environment = {"PATH=/usr/bin:/bin", "HOME=" + home};
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.out, "EROFS\nEROFS\nEBUSY\nEROFS\nok\n") << engine << ended.err;
  }
}

// Another run could hold up whoever reads it.
TEST_P(Git, AConfigurationThatCannotBeReadIsRefused) {
  ASSERT_NE(std::signal(SIGIO, SIG_IGN), SIG_ERR);  // that the lease is asked for
  for (const char* engine : kEngines) {
    const UniqueFd config{::open((root + "/work/.git/config").c_str(), O_WRONLY | O_CLOEXEC)};
    if (::fcntl(config.Get(), F_SETLEASE, F_WRLCK) != 0) GTEST_SKIP() << "no leases on this file system";
    const Ended ended = RunConfig({.containment = engine, .read_write = {root}});
    EXPECT_EQ(EnvelopeCode(ended), "policy_validation") << engine << ended.err;
    EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("/work/.git/config' cannot be read: ")) << engine;
    EXPECT_EQ(::fcntl(config.Get(), F_SETLEASE, F_UNLCK), 0);
  }
}

TEST_P(Git, WhatWouldKeepLaterRunsFromStartingIsTakenOutOfTheWay) {
  for (const char* engine : kEngines) {
    const Ended planted =
        Inside(engine,
               "mkdir -p ../new/.git ../other/.git; truncate -s 5M ../new/.git/config; "
               "mkfifo ../pipe; printf '[include]\\npath = ../../pipe\\n' > ../other/.git/config; "
               "mkdir -p ../third ../fourth/.git; truncate -s 5M ../third/.git; "
               "ln -s /proc/self/cwd/x ../fourth/.git/hooks");
    for (const char* file : {"/new/.git/config", "/other/.git/config", "/third/.git", "/fourth/.git/hooks"}) {
      const std::string moved = "'" + root + file + "' (now '" + root + file + ".untrusted')";
      EXPECT_THAT(planted.err, HasSubstr(moved)) << engine;
    }
    EXPECT_EQ(planted.err.find("next-run-refused"), std::string::npos) << planted.err;
    const Ended next = Inside(engine, "true");
    EXPECT_EQ(next.status, 0) << engine << next.err;
    ASSERT_EQ(Shell("rm -r new other third fourth pipe", root).status, 0);
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

// `git config` renames a new file over the old one, and the mount goes with that.
TEST_P(Git, WhatTheHostReplacesMeanwhileIsTold) {
  for (const char* engine : kEngines) {
    ASSERT_EQ(Shell("rm -f fifo; mkfifo fifo", root).status, 0);
    const std::string config = root + "/work/.git/config";
    Running running(PrepareConfig({.containment = engine,
                                   .command = "echo up; read -r x < " + root + "/fifo; echo '#' >> " + config,
                                   .read_write = {root}}));
    ASSERT_TRUE(running.SaysOnStdout("up"));
    EXPECT_EQ(Shell("git config a.b c; echo > ../fifo", root + "/work").status, 0);
    EXPECT_THAT(
        running.Wait().err,
        HasSubstr("protected files were changed from outside, and the command could write those that were "
                  "replaced: '" +
                  config + "'; see"))
        << engine;
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
    EXPECT_THAT(ended.err, HasSubstr("the command has left new repositories: '" + root +
                                     "/beside/.git', '" + root + "/work/plain/.git'; see"))
        << engine;
    EXPECT_THAT(ended.err,
                HasSubstr("'" + root + "/work/lib/.git' (now '" + root + "/work/lib/.git.untrusted')"));
    EXPECT_EQ(Shell("git status", root + "/work").status, 0);
    EXPECT_FALSE(Exists(canary)) << engine;
    EXPECT_EQ(Shell("rm -rf ../beside plain lib; git rm -q --cached lib", root + "/work").status, 0);
  }
}

TEST_P(Git, UnfinishedOperationsOfItsOwnStay) {
  ASSERT_EQ(
      Shell("git checkout -q -b side HEAD~1; echo other > file; git commit -qam 'it'\\''s' && echo z > z && "
            "git add z && git commit -qm z && git tag orig && git tag last main",
            root + "/up")
          .status,
      0);
  constexpr const char* kOperations[][2] = {
      {"checkout -q -B side orig; g rebase -Xignore-all-space main", "git rebase --skip"},
      {"checkout -q -B side orig; g rebase --apply main", "git rebase --skip"},
      {"checkout -q -B main last; git format-patch -q -2 --stdout orig > ../p; g am -3 ../p",
       "git am --abort"},
      {"checkout -q -B main last; g cherry-pick -Xignore-all-space orig~1 orig", "git cherry-pick --abort"},
      {"checkout -q -B main last; g revert --no-edit main~1 main", "git revert --abort"},
      {"bisect start -q main main~1 -- 'a b' file", "git bisect reset"}};
  for (const char* engine : kEngines) {
    for (const auto& [begin, end] : kOperations) {
      const Ended ended = Inside(engine, "cd ../up; g() { git \"$@\"; }; git " + std::string(begin));
      EXPECT_EQ(ended.err.find("untrusted"), std::string::npos) << begin << ended.out << ended.err;
      const Ended status =
          Shell("git reset -q --hard; git checkout -q -f; " + std::string(end), root + "/up");
      EXPECT_EQ(status.status, 0) << engine << begin << ended.out << ended.err << status.out << status.err;
    }
  }
}

// What the next `git rebase --continue`, `git status` or `cd` into what looks like data would run.
TEST_P(Git, NothingPlantedInItRuns) {
  const std::string canary = workspace.Path("canary");
  const std::string evil =
      "p() { mkdir -p $1; echo ref: refs/heads/x > $1/HEAD; mkdir -p $1/objects $1/refs; "
      "printf "
      "'[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = "
      "\"touch " +
      canary + "; false\"\\n' > $1/config; }\n" + "mkdir -p git-merge-foo; printf '#!/bin/sh\\ntouch " +
      canary + "\\n' > git-merge-foo/evil; chmod +x git-merge-foo/evil\n" +
      "rebase() { GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i HEAD~1; }\n";
  constexpr const char* kStatus = "git status; git diff; git add -A";
  const std::vector<std::pair<std::string, std::string>> plants = {
      {"rebase; echo foo/evil > .git/rebase-merge/strategy; echo 'pick side~1' >> "
       ".git/rebase-merge/git-rebase-todo",
       "git rebase --continue"},
      {"rebase; echo 'x touch " + canary +
           "' >> .git/rebase-merge/git-rebase-todo; mv .git/rebase-merge rm; ln -s ../rm .git/rebase-merge",
       "git rebase --continue"},
      {"rebase; echo 'x touch " + canary +
           "' >> .git/rebase-merge/git-rebase-todo; mv .git/rebase-merge rm; ln -s /proc/self/cwd/rm "
           ".git/rebase-merge",
       "git rebase --continue"},
      {"rebase; cd .git/rebase-merge; echo 'x touch " + canary +
           "' > ../../todo; ln -sf /proc/self/cwd/todo git-rebase-todo",
       "git rebase --continue"},
      {"mkdir .git/sequencer; git rev-parse HEAD | tee .git/sequencer/head > .git/sequencer/abort-safety; "
       "for i "
       "in 1 2; do echo pick $(git rev-parse side~1) x; done > .git/sequencer/todo; printf '[options]\\n "
       "strategy = foo/evil\\n' > .git/sequencer/opts",
       "git cherry-pick --continue"},
      {"p .git/objects/zz; ln -s .git/objects/zz src", std::string("cd src; ") + kStatus},
      {"cd .git; p objects", std::string("cd .git/objects; ") + kStatus},
      {"p .git/refs/heads/zz", std::string("cd .git/refs/heads/zz; ") + kStatus},
      {"p .git/logs/zz", std::string("cd .git/logs/zz; ") + kStatus},
      {"p .git/lfs", std::string("cd .git/lfs; ") + kStatus},
      {"mkdir s; p /tmp/z; cp -r /tmp/z s/z; cp .git/HEAD s/; echo " + root +
           "/up/s/z > s/c; ln -s /proc/self/cwd/c s/commondir",
       std::string("cd s; ") + kStatus},
      {"mkdir -p s; cd s; git init -q; cd ..; p s/.git; chmod 0555 s", std::string("cd s; ") + kStatus},
      {"p .; mkdir -p s; cd s; git init -q; cd ..; p s/.git", std::string("cd s; ") + kStatus}};
  ASSERT_EQ(
      Shell("git checkout -q -b side HEAD~1; echo other > file; git commit -qam other; echo z > z; git add "
            "z; git commit -qm z",
            root + "/up")
          .status,
      0);
  for (const auto& [plant, host] : plants) {
    const Ended ended = Inside(kEngines.front(), "cd ../up; " + evil + plant + " 2> /dev/null");
    EXPECT_THAT(ended.err, HasSubstr(".untrusted'")) << plant << ended.out << ended.err;
    const Ended daily = Shell(host, root + "/up");
    EXPECT_FALSE(Exists(canary)) << plant << "\n" << ended.err << daily.out << daily.err;
    EXPECT_EQ(Shell("rm -f " + canary +
                        "; chmod -R u+w .; rm -rf src s rm todo objects refs config HEAD "
                        "git-merge-foo .git/*.untrusted .git/rebase-merge .git/sequencer .git/lfs .git/*/zz* "
                        ".git/refs/heads/zz .git/objects/*.untrusted .git/objects/objects .git/objects/refs "
                        ".git/objects/config *.untrusted; git checkout -q -f side",
                    root + "/up")
                  .status,
              0);
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
}  // namespace mxc::test::git_test
