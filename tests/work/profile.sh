#!/bin/sh
# A project that fetches from a registry under the profile of its tool: fetch, build, test, and once more without a network.
#
#   sh tests/work/profile.sh build/release/mxc-exec node root
#
# The registries of the profile stand in a network namespace (registries.py) and have their own names, ports and TLS. The
# policy is the profile and a grant of the project. profile_TOOL.sh next to this file has `publish` (fills $www),
# `prepare` (the project), `fetch` and `again`, commands inside, and `trust`, the variable that names the authority.
# Exit status 77: skipped, with the reason on standard output.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
skip() {
  echo "skipped: $*"
  exit 77
}
require() {
  for name in "$@"; do command -v "$name" >/dev/null 2>&1 || skip "$name is not installed"; done
}
test "$(id -u)" = 0 || skip "needs root"
require /usr/bin/python3 openssl ip unshare setpriv
if test "${IN_OWN_NETWORK:-}" != 1; then
  IN_OWN_NETWORK=1 exec unshare --net --mount sh "$0" "$@"
fi
tool=$2
caller=$3

area=$(mktemp -d /var/tmp/mxc-profile-XXXXXX)
server=
trap 'test -z "$server" || kill "$server"; umount "$area/toolchain" 2>/dev/null || true; rm -rf "$area"' EXIT
chmod 755 "$area"
project=$area/project
www=$area/registries/www
mkdir -p "$project" "$area/home" "$www/unlisted.example"
cp "$1" "$area/mxc-exec"
trust=
tools= # a directory that the tool is in
. "$source/tests/work/profile_$tool.sh"
publish
prepare
/usr/bin/python3 "$source/tests/work/registries.py" "$area/registries" >"$area/up" &
server=$!
until test -s "$area/up"; do
  kill -0 "$server" 2>/dev/null || skip "the registries cannot be served here"
  sleep 0.1
done
cp "$area/registries/ca.pem" "$area/ca.pem"

if test "$caller" = root; then
  as() { env HOME="$area/home" "$@"; }
else
  chown -R 23456:23456 "$project" "$area/home"
  as() { setpriv --reuid 23456 --regid 23456 --clear-groups --inh-caps=-all env HOME="$area/home" "$@"; }
fi
cd "$project"
inside() { as "$area/mxc-exec" --profile "$tool" --ro "$area/ca.pem" $tools ${trust:+--env "$trust=$area/ca.pem"} --rw . -- sh -euc "$1"; }

echo "== fetch, build and test"
inside "$fetch"
test -s "$area/registries/log" || { echo "nothing was fetched"; exit 1; }
echo "== another host is refused"
reach='/usr/bin/python3 -c "import socket; socket.create_connection((\"unlisted.example\", 443), 5)"'
sh -c "$reach"
if inside "$reach" 2>/dev/null; then exit 1; fi
echo "== the host's caches are untouched"
test -z "$(find "$area/home" -mindepth 1 ! -path "$area/home/.cache" ! -path "$area/home/.cache/mxc-exec-caches*")"
echo "== without a network"
kill "$server"
server=
: >"$area/registries/log"
inside "$again"
test ! -s "$area/registries/log"
echo "$tool as $caller: done"
