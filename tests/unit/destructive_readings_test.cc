// Commands that destroy, where two shells read a text differently: each of the readings is looked at.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/destructive_text.h"

namespace mxc::destructive_readings_test {
namespace {

// Most were run in dash, bash and zsh with a `git` that notes its call; not those of an interactive shell, of
// bash 5.3, and of git itself.
void ExpectPush(std::initializer_list<std::string> lines) {
  for (const std::string& line : lines) EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
}
void ExpectNothing(std::initializer_list<std::string> lines) {
  for (const std::string& line : lines) EXPECT_EQ(FoundAtRoot(line), "-") << line;
}

// dash has no arithmetic command: these are subshells in subshells.
TEST(DestructiveReadings, ArithmeticCommandsThatAreSubshells) {
  ExpectPush({"((git push --force origin main))", "if ((git push --force)); then :; fi",
              ": | ((git push --force))", "((eval \"git push --force\"))", "((:;git push --force))",
              "f() ((git push --force)); f", "sh -c '((git push --force))'", "eval '((git push --force))'",
              "trap '((git push --force))' 0", "echo '((git push --force))' | dash",
              "dash <<'Q'\n((git push --force))\nQ\n", "((1 # '\n)); git push --force #'",
              // bash takes these for subshells as well
              "((git push --force) )", "((git push --force) || :)", "((x=1)\ngit push --force)",
              "echo $((git push --force) )", "echo $((echo a); (git push --force))",
              "echo $((: `: #)` ; git push --force))"});
  EXPECT_EQ(FoundBy({.argv = {"sh", "-c", "((git push --force origin main))"}}), "git-push(1)");
}

TEST(DestructiveReadings, CommandsBehindTheHeadOfALoop) {
  ExpectPush({"for ((;;)) do git push --force; done", "for ((i=0;i<1;i++)) { git push --force; }",
              "for((;;))do git push --force;break;done", "for ((i=0;\ni<1;i++))\ndo git push --force; done",
              "if ((1)) then eval 'git push --force'; fi", "while ((1)) do git push --force; done",
              "if [[ 1 ]] then eval git push --force; fi", "for x do git push --force; done",
              "for x { git push --force; }", "select x do git push --force; done",
              "for d\nin --force; do git push $d; done", "case x\nin\nx) git push --force;; esac"});
}

TEST(DestructiveReadings, Quotes) {
  ExpectPush({"echo $'a\\'; git push --force #'",  // dash: "$", 'a\'
              "git $'push\\0zzz' --force", "$'\\x{67}it' push --force", "bash -c $'git\\cIpush\\cI--force'",
              "bash -c $'echo \\u0127; git push --force #\\u0127'", "git pu\"\\\n\"sh --force",
              ": \"${x#'\"'}\"; git push --force; : \"'}\" #}\"",   // bash and dash
              ": \"${x:-'\"'}\"; git push --force; : \"'}\" #}\"",  // bash
              ": \"${x:-'}\"; git push --force; : '}'",             // dash, zsh, bash as `sh`
              ": \r#; git push --force", "echo $\\\n(git push --force)", "cat <\\\n(git push --force)"});
  // What is quoted is no reserved word.
  ExpectPush({"'case' x in\ngit push --force\n(:)\n", "ca\\se x in\ngit push --force\n(:)\n",
              "'[[' ' = ' && eval git push --force"});
}

TEST(DestructiveReadings, HereDocuments) {
  ExpectPush({"cat <<$'E'\nx\nE\ngit push --force\n", "cat <<$'E'\nx\n$E\ngit push --force\nE\n",
              "cat <<$\"E\"\nx\nE\ngit push --force\n", "cat <<E$(a b)\nE$(a b)\ngit push --force\nE$(a\n)\n",
              "cat <<\"E\\\"F\"\nE\"F\ngit push --force\n", "cat <<E\\\nF\nx\nEF\ngit push --force\n",
              "cat <<EF\na\\\nEF\n: '\nEF\ngit push --force #'\n"});
}

TEST(DestructiveReadings, WordsOfBashAlone) {
  ExpectPush({": &>/dev/null git push --force", "function f { :\ngit push --force\n}",
              "[[ x > /dev/null || git push --force ]]", "{fd}>/dev/null git push --force",
              "a[ x ]=1 git push --force", "a[ # ]=1; git push --force", ": $[ # ]; git push --force",
              "echo ${ git push --force; }", "repeat 1 git push --force", "noglob git push --force",
              "{ false; } always { git push --force }"});
}

TEST(DestructiveReadings, WhatIsExpandedOnceMore) {
  ExpectPush({"x='a[$(git push --force)]'; echo $((x))", "x='a[$(git push --force)]'; [[ $x -eq 0 ]]",
              "[ -v 'a[`git push --force`]' ]", "unset 'a[$(git push --force)]'",
              "printf -v 'a[$(git push --force)]' x", "x='$(git push --force)'; echo \"${x@P}\"",
              "PS4='$(git push --force)'; set -x; :", "BASH_ENV='$(git push --force)' bash -c :",
              "for y in '$(git push --force)'; do echo \"${y@P}\"; done",
              "a='$('; b='git push --force)'; c=$a$b; echo \"${c@P}\"",
              "export ENV='$(git push --force)'; dash -i", "env 'PS4=$(git push --force)' bash -xc :"});
  const auto with = [](const std::string& name, const std::string& value) {
    ReviewedCommand command{.argv = {"/bin/sh", "-c", "make"}, .line = "make"};
    std::string text;
    command.variables = {{.name = name, .value = Secret{value}}};
    for (const Destruction& found : FindDestruction(command)) text += found.source;
    return text;
  };
  EXPECT_EQ(with("BASH_ENV", "$(git push --force)"), "git-push(1)");
  EXPECT_EQ(with("BASH_FUNC_make%%", "() { git push --force; }"), "git-push(1)");
  EXPECT_EQ(with("GIT_SSH_COMMAND", "git push --force #"), "git-push(1)");
  EXPECT_EQ(with("GIT_SSH_COMMAND", "ssh -i key"), "");
  EXPECT_EQ(with("MESSAGE", "git push --force"), "");
}

TEST(DestructiveReadings, TextThatABuiltinRuns) {
  ExpectPush({"mapfile -C \"git push --force #\" -c 1 a <file",
              "readarray -t -c1 -C'git push --force #' a <file", "trap \"git push --force\" EXIT",
              "trap 'git push --force' DEBUG", "PROMPT_COMMAND='git push --force' bash -i",
              "compgen -C 'git push --force' x", "complete -C 'git push --force' x",
              "compgen -W '$(git push --force)' x", "bind -x '\"\\C-a\":git push --force'",
              "hash -p /usr/bin/git foo; foo push --force", "BASH_ALIASES[x]='git push --force'\nx",
              "coproc x { git push --force; }", "echo git push --force > >(bash)",
              "echo git push --force | if :; then dash; fi", "eval -- git push --force",
              "eval -- 'git push --force'"});
  ExpectNothing({"mapfile -t a <file", "mapfile -C 'echo' -c 1 a <file", "trap 'echo bye' EXIT", "hash -r",
                 "PROMPT_COMMAND='history -a'", "complete -W 'a b' x", "bind '\"\\C-a\":beginning-of-line'"});
}

TEST(DestructiveReadings, ValuesThatExpansionsChange) {
  ExpectPush({"x='xpush'; git \"${x:1}\" --force",
              "x=--forcX; git push \"${x/X/e}\"",
              "x='git pushX --force'; ${x//X}",
              "x='GIT PUSH --FORCE'; ${x,,}",
              "c='git push --force'; r=c; ${!r}",
              "declare -n r=c; c='git push --force'; $r",
              "set -- --force; for x; do git push $x; done",
              "sh -c 'for x; do git push $x; done' _ --force",
              "g() for x; do git push $x; done; g --force",
              "g() if :; then git push $1; fi; g --force",
              "read -ra x <<< 'git push --force'; \"${x[@]}\"",
              "\"$BASH\" -c 'git push --force'",
              "/proc/self/exe -c 'git push --force'",
              "printf '%s %s %s' git push --force | bash",
              "echo git push --force | . /dev/stdin",
              "> y echo git push --force; . y",
              "g${x}it push --force",
              "git push --fo${x}rce",
              "/usr/bin/g*t push --force",
              "IFS=:; x=git:push:--force; $x",
              "IFS=,; x=push,--force; git $x",
              "IFS=, read -r a b c <<< git,push,--force; $a $b $c",
              "env x='git push --force' bash -c '$x'",
              "alias p='git push '\nalias f='--force'\np f",
              "f() { git push \"$@\"; }; if false; then f() { :; }; fi; f --force"});
}

TEST(DestructiveReadings, OrdinaryLinesPass) {
  ExpectNothing({"npm test",
                 "((i++))",
                 "((i++)) || true",
                 "(( x > 1 && y < 2 ))",
                 "(( $x ))",
                 "((x<<2))\necho done",
                 "echo $((1+2))",
                 "echo $(( (1+2) * 3 )) $((x<<2))",
                 "echo $(( $(date +%s) - start ))",
                 "for ((i=0;i<3;i++)); do echo $i; done",
                 "for ((i=0;i<3;i++)) do echo $i; done",
                 "for ((i=0;i<3;i++)) { echo $i; }",
                 "if ((x)) then make; fi",
                 "while ((n--)); do sleep 1; done",
                 "case x\nin\nx) echo;; esac",
                 "echo $'it\\'s' $'a\\tb'",
                 "echo $\"hello\"",
                 "bash -c $'make\\n'",
                 "make &>log",
                 "make &>$log && tail $log",
                 "make |& tee log",
                 "function f { make; }; f",
                 "[[ -n $x && $y == z ]] && make",
                 "[[ $x =~ ^[a-z]+$ ]]",
                 "cat <<< \"$x\"",
                 "echo ${x//a/b} ${x^^} ${x:1:2} \"${x#'a'}\" ${!x}",
                 "echo \"${x:-it's}\"",
                 "exec {fd}>log",
                 "f() if x; then make; fi; f",
                 "for x; do echo \"$x\"; done; printf '%s=%s\n' a b",
                 "IFS=:; for d in $PATH; do ls $d; done",
                 "IFS=, read -r a b <<< x,y; echo $a",
                 "\"$HOME/bin/x$y\" --force",
                 "./build/t* --gtest_filter=x",
                 "git $OPTS log -d",
                 "echo x | sort; if :; then sh x.sh; fi",
                 "env A=b make",
                 "a[1]=2; a[i + 1]=3",
                 "echo 'a[`date`]' 'x=$(date)'",
                 "PS4='+ $(date) '; set -x; make",
                 "for x do echo \"$x\"; done",
                 "cat <<'E'\n((git push --force))\nE\n",
                 "echo '((git push --force))'",
                 "git commit -m '$(git push --force)'"});
}

}  // namespace
}  // namespace mxc::destructive_readings_test
