# The tests of a project: what one writes is below out.
set -e
test "$(cat data/numbers)" = "1 2 3"
echo passed > out/result
echo "tests passed"
