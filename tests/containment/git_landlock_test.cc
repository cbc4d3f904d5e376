// What `protect` names where Landlock alone stands: with the real git, judged when the run has ended.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "tests/containment/git_on_the_host.h"

namespace mxc::test::git_landlock_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class GitOnLandlock : public GitOnTheHost {
 protected:
  void SetUp() override {
    GitOnTheHost::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(Shell("git init -q work && cd work && git config alias.x status && echo a >a && git add a && "
                    "git -c user.name=h -c user.email=h@h commit -qm one && echo '#!/bin/sh' "
                    ">.git/hooks/post-commit && echo \"echo $PWD >>../hooks-ran\" >>.git/hooks/post-commit")
                  .status,
              0);
    before = State();
  }

  // What git executes or obeys of the repository: names, modes, links and contents.
  [[nodiscard]] std::string State() const {
    return Shell(
               "cd work/.git && for f in config config.worktree commondir; do stat -c '%n %a %h' $f; cat $f; "
               "done 2>&1; "
               "find hooks -printf '%p %y %m %n %l\\n' | sort; cat hooks/*")
        .out;
  }
  [[nodiscard]] Launch Prepared(const std::string& script, const std::string& filesystem = {}) const {
    Launch launch = PrepareConfig(
        {.containment = "landlock",
         .command = "export GIT_CONFIG_NOSYSTEM=1 HOME=$TMPDIR; cd " + root + "/work; " + script,
         .read_write = {root},
         .filesystem = filesystem});
    launch.environment = Environment();
    return launch;
  }
  [[nodiscard]] Ended Inside(const std::string& script, const std::string& filesystem = {}) const {
    return Execute(Prepared(script, filesystem));
  }

  std::string before;
};
MXC_FOR_EACH_CALLER(GitOnLandlock);

// -1: it has none of this name.
pid_t ChildOf(pid_t launcher, const std::string& name) {
  const std::string id = std::to_string(launcher);
  std::istringstream children(Contents("/proc/" + id + "/task/" + id + "/children").value_or(""));
  for (pid_t child = 0; children >> child;) {
    if (Contents("/proc/" + std::to_string(child) + "/comm") == name + "\n") return child;
  }
  return -1;
}

pid_t CleanupProcessOf(pid_t launcher) { return ChildOf(launcher, "mxc-cleanup"); }

constexpr const char* kAgain = "is what it was again";

TEST_P(GitOnLandlock, EverydayWorkGoesOn) {
  const Ended ended = Inside(
      "mkdir -p node_modules/x build && echo y >node_modules/x/y && echo {} >p.json.new && mv p.json.new "
      "p.json && "
      "mv node_modules modules && rm -r build && echo b >b && git add b p.json && "
      "git -c user.name=x -c user.email=x@x commit -qm two && git checkout -qb side && git mv a c && "
      "git -c user.name=x -c user.email=x@x commit -qam three && git worktree add -q ../tree && git gc -q && "
      "git log --format=%s");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "three\ntwo\none\n");
  EXPECT_THAT(ended.err, Not(HasSubstr(kAgain)));
  EXPECT_EQ(State(), before);
  EXPECT_EQ(Shell("cd work && git status --porcelain --untracked-files=no && git log --format=%s").out,
            "three\ntwo\none\n");
}

TEST_P(GitOnLandlock, WhatGitObeysIsWhatItWas) {
  for (const char* trick : {
           "git config core.fsmonitor ./x",
           "echo evil >>.git/hooks/post-commit",
           "echo evil >.git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit",
           "chmod 755 .git/hooks/*.sample .git/hooks/post-commit",
           "mv .git/hooks/pre-commit.sample .git/hooks/pre-commit",
           "rm -r .git/hooks",
           "rm -r .git/hooks; mkdir ../h; echo evil >../h/pre-commit; ln -s ../../h .git/hooks",
           "chmod 0 .git/hooks .git/config",
           "rm .git/config; ln -s ../c .git/config; echo '[alias]' >c",
           "rm .git/config; mkdir -p .git/config/d",
           "rm .git/config; mkfifo .git/config",
           "ln .git/config l",
           "echo ../other >.git/commondir; mkdir other",
           "git config extensions.worktreeConfig true; git config --worktree core.pager evil",
           "mv .git/config .git/hooks; chmod 500 .git",
           "mv .git g; echo evil >g/hooks/pre-commit; mv g .git",
       }) {
    const Ended ended = Inside(trick);
    EXPECT_THAT(ended.err, HasSubstr(kAgain)) << trick;
    EXPECT_EQ(State(), before) << trick;
    EXPECT_EQ(Shell("chmod 755 work/.git; cd work && git status").status, 0) << trick;
  }
}

// What stands where the repository was is not obeyed, and the repository is what it was where it is now.
TEST_P(GitOnLandlock, ARepositoryThatIsMovedAway) {
  const Ended moved =
      Inside("mv .git g; cp -r g .git; echo evil >.git/hooks/pre-commit; echo evil >g/hooks/pre-commit");
  EXPECT_THAT(moved.err, AllOf(HasSubstr("where nothing stands any more: "),
                               HasSubstr("'" + root + "/work/.git/hooks'"), Not(HasSubstr(kAgain))));
  EXPECT_FALSE(Exists(root + "/work/.git/hooks/pre-commit"));
  EXPECT_FALSE(Exists(root + "/work/g/hooks/pre-commit"));
  ASSERT_EQ(Shell("cd work; rm -rf .git*; mv g .git").status, 0);
  const Ended linked = Inside("mv .git g; cp -r g h; echo evil >h/hooks/pre-commit; ln -s h .git");
  EXPECT_THAT(linked.err, HasSubstr(kAgain));
  EXPECT_EQ(State(), before);
}

// Under a link, and from one grant's end to the other.
TEST_P(GitOnLandlock, ARepositoryThatIsMovedAwayForALinkGetsItsNameAgain) {
  for (const char* trick :
       {"mv ../work ../w; ln -s w ../work", "cd ..; mkdir d; mv work d/w; chmod 500 d; ln -s d/w work",
        "mv ../work ../w; cp -r ../w ../x; echo evil >../x/.git/hooks/pre-commit; ln -s x ../work",
        "mv .git ../g; ln -s ../g .git", "mv .git ../g; echo gitdir: ../g >.git"}) {
    const Ended ended = Inside(trick);
    EXPECT_THAT(ended.err, AllOf(HasSubstr(kAgain), Not(HasSubstr("nothing stands")))) << trick;
    ASSERT_EQ(
        Shell(
            "chmod -f u+w d; rm -rf d x *.untrusted work/*.untrusted work/.git.untrusted; git -C work status")
            .status,
        0)
        << trick;
    EXPECT_EQ(State(), before) << trick;
  }
}

// The host's git runs meanwhile.
TEST_P(GitOnLandlock, ItIsPutBackAtOnce) {
  for (const char* trick :
       {"echo evil >.git/hooks/pre-commit; f=.git/hooks/pre-commit; while test -e $f; do sleep 0.01; done",
        "git config core.fsmonitor x; while git config core.fsmonitor; do sleep 0.01; done",
        "mv .git g; mkdir .git; cp -r g/config .git; echo '[core]pager=x' >>.git/config; while test -e "
        ".git/config; do "
        "sleep 0.01; done; rm -r .git; mv g .git"}) {
    const Ended ended = Inside(std::string(trick) + "; echo gone");
    EXPECT_THAT(ended.out, HasSubstr("gone\n")) << trick << ended.err;
    EXPECT_EQ(State(), before) << trick;
  }
}

// Through a mapping, and through a second name.
TEST_P(GitOnLandlock, AChangeThatNoNameTellsIsPutBackAtOnce) {
  if (!Exists("/usr/bin/python3")) GTEST_SKIP() << "python3 is not installed";
  const std::string begin = R"(
import mmap, os, time
def wait():
  for i in range(300):
    time.sleep(0.01)
    try:
      if not any(b'evil' in open(f, 'rb').read() for f in ('.git/config', '.git/hooks/post-commit')): return
    except FileNotFoundError: return
  print('it stands')
)";
  for (const char* trick :
       {"f = os.open('.git/config', os.O_RDWR); m = mmap.mmap(f, 0); os.close(f); time.sleep(.2); m[:6] = "
        "b'[evil]'",
        "os.link('.git/config', 'x'); f = os.open('x', os.O_WRONLY); time.sleep(.2); os.write(f, b'[evil]')",
        "os.link('.git/config', 'x'); f = os.open('x', os.O_WRONLY); os.unlink('x'); time.sleep(.2); "
        "os.write(f, b'[evil]')",
        "f = os.open('../second', os.O_WRONLY); time.sleep(.2); os.write(f, b'#!evil')"}) {
    ASSERT_EQ(Shell("rm -f second; ln work/.git/hooks/post-commit second").status, 0);
    before = State();
    workspace.File("root/trick.py", begin + trick + "\nwait()\n", 0644);
    const Ended ended = Inside("python3 ../trick.py && echo gone");
    EXPECT_EQ(ended.out, "gone\n") << trick << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("`protect` names")) << trick;
    ASSERT_EQ(Shell("rm -rf second work/x work/.git/*.untrusted*").status, 0);
    ASSERT_EQ(Shell("test -e second || ln work/.git/hooks/post-commit second").status, 0);
    EXPECT_EQ(State(), before) << trick;
  }
}

// A copy with the old name is what the host's git finds.
TEST_P(GitOnLandlock, ACopyThatTakesThePlaceIsClearedAtOnce) {
  for (const char* trick : {"mv work old; mv new work", "cd ..; mv b old; mkdir b; mv old/new b/work",
                            "cd ../..; mv a old; mkdir -p a/b; mv old/b/new a/b/work"}) {
    ASSERT_EQ(Shell("mkdir -p a/b kept && cp -a work a/b").status, 0);
    const std::string script =
        "cd " + root + "/a/b && cp -r work new && git -C new config core.pager evil && " + "sleep 0.2; " +
        trick + "; cd " + root + "/a/b/work; for i in $(seq 300); do " +
        "git config core.pager >../o || break; sleep 0.01; done; " + "git config core.pager || echo gone";
    Launch launch = PrepareConfig({.containment = "landlock",
                                   .command = "export GIT_CONFIG_NOSYSTEM=1 HOME=$TMPDIR; " + script,
                                   .read_write = {root}});
    launch.environment = Environment();
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.out, "gone\n") << trick << ended.err;
    ASSERT_EQ(Shell("rm -rf a old").status, 0);
  }
}

TEST_P(GitOnLandlock, AGroupThatCannotBeGivenBackIsToldOnce) {
  const std::string config = root + "/work/.git/config";
  ASSERT_EQ(::chown(config.c_str(), static_cast<uid_t>(-1), 0), 0);
  ASSERT_EQ(::chmod(config.c_str(), 0664), 0);
  const Ended ended = Inside(
      "for i in 1 2 3; do git config a.b c; for j in $(seq 300); do git config a.b >../o || break; sleep "
      "0.01; "
      "done; done; sleep 0.3; echo gone; ls .git | grep -c untrusted");
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.out, "gone\n1\n") << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(uid == 0 ? kAgain : "its owner or group is another"));
  EXPECT_EQ(Shell("git -C work config alias.x; git -C work config a.b").out, "status\n");
  // No group gets what another had.
  EXPECT_EQ(Shell("stat -c %a work/.git/config").out, uid == 0 ? "664\n" : "644\n");
}

TEST_P(GitOnLandlock, ACommandThatGoesOnIsEnded) {
  const Ended ended = Inside("while :; do echo x >>.git/hooks/pre-commit; done 2>/dev/null");
  EXPECT_FALSE(ended.overdue);
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(ended.err, HasSubstr("went on to change"));
  EXPECT_EQ(State(), before);
}

TEST_P(GitOnLandlock, ALauncherThatIsKilledLeavesWhatWas) {
  for (const char* trick :
       {"echo evil >.git/hooks/pre-commit", "mv .git g; cp -r g .git; echo x >.git/commondir"}) {
    Running running(
        Prepared(std::string(trick) + "; echo up; while :; do echo x >>.git/config; sleep 0.1; done"));
    ASSERT_TRUE(running.SaysOnStdout("up\n"));
    running.Signal(SIGKILL);
    EXPECT_FALSE(running.Wait().overdue);
    EXPECT_TRUE(Eventually([&] {
      return Shell(
                 "cd work/.git; if test -e hooks/pre-commit || test -e commondir || grep -qs ^x config; then "
                 "exit 1; fi")
                 .status == 0;
    })) << trick;
    ASSERT_EQ(Shell("cd work; if test -d g; then rm -rf .git*; mv g .git; fi").status, 0);
    EXPECT_EQ(State(), before) << trick;
  }
}

// The last look comes after the last process of the command, however long that lives.
TEST_P(GitOnLandlock, AnInitThatEndsLateLeavesWhatWas) {
  Running running(Prepared("echo up; sleep 11; echo x >>.git/config; sleep 60"));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  const pid_t init = ChildOf(running.Pid(), "mxc-init");
  ASSERT_GT(init, 0);
  ASSERT_EQ(::kill(init, SIGSTOP), 0);
  running.Signal(SIGKILL);
  std::this_thread::sleep_for(std::chrono::seconds(12));
  EXPECT_NE(State(), before);
  ASSERT_EQ(::kill(init, SIGCONT), 0);
  EXPECT_FALSE(running.Wait().overdue);
  EXPECT_TRUE(Eventually([&] { return State() == before; }));
}

TEST_P(GitOnLandlock, WithoutACleanupProcessTheLauncherPutsBack) {
  Running running(
      Prepared("echo up; while ! test -e ../go; do sleep 0.1; done; echo evil >.git/hooks/pre-commit"));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  const pid_t cleanup_process = CleanupProcessOf(running.Pid());
  ASSERT_GT(cleanup_process, 0);
  ASSERT_EQ(::kill(cleanup_process, SIGKILL), 0);
  workspace.File("root/go", "", 0666);
  const Ended ended = running.Wait();
  EXPECT_THAT(ended.err, HasSubstr(kAgain));
  EXPECT_EQ(State(), before);
}

// What the first has written for a moment would be what the second puts back.
TEST_P(GitOnLandlock, TwoRunsAtATimeAreRefused) {
  Running first(Prepared("echo up; sleep 60"));
  ASSERT_TRUE(first.SaysOnStdout("up\n"));
  const Ended second = Inside("echo ran");
  EXPECT_EQ(second.status, 255);
  EXPECT_EQ(second.out, "");
  EXPECT_THAT(second.err, HasSubstr("another run may write"));
  first.Signal(SIGTERM);
  EXPECT_FALSE(first.Wait().overdue);
  EXPECT_EQ(Inside("echo ran").out, "ran\n");
}

// Its directories are not those that the first has locked.
TEST_P(GitOnLandlock, TwoRunsAtATimeAreRefusedBesideACopy) {
  Running first(Prepared("cd ..; mv work old; cp -r old work; echo up; sleep 60"));
  ASSERT_TRUE(first.SaysOnStdout("up\n"));
  const Ended second =
      RunConfig({.containment = "landlock", .command = "echo ran", .read_write = {root + "/work"}});
  EXPECT_EQ(second.out, "");
  EXPECT_THAT(second.err, HasSubstr("another run may write"));
  first.Signal(SIGTERM);
  EXPECT_FALSE(first.Wait().overdue);
}

// A run whose launcher and cleanup process are killed when the command has written.
class KilledOnLandlock : public GitOnLandlock {
 protected:
  // Both stand still meanwhile.
  void Begin(Running& running, const std::string& done) {
    ASSERT_TRUE(running.SaysOnStdout("up\n"));
    cleanup_process_ = CleanupProcessOf(running.Pid());
    ASSERT_GT(cleanup_process_, 0);
    ASSERT_EQ(::kill(cleanup_process_, SIGSTOP), 0);
    running.Signal(SIGSTOP);
    workspace.File("root/go", "", 0666);
    ASSERT_TRUE(Eventually([&] { return Exists(root + "/" + done); }));
  }
  void End(Running& running) const {
    ::kill(cleanup_process_, SIGKILL);
    running.Signal(SIGKILL);
    EXPECT_FALSE(running.Wait().overdue);
  }
  static std::string WhenTold(const std::string& script) {
    return "echo up; while ! test -e ../go; do sleep 0.1; done; " + script + "; touch ../done; sleep 60";
  }

 private:
  pid_t cleanup_process_ = -1;
};
MXC_FOR_EACH_CALLER(KilledOnLandlock);

TEST_P(KilledOnLandlock, TheNextCallPutsBackWhatWasMissingWithItsDirectory) {
  ASSERT_EQ(Shell("git -C work config core.hooksPath tools/hooks").status, 0);
  before = State();
  Launch launch = Prepared(
      WhenTold("mkdir -p tools/hooks; echo evil >tools/hooks/pre-commit; git config core.pager evil"));
  const std::string runtime = workspace.Directory("runtime", 0700);
  launch.environment.push_back("XDG_RUNTIME_DIR=" + runtime);  // of this one call
  Running running(launch);
  ASSERT_NO_FATAL_FAILURE(Begin(running, "done"));
  End(running);
  EXPECT_TRUE(Exists(root + "/work/tools/hooks/pre-commit"));
  std::string told;  // the run goes on as long as a process of it is there
  EXPECT_TRUE(Eventually([&] {
    told += Execute(Prepare({"--recover"})).err;
    return State() == before && !Exists(root + "/work/tools/hooks");
  })) << told;
  EXPECT_THAT(told, AllOf(HasSubstr("'" + root + "/work/tools/hooks'"), HasSubstr(kAgain)));
}

// A shell refuses a policy that others may write, and would never get to put it back.
TEST_P(KilledOnLandlock, APolicyIsPutBackBeforeAShellReadsIt) {
  const std::string policy = "../conf/mxc-exec/policy.json";
  ASSERT_EQ(
      Shell("mkdir -p conf/mxc-exec && echo '{\"version\":\"1.0.0\"}' >conf/mxc-exec/policy.json").status, 0);
  const std::string variable = "XDG_CONFIG_HOME=" + root + "/conf";
  Launch launch = Prepared(WhenTold("echo evil >" + policy + "; chmod 666 " + policy));
  launch.environment.push_back(variable);
  Running running(launch);
  ASSERT_NO_FATAL_FAILURE(Begin(running, "done"));
  End(running);
  Launch shell = Prepare({"-c", "echo ran"});
  shell.program = workspace.Link("mxc-sh", shell.program);
  shell.cwd = root + "/work";
  shell.environment.push_back(variable);
  Ended ended;  // the run goes on as long as a process of it is there
  EXPECT_TRUE(Eventually([&] {
    ended = Execute(shell);
    return ended.out == "ran\n";
  })) << ended.err;
}

TEST_P(KilledOnLandlock, ARunThatWaitedDoesNotTakeWhatItWroteForOld) {
  Running first(Prepared(WhenTold("git config core.pager evil")));
  ASSERT_NO_FATAL_FAILURE(Begin(first, "done"));
  Running second(Prepared("grep evil .git/config; echo ran"));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  End(first);
  const Ended ended = second.Wait();
  EXPECT_THAT(ended.out, Not(HasSubstr("evil")));
  EXPECT_EQ(State(), before);
  EXPECT_THAT(ended.err, HasSubstr(kAgain)) << "by whoever came first";
}

TEST_P(GitOnLandlock, WhatStandsAsideIsToldOnce) {
  for (const char* trick :
       {"ln -s /etc .git/commondir", "echo ../x >.git/commondir", "echo x >x; ln x .git/commondir"}) {
    const Ended ended = Inside(trick);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("commondir.untrusted"), Not(HasSubstr("among git's own data")),
                                 Not(HasSubstr("find by name"))))
        << trick;
    EXPECT_EQ(Shell("find work -name '*.untrusted*'; rm work/.git/*.untrusted*").out,
              "work/.git/commondir.untrusted\n")
        << trick;
  }
}

TEST_P(GitOnLandlock, ALinkIsPutBackAtOnce) {
  ASSERT_EQ(Shell("cd work && mv .git/config c && ln -s ../c .git/config").status, 0);
  Running running(Prepared("cp c c2; rm .git/config; mv c2 .git/config; echo up; sleep 60"));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  EXPECT_TRUE(Eventually([&] { return Shell("readlink work/.git/config").out == "../c\n"; }));
  running.Signal(SIGTERM);
  EXPECT_FALSE(running.Wait().overdue);
}

TEST_P(GitOnLandlock, SafeKeysStayWhereTheyAreAllowed) {
  const Ended ended = Inside("git config user.name me; git config core.pager x",
                             R"("protect":{"git":{"config":"allow-safe"}})");
  EXPECT_THAT(ended.err, HasSubstr("stands there again"));
  EXPECT_EQ(State(), before);
  EXPECT_EQ(Inside("git config user.name me", R"("protect":{"git":{"config":"allow-safe"}})").err, "");
  EXPECT_EQ(Shell("git -C work config user.name").out, "me\n");
}

TEST_P(GitOnLandlock, AnEntryInsideIsRefused) {
  const Ended ended = Execute(PrepareConfig({.containment = "landlock",
                                             .command = "echo ran",
                                             .read_write = {root, root + "/work/.git/hooks/post-commit"}}));
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(ended.out, "");
}

TEST_P(GitOnLandlock, ExplainSaysHow) {
  Launch launch = Prepared("true");
  launch.arguments.insert(launch.arguments.begin(), "--explain");
  const Ended ended = Execute(launch);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("put back at once"), HasSubstr("can be changed for a moment")));
}

}  // namespace
}  // namespace mxc::test::git_landlock_test
