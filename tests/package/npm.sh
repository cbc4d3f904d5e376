#!/bin/sh
# Installs the packages for npm in an empty directory, without a network, and runs a command through them:
# sh tests/package/npm.sh PACKAGES, what docs/package/pack.sh has made. Exit status 77: skipped.
set -eu
test -d "$1" || { echo "skipped: nothing was packed"; exit 77; }
packages=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
command -v npm >/dev/null || { echo "skipped: npm is not installed"; exit 77; }
case $(uname -m) in x86_64) cpu=x64 ;; *) cpu=arm64 ;; esac
place=$(mktemp -d /var/tmp/mxc-package-XXXXXX)
trap 'rm -rf "$place"' EXIT
mkdir "$place/an empty directory" "$place/home"
cd "$place/an empty directory"
export HOME="$place/home" npm_config_cache="$place/cache" npm_config_update_notifier=false
fail() {
  echo "$*" >&2
  exit 1
}

echo '{"name": "project", "version": "1.0.0", "scripts": {"test": "mxc-exec --rw . -- sh -c \"echo tested >result\""}}' >package.json
npm install --offline --ignore-scripts --no-audit --no-fund --loglevel=error \
  "$packages"/mxc-exec-linux-"$cpu"-[0-9]*.tgz "$packages"/mxc-exec-[0-9]*.tgz >/dev/null
program=node_modules/.bin/mxc-exec

test "$(npx --no-install mxc-exec --rw . -- sh -c 'cat; echo inside >file; exit 7' <<'IN' || echo "status $?"
through standard input
IN
)" = "through standard input
status 7" || fail "npx passes its streams or the exit status on otherwise"
test "$(cat file)" = inside || fail "the command wrote nothing"
npm test --silent && test "$(cat result)" = tested || fail "a script of the project finds no mxc-exec"

# As a shell, with a policy that its command does not see.
printf '{"version": "1.1.0-alpha", "filesystem": {"readwritePaths": ["%s"]}}' "$PWD" >"$place/policy.json"
export MXC_POLICY="$place/policy.json"
status=0
npx --no-install mxc-sh -c 'exit 5' || status=$?
test "$status" = 5 || fail "npx mxc-sh ended with $status"
npm pkg set "scripts.shell=test -e '$MXC_POLICY' || echo hidden >shell"
npm run --silent shell --script-shell "$PWD/node_modules/.bin/mxc-sh"
test "$(cat shell)" = hidden || fail "npm's script-shell is not in a sandbox"
said=$(node -p "require('child_process').execFileSync(require('mxc-exec').shell, ['-c', 'echo from the shell']).toString().trim()")
test "$said" = "from the shell" || fail "require('mxc-exec').shell is not the shell: $said"
unset MXC_POLICY

# Descriptors are the program's, and so is the process: what signals it is what the program is sent.
$program --status-fd 3 --rw . -- true 3>"$place/status"
grep -q '"event":"outcome"' "$place/status" || fail "--status-fd got no outcome: $(cat "$place/status")"
mkfifo ready
$program --rw . -- sh -c 'echo 1 >ready; sleep 60' 2>/dev/null &
read -r _ <ready
kill -TERM $!
status=0
wait $! || status=$?
test "$status" = 143 || fail "SIGTERM ended it with $status"

test "$(node -p "require('child_process').execFileSync(require('mxc-exec').path, ['--version']).toString().split(' ')[0]")" = \
  mxc-exec || fail "require('mxc-exec').path is not the program"
if command -v python3 >/dev/null; then
  python3 -B "$here/../../docs/examples/library.py" "node_modules/mxc-exec-linux-$cpu/bin/libmxc_ffi.so" |
    grep '^from inside$' >/dev/null || fail "the library does not find the program beside it"
fi
rm -rf "node_modules/mxc-exec-linux-$cpu"
status=0
said=$($program --version 2>&1) || status=$?
test "$status" = 255 || fail "without the program the status is $status"
test "$said" = "mxc-exec: mxc-exec-linux-$cpu is not installed beside it; npm leaves it out with --omit=optional" || fail "$said"
echo "npm: done"
