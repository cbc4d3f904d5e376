#!/bin/sh
# Runs mxc-exec against a real API server of Kubernetes 1.20 with etcd, RBAC and an audit log, and pods of a real kubelet with
# containerd and runc; as root on Debian 12. agent-sandbox is played by agent_sandbox.py.
#
#   tests/kubernetes/run.sh [MXC_EXEC]     build/ci/mxc-exec where none is named
#
# MXC_KUBERNETES_PARTS  where the real parts are built, once: ${XDG_CACHE_HOME:-~/.cache}/mxc-exec-kubernetes
# MXC_KUBERNETES_RUNS   runs with faults: 200. MXC_KUBERNETES_KILLS  launchers killed: 100. MXC_KUBERNETES_SEED  of both: the time
# MXC_KUBERNETES_NODE   kubelet (kubelet.py), or node (node.py), where the kubelet does not run: kubelet
# MXC_KUBERNETES_TESTS  names of real_test.py, in place of all
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../steps.sh"
. "$here/../packages.sh"
program=$(realpath "${1:-$here/../../build/ci/mxc-exec}")
parts=${MXC_KUBERNETES_PARTS:-${XDG_CACHE_HOME:-$HOME/.cache}/mxc-exec-kubernetes}
runs=${MXC_KUBERNETES_RUNS:-200}
kills=${MXC_KUBERNETES_KILLS:-100}
seed=${MXC_KUBERNETES_SEED:-$(date +%s | tail -c 5)}
node=${MXC_KUBERNETES_NODE:-kubelet}
test "$(id -u)" = 0 || { echo "This needs root: it makes namespaces, and a network in one" >&2 && exit 77; }
test -x "$program" || { echo "There is no $program; build it, or name another" >&2 && exit 1; }

need go golang-go
need gcc gcc
need make make
need jq jq
need dpkg-source dpkg-dev
need openssl openssl
need wget wget
need /usr/lib/x86_64-linux-gnu/libseccomp.so.2 libseccomp2
need ip iproute2
need python3 python3
need kubectl kubernetes-client
cat <<PLAN
What follows, with about its time on two idle cores:
  1. install missing Debian packages:${missing:- none is}
  2. build kube-apiserver and kubelet, and fetch etcd, containerd and runc (fifteen minutes, once): $parts
  3. for the kubectl of this machine, and for kubectl 1.20: start them in a network namespace of their own, and run
     $program against them: the tests of real_test.py (two minutes),
     $runs runs with faults, $kills launchers that are killed (ten minutes)
PLAN
install_needed
sh "$here/parts.sh" "$parts"

# One network and one view of mounts for all that is started, and process 1 of a namespace, with which all of it ends.
against() { # KUBECTL, or nothing for this machine's
  # shellcheck disable=SC2016,SC2086 # words of the inner shell; several names
  unshare --net --mount --pid --fork --kill-child --mount-proc --propagation private sh -c '
    test -z "$1" || mount --bind "$1" "$(command -v kubectl)"
    shift
    exec python3 -B "$@"' sh "$1" "$here/real_test.py" "$parts" "$program" "$node" "$runs" "$kills" "$seed" ${MXC_KUBERNETES_TESTS:-}
}
echo "== the kubectl of this machine"
against ""
echo "== kubectl 1.20"
against "$parts/old/usr/bin/kubectl"
