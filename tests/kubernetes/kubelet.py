"""A node with the kubelet of Debian's source, and Debian's containerd and runc. It has the interface of node.py's Node.

It runs in the namespaces of the cluster, with /run, /var/lib/kubelet and the mounts of its pods to itself; its control groups lie
below the one that real_test.py is in. Its only image is that of image.py, under the name that the manifests have.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

from control_plane import ADDRESS, ADMIN, ApiError

NAME = "node"
HERE = os.path.dirname(os.path.abspath(__file__))
IMAGE = "docker.io/library/debian:12"
# The bridge of the pods' network gives no way out of the cluster's network namespace.
CNI = {"cniVersion": "0.4.0", "name": "pods", "plugins": [{
    "type": "bridge", "bridge": "pods", "isGateway": True, "hairpinMode": True,
    "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.88.0.0/16"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
CONTAINERD = """version = 2
root = "%(directory)s/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "%(image)s"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "%(parts)s/tools/usr/lib/cni"
    conf_dir = "%(directory)s/cni"
"""
# What RuntimeDefault is to a namespace of users: everything but making one. Here a profile of this node lets it be made.
OPEN = {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"], "syscalls": [
    {"names": ["add_key", "bpf", "init_module", "kexec_load", "keyctl", "perf_event_open", "ptrace", "request_key"],
     "action": "SCMP_ACT_ERRNO"}]}


class Node:
    def __init__(self, plane, program):
        self.plane, self.api, self.spaces, self.processes = plane, plane.api, {}, []
        self.temporary = tempfile.TemporaryDirectory(prefix="mxc-kubelet-", dir="/var/tmp", ignore_cleanup_errors=True)
        self.directory = self.temporary.name
        tools = plane.parts + "/tools/usr"
        self.environment = {"PATH": "%s/sbin:%s/bin:/usr/sbin:/usr/bin:/sbin:/bin" % (tools, tools), "HOME": self.directory}
        for path in ("/run", "/var/lib/cni"):
            os.makedirs(path, exist_ok=True)
            subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0755", "run", path], check=True)
        # The kubelet's mounts are to be seen by the containers of its pods, and by nothing outside of these namespaces.
        for name in ("cni", "kubelet", "kubelet/seccomp"):
            os.makedirs(self.directory + "/" + name)
        subprocess.run(["mount", "--bind", self.directory, self.directory], check=True)
        subprocess.run(["mount", "--make-rshared", self.directory], check=True)
        self.write("cni/10-pods.conflist", json.dumps(CNI))
        self.write("kubelet/seccomp/namespaces.json", json.dumps(OPEN))
        self.write("containerd.toml", CONTAINERD % {"directory": self.directory, "image": IMAGE, "parts": plane.parts})
        self.write("kubelet.yaml", json.dumps({
            "kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1", "address": ADDRESS, "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": False},
                               "x509": {"clientCAFile": plane.path("ca.crt")}},
            "authorization": {"mode": "AlwaysAllow"}, "tlsCertFile": plane.path("server.crt"),
            "tlsPrivateKeyFile": plane.path("server.key"), "cgroupDriver": "cgroupfs", "cgroupsPerQOS": False,
            "enforceNodeAllocatable": [], "failSwapOn": False, "makeIPTablesUtilChains": False, "resolvConf": "",
            "evictionHard": {"memory.available": "0%", "nodefs.available": "0%", "imagefs.available": "0%"},
            "imageGCHighThresholdPercent": 100, "registryPullQPS": 0, "eventRecordQPS": 0, "syncFrequency": "1s",
            "kubeAPIQPS": 100, "kubeAPIBurst": 200, "podPidsLimit": -1, "maxPods": 250}))
        try:
            self.start(program)
        except BaseException:
            self.close()
            raise

    def write(self, name, text):
        with open(self.directory + "/" + name, "w", encoding="utf-8") as file:
            file.write(text)

    def spawn(self, name, *command):
        with open(self.plane.path(name + ".log"), "w", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory,
                                                   env=self.environment, start_new_session=True))

    def run(self, *command):
        return subprocess.run(command, capture_output=True, env=self.environment, check=False, text=True)

    def wait_for(self, what, question, seconds=60):
        limit = time.time() + seconds
        while not question():
            if time.time() > limit or any(process.poll() is not None for process in self.processes):
                raise RuntimeError(what)
            time.sleep(0.2)

    def start(self, program):
        tools = self.plane.parts + "/tools"
        self.spawn("containerd", tools + "/usr/bin/containerd", "-c", self.directory + "/containerd.toml")
        archive = self.directory + "/image.tar"
        subprocess.run([sys.executable, "-B", HERE + "/image.py", archive, IMAGE, tools + "/bin/busybox", program], check=True)
        client = [tools + "/usr/bin/ctr", "-a", "/run/containerd/containerd.sock", "-n", "k8s.io"]
        self.wait_for("containerd does not start", lambda: self.run(*client, "version").returncode == 0)
        done = self.run(*client, "images", "import", archive)
        assert done.returncode == 0, done.stderr
        self.spawn("kubelet", self.plane.parts + "/bin/kubelet", "--config=" + self.directory + "/kubelet.yaml",
                   "--kubeconfig=" + self.plane.kubeconfig("kubelet.kubeconfig", ADMIN), "--hostname-override=" + NAME,
                   "--node-ip=" + ADDRESS, "--root-dir=" + self.directory + "/kubelet", "--container-runtime=remote",
                   "--container-runtime-endpoint=unix:///run/containerd/containerd.sock", "--v=2",
                   "--seccomp-profile-root=" + self.directory + "/kubelet/seccomp")
        self.wait_for("the node does not get ready", self.ready)

    def ready(self):
        try:
            node = self.api.get("/api/v1/nodes/" + NAME)
        except (OSError, ApiError):
            return False
        return any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"].get("conditions", []))

    def share(self, space, directory):
        """The claim `shared` of a namespace: a volume of this node."""
        name = "shared-" + space
        size, modes = {"storage": "1Gi"}, ["ReadWriteMany"]
        claim = self.api.post("/api/v1/namespaces/%s/persistentvolumeclaims" % space, {"metadata": {"name": "shared"}, "spec": {
            "volumeName": name, "storageClassName": "", "accessModes": modes, "resources": {"requests": size}}})
        reference = {"kind": "PersistentVolumeClaim", "namespace": space, "name": "shared", "uid": claim["metadata"]["uid"]}
        self.api.post("/api/v1/persistentvolumes", {"metadata": {"name": name}, "spec": {
            "capacity": size, "accessModes": modes, "hostPath": {"path": directory}, "claimRef": reference}})
        # Kubernetes' own controller would bind them.
        self.api.patch("/api/v1/persistentvolumes/%s/status" % name, {"status": {"phase": "Bound"}})
        self.api.patch("/api/v1/namespaces/%s/persistentvolumeclaims/shared/status" % space, {"status": {
            "phase": "Bound", "capacity": size, "accessModes": modes}})

    def close(self):
        for space in self.spaces:
            for pod in self.api.get("/api/v1/namespaces/%s/pods" % space)["items"]:
                self.api.delete("/api/v1/namespaces/%s/pods/%s" % (space, pod["metadata"]["name"]), gracePeriodSeconds=0)
        client = [self.plane.parts + "/tools/usr/bin/ctr", "-a", "/run/containerd/containerd.sock", "-n", "k8s.io", "tasks"]
        # The kubelet would make a pod's first container again.
        if len(self.processes) > 1:
            self.end(self.processes.pop())
        for task in self.run(*client, "list", "--quiet").stdout.split():
            self.run(*client, "delete", "--force", task)  # with its control groups
        for process in self.processes:
            self.end(process)
        subprocess.run(["umount", "-R", "-l", self.directory], check=False)
        self.temporary.cleanup()

    @staticmethod
    def end(process):
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
