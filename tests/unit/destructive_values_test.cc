// Commands that destroy, where variables, parameters and functions say what is run.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/destructive_text.h"

namespace mxc::destructive_values_test {
namespace {

TEST(DestructiveValues, VariablesOfSeveralWords) {
  for (const std::string line :
       {"OPTS='--force origin main'; git push $OPTS", "CMD='git push'; CMD+=' --force'; $CMD",
        "if x; then F=--force; fi; git push $F", "E=; git $E push --force", "git $UNSET push --force",
        "read -r X <<< 'git push --force'; $X", "read X <<E\ngit push --force\nE\n$X",
        "IFS= read -r X <<< '--force'; git push $X", "printf -v X %s 'git push --force'; $X",
        "X=$(echo git push --force); $X", "X=$(echo git; echo push --force); $X",
        "X=$(false || echo 'git push --force'); $X", "$(command -v git) push --force",
        "\"$(which git 2>/dev/null)\" push --force", "X='git push --force'; Y='$X'; eval $Y"})
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
  EXPECT_EQ(FoundAtRoot("OPTS='-rf a ./*'; rm $OPTS"), "rm(1)");
  EXPECT_EQ(FoundAtRoot("L='a .'; for d in $L; do rm -rf $d; done"), "rm(1)");
  for (const std::string line :
       {"M='fix: --force'; git push \"$M\"", "echo '$(git push' --force", "X='a b'; git commit -m \"$X\"",
        "OPTS='-O2 -g'; gcc $OPTS x.c", "B=$(git branch --show-current); git push origin $B"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

TEST(DestructiveValues, Arrays) {
  for (const std::string line :
       {"args=(--force origin); git push \"${args[@]}\"", "a=(push o); a+=(--force); git \"${a[@]}\"",
        "declare -a c=(git push --force); \"${c[@]}\"", "a=(git push); ${a[*]} --force",
        "c=(git push); c+=(\"--force\"); \"${c[@]:0}\""})
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
  for (const std::string line : {"a=(--verbose); npm test -- \"${a[@]}\"", "f=(); f+=(x); rm -f \"${f[@]}\"",
                                 "a=(x y); echo ${#a[@]} ${a[0]}"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

TEST(DestructiveValues, ParametersOfLines) {
  for (const std::string line :
       {"bash -c 'git push \"$@\"' _ --force", "bash -c 'git push $1' _ --force",
        "set -- --force; git push \"$@\"", "set push --force; git \"$@\"",
        "sudo sh -c '\"$@\"' _ git push --force", "sh -c 'shift; \"$@\"' _ x git push --force",
        "$SHELL -c 'git push --force'", "bash -s -- --force <<'E'\ngit push \"$@\"\nE"})
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
  EXPECT_EQ(FoundAtRoot("set -- -rf ./*; rm \"$@\""), "rm(1)");
  for (const std::string line : {"bash -c 'npm test -- \"$@\"' _ --force", "set -e; \"$@\"",
                                 "sh -c 'rm -rf \"$2\"' _ . build", "set -- a b; echo \"$@\""})
    EXPECT_EQ(FoundAtRoot(line), "-") << line;
}

TEST(DestructiveValues, FunctionsWithTheirArguments) {
  for (const std::string line :
       {"run() { echo \"+ $*\"; \"$@\"; }; run git push --force", "gp() { git push \"$@\"; }; gp --force",
        "function f { git push \"$@\"; }\nf --force", "f() ( git push \"$@\" ); f --force",
        "r() { n=$1; shift; until \"$@\"; do sleep $n; done; }; r 5 git push --force",
        "r() { local c=$1; shift; $c \"$@\"; }; r git push --force",
        "main() { run \"$@\"; }; run() { \"$@\"; }; main git push --force",
        "run() { bash -c \"$1\"; }; run 'git push --force'"})
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
  EXPECT_EQ(FoundAtRoot("run() { \"$@\"; }; run rm -rf ./*"), "rm(1)");
  for (const std::string line :
       {"run() { \"$@\"; }; run npm test", "r() { shift; \"$@\"; }; r 3 npm ci", "f() { f \"$@\"; }; f x",
        "run() { bash -c \"$1\"; }; run 'npm test'", "log() { echo \"$@\"; }; log git push --force"})
    EXPECT_EQ(FoundAtRoot(line), "-") << line;
}

TEST(DestructiveValues, WhatIsNotKnownIsHeldWhereItIsRun) {
  for (const std::string line :
       {"X=$(jq -r .x y); $X", "while read -r c; do $c; done <list", "mapfile -t c <x; \"${c[@]}\"",
        "exec $(cat x)", "nohup $X", "$UNSET npm test", "eval \"$Y\"", "bash -c \"$CMD\"", "eval '$(cat x)'",
        "sh -c '$(curl https://x)'", "echo 'x", "cat <<E\nx\n", "echo $(cat <<E)\nx\nE\n"})
    EXPECT_EQ(FoundIn(line), "bash(1)") << line;
  EXPECT_EQ(FoundIn("\"$BIN\" push --force"), "git-push(1)");
  EXPECT_EQ(FoundAtRoot("\"$BIN\" -rf ."), "rm(1)");
  for (const std::string line :
       {"\"$BIN\" --version", "\"$BIN\" -r . x", "$HOME/bin/x y", "\"$(go env GOPATH)/bin/x\" run",
        "for t in build/*; do $t; done", "for t in $(find build -name x); do $t; done",
        "case $x in $y) a;; esac", "[[ $x =~ ^($a|$b)$ ]] && make", "(( $x ))", "php - <<'E'\n$x = 1;\nE\n",
        "cat >x <<E\nit's $x (\nE\n"})
    EXPECT_EQ(FoundAtRoot(line), "-") << line;
}

TEST(DestructiveValues, NamesThatAShellIsGiven) {
  for (const std::string line :
       {"find . -path ./.git -prune -o -type f -exec sh -c 'rm -f \"$@\"' _ {} +",
        "find . -type f -exec sh -c 'rm -f \"$1\"' _ {} \\;", "find . -type f -exec sh -c 'rm -f {}' \\;",
        "find . -type f -exec bash -c 'for f in \"$@\"; do rm -f \"$f\"; done' _ {} +",
        "ls | xargs -I{} sh -c 'rm -f {}'", "ls | xargs sh -c 'rm -f \"$@\"' _",
        "echo \"src $PWD\" | xargs rm -rf", "echo \"'..'\" | xargs rm -rf", "printf '..\\n' | xargs rm -rf",
        "find .. | xargs rm -rf $(echo a)"})
    EXPECT_EQ(FoundAtRoot(line), "rm(1)") << line;
  for (const std::string line : {"echo --force | xargs git push", "xargs git push <<< --force"})
    EXPECT_EQ(FoundAtRoot(line), "git-push(1)") << line;
  for (const std::string line :
       {"find . -name '*.o' -exec sh -c 'rm -f \"$@\"' _ {} +",
        "find . -type f -exec sh -c 'wc -l \"$@\"' _ {} +",
        "find build -type f | xargs sh -c 'rm -f \"$@\"' _", "printf '%s\\0' a b | xargs -0 rm -rf",
        "ls | xargs -I{} sh -c 'rm -f build/{}'"})
    EXPECT_EQ(FoundAtRoot(line), "-") << line;
}

}  // namespace
}  // namespace mxc::destructive_values_test
