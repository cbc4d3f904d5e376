# A C++ project with a library, a program and tests: configure, build, test, install.
require cmake ninja g++

prepare() {
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(demo CXX)
enable_testing()
add_library(sum sum.cc)
add_executable(demo main.cc)
target_link_libraries(demo sum)
add_test(NAME adds COMMAND demo 2 3)
set_tests_properties(adds PROPERTIES PASS_REGULAR_EXPRESSION "^5")
install(TARGETS demo)
CMAKE
  echo 'int Sum(int a, int b) { return a + b; }' >"$project/sum.cc"
  cat >"$project/main.cc" <<'CC'
#include <cstdlib>
#include <iostream>
int Sum(int a, int b);
int main(int, char** argv) { std::cout << Sum(std::atoi(argv[1]), std::atoi(argv[2])) << '\n'; }
CC
}

work='
cmake -G Ninja -S . -B build
cmake --build build
ctest --test-dir build --output-on-failure
cmake --install build --prefix "$PWD/out"'

check() { test "$("$project/out/bin/demo" 20 22)" = 42; }
