#!/bin/sh
# The tests that the last ctest of a build skipped, each with its reason: sh tests/skipped.sh BUILD LOG
# LOG, of ctest --output-log, knows which were skipped; only ctest's own log has what they printed.
set -eu
awk '
  NR == FNR {
    if (/[*][*][*]Skipped/) {
      sub(/^.*Test +#[0-9]+: /, "")
      sub(/ [.]*[*][*][*]Skipped.*/, "")
      skipped[$0] = 1
    }
    next
  }
  /^[0-9]+\/[0-9]+ Test: / { name = $0; sub(/^[^:]*: /, "", name); output = 0 }
  /^Output:$/ { output = 1; getline; if (name in skipped) print name; next }
  /^<end of output>$/ { output = 0 }
  # of gtest only the reason
  output && name in skipped && !/^(\[|Running main|Note: |.*: Skipped$|$)/ { print "    " $0 }
' "$2" "$1/Testing/Temporary/LastTest.log"
