# For `.`, with tests/packages.sh, by what a person waits for: step TITLE COMMAND... names what is going on, and says every
# eight seconds that it still is.

ticker() { # TITLE
  seconds=0
  # Its streams are not ours, so that nobody who reads them waits for it.
  while sleep 8 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    seconds=$((seconds + 8))
    echo "   ... $1: $seconds seconds"
  done
}

step() { # TITLE COMMAND...
  title=$1
  shift
  echo "== $title"
  ticker "$title" &
  ticker=$!
  step_status=0
  "$@" || step_status=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  return "$step_status"
}
