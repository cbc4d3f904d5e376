#!/bin/sh
# Builds the program for other systems: sh docs/cross.sh [macos-arm64|macos-x64|linux-arm64|windows-arm64 ...]; all of them without a
# name. The first build of each takes minutes: zig compiles the C++ library for it.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh
need_for_build
install_needed

for preset in "${@:-macos-arm64 macos-x64 linux-arm64 windows-arm64}"; do
  for name in $preset; do
    case $name in
      macos-arm64) sh docs/zig.sh macos-arm64-c++ aarch64-macos ;;
      macos-x64) sh docs/zig.sh macos-x64-c++ x86_64-macos ;;
      linux-arm64) sh docs/zig.sh linux-arm64-c++ aarch64-linux-musl ;;
      # The preset's CMAKE_CXX_FLAGS are of a kind with those of the link: CMake's trial of the compiler links, too, and zig
      # keeps a C++ library for each kind. It defines _WIN32_WINNT itself.
      windows-arm64) sh docs/zig.sh windows-arm64-c++ aarch64-windows-gnu ;;
      *) echo "There is no preset $name" >&2; exit 2 ;;
    esac
    cmake --preset "$name" >/dev/null
    cmake --build --preset "$name" -j "${MXC_JOBS:-$(nproc)}"
    program=build/$name/mxc-exec
    test -e "$program" || program=$program.exe
    file -b "$program" 2>/dev/null || ls -l "$program"
    if test "$name" = linux-arm64 && command -v qemu-aarch64 >/dev/null; then
      qemu-aarch64 "build/$name/mxc-exec" --version
    fi
  done
done
