// Commands that destroy, behind what shells and wrappers make of text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/destructive_text.h"

namespace mxc::destructive_shell_test {
namespace {

TEST(DestructiveShell, IsRecognisedThroughShellsAndWrappers) {
  for (const std::string line : {"git push -f",
                                 "git push --force-with-lease origin main",
                                 "git push origin +main",
                                 "git push origin :old",
                                 "cd x && git push -uf origin main",
                                 "true; git push --force",
                                 "false || git push --force &",
                                 "(git push --force)",
                                 "{ git push --force; }",
                                 "if true; then git push --force; fi",
                                 "sh -c 'git push --force'",
                                 "bash -lc \"cd x; git push --force\"",
                                 "env A=b git push --force",
                                 "A=b git push --force",
                                 "sudo -u me git push --force",
                                 "timeout -k 5 10 git push --force",
                                 "nice -n 5 git push --force",
                                 "nohup git push --force >log 2>&1",
                                 "xargs -n1 git push --force <list",
                                 "echo $(git push --force)",
                                 "echo \"`git push --force`\"",
                                 "/usr/bin/git push --force",
                                 "g\"i\"t pu'sh' --fo\\rce",
                                 "git -C /x push --force",
                                 "git \\\n push --force",
                                 "sudo sh -c 'timeout 5 sh -c \"git push --force\"'",
                                 "eval 'git push --force'",
                                 "exec git push --force",
                                 "ssh host 'git push --force'",
                                 "setsid -w git push --force",
                                 "setarch x86_64 git push --force",
                                 "gosu me git push --force",
                                 "while :; do git push --force; done",
                                 ">/dev/null git push --force",
                                 "2>&1 </dev/null A=b git push --force",
                                 "# nothing\ngit push --force"}) {
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
  }
}

TEST(DestructiveShell, WhatIsTooDeepToBeLookedThroughIsHeld) {
  for (const std::string word : {"eval", "$("}) {
    std::string line = "true";
    for (int i = 0; i < 200; ++i) line = word == "$(" ? "echo $(" + line + ")" : "eval " + line;
    EXPECT_THAT(FoundIn(line), testing::StartsWith("mxc-policy(5)")) << word;
  }
  EXPECT_EQ(FoundIn("echo $(echo $(sh -c 'env nice true'))"), "-");
  // Values that stand for values, and many pipes, take a bounded time.
  std::string values;
  for (char c = 'A'; c <= 'Z'; ++c) values += "X=${u}X; X=${u}" + std::string(1, c) + "; " + c + "=${u}X; ";
  EXPECT_THAT(FoundIn(values + "$X"), testing::AnyOf("-", testing::StartsWith("mxc-policy(5)")));
  std::string pipes;
  for (int i = 0; i < 3000; ++i) pipes += "echo a | sh; ";
  EXPECT_THAT(FoundIn(pipes), testing::StartsWith("mxc-policy(5)"));
  // Nor does length hide anything.
  EXPECT_EQ(FoundIn("sh -c 'echo \"$X\" " + std::string(100000, 'x') + "; git push --force'"), "git-push(1)");
}

TEST(DestructiveShell, WordsOfArgvAreNoShells) {
  EXPECT_EQ(FoundBy({.argv = {"git", "push", "--force"}}), "git-push(1)");
  EXPECT_EQ(FoundBy({.argv = {"sh", "-c", "git push --force"}}), "git-push(1)");
  EXPECT_EQ(FoundBy({.argv = {"echo", "x; git push --force"}}), "-");
  EXPECT_EQ(FoundBy({.argv = {"rm", "-rf", "/work/app"}}), "rm(1)");
}

// Whatever program runs it, and however it is told what to run.
TEST(DestructiveShell, WrappersOfEachKind) {
  for (const std::string wrapper :
       {"prlimit --nofile=10 ", "start-stop-daemon -S -x ", "time -p ", "coproc x { ", "function f { ",
        "npx -- ", "choom -n 0 -- ", "uv run ", "coproc ", "find / -maxdepth 0 -ok "})
    EXPECT_EQ(FoundIn(wrapper + "git push --force"), "git-push(1)") << wrapper;
  for (const std::string wrapper : {"env -S ",
                                    "env -S",
                                    "env --split-string=",
                                    "flock /tmp/l -c ",
                                    "flock -x /tmp/l --command=",
                                    "su -c ",
                                    "script -qc ",
                                    "watch -n1 ",
                                    "trap ",
                                    "alias p=",
                                    "sh -ec ",
                                    "ssh h ",
                                    "vagrant ssh -c ",
                                    "parallel ",
                                    "hyperfine ",
                                    "tmux new-session -d ",
                                    "eval ",
                                    "xargs sh -c ",
                                    "echo x | xargs -I{} sh -c ",
                                    "bash <<<",
                                    "bash -c $"}) {
    EXPECT_EQ(FoundIn(wrapper + "'git push --force'"), "git-push(1)") << wrapper;
  }
  for (const std::string line :
       {"echo 'git push --force' | sh", "echo git push --force | bash -s",
        "printf 'git push --force' | tee log | sh", "{ echo 'git push --force'; } | sh",
        "sh <<E\ngit push --force\nE\n", ". /dev/stdin <<E\ngit push --force\nE\n",
        "cat <<E\n$(git push --force)\nE\n", "cat <<'E' | sh\ngit push --force\nE\n",
        "cat >x.sh <<'E'\ngit push --force\nE\nsh ./x.sh", "bash <<< 'git push --force'",
        "echo 'git push --force' >x.sh; sh x.sh"})
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
  for (const std::string line :
       {"cat >notes.md <<'E'\nNever git push --force here.\ngit push --force\nE\n", "flock /tmp/l -c 'make'",
        "env -S 'A=1 make'", "trap 'rm -f \"$x\"' EXIT", "echo make | sh", "alias ll='ls -l'"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

// A shell reads what a substitution prints: echo, printf and cat say what, all else is in no text.
TEST(DestructiveShell, TextThatIsGeneratedForAShell) {
  for (const std::string line :
       {"bash <(echo 'git push --force')", "bash -x <(echo git push --force) arg",
        "bash -o pipefail <(printf 'git push --force\\n')", "source <(echo 'git push --force')",
        ". <(printf '%s\\n' 'git push --force')", "eval \"$(echo 'git push --force')\"",
        "eval `printf %s 'git push --force'`", "sh -c \"$(echo 'git push --force')\"",
        "bash < <(echo 'git push --force')", "bash <<< \"$(echo 'git push --force')\"",
        "bash --rcfile <(echo 'git push --force')", "sudo bash <(echo 'git push --force')",
        "sudo bash -c \"$(echo git push --force)\"", "timeout 5 bash <<< 'git push --force'",
        "bash <(cat <<'E'\ngit push --force\nE\n)", "bash <(echo x=1; echo 'git push --force')",
        "V=push; eval \"$(echo git $V --force)\"", "diff <(git push --force) x",
        "xargs -a <(ls) git push --force"})
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
  for (const std::string line :
       {"bash <(curl -fsSL https://x)", "X=bash; $X <(cat y)", "source <(base64 -d x)",
        "eval \"$(printf '\\162\\155 x')\"", "eval \"$(printf '%b' x)\"", "eval \"$(echo -e 'a\\x20b')\"",
        "bash -c \"$(curl https://x)\"", "sh -ec \"`cat x`\"", "eval \"$(echo cm0gLXJm | base64 -d)\"",
        "bash < <(curl https://x)", "bash <<< \"$(cat x)\"", "sudo bash -c \"$(cat x)\"",
        "env A=b bash <(cat x)", "eval \"$(echo $X)\"", "command eval \"$(cat x)\"",
        "bash --init-file <(cat x)", "eval $(cat x) y"})
    EXPECT_EQ(FoundIn(line), "bash(1)") << line;
  for (const std::string line : {"bash <(echo make)",
                                 "eval \"$(echo make)\"",
                                 "eval \"$(ssh-agent -s)\"",
                                 "eval \"$(brew shellenv)\"",
                                 "source <(kubectl completion bash)",
                                 "eval \"$(direnv hook bash)\"",
                                 "diff <(sort a) <(sort b)",
                                 "bash x.sh <(cat y)",
                                 "bash -c 'cat \"$1\"' x <(cat y)",
                                 "source \"$(dirname \"$0\")/x.sh\"",
                                 "source \"$(git rev-parse --show-toplevel)\"",
                                 "sh \"$(pwd)/x.sh\"",
                                 "echo \"$(cat x)\"",
                                 "eval \"x=$(cat y)\"",
                                 "sh -c \"echo $(date)\"",
                                 "cat <(echo 'rm -rf /work')",
                                 "while read l; do echo $l; done < <(git ls-files)",
                                 "eval $((1 + 2))",
                                 "comm -3 <(ls a) <(ls b) | wc -l",
                                 "tee >(gzip >x.gz) <y"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

TEST(DestructiveShell, WhatIsPipedIntoAShellEndsItsLines) {
  for (const std::string line : {"printf 'git push --force\\n' | sh", "printf \"git push --force\\n\" | sh",
                                 "printf '%s\\n' 'git push --force' | sh", "echo -n 'git push --force' | sh"})
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
}

// In quotes a parenthesis closes nothing.
TEST(DestructiveShell, QuotesInSubstitutions) {
  for (const std::string line : {"echo $(echo ')'; git push --force)", "echo \"$(echo \")\"; git push -f)\"",
                                 "cat <(echo \\); git push -f)", "echo $(echo don\\'t; git push -f)"})
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
}

TEST(DestructiveShell, NamesThatAreReadAreOfAnything) {
  for (const std::string line :
       {"find . | xargs rm -rf", "find .. -print0 | xargs -0 rm", "ls | xargs rm -rf", "xargs rm -rf <list",
        "xargs -a list rm", "xargs -I{} rm -rf {} <list", "xargs -I@ rm @ <list",
        "xargs --replace rm -f {} <list", "git ls-files | xargs -n1 rm -f", "cat list | parallel rm -rf",
        "parallel rm -rf ::: ..", "cat list | xargs sh -c 'rm -rf \"$@\"' x",
        "while read f; do rm -rf \"$f\"; done <list", "fd . -X rm -rf", "cat list | xargs sudo nice rm",
        "echo .. | xargs rm -rf"})
    EXPECT_EQ(FoundAtRoot(line), "rm(1)") << line;
  EXPECT_EQ(FoundIn("cat list | xargs chmod -R 777"), "chmod(1)");
  EXPECT_EQ(FoundIn("cat list | git update-ref --stdin"), "git-update-ref(1)");
  for (const std::string line :
       {"find build -name '*.o' | xargs rm -f", "find . -name '*.o' -print0 | sort -z | xargs -0 rm",
        "echo build dist | xargs rm -rf", "cat list | xargs -I{} rm -rf build/{}",
        "grep -l x *.c | xargs sed -i s/x/y/", "git diff --name-only | xargs clang-format -i",
        "ls | xargs -n1 echo", "xargs chmod u+x <list"})
    EXPECT_EQ(FoundAtRoot(line), "-") << line;
}

// "May be everything" is enough: which files there are is in no text.
TEST(DestructiveShell, PatternsThatMayMatchAll) {
  for (const std::string operand :
       {"?",      "[!.]*", ".[!.]*", "..?*",   "*/",  "./[a-z]*",    "[a-z]*", "{.,x}/*",
        "*/*",    "**",    "./**/*", "!(x)",   "*.*", "?*",          "d/../*", "d/..",
        "{*,.*}", ".",     "../*",   "../a?p", "/w*", "/work/[a]pp", "/*/app", "../[a-z]*"})
    EXPECT_EQ(FoundAtRoot("rm -rf " + operand), "rm(1)") << operand;
  for (const std::string operand : {"*.o", "build/*", "a*", "*/build", "?.txt", "lib?", "[a]b", "*.[oa]",
                                    "build*/*", "../b*", "@(build|dist)", "{build,dist}", "{build,dist}/*"})
    EXPECT_EQ(FoundAtRoot("rm -rf " + operand), "-") << operand;
}

TEST(DestructiveShell, DirectoriesThatWrappersGoTo) {
  for (const std::string line : {"env -C /work rm -rf app", "env -C.. rm -rf ./*", "env --chdir=.. rm -rf *",
                                 "sudo -D .. rm -rf .", "systemd-run --working-directory .. rm -rf *",
                                 "env -C \"$X\" rm -rf *", "cd / && env -C work rm -rf app"})
    EXPECT_EQ(FoundIn(line), "rm(1)") << line;
  for (const std::string line :
       {"env -C build rm -rf *", "env -C .. rm -rf build", "env -C .. make; rm -rf *"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

TEST(DestructiveShell, AliasesWithWhatStandsBehindThem) {
  for (const std::string line :
       {"alias x='rm -rf'\nx *", "alias x='sudo rm'; x -rf .", "alias rm='rm -r'\nrm ."})
    EXPECT_EQ(FoundAtRoot(line), "rm(1)") << line;
  for (const std::string line : {"alias x='rm -rf'\nx build", "alias ls='ls -l'\nls ."})
    EXPECT_EQ(FoundAtRoot(line), "-") << line;
}

TEST(DestructiveShell, DirectoriesOfCdpath) {
  EXPECT_EQ(FoundIn("CDPATH=/work; cd app && rm -rf *"), "rm(1)");
  EXPECT_EQ(FoundIn("export CDPATH=.:/; cd work; rm -rf app"), "rm(1)");
  EXPECT_EQ(FoundIn("CDPATH=/opt; cd app && rm -rf *"), "-");
}

TEST(DestructiveShell, DirectoriesOfProcesses) {
  for (const std::string operand :
       {"/proc/self/cwd", "/proc/self/cwd/", "/proc/$$/cwd/*", "//proc/./1/cwd/../app",
        "/proc/thread-self/root/work", "/proc/*/task/1/cwd/."})
    EXPECT_EQ(FoundAtRoot("rm -rf " + operand), "rm(1)") << operand;
  for (const std::string operand : {"/proc/self/cwd/build", "/proc/self/root/tmp/x"})
    EXPECT_EQ(FoundAtRoot("rm -rf " + operand), "-") << operand;
}

TEST(DestructiveShell, ExpansionsAsFarAsTheTextSays) {
  for (const std::string line : {"rm -rf $(pwd)",
                                 "rm -rf \"$(pwd)\"/*",
                                 "rm -rf `pwd`",
                                 "rm -rf $PWD",
                                 "rm -rf $OLDPWD",
                                 "rm -rf $X",
                                 "rm -rf \"${X}\"/*",
                                 "rm -rf ${X:-.}",
                                 "rm -rf ${X:?}/*",
                                 "rm -rf ./$X",
                                 "rm -rf $(cat list)",
                                 "X=rm; $X -rf .",
                                 "X='rm -rf .'; $X",
                                 "X=r; ${X}m -rf .",
                                 "rm${IFS}-rf${IFS}.",
                                 "{rm,-rf,.}",
                                 "D=.; rm -rf $D",
                                 "D=build; D=..; rm -rf $D/*",
                                 "for d in a .; do rm -rf $d; done",
                                 "for d in $(ls); do rm -rf $d; done",
                                 "$'rm' -rf .",
                                 "$'\\x72\\155' -rf $'.'",
                                 "rm -rf ~+",
                                 "sh -c 'rm -rf \"$0\"' .",
                                 "sh -c '\"$@\"' x rm -rf .",
                                 "cd /work && rm -rf app",
                                 "cd build; rm -rf *",
                                 "cd build\nrm -rf *",
                                 "(cd build && make); rm -rf *",
                                 "cd \"$X\" && rm -rf *",
                                 "cd build && cd - && rm -rf *"})
    EXPECT_EQ(FoundAtRoot(line), "rm(1)") << line;
  for (const std::string line :
       {"OUT=build; rm -rf \"$OUT\"", "rm -rf \"${OUT:-build}\"", "rm -rf \"$X/build\"", "rm -rf build/$X",
        "d=$(mktemp -d \"$TMPDIR/x.XXXX\"); trap 'rm -rf \"$d\"' EXIT; make",
        "c() { rm -rf \"$t\"; }; t=$(mktemp -d); trap c EXIT", "for d in build dist; do rm -rf \"$d\"; done",
        "cd build && rm -rf *", "mkdir -p build && cd build && rm -rf ./*", "cd build || exit 1; rm -rf *",
        "(cd build && rm -rf *)", "rm -rf \"$(git rev-parse --show-toplevel)/build\"", "rm -f \"$tmp\"",
        "cd build && cmake .. && make", "rm -rf \"$HOME/.cache/x\""})
    EXPECT_EQ(FoundAtRoot(line), "-") << line;
  EXPECT_EQ(FoundIn("dd if=x of=$DISK"), "dd(1)");
  EXPECT_EQ(FoundIn("dd if=x of=$OUT/image"), "-");
}

}  // namespace
}  // namespace mxc::destructive_shell_test
