#!/bin/sh
# From nothing to a sandboxed command: sh docs/quickstart.sh
# On Debian 12, as root, it installs what is missing; it builds the release and tries it in a temporary
# directory that is removed at the end.
set -eu
cd "$(dirname "$0")/.."
. tests/steps.sh
. tests/packages.sh

need_for_build
cat <<PLAN
What follows, with about its time on two idle cores:
  1. install missing Debian packages (a minute):${missing:- none is}
  2. compile build/release/mxc-exec (four minutes)
  3. run a command in a sandbox (a second)
PLAN
install_needed

step "configure the preset release" cmake --preset release
step "compile" cmake --build --preset release -j "$(nproc)" --target mxc-exec
program=$PWD/build/release/mxc-exec

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/project"
echo "API_KEY=do-not-read-me" >"$work/project/.env"

cat >"$work/policy.json" <<POLICY
{
  "version": "1.0.0",
  "process": {
    "commandLine": "echo made inside > result.txt; cat .env; exit 7",
    "cwd": "$work/project",
    "timeout": 10000
  },
  "filesystem": {
    "readwritePaths": ["$work/project"],
    "deniedPaths": ["$work/project/.env"]
  },
  "network": { "egress": { "default": "deny" } }
}
POLICY

echo
echo "== the policy"
cat "$work/policy.json"
echo
echo "== what is enforced, and how (mxc-exec --explain policy.json)"
"$program" --explain "$work/policy.json"
echo
echo "== the run (mxc-exec policy.json)"
status=0
"$program" "$work/policy.json" || status=$?
echo
echo "exit status: $status (the command's own)"
echo "result.txt:  $(cat "$work/project/result.txt") (a write that the policy allows)"
echo ".env:        not shown above (a read that the policy denies)"

test "$status" = 7
test "$(cat "$work/project/result.txt")" = "made inside"
echo
echo "mxc-exec is ready: $program --help"
