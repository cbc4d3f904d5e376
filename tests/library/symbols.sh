#!/bin/sh
# What the library needs and gives: sh tests/library/symbols.sh LIBRARY. Exit status 77: skipped.
set -eu
command -v objdump >/dev/null || { echo "skipped: objdump is not installed"; exit 77; }
header=$(cd "$(dirname "$0")/../.." && pwd)/include/mxc/ffi.h
fail() {
  echo "$*" >&2
  exit 1
}
newest=$(objdump -T "$1" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -1)
test "$(printf '2.31\n%s\n' "$newest" | sort -V | tail -1)" = 2.31 || fail "it needs glibc $newest"
needed=$(objdump -p "$1" | sed -n 's/ *NEEDED *//p' | grep -v -e '^libc\.so\.6$' -e '^libpthread\.so\.0$' -e '^ld-linux' || true)
test -z "$needed" || fail "it needs $needed"
unknown=$(nm -D "$1" | grep ' U ' | grep -v '@GLIBC_' || true)
test -z "$unknown" || fail "nobody has what it needs: $unknown"
readelf -dW "$1" | grep -q NODELETE || fail "it can be unloaded"
given=$(nm -D --defined-only "$1" | sed 's/.* //' | sort)
documented=$(grep -o '\bmxc_[a-z0-9_]*(' "$header" | tr -d '(' | sort -u)
test "$given" = "$documented" || fail "its functions are not those of the header: $given"
test "$(echo "$given" | wc -l)" = 44 || fail "there are $(echo "$given" | wc -l) functions"
