#!/bin/sh
# The calls of one client: sh tests/clients/run.sh build/release/mxc-exec agentweaver|copilot|entrabot [user]
#
# CLIENT.py next to this file makes them and says what the client expects. Exit status 77: skipped.
set -eu
program=$(realpath "$1")
client=$2
caller=${3:-$(test "$(id -u)" = 0 && echo root || echo user)}
source=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "skipped: $*"
  exit 77
}
for name in python3 git; do command -v "$name" >/dev/null 2>&1 || skip "$name is not installed"; done

area=$(mktemp -d /var/tmp/mxc-clients-XXXXXX)
trap 'rm -rf "$area"' EXIT
mkdir "$area/bin" "$area/home"
cp "$program" "$area/bin/mxc-exec"
cp "$source"/*.py "$area/bin" # where every caller can read them
chmod -R go+rX "$area"

as() { "$@"; }
if test "$caller" = root; then
  test "$(id -u)" = 0 || skip "needs root"
elif test "$(id -u)" = 0; then
  chown -R 23456:23456 "$area"
  as() { setpriv --reuid 23456 --regid 23456 --clear-groups --inh-caps=-all "$@"; }
fi
cd "$area"
as env HOME="$area/home" PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
  MXC_TEST_AREA="$area" python3 "$area/bin/$client.py"
