#!/bin/sh
# Makes what is to be downloaded: sh docs/package.sh [x64] [arm64]; without a name, both.
# build/packages receives for each a .deb, a tarball with its SHA-256 and its list of components (SPDX), and a package for npm; and
# the package mxc-exec for npm, which brings these. The same commit gives the same bytes, in whatever directory it is built.
set -eu
cd "$(dirname "$0")/.."
. tests/steps.sh
. tests/packages.sh
need_for_build
need npm npm
need python3 python3
need lowdown lowdown
need dpkg-deb dpkg

processors=${*:-x64 arm64}
cat <<PLAN
What follows for $processors, with about its time on two idle cores:
  1. install missing Debian packages (a minute):${missing:- none is}
  2. fetch from npm a compiler that links with musl: 72 MB, once (half a minute)
  3. compile build/release/mxc-exec, and build/linux-arm64/mxc-exec (four minutes each)
  4. pack them into build/packages (half a minute)
PLAN
install_needed
jobs=${MXC_JOBS:-$(nproc)}
rm -rf build/packages

step "fetch the compiler" sh docs/musl.sh
step "configure the preset release" cmake --preset release --fresh # an earlier one may have chosen another compiler
step "compile" cmake --build --preset release -j "$jobs" --target mxc-exec
for processor in $processors; do
  case $processor in
    x64) preset=release ;;
    arm64)
      preset=linux-arm64
      step "fetch the compiler for arm64" sh docs/zig.sh linux-arm64-c++ aarch64-linux-musl
      # its help and its completions come from the same version of this machine's
      step "configure the preset linux-arm64" cmake --preset linux-arm64 --fresh -DMXC_DESCRIBED_BY="$PWD/build/release/mxc-exec"
      step "compile for arm64" cmake --build --preset linux-arm64 -j "$jobs" --target mxc-exec
      ;;
    *) echo "There is no package for $processor" >&2; exit 2 ;;
  esac
  step "pack $processor" sh docs/package/pack.sh "build/$preset" build/packages
done
echo
ls -l build/packages
