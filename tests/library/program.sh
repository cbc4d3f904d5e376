#!/bin/sh
# Which program serves the library: sh tests/library/program.sh LIBRARY PROGRAM UNLOAD
set -eu
library=$1 program=$2 caller=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
fail() {
  echo "$*" >&2
  exit 1
}
works() { env -i "$@" "$caller" "$place/lib/libmxc_ffi.so" 2>/dev/null; }
mkdir "$place/lib" "$place/bin" "$place/other"
cp "$library" "$place/lib/libmxc_ffi.so"
cp "$program" "$place/other/mxc-exec"

if works PATH=/nowhere; then fail "a program was found where there is none"; fi
works PATH="$place/other" || fail "PATH is not looked at"
works MXC_EXEC="$place/other/mxc-exec" || fail "MXC_EXEC is not looked at"
if works MXC_EXEC=/bin/false PATH="$place/other"; then fail "PATH comes before MXC_EXEC"; fi
cp "$program" "$place/bin/mxc-exec"
works MXC_EXEC=/bin/false || fail "the folder bin beside the library's is not looked at"
printf '#!/bin/sh\nexit 9\n' >"$place/lib/mxc-exec"
chmod 755 "$place/lib/mxc-exec"
if works MXC_EXEC="$program"; then fail "the program beside the library does not come first"; fi
cp "$program" "$place/lib/mxc-exec"
works A=b || fail "the program beside the library is not found"
chmod 777 "$place/lib/mxc-exec"
if works A=b; then fail "a program that others may write to is run"; fi
chmod 755 "$place/lib/mxc-exec"
if test "$(id -u)" = 0; then
  chown nobody "$place/lib/mxc-exec"
  if works A=b; then fail "a program of another user is run"; fi
fi
