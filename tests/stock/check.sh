# For `.` by what runs on a stock system: check TITLE EXPECTED ACTUAL, where EXPECTED is a shell pattern, prints a line and
# sets $failed to 1 when the text is another.
failed=0
check() {
  # shellcheck disable=SC2254 # a pattern
  case $3 in
    $2) echo "ok      $1" ;;
    *) failed=1; printf 'FAILED  %s\n        expected %s\n        found    %s\n' "$1" "$2" "$3" ;;
  esac
}
