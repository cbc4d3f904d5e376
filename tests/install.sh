#!/bin/sh
# Installs a build into a directory of its own and calls the program by each of its names: sh tests/install.sh BUILD
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
DESTDIR="$place" cmake --install "$1" --prefix /opt/mxc --component Unspecified >/dev/null
for name in mxc-exec lxc-exec; do
  "$place/opt/mxc/bin/$name" --version | grep -q '^mxc-exec [0-9]'
done
test "$(readlink "$place/opt/mxc/bin/lxc-exec")" = mxc-exec
