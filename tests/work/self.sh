# This very project: configure, build, unit tests.
require cmake ninja g++

prepare() {
  rmdir "$project"
  git clone --quiet "$source" "$project"
}

work='
cmake --preset dev
cmake --build --preset dev -j "$(nproc)" --target mxc-exec mxc_unit_tests
ctest --preset dev -L unit -j "$(nproc)" --output-log build/dev/unit.log
# What the sandbox refuses is skipped, and that must not be all.
test "$(grep -c " Passed " build/dev/unit.log)" -gt 800'

check() { test -x "$project/build/dev/mxc-exec"; }
