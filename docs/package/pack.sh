#!/bin/sh
# Packs what a build has made: sh docs/package/pack.sh BUILD OUT
# OUT receives a .deb, a tarball with its SHA-256 and its list of components (SPDX), and the packages for npm. The same program
# gives the same bytes: every time in them is SOURCE_DATE_EPOCH, or the commit's.
# MXC_DEB_COMPRESSION: of the .deb, in place of xz, which is small and slow.
set -eu
umask 022
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
for tool in python3 lowdown cpack dpkg-deb; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 1; }
done

commit_time() { git -C "$source" log -1 --format=%ct 2>/dev/null || stat -c %Y "$source/CMakeLists.txt"; }
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(commit_time)}" MXC_PACKAGE=1 LC_ALL=C
{
  read -r headers
  read -r version
  read -r processor
  read -r compiler
} <"$build/components"
case $processor in
  x86_64 | amd64) cpu=x64 strip=--strip ;;
  aarch64 | arm64) cpu=arm64 strip=--strip ;;
  *) echo "There is no package for $processor" >&2; exit 1 ;;
esac
test "$(uname -m)" = "$processor" || strip= # this machine's strip does not know the other's programs

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

archive() { # archive FOLDER FILE
  tar --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    -C "$(dirname "$1")" -c "$(basename "$1")" | gzip -9n >"$2"
}

name=mxc-exec-$version-linux-$cpu
# shellcheck disable=SC2086 # nothing, or one word
cmake --install "$build" --prefix "$work/$name" $strip >/dev/null
archive "$work/$name" "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
# shellcheck disable=SC2086 # one word for each package
python3 -B "$source/docs/package/components.py" sbom "$work/$name/bin/mxc-exec" "$version" "$compiler" "$source/build/tools" \
  "$out/$name.spdx.json" $headers

cpack --config "$build/CPackConfig.cmake" -B "$work/deb" -D CPACK_STRIP_FILES="${strip:+ON}" \
  -D CPACK_DEBIAN_COMPRESSION_TYPE="${MXC_DEB_COMPRESSION:-xz}" >"$work/log" || { cat "$work/log" >&2; exit 1; }
mv "$work"/deb/*.deb "$out"

# for_npm TEMPLATE NAME: the folder that npm packs, with the version and the processor filled in.
for_npm() {
  mkdir -p "$work/$2/package/bin"
  cp "$source/LICENSE" "$work/$2/package"
  for file in "$source/docs/package/npm/$1"/*; do
    sed -e "s/@VERSION@/$version/g" -e "s/@CPU@/$cpu/g" "$file" >"$work/$2/package/$(basename "$file")"
  done
}
for_npm program "mxc-exec-linux-$cpu"
# npm takes no links: the shell is a file of its own.
cp "$work/$name/bin/mxc-exec" "$work/$name/bin/mxc-sh" "$work/$name/lib/libmxc_ffi.so" "$work/mxc-exec-linux-$cpu/package/bin/"
cp "$work/$name/share/doc/mxc-exec/copyright" "$work/mxc-exec-linux-$cpu/package/LICENSE"
archive "$work/mxc-exec-linux-$cpu/package" "$out/mxc-exec-linux-$cpu-$version.tgz"
for_npm launcher mxc-exec
mv "$work/mxc-exec/package/launcher.sh" "$work/mxc-exec/package/bin/mxc-exec"
cp "$work/mxc-exec/package/bin/mxc-exec" "$work/mxc-exec/package/bin/mxc-sh"
chmod 755 "$work/mxc-exec/package/bin/mxc-exec" "$work/mxc-exec/package/bin/mxc-sh"
archive "$work/mxc-exec/package" "$out/mxc-exec-$version.tgz"
