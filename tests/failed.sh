#!/bin/sh
# What each test printed that failed in the last ctest of a build, its end and its failures: sh tests/failed.sh BUILD
set -eu
cd "$1/Testing/Temporary"
test -e LastTestsFailed.log || exit 0
awk -v most=60 '
  function tell(  i) {
    print "== " name
    for (i = 1; i <= reported && numbers[i] <= lines - most; i++) print "    " reports[i]
    for (i = lines > most ? lines - most + 1 : 1; i <= lines; i++) print "    " kept[i % most]
  }
  NR == FNR { sub(/^[0-9]+:/, ""); failed[$0] = 1; next }
  /^[0-9]+\/[0-9]+ Test: / { name = $0; sub(/^[^:]*: /, "", name); output = 0 }
  /^Output:$/ { output = 1; lines = reported = following = 0; getline; next }
  /^<end of output>$/ { if (output && name in failed) tell(); output = 0 }
  output { kept[++lines % most] = $0 }
  output && /^ *not ok |: Failure$/ { following = 16 } # of node and of GoogleTest
  output && /^\[  FAILED  \] / && following < 1 { following = 1 } # whose they were, of several
  output && following-- > 0 { reports[++reported] = $0; numbers[reported] = lines }
' LastTestsFailed.log LastTest.log
