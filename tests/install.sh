#!/bin/sh
# Installs a build into a directory of its own and calls the program by each of its names: sh tests/install.sh BUILD
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
DESTDIR="$place" cmake --install "$1" --prefix /opt/mxc --component Unspecified >/dev/null
for name in mxc-exec lxc-exec; do
  "$place/opt/mxc/bin/$name" --version | grep -q '^mxc-exec [0-9]'
done
for name in lxc-exec mxc-sh; do
  test "$place/opt/mxc/bin/$name" -ef "$place/opt/mxc/bin/mxc-exec" && test ! -L "$place/opt/mxc/bin/$name" # nothing can be mounted on a link
done
test "$(MXC_POLICY='{"version": "1.0.0"}' "$place/opt/mxc/bin/mxc-sh" -c 'echo inside')" = inside
test -s "$place/opt/mxc/include/mxc/ffi.h"
library=$(find "$place/opt/mxc" -name libmxc_ffi.so)
if command -v python3 >/dev/null; then
  env -i PATH=/usr/bin:/bin python3 -B "$(dirname "$0")/../docs/examples/library.py" "$library" | grep '^from inside$' >/dev/null
fi
