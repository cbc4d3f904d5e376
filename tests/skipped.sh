#!/bin/sh
# The tests that the last ctest of a build skipped, each with its reason: sh tests/skipped.sh BUILD LOG
# LOG, of ctest --output-log, knows which were skipped; only ctest's own log has what they printed. A test of ctest that is a
# whole suite of googletest passes with some of its tests skipped: those are named too.
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
  /^Output:$/ { output = 1; lines = 0; getline; if (name in skipped) print name; next }
  /^<end of output>$/ { output = 0 }
  !output { next }
  /^\[ RUN      \] / { lines = 0; next }
  /^\[  SKIPPED \] .* \([0-9]+ ms\)$/ && !(name in skipped) {
    sub(/^\[  SKIPPED \] /, "")
    sub(/ \([0-9]+ ms\)$/, "")
    print
    for (i = 1; i <= lines; i++) print "    " kept[i]
    next
  }
  /^(\[|Running main|Note: |.*: Skipped$|$)/ { next } # of gtest only the reason
  name in skipped { print "    " $0 }
  { kept[++lines] = $0 }
' "$2" "$1/Testing/Temporary/LastTest.log"
