#!/bin/sh
# Fetches and builds what tests/kubernetes/run.sh runs against. What is there already is kept.
#
#   parts.sh DIRECTORY     gets bin/, old/ and tools/: kube-apiserver and kubelet 1.20 of Debian's source, etcd, kubectl 1.20, containerd, runc
#
# It installs nothing, and needs go, make, gcc, jq and dpkg-source of this machine. 34 MB come from Debian, 4 GB of disk are used
# for a while, 300 MB stay. On two idle cores it takes about fifteen minutes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../steps.sh"
parts=$1
mkdir -p "$parts/apt/lists/partial" "$parts/apt/archives/partial" "$parts/bin" "$parts/old" "$parts/home"
parts=$(cd "$parts" && pwd)

# apt with lists of its own, so that sources need not be switched on for the machine.
cat >"$parts/apt/debian.sources" <<SOURCES
Types: deb deb-src
URIs: ${MXC_DEBIAN_MIRROR:-http://deb.debian.org/debian}
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
apt() {
  command=$1
  shift
  apt-get -q -o Dir::Etc::sourcelist="$parts/apt/debian.sources" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$parts/apt/lists" \
    -o Dir::Cache="$parts/apt" -o Dir::Cache::archives="$parts/apt/archives" -o APT::Sandbox::User="$(id -un)" "$command" "$@"
}

# unpack DIRECTORY PACKAGE...
unpack() {
  to=$parts/$1
  shift
  rm -rf "$parts/packages" && mkdir "$parts/packages"
  (cd "$parts/packages" && apt download "$@")
  for package in "$parts"/packages/*.deb; do
    dpkg -x "$package" "$to"
  done
  rm -rf "$parts/packages"
}

prepare_source() {
  rm -rf "$parts/source" "$parts/fetched" && mkdir "$parts/fetched"
  (cd "$parts/fetched" && apt source --download-only kubernetes)
  dpkg-source -q -x "$parts"/fetched/kubernetes_*.dsc "$parts/source"
  # The vendored reflect2 does not work with go 1.18 and newer: a server with it ends at the first Job.
  reflect2=$parts/source/vendor/github.com/modern-go/reflect2
  rm -f "$reflect2"/*.go "$reflect2"/*.s
  cp "$parts"/tools/usr/share/gocode/src/github.com/modern-go/reflect2/*.go \
    "$parts"/tools/usr/share/gocode/src/github.com/modern-go/reflect2/*.s "$reflect2/"
  rm -f "$reflect2"/*_test.go
}

# Upstream's make, which generates code first; a plain go build would want to change go.mod.
build() { # COMMAND
  (cd "$parts/source" && PATH="$parts/tools/usr/bin:$PATH" LD_LIBRARY_PATH="$parts/tools/usr/lib/x86_64-linux-gnu" \
    HOME="$parts/home" GOPROXY=off GOFLAGS=-p=2 CGO_ENABLED=0 KUBE_GIT_TREE_STATE=archive KUBE_GIT_VERSION=v1.20.2 KUBE_GIT_MAJOR=1 \
    KUBE_GIT_MINOR=20 nice make WHAT="cmd/$1") >"$parts/$1.log" 2>&1 || { tail -n 30 "$parts/$1.log" && return 1; }
  cp "$parts/source/_output/bin/$1" "$parts/bin/$1"
}

test -x "$parts/bin/kubelet" || step "read Debian's lists" apt update
test -x "$parts/old/usr/bin/kubectl" || step "fetch kubectl 1.20" unpack old kubernetes-client
test -x "$parts/tools/usr/bin/containerd" || step "fetch etcd, containerd, runc, and what the build needs" \
  unpack tools etcd-server etcd-client containerd runc containernetworking-plugins busybox-static \
  rsync libpopt0 libxxhash0 golang-github-modern-go-reflect2-dev
for program in etcd etcdctl; do
  test -x "$parts/bin/$program" || cp "$parts/tools/usr/bin/$program" "$parts/bin/"
done
for program in kube-apiserver kubelet; do
  test -x "$parts/bin/$program" && continue
  test -e "$parts/source/Makefile" || step "fetch the source" prepare_source
  step "build $program" build "$program"
done
rm -rf "$parts/source" "$parts/fetched" "$parts"/*.orig.tar.gz
