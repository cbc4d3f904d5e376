#!/bin/sh
# What tests/skipped.sh says of a ctest with a skipped test of each kind, and tests/failed.sh of one that failed: sh tests/skipped_test.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cat >"$place/CTestTestfile.cmake" <<'CTEST'
add_test(passes echo "nothing to tell")
add_test(script sh -c "echo 'skipped: no npm here'; exit 77")
set_tests_properties(script PROPERTIES SKIP_RETURN_CODE 77)
add_test(As/Group.Case/Root printf "%s\n" "Running main() from x" "[ RUN      ] Group.Case" "x.cc:7: Skipped" "needs root" "" "[  SKIPPED ] Group.Case")
set_tests_properties(As/Group.Case/Root PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
add_test(Suite printf "%s\\n" "Running main() from x" "[ RUN      ] Suite.Passes" "a word" "[       OK ] Suite.Passes (1 ms)" "[ RUN      ] Suite.Skips" "x.cc:9: Skipped" "needs a kernel" "" "[  SKIPPED ] Suite.Skips (0 ms)" "[  SKIPPED ] 1 test, listed below:" "[  SKIPPED ] Suite.Skips")
add_test(fails sh -c "seq 70; exit 1")
add_test(one_fails sh -c "echo 'x.cc:1: Failure'; seq 20; echo '[  FAILED  ] Suite.One (1 ms)'; seq 70; exit 1")
CTEST
ctest --test-dir "$place" --output-log "$place/log" >/dev/null 2>&1 || true
sh "$here/skipped.sh" "$place" "$place/log" >"$place/said"
diff - "$place/said" <<'SAID'
script
    skipped: no npm here
As/Group.Case/Root
    needs root
Suite.Skips
    needs a kernel
SAID
sh "$here/failed.sh" "$place" >"$place/said"
{
  echo "== fails" && seq 11 70 | sed 's/^/    /'
  echo "== one_fails"
  { echo "x.cc:1: Failure"; seq 15; echo "[  FAILED  ] Suite.One (1 ms)"; seq 11 70; } | sed 's/^/    /'
} | diff - "$place/said"
