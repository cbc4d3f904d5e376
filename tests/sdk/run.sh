#!/bin/sh
# Runs the SDK tests against a program: sh tests/sdk/run.sh build/dev/mxc-exec
# Exit status 77: skipped, with the reason on standard output.
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")"
command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
test -d node_modules/mxc-sdk-080 || { echo "skipped: the SDKs are not installed (npm install in tests/sdk)"; exit 77; }
MXC_PROGRAM=$program exec node --test sdk_test.mjs lifecycle_test.mjs
