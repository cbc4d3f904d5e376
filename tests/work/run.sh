#!/bin/sh
# A day's work in a sandbox, with a policy as a person would write it.
#
#   sh tests/work/run.sh build/release/mxc-exec npm          as who you are
#   sh tests/work/run.sh build/release/mxc-exec npm user     as uid 23456, when root asks
#   sh tests/work/run.sh build/release/mxc-exec self         this project: configure, build, unit tests
#
# TOOL.sh next to this file prepares a project (function `prepare`, outside) and holds the work (text of
# `work`, inside). CONTAINMENT=bubblewrap runs it there. Exit status 77: skipped, with the reason on standard output.
set -eu
program=$(realpath "$1")
tool=$2
caller=${3:-$(test "$(id -u)" = 0 && echo root || echo user)}
source=$(cd "$(dirname "$0")/../.." && pwd)

skip() {
  echo "skipped: $*"
  exit 77
}
require() {
  for name in "$@"; do command -v "$name" >/dev/null 2>&1 || skip "$name is not installed"; done
}

# as COMMAND...: runs it as the caller of the sandbox.
if test "$caller" = root; then
  test "$(id -u)" = 0 || skip "needs root"
  as() { "$@"; }
elif test "$(id -u)" = 0; then
  as() { setpriv --reuid 23456 --regid 23456 --clear-groups --inh-caps=-all env HOME="$work_area/home" "$@"; }
else
  as() { "$@"; }
fi

work_area=$(mktemp -d /var/tmp/mxc-work-XXXXXX)
trap 'rm -rf "$work_area"' EXIT
chmod 755 "$work_area"
project=$work_area/project
mkdir "$project" "$work_area/home"
cp "$program" "$work_area/mxc-exec" # where every caller can reach it
program=$work_area/mxc-exec
readonly_paths=

. "$source/tests/work/$tool.sh"
prepare
test "$caller" = root || test "$(id -u)" != 0 || chown -R 23456:23456 "$work_area"

# The policy: the project is writable, what it is built from is readable, and there is no network.
cat >"$work_area/policy.json" <<POLICY
{
  "version": "1.0.0",
  "containment": "${CONTAINMENT:-process}",
  "process": {"commandLine": "sh -eu $project/.work.sh", "cwd": "$project", "timeout": 3000000},
  "filesystem": {"readwritePaths": ["$project"], "readonlyPaths": [$readonly_paths]},
  "network": {"egress": {"default": "deny"}}
}
POLICY
printf '%s\n' "$work" >"$project/.work.sh"
chmod 644 "$work_area/policy.json" "$project/.work.sh"

as "$program" "$work_area/policy.json"
check
echo "$tool as $caller: done"
