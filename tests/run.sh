#!/bin/sh
# Builds everything and runs every test. On Debian 12, as root, it installs what is missing first.
#
#   sh tests/run.sh               all tests
#   sh tests/run.sh -L unit       what stands here is passed on to ctest
#
# MXC_REQUIRE_SDK=1: fail, rather than skip the tests of the npm SDKs, when npm cannot install them.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

need_for_build
need /usr/include/gtest/gtest.h libgtest-dev
need /usr/include/gmock/gmock.h libgmock-dev
need node nodejs
need npm npm
need /etc/ssl/certs/ca-certificates.crt ca-certificates
need git git
need ip iproute2
need lxc-start lxc
need xz xz-utils
need curl curl
need wget wget
need openssl openssl
need dig dnsutils
need go golang-go
need javac openjdk-17-jdk-headless
need /usr/lib/python3/dist-packages/pytest python3-pytest
need /usr/share/python-wheels python3-venv
need x86_64-w64-mingw32-g++-posix g++-mingw-w64-x86-64-posix
need wine wine
need /usr/lib/wine/wine64 wine64
install_needed

jobs=$(nproc)
log=build/dev/tests.log

echo "== configure and build (preset dev, $jobs jobs)"
cmake --preset dev >/dev/null
cmake --build --preset dev -j "$jobs"

echo "== the same for Windows (preset windows)"
cmake --preset windows >/dev/null
cmake --build --preset windows -j "$jobs"

echo "== install the SDKs of tests/sdk"
sdk="tested"
if ! npm --prefix tests/sdk install --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error; then
  sdk="SKIPPED: npm could not install them"
  test "${MXC_REQUIRE_SDK:-0}" != 1 || { echo "The npm SDKs cannot be installed" >&2; exit 1; }
fi

echo "== test"
status=0
ctest --preset dev -j "$jobs" --output-log "$log" "$@" || status=$?
ctest --preset windows --output-log build/windows/tests.log "$@" || status=$?

echo
if test "$status" = 0; then
  echo "PASSED. As $(id -un); npm SDKs: $sdk; skipped tests: $(grep -c '[*][*][*]Skipped' "$log" || true) (reasons: $log)"
else
  echo "FAILED (ctest status $status). The output of every test: $log, build/windows/tests.log"
fi
exit "$status"
