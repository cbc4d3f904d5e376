#!/bin/sh
# Builds everything and runs every test. On Debian 12, as root, it installs what is missing first.
#
#   sh tests/run.sh               all tests
#   sh tests/run.sh -L unit       what stands here is passed on to ctest
#
# MXC_REQUIRE_SDK=1: fail, rather than skip the tests of the npm SDKs, when npm cannot install them.
set -eu
cd "$(dirname "$0")/.."
. tests/steps.sh
. tests/packages.sh

need_for_build
need clang++ clang
need /usr/include/gtest/gtest.h libgtest-dev
need /usr/include/gmock/gmock.h libgmock-dev
need node nodejs
need mcs mono-mcs
need npm npm
need /etc/ssl/certs/ca-certificates.crt ca-certificates
need git git
need ip iproute2
need tmux tmux
need vim.tiny vim-tiny
need lxc-start lxc
need xz xz-utils
need curl curl
need wget wget
need openssl openssl
need dig dnsutils
need go golang-go
need javac openjdk-17-jdk-headless
need mvn maven
need /usr/lib/python3/dist-packages/pytest python3-pytest
need /usr/share/python-wheels python3-venv
need x86_64-w64-mingw32-g++-posix g++-mingw-w64-x86-64-posix
need python3 python3
need kubectl kubernetes-client
need lowdown lowdown
need mandoc mandoc
need zsh zsh
need fish fish
need wine wine
need /usr/lib/wine/wine64 wine64
cat <<PLAN
What follows, with about its time on two idle cores:
  1. install missing Debian packages (two minutes):${missing:- none is}
  2. compile the program and its tests, preset ci (four minutes)
  3. the same for Windows, preset windows (four minutes)
  4. install the SDKs of tests/sdk with npm (half a minute)
  5. run the tests, those for Windows with Wine (twenty-two minutes)
PLAN
install_needed

jobs=$(nproc)

step "configure the preset ci" cmake --preset ci
step "compile" cmake --build --preset ci -j "$jobs"
step "configure the preset windows" cmake --preset windows
step "compile for Windows" cmake --build --preset windows -j "$jobs"

sdk="tested"
if ! step "install the SDKs" npm --prefix tests/sdk install --ignore-scripts --no-package-lock --no-audit --no-fund \
    --loglevel=error; then
  sdk="SKIPPED: npm could not install them"
  test "${MXC_REQUIRE_SDK:-0}" != 1 || { echo "The npm SDKs cannot be installed" >&2; exit 1; }
fi

# Those for Windows, which mostly wait for Wine, beside the others; three times as many of these at a time as there are
# processors, because a good part of them waits.
run_tests() {
  rm -f build/*/Testing/Temporary/LastTestsFailed.log # which a run without failures leaves as it was
  ctest --preset windows --output-log build/windows/tests.log "$@" >build/windows/progress.txt 2>&1 &
  for_windows=$!
  failed=0
  ctest --preset ci -j "$((jobs * 3))" --output-log build/ci/tests.log "$@" || failed=$?
  wait "$for_windows" || failed=$?
  cat build/windows/progress.txt
  return "$failed"
}
status=0
step "test, also for Windows" run_tests "$@" || status=$?

# Before anything runs again: ctest keeps the output of its last run alone.
skipped=build/skipped.txt
failures=build/failures.txt
for preset in ci windows; do
  sh tests/skipped.sh "build/$preset" "build/$preset/tests.log" || true # ctest may have broken off
done >"$skipped"
for preset in ci windows; do sh tests/failed.sh "build/$preset"; done >"$failures"

# A few that failed beside all others run once more, alone: what passes then is named, and does not fail the whole.
again="none"
failed=$(grep -c '^== ' "$failures" || true)
run_again() {
  again_status=0
  for preset in ci windows; do
    test ! -e "build/$preset/Testing/Temporary/LastTestsFailed.log" ||
      ctest --preset "$preset" --rerun-failed || again_status=$?
  done
  return "$again_status"
}
if test "$status" != 0; then
  cat "$failures"
  if test "$failed" -gt 0 && test "$failed" -le 10; then
    status=0
    step "run alone what failed ($failed)" run_again || status=$?
    again="$failed (what they printed at first: $failures)"
  fi
fi

echo
if test "$status" = 0; then
  echo "PASSED. As $(id -un); npm SDKs: $sdk; skipped tests: $(grep -c '^[^ ]' "$skipped" || true) (reasons: $skipped);" \
    "failed at first and passed alone: $again"
else
  echo "FAILED (ctest status $status). The output of every test: build/ci/Testing/Temporary/LastTest.log, and below build/windows"
fi
exit "$status"
