# For `.` by what runs on a stock system: check TITLE EXPECTED ACTUAL, where EXPECTED is a shell pattern, or several with | between them, prints a line and
# sets $failed to 1 when the text is another.
failed=0
check() {
  rest=$2\|
  while test -n "$rest"; do
    # shellcheck disable=SC2254 # a pattern
    case $3 in ${rest%%|*}) echo "ok      $1"; return ;; esac
    rest=${rest#*|}
  done
  failed=1
  printf 'FAILED  %s\n        expected %s\n        found    %s\n' "$1" "$2" "$3"
}
