#!/bin/sh
# The program where most people run it: sh tests/stock/run.sh [PROGRAM]. In a Debian 12 container of Podman with its default
# profile, and with one that refuses namespaces, as root and as an ordinary user; PROGRAM (build/release/mxc-exec) must be linked statically.
# Needs root, and a Debian mirror for the image, which stays in build/stock.
set -eu
cd "$(dirname "$0")/../.."
. tests/steps.sh
. tests/packages.sh
need podman podman
need crun crun
need debootstrap debootstrap
install_needed
program=${1:-build/release/mxc-exec}
root=build/stock/root
if ! test -e "$root/.complete"; then
  mkdir -p build/stock
  rm -rf "$root"
  step "make a Debian 12" debootstrap --variant=minbase --include=python3,git bookworm "$root"
  touch "$root/.complete"
fi
given=$(mktemp -d "${TMPDIR:-/tmp}/mxc-stock-XXXXXX")
trap 'rm -rf "$given"' EXIT
cp "$program" "$given/mxc-exec"
cp tests/stock/inside.sh tests/stock/check.sh "$given"
chmod -R a+rX "$given"

image=localhost/mxc-stock
podman --storage-driver=vfs image exists "$image" ||
  step "import it" sh -c 'tar -C "$1" --exclude=./boot -c . | podman --storage-driver=vfs import - "$2"' sh "$root" "$image"
inside() { # ISOLATION OPTION...: the checks in a container
  isolation=$1
  shift
  # crun wants control groups of version 2; none are asked of it.
  # shellcheck disable=SC2016 # of the inner shell
  unshare -m sh -c 'mount -t cgroup2 none /sys/fs/cgroup; exec "$@"' sh \
    podman --runtime=crun --storage-driver=vfs --cgroup-manager=cgroupfs run --rm --network=none --cgroups=disabled \
    --ulimit nofile=1024:4096 --ulimit nproc=4096:4096 "$@" -v "$given":/given:ro "$image" sh /given/inside.sh "$isolation"
}
echo "== Podman's default profile"
inside namespaces && first=0 || first=1
echo "== namespaces refused, as in Docker's default profile"
inside landlock --security-opt seccomp="$PWD/tests/stock/no-namespaces.json" && test "$first" = 0
