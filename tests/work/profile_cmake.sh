require cmake ninja g++

publish() {
  mkdir -p "$www/center2.conan.io"
  echo pong >"$www/center2.conan.io/ping"
}

prepare() {
  cat >"$project/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.16)
project(demo CXX)
enable_testing()
if(NOT EXISTS \${CMAKE_SOURCE_DIR}/fetched)
  file(DOWNLOAD https://center2.conan.io/ping \${CMAKE_SOURCE_DIR}/fetched TLS_VERIFY ON TLS_CAINFO $area/ca.pem STATUS status)
  list(GET status 0 failed)
  if(failed)
    message(FATAL_ERROR "\${status}")
  endif()
endif()
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER \${CCACHE})
endif()
add_executable(demo main.cc)
add_test(NAME runs COMMAND demo)
CMAKE
  echo 'int main() { return 0; }' >"$project/main.cc"
}

work='cmake -G Ninja -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure'
fetch="$work && grep pong fetched"
again="rm -rf build; $work; if command -v ccache >/dev/null; then ccache -s | grep -i hit; fi"
