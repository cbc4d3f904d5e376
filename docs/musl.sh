#!/bin/sh
# Fetches a compiler for the preset `release` that links with musl: sh docs/musl.sh
# Nothing needs it: without it the release is built by the system's compiler. The next configuration of build/release
# finds it.
set -eu
cd "$(dirname "$0")/.."
test ! -x build/tools/musl-c++ || exit 0
sh docs/zig.sh musl-c++ x86_64-linux-musl
rm -f build/release/CMakeCache.txt # chosen for the compiler it had
