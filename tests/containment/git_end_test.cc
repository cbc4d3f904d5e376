// What a command leaves so that the end of its run takes long, or later runs with the same grants do not
// start.
#include "tests/containment/git_on_the_host.h"

namespace mxc::test::git_end_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class GitEnd : public GitOnTheHost {
 protected:
  [[nodiscard]] Ended Inside(const char* engine, const std::string& command) const {
    return RunConfig({.containment = engine, .command = command, .read_write = {root}, .cwd = root});
  }
  void ExpectStart(const char* engine, const std::string& planted) const {
    const Ended next = Inside(engine, "true");
    EXPECT_EQ(next.status, 0) << engine << planted << next.err;
  }
};
MXC_FOR_EACH_CALLER(GitEnd);

// They cost the command nothing, and whoever reads them much: all of this index is one extension.
TEST_P(GitEnd, HolesAreNotRead) {
  for (const char* engine : Everywhere()) {
    const Ended ended = Inside(engine,
                               "mkdir -p n/.git/objects n/.git/refs; echo ref: refs/heads/x >n/.git/HEAD; "
                               "printf 'DIRC\\0\\0\\0\\2\\0\\0\\0\\0AAAA\\0\\20\\0\\0' >n/.git/index; "
                               "truncate -s 1048616 n/.git/index");
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("/n/.git/index' (now '" + root + "/n/.git/index.untrusted')")) << engine;
    ASSERT_EQ(Shell("rm -r n").status, 0);
  }
}

TEST_P(GitEnd, AGrantThatIsClosedIsOpenedAgain) {
  for (const char* engine : Everywhere()) {
    for (const char* mode : {"0", "200", "100", "400", "600"}) {
      const Ended ended = Inside(engine, "mkdir -p d; chmod " + std::string(mode) + " d .");
      EXPECT_EQ(ended.status, 0) << engine << ended.err;
      EXPECT_THAT(ended.err, HasSubstr("can be listed again: '" + root + "', '" + root + "/d'")) << engine;
      ExpectStart(engine, ended.err);
    }
  }
}

// Whoever looks at what was set aside enters it, often with a prompt that calls git.
TEST_P(GitEnd, ARepositoryInWhatIsSetAsideIsSetAsideToo) {
  for (const char* engine : Everywhere()) {
    ASSERT_EQ(
        Shell("git init -q r; git -C r -c user.name=a -c user.email=a@b commit -q --allow-empty -m x").status,
        0);
    const Ended ended = Inside(
        engine,
        "for d in rebase-merge rebase-apply sequencer; do m=r/.git/$d/.git; mkdir -p $m/objects $m/refs; "
        "echo 'ref: refs/heads/x' >$m/HEAD; printf '[core]\n fsmonitor = touch MARK\n' >$m/config; "
        "echo 'exec touch MARK' >r/.git/$d/exec; done");
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    for (const char* directory : {"rebase-merge", "rebase-apply", "sequencer"}) {
      const std::string aside = root + "/r/.git/" + directory + ".untrusted";
      EXPECT_THAT(ended.err, HasSubstr("(now '" + aside + "/.git.untrusted')")) << engine;
      EXPECT_EQ(Shell("cd " + aside + " && git status; find " + root + " -name MARK -o -name .git -path '*" +
                      directory + "*'")
                    .out,
                "")
          << engine << ended.err;
    }
    EXPECT_THAT(ended.err, Not(HasSubstr("still stands there"))) << engine;
    ASSERT_EQ(Shell("rm -r r").status, 0);
  }
}

// `.git` is held, but git replaces its HEAD, so anybody can. The work tree is restored between the two runs.
TEST_P(GitEnd, ARepositoryAtTheTopIsTold) {
  const std::string plant =
      "b() { git hash-object -w --stdin; }; i() { git update-index --add --cacheinfo 100644,$1,$2; }; "
      "i $(echo ref: refs/heads/x | b) HEAD; i $(echo | b) objects/x; i $(echo | b) refs/x; "
      "i $(printf '[core]\\n fsmonitor = touch MARK; false\\n worktree = .\\n' | b) config";
  for (const char* engine : Everywhere()) {
    ASSERT_EQ(
        Shell("git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x").status,
        0);
    const Ended first = Inside(engine, plant);
    EXPECT_EQ(first.status, 0) << engine << first.err;
    EXPECT_THAT(first.err,
                HasSubstr("whose next checkout makes repositories, which git obeys: '" + root + "'"))
        << engine;
    ASSERT_EQ(Shell("git checkout -q -- .").status, 0);
    const Ended second = Inside(engine, "rm .git/HEAD; mkdir .git/HEAD");
    EXPECT_THAT(second.err, HasSubstr("'" + root + "' (now '" + root + "/objects.untrusted')")) << engine;
    EXPECT_EQ(Shell("git status; ls MARK").out, "") << engine;
    ASSERT_EQ(Shell("find . -mindepth 1 -delete").status, 0);
  }
}

// What git is told by the index it enters step by step.
TEST_P(GitEnd, ASubmoduleTooDeepToBeNamedIsTold) {
  const std::string plant = R"(python3 -c '
import os, subprocess
head, top = subprocess.check_output(["git", "rev-parse", "HEAD"], text=True).strip(), os.getcwd()
while len(os.getcwd()) < 3900: os.mkdir("d" * 90); os.chdir("d" * 90)
os.mkdir("s" * (4091 - len(os.getcwd()))); os.chdir("s" * (4091 - len(os.getcwd())))
path = os.getcwd()[len(top) + 1:]
os.mkdir(".git"); os.mkdir(".git/refs"); os.symlink(top + "/.git/objects", ".git/objects")
open(".git/HEAD", "w").write(head)
open(".git/config", "w").write("[core]\\n fsmonitor = touch " + top + "/MARK; false\\n")
os.chdir(top)
subprocess.check_call(["git", "update-index", "--add", "--cacheinfo", "160000," + head + "," + path])')";
  for (const char* engine : Everywhere()) {
    ASSERT_EQ(
        Shell("git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x").status,
        0);
    const Ended ended = Inside(engine, plant);
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_THAT(ended.err,
                HasSubstr("whose paths are too long, and that may hold git repositories: '" + root))
        << engine;
    EXPECT_EQ(Shell("git status >status; ls MARK").out, "") << engine;
    ASSERT_EQ(Shell("find . -mindepth 1 -delete").status, 0);
  }
}

// Names alone do not tell what stands there, and whoever may change the mode may enter. The grants are as a
// run left them whose launcher was killed.
TEST_P(GitEnd, WhatMayBeListedButNotEnteredIsNotPassedOver) {
  for (const char* engine : Everywhere()) {
    ASSERT_EQ(Shell("mkdir d; git init -q d/r; chmod 400 d").status, 0);
    const Ended ended = Inside(engine, "chmod 700 d; echo '#!/bin/sh' >d/r/.git/hooks/pre-commit");
    EXPECT_EQ(Shell("chmod 700 d; ls d/r/.git/hooks | grep -x pre-commit").status, 1) << engine << ended.err;
    ASSERT_EQ(Shell("rm -r d").status, 0);
  }
}

TEST_P(GitEnd, OtherNamesOfAHookAreFoundWhereverTheyAre) {
  constexpr const char* kDeep =
      "python3 -c 'import os\nh = os.open(\"r/.git/hooks\", 0)\nos.chdir(\"d\")\n"
      "for i in range(25): os.mkdir(\"a\" * 200); os.chdir(\"a\" * 200)\n"
      "os.link(\"pre-commit\", \"x\", src_dir_fd=h)'";
  constexpr const char* kWriteDeep =
      "python3 -c 'import os\nos.chdir(\"d\")\nfor i in range(25): os.chdir(\"a\" * 200)\n"
      "open(\"x\", \"w\").write(\"EVIL\")'";
  struct Place {
    const char* plant;
    const char* write;
  };
  for (const char* engine : Everywhere()) {
    for (const Place& place :
         {Place{"ln r/.git/hooks/pre-commit d/x; chmod 400 d", "chmod 700 d; echo EVIL >d/x"},
          Place{"ln r/.git/hooks/pre-commit d/x; chmod 0 d", "chmod 700 d; echo EVIL >d/x"},
          Place{kDeep, kWriteDeep}}) {
      ASSERT_EQ(Shell("git init -q r; mkdir d; echo true >r/.git/hooks/pre-commit").status, 0);
      ASSERT_EQ(Shell(place.plant).status, 0) << place.plant;
      const Ended ended = Inside(engine, place.write);
      EXPECT_EQ(Shell("cat r/.git/hooks/pre-commit").out, "true\n") << engine << place.plant << ended.err;
      ASSERT_EQ(Shell("chmod 700 d; rm -rf r d").status, 0);
    }
  }
}

// From the inside out, so that no look at what is in a directory comes before its own turn.
TEST_P(GitEnd, ARepositoryThatIsClosedIsOpenedAgain) {
  for (const char* engine : Everywhere()) {
    ASSERT_EQ(Shell("git init -q .; git status").status, 0);
    for (const char* close : {"sleep 0.3; chmod 0 .git/hooks .git .", "chmod 0 .git; sleep 0.5; chmod 0 ."}) {
      const Ended ended = Inside(engine, std::string(close) + "; true");
      EXPECT_EQ(ended.status, 0) << engine << close << ended.err;
      EXPECT_THAT(ended.err, HasSubstr("'" + root + "/.git'")) << engine << close;
      const Ended after = Shell("git status --porcelain && ls .git .git/hooks");
      EXPECT_THAT(after.out, HasSubstr("HEAD")) << engine << close << after.err << ended.err;
      // Closed while it is put back, `hooks` is made once more.
      const std::string asides = Shell("ls .git | grep -c untrusted-").out;
      EXPECT_LT(std::stoi(asides), 5) << engine << close << after.out << ended.err;
    }
    ASSERT_EQ(Shell("rm -rf .git").status, 0);
  }
}

// bwrap takes fewer mounts than the others.
TEST_P(GitEnd, MoreRepositoriesThanALaterRunCanProtectAreTold) {
  const std::string make =
      "r=$(seq -f r%g 0 599); printf '%s/.git/objects\\0' $r | xargs -0 mkdir -p; "
      "printf '%s/.git/refs\\0' $r | xargs -0 mkdir; for i in $r; do echo ref: refs/heads/x >$i/.git/HEAD; "
      "done";
  for (const char* engine : Everywhere()) {
    const Ended ended = Inside(engine, make);
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    const Ended next = Inside(engine, "true");
    const bool told = ended.err.find("keeps later runs with these grants from starting") != std::string::npos;
    EXPECT_EQ(told, next.status != 0) << engine << ended.err << next.err;
    EXPECT_EQ(told, std::string_view(engine) == "bubblewrap") << engine;
    if (next.status != 0) {
      EXPECT_THAT(next.err, HasSubstr("'" + root + "' has 600 git repositories ('" + root + "/r0/.git'"));
      EXPECT_THAT(next.err, HasSubstr("`filesystem.repositories`"));
    }
    ASSERT_EQ(Shell("rm -rf r*").status, 0);
  }
}

// git's files are not there: what leads to them is in the grant.
TEST_P(GitEnd, WhatLeadsThroughProcIsTakenOutOfTheWay) {
  for (const char* engine : Everywhere()) {
    const Ended ended = Inside(engine,
                               "mkdir a b c; echo gitdir: /proc/self/root >a/.git; git init -q b; "
                               "echo /proc/self/cwd >b/.git/commondir; ln -s /proc/self/cwd c/.git");
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    for (const char* file : {"/a/.git", "/b/.git/commondir", "/c/.git"})
      EXPECT_THAT(ended.err, HasSubstr("'" + root + file + "' (now '" + root + file + ".untrusted')"))
          << engine;
    EXPECT_THAT(ended.err, Not(HasSubstr("next-run-refused"))) << engine;
    ExpectStart(engine, ended.err);
    ASSERT_EQ(Shell("rm -rf a b c").status, 0);
  }
}

// git takes what stands before it.
TEST_P(GitEnd, NulInAConfigurationStopsNoRunAndHidesNoHook) {
  for (const char* engine : Everywhere()) {
    const Ended planted =
        Inside(engine,
               "git init -q n; printf '[core]\\n\\thooksPath = a\\0b\\n' >>n/.git/config; "
               "git init -q m; printf '[core \"hookspath\\0b\"]\\n\\tx = a\\n' >>m/.git/config; "
               "git init -q t; printf '[core]\\n\\thooksPath = a\\tb\\n' >>t/.git/config");
    EXPECT_EQ(planted.status, 0) << engine << planted.err;
    const Ended hooks = Inside(
        engine,
        "for d in n/a m/a 't/a b' \"$(printf 't/a\\tb')\"; do mkdir -p \"$d\"; "
        "printf '#!/bin/sh\\ntouch \"$PWD/../pwned\"\\n' >\"$d/pre-commit\"; chmod +x \"$d/pre-commit\"; "
        "done 2>/dev/null; true");
    EXPECT_EQ(hooks.status, 0) << engine << hooks.err;
    const Ended commits = Shell(
        "for r in n m t; do git -C $r -c user.name=a -c user.email=b commit -q --allow-empty -m x; done; "
        "test ! -e pwned");
    EXPECT_EQ(commits.status, 0) << engine << hooks.err << commits.err;
    ASSERT_EQ(Shell("rm -rf n m t pwned").status, 0);
  }
}

TEST_P(GitEnd, EachWordOfACommandLineMayBeAFile) {
  for (const char* engine : Everywhere()) {
    for (const char* line : {"timeout 5 sh clean.sh", "bash -euo pipefail clean.sh", "cat clean.sh | sh"}) {
      ASSERT_EQ(Shell("git init -q r; echo cat >r/clean.sh; git -C r config filter.x.clean '" +
                      std::string(line) + "'")
                    .status,
                0);
      const Ended changed = Inside(engine, "echo 'touch pwned; cat' >r/clean.sh");
      EXPECT_THAT(changed.err, HasSubstr("'" + root + "/r/clean.sh'")) << engine << line;
      EXPECT_THAT(Inside(engine, "echo x >r/other").err, Not(HasSubstr("/r/"))) << engine << line;
      ASSERT_EQ(Shell("rm -rf r").status, 0);
    }
  }
}

// The directory around what is held is the command's: another user could replace what is in it.
TEST_P(GitEnd, NoWayToWhatIsHeldStaysOpenToOthers) {
  for (const char* engine : Everywhere()) {
    ASSERT_EQ(Shell("git init -q r; chmod 755 . r r/.git").status, 0);
    const Ended ended = Inside(
        engine,
        "chmod 777 . r; chmod 757 r/.git; mkdir -m 777 r/new r/.git/modules; chmod 777 r/.git/objects");
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_EQ(Shell("stat -c %a . r r/.git r/new").out, "755\n755\n755\n777\n") << engine << ended.err;
    EXPECT_EQ(Shell("stat -c %A r/.git/modules | cut -c 9").out, "-\n") << engine << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("taken back: '" + root + "', '" + root + "/r', '" + root + "/r/.git'"))
        << engine;
    ASSERT_EQ(Shell("rm -rf r").status, 0);
  }
}

TEST_P(GitEnd, SharedDirectoriesAreNoNews) {
  for (const char* engine : Everywhere()) {
    ASSERT_EQ(Shell("umask 002; git init -q --shared r; chmod 2775 r r/.git; chmod 775 .").status, 0);
    const Ended ended =
        Inside(engine,
               "umask 002; cd r; git init -q --shared new; mkdir -p a/b; echo x >a/b/c; git add a; "
               "git -c user.name=a -c user.email=b commit -q -m x; git worktree add -q ../t; git gc -q");
    EXPECT_THAT(ended.err, Not(HasSubstr("taken back"))) << engine;
    ASSERT_EQ(Shell("rm -rf r t").status, 0);
  }
}

}  // namespace
}  // namespace mxc::test::git_end_test
