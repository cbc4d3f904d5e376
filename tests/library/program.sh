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

plant() {
  printf '#!/bin/sh\n: >"%s/planted"\n' "$place" >"$1"
  chmod 755 "$1"
}
# Loaded by a relative path, before the process goes where a command has put another.
cp "$program" "$place/lib/mxc-exec"
chown "$(id -u)" "$place/lib/mxc-exec"
chmod 755 "$place/lib/mxc-exec"
mkdir -p "$place/work/lib" "$place/work/bin"
plant "$place/work/lib/mxc-exec"
plant "$place/work/bin/mxc-exec"
: >"$place/work/lib/libmxc_ffi.so"
(cd "$place" && env -i "$caller" ./lib/libmxc_ffi.so "$place/work" 2>/dev/null) ||
  fail "loaded by a relative path, the program beside the library is not found"
(cd "$place" && env -i LD_LIBRARY_PATH=lib "$caller" libmxc_ffi.so "$place/work" 2>/dev/null) ||
  fail "loaded by a relative LD_LIBRARY_PATH, the program beside the library is not found"
test ! -e "$place/planted" || fail "a program of the directory that the process has gone to was run"

# The places that are documented, and no others.
mkdir -p "$place/tree/bin" "$place/tree/lib/multi" "$place/tree/modules/x"
cp "$library" "$place/tree/lib/multi/libmxc_ffi.so"
cp "$library" "$place/tree/modules/x/libmxc_ffi.so"
plant "$place/tree/bin/mxc-exec"
if env -i "$caller" "$place/tree/modules/x/libmxc_ffi.so" 2>/dev/null; then fail "a program was found where there is none"; fi
test ! -e "$place/planted" || fail "the program of a folder two above was run"
cp "$program" "$place/tree/bin/mxc-exec"
env -i "$caller" "$place/tree/lib/multi/libmxc_ffi.so" || fail "the folder bin beside lib is not looked at"

named() { (cd "$place/work/bin" && env -i MXC_EXEC="$1" PATH=/nowhere "$caller" "$place/tree/modules/x/libmxc_ffi.so" 2>/dev/null); }
named "$place/other/mxc-exec" || fail "MXC_EXEC is not looked at"
for relative in mxc-exec ./mxc-exec; do
  if named "$relative"; then fail "a relative MXC_EXEC is obeyed"; fi
done
test ! -e "$place/planted" || fail "a relative MXC_EXEC is obeyed"
mkdir -p "$place/links"
ln -s ../other/mxc-exec "$place/links/mxc-exec"
named "$place/links/mxc-exec" || fail "a link to the program is not followed"
for folder in links other; do
  chmod 757 "$place/$folder"
  if named "$place/links/mxc-exec"; then fail "$folder is for others to write, and its program is run"; fi
  chmod 755 "$place/$folder"
done
if test "$(id -u)" = 0; then
  chown nobody "$place/links"
  if named "$place/links/mxc-exec"; then fail "a program is run that another user could exchange"; fi
fi
