#!/bin/sh
# A program whose shell is mxc-sh: sh tests/shell/run.sh build/release/mxc-exec JOB [user]
#
# The project is writable, a marker beside it is not. Each job tells in the project what it saw. Exit status 77: skipped.
set -eu
program=$(realpath "$1")
recipes=$(realpath "$(dirname "$0")/../../docs/integrations.md")
job=$2
caller=${3:-$(test "$(id -u)" = 0 && echo root || echo user)}

skip() {
  echo "skipped: $*"
  exit 77
}
fail() {
  echo "$job as $caller: $*" >&2
  exit 1
}
require() {
  for name in "$@"; do command -v "$name" >/dev/null 2>&1 || skip "$name is not installed"; done
}

area=$(mktemp -d /var/tmp/mxc-shell-XXXXXX)
trap 'rm -rf "$area"' EXIT
chmod 755 "$area"
mkdir -p "$area/bin" "$area/home/.config/mxc-exec" "$area/project"
cp "$program" "$area/bin/mxc-exec" # where every caller can reach it
ln -s mxc-exec "$area/bin/mxc-sh"
echo "marker of the host" >"$area/marker"
cat >"$area/home/.config/mxc-exec/policy.json" <<POLICY
{"version": "1.1.0-alpha", "filesystem": {"tools": "inherit", "readwritePaths": ["$area/project"]}}
POLICY

# as COMMAND...: runs it as the caller, who has mxc-sh on the PATH.
as() { env HOME="$area/home" PATH="$area/bin:$PATH" TERM=xterm LC_ALL=C.UTF-8 "$@"; }
if test "$caller" = root; then
  test "$(id -u)" = 0 || skip "needs root"
elif test "$(id -u)" = 0; then
  chown -R 23456:23456 "$area/home" "$area/project"
  as() {
    setpriv --reuid 23456 --regid 23456 --clear-groups --inh-caps=-all env HOME="$area/home" PATH="$area/bin:$PATH" TERM=xterm \
      LC_ALL=C.UTF-8 "$@"
  }
fi
# A line that every job runs: what it says is in the project afterwards.
look="cat $area/marker >seen 2>&1; test \$? = 1 && echo contained >>seen"
contained() { grep -q '^contained$' seen || fail "$1 was not contained: $(cat seen 2>&1)"; }
cd "$area/project"

# recipe TITLE: the blocks below this heading of docs/integrations.md.
recipe() {
  awk -v title="## $1" '/^## / {on = $0 == title} on && /^```/ {inside = !inside; next} on && inside' \
    "$recipes" | grep . || fail "there is no recipe for $1"
}
run_python() {
  require python3 pytest
  echo 'def test_it(): import subprocess; subprocess.run("sh ./look", shell=True, check=True)' | as tee test_it.py >/dev/null
  { echo 'import shutil, subprocess'; recipe Python; } | as tee recipe.py >/dev/null
  as python3 -B recipe.py >log 2>&1 || fail "$(cat log)"
  test "$(grep -c '1 passed' log)" = 2 || fail "$(cat log)"
}
run_node() {
  require node npm
  recipe Node | while read -r line; do
    rm -f seen
    as node -e "const {execFileSync, execSync} = require('child_process'); $line" >log 2>&1 || fail "$line: $(cat log)"
    contained "$line"
  done
}
run_csharp() {
  require mcs mono
  printf '#!/bin/sh\necho "$@" >asked && sh ./look\n' >"$area/bin/dotnet"
  chmod 755 "$area/bin/dotnet"
  { echo 'using System.Diagnostics; static class Recipe { static void Main() {'; recipe 'C#'; echo '} }'; } >"$area/recipe.cs"
  mcs -out:"$area/recipe.exe" "$area/recipe.cs" >log 2>&1 || fail "$(cat log)"
  as mono "$area/recipe.exe" >log 2>&1 || fail "$(cat log)"
  test "$(cat asked)" = test || fail "dotnet was asked $(cat asked)"
}
# On a terminal, and with the line as the last argument.
run_vscode() {
  require node script
  { echo '{'; recipe 'VS Code tasks'; echo '}'; } >"$area/tasks.json"
  words=$(node -p 'const {executable, args} = JSON.parse(require("fs").readFileSync(process.argv[1])).options.shell;
    [executable, ...args].join(" ")' "$area/tasks.json")
  status=0
  as script -q -e -c "$words 'test -t 1 && sh ./look && exit 6'" /dev/null >log 2>&1 || status=$?
  test "$status" = 6 || fail "the task ended with $status: $(cat log)"
}
# A server that answers by the directory it is given.
run_mcp() {
  require node
  cat >"$area/bin/notes-server" <<'SERVER'
#!/bin/sh
while read -r request; do sh ./look; echo "{\"result\": \"$(cat "$1/note")\", \"to\": $request}"; done
SERVER
  chmod 755 "$area/bin/notes-server"
  { echo '{'; recipe 'An MCP client' | sed "s|/home/me/notes|$PWD|g"; echo '}'; } | as tee client.json >/dev/null
  echo kept | as tee note >/dev/null
  as node -e '
    const {command, args} = JSON.parse(require("fs").readFileSync("client.json")).notes;
    const server = require("child_process").spawn(command, args, {stdio: ["pipe", "pipe", "inherit"]});
    server.stdin.write("1\n"); // and stays open
    server.stdout.once("data", (line) => { console.log(String(line)); server.stdin.end(); });' >log 2>&1 || fail "$(cat log)"
  grep -q '{"result": "kept", "to": 1}' log || fail "the server said $(cat log)"
}
# As a runner does: it writes the script to a file without a suffix, and puts its path for {0}.
run_actions() {
  require npm node
  recipe 'GitHub Actions' >"$area/step.yml"
  sed -n 's/^- run: //p' "$area/step.yml" >"$area/temp-script"
  sed -n "s/^ *MXC_POLICY: '\(.*\)'\$/\1/p" "$area/step.yml" >"$area/policy"
  mkdir "$area/temp"
  mv "$area/temp-script" "$area/temp/6fa459ea-ee8a-3ca4-894e-db77e160355e"
  policy=$(sed "s|\${{ github.workspace }}|$PWD|; s|\${{ runner.temp }}|$area/temp|" "$area/policy")
  words=$(sed -n "s|^ *shell: \(.*\){0}\$|\1$area/temp/6fa459ea-ee8a-3ca4-894e-db77e160355e|p" "$area/step.yml")
  # shellcheck disable=SC2086 # a runner takes it apart
  as env MXC_POLICY="$policy" $words >log 2>&1 || fail "$(cat log)"
  printf 'exit 8\nfalse\n' >"$area/temp/6fa459ea-ee8a-3ca4-894e-db77e160355e"
  status=0
  as env MXC_POLICY="$policy" $words >log 2>&1 || status=$?
  test "$status" = 8 || fail "a step ended with $status: $(cat log)"
}

case $job in
  make)
    require make cc
    for number in 1 2 3 4 5 6 7 8; do echo "int part$number(void) { return $number; }" | as tee "part$number.c" >/dev/null; done
    printf '%s\n' '#include <stdio.h>' 'int part1(void), part8(void);' 'int main(void) { printf("%d\n", part1() + part8()); return 0; }' |
      as tee main.c >/dev/null
    as tee Makefile >/dev/null <<'MAKE'
objects = $(patsubst %.c,%.o,$(wildcard *.c))
program: $(objects)
	$(CC) -o $@ $^
	$(MAKE) below NAME=value
%.o: %.c
	$(CC) -c -o $@ $<
below:
	@echo "below $(NAME) $(shell echo by a shell)" >below-was-made
seen:
MAKE
    printf '\t%s\n\tfalse\n' "$(echo "$look" | sed 's/[$]/$$/g')" | as tee -a Makefile >/dev/null
    as make -j4 SHELL=mxc-sh >log 2>&1 || fail "$(cat log)"
    test "$(./program)" = 9 || fail "the program is wrong"
    test "$(cat below-was-made)" = "below value by a shell" || fail "the recursive make: $(cat below-was-made)"
    status=0
    as make seen SHELL=mxc-sh >log 2>&1 || status=$?
    test "$status" = 2 || fail "a recipe that fails ended with $status"
    contained "a recipe"
    ;;
  npm)
    require npm node
    as mkdir -p node_modules/.bin
    printf '#!/bin/sh\necho "tool for $npm_lifecycle_event: $*"\n' | as tee node_modules/.bin/tool >/dev/null
    as chmod +x node_modules/.bin/tool
    as tee package.json >/dev/null <<JSON
{"name": "project", "version": "1.0.0", "scripts": {"test": "tool >out", "look": "$look", "fail": "exit 9"}}
JSON
    as npm run test --silent --script-shell mxc-sh -- a 'b c' || fail "npm test ended with $?"
    test "$(cat out)" = "tool for test: a b c" || fail "the tool said $(cat out)"
    as npm run look --silent --script-shell mxc-sh || fail "npm run ended with $?"
    contained "a script"
    status=0
    as npm run fail --silent --script-shell mxc-sh >log 2>&1 || status=$?
    test "$status" = 9 || fail "the status of a script is $status"
    ;;
  rebase)
    require git
    as git init -q -b main .
    as git config user.name me
    as git config user.email me@example.com
    for commit in one two three; do
      echo $commit | as tee file >/dev/null
      as git add file
      as git commit -q -m $commit
    done
    as git rebase -q --exec "mxc-sh -c 'git log -1 --format=%s >>commits; $look'" --root >log 2>&1 || fail "$(cat log)"
    test "$(tr '\n' ' ' <commits)" = "one two three " || fail "it ran for $(cat commits)"
    contained "--exec"
    status=0
    as git rebase -q --exec "mxc-sh 'test \$(cat file) != two'" --root >log 2>&1 || status=$?
    test "$status" = 1 && as git log -1 --format=%s | grep -qx two || fail "a failure did not stop the rebase: $status, $(cat log)"
    ;;
  python | node | csharp | vscode | mcp | actions) # their recipes, as they stand in docs/integrations.md
    printf '%s\n' '{"name": "project", "version": "1.0.0", "scripts": {"test": "sh ./look"}}' | as tee package.json >/dev/null
    echo "$look" | as tee look >/dev/null
    "run_$job"
    contained "$job"
    ;;
  script)
    require script
    printf '%s\nexit 5\n' "$look" | as env SHELL="$area/bin/mxc-sh" script -q -e typescript >log 2>&1 && fail "the status was lost"
    contained "a session of script"
    rm seen
    as env SHELL="$area/bin/mxc-sh" script -q -e -c "$look" typescript >log 2>&1 || fail "$(cat log)"
    contained "script -c"
    ;;
  tmux)
    require tmux
    tmux() { as env SHELL="$area/bin/mxc-sh" TMUX_TMPDIR="$area/home" tmux -f /dev/null -S "$area/home/tmux" "$@"; }
    trap 'tmux kill-server 2>/dev/null; rm -rf "$area"' EXIT
    tmux new-session -d -x 80 -y 24 -s test
    wait_for() { # wait_for FILE
      for _ in $(seq 200); do
        test ! -e "$1" || return 0
        sleep 0.1
      done
      fail "nothing came of it: $(tmux capture-pane -p -t test)"
    }
    tmux send-keys -t test "$look; stty size >size-1" Enter
    wait_for size-1
    contained "a window"
    tmux resize-window -t test -x 101 -y 31
    tmux send-keys -t test 'until test "$(stty size)" = "31 101"; do sleep 0.1; done; touch resized' Enter
    wait_for resized
    tmux send-keys -t test "sh -c 'touch begun; sleep 1000'" Enter
    wait_for begun # before that, the key is the shell's
    tmux send-keys -t test C-z
    tmux send-keys -t test 'jobs >jobs-1; kill %1; touch done-1' Enter
    wait_for done-1
    grep -q Stopped jobs-1 || fail "there is no job control: $(cat jobs-1)"
    ;;
  vim)
    vim=$(command -v vim || command -v vim.tiny) || skip "vim is not installed"
    mkfifo "$area/keys" # of an input that ends vim would end too, while it waits
    exec 9<>"$area/keys"
    as "$vim" -u NONE -es -c "set shell=mxc-sh noshelltemp" -c "!$(echo "$look" | sed 's/[%#!]/\\&/g')" -c 'r !echo read by a shell' \
      -c 'w! written' -c 'qa!' <&9 >log 2>&1 || fail "$(cat log)"
    contained ":!"
    grep -q 'read by a shell' written || fail "nothing was read: $(cat log)"
    ;;
  *) echo "no such job: $job" >&2; exit 1 ;;
esac
echo "$job as $caller: done"
