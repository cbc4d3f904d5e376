# This very project: configure, build, unit tests.
require cmake ninja g++

prepare() {
  rmdir "$project"
  git clone --quiet "$source" "$project"
}

work='
cmake --preset dev
cmake --build --preset dev -j "$(nproc)" --target mxc-exec mxc_unit_tests
ctest --preset dev -L unit -j "$(nproc)"'

check() { test -x "$project/build/dev/mxc-exec"; }
