# This very project: configure, build, unit tests.
require cmake ninja g++

prepare() {
  rmdir "$project"
  git clone --quiet "$source" "$project"
}

work='
cmake --preset ci
cmake --build --preset ci -j "$(nproc)" --target mxc-exec mxc_unit_tests
ctest --preset ci -L unit -j "$(nproc)" --output-log build/ci/unit.log
# What the sandbox refuses is skipped, and that must not be all.
test "$(grep -c " Passed " build/ci/unit.log)" -gt 800'

check() { test -x "$project/build/ci/mxc-exec"; }
