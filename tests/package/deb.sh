#!/bin/sh
# Installs the .deb in a fresh root, uses it there and removes it: sh tests/package/deb.sh PACKAGES [PROJECT]
# The root is this machine's, with an empty file system above it that takes every change, and an empty list of packages.
# Exit status 77: skipped.
set -eu
test -d "$1" || { echo "skipped: nothing was packed"; exit 77; }
packages=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
if test "$(id -u)" = 0; then user=; else user=--map-root-user; fi
if ! unshare $user --mount sh -c 'mount -t tmpfs none "$1" && mkdir "$1/up" "$1/work" "$1/root" &&
    mount -t overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" none "$1/root"' sh "$place" 2>"$place/why"; then
  echo "skipped: no overlay of the root here: $(cat "$place/why")"
  exit 77
fi
cp "$packages"/mxc-exec_*_"$(dpkg --print-architecture)".deb "$place/mxc-exec.deb"
cp "$here/in_fresh_root.sh" "$place"
# A root by pivot_root: a process in a chroot may make no user namespace.
unshare $user --mount --pid --fork --kill-child sh -eu -c '
  mount -t tmpfs none /mnt
  mkdir /mnt/up /mnt/work /mnt/root
  mount -t overlay -o lowerdir=/,upperdir=/mnt/up,workdir=/mnt/work none /mnt/root
  cd /mnt/root
  mkdir -p opt/test
  cp "$1"/* opt/test
  mount --rbind /dev dev
  mount --rbind /sys sys
  mount -t proc none proc
  mount -t tmpfs none tmp
  mount -t tmpfs none run
  mount --bind /mnt mnt
  pivot_root . mnt
  exec sh -eu /opt/test/in_fresh_root.sh' sh "$place"
echo "deb: done"
