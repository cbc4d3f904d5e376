"""A node of the cluster, in the kubelet's place: it runs the pods that are bound to it, and serves their exec to the API server.

A pod is a set of namespaces (mount, PID, network, IPC, UTS) of this machine whose root is this machine's, read-only. It has
the user, the volumes and the hostAliases of its specification, no capabilities and no_new_privs; not its seccomp profile and
its resources. Volumes are emptyDir, and the claim `shared`.
"""
import os
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse

import api_server
import tls
from api_server import stamp
from control_plane import ADDRESS, ApiError

NAME = "node"
PODS = "/api/v1/pods"
GATEWAY = "10.88.0.1"  # of the pods' network, in the network namespace of the cluster
HERE = os.path.dirname(os.path.abspath(__file__))


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


class Pod:
    def __init__(self, pod, number, program, shared):
        spec, self.meta = pod["spec"], pod["metadata"]
        self.ip = "10.88.%d.%d" % divmod(number + 2, 250)
        self.uid = self.meta["uid"]
        self.directory = tempfile.mkdtemp(prefix="mxc-pod-")
        os.mkdir(self.directory + "/root")
        security = {**spec.get("securityContext", {}), **spec["containers"][0].get("securityContext", {})}
        self.user = security.get("runAsUser", 0)
        group = spec.get("securityContext", {}).get("fsGroup", self.user)
        self.become = ["--reuid=%d" % self.user, "--regid=%d" % self.user, "--groups=%d" % group, "--bounding-set=-all",
                       "--inh-caps=-all", "--no-new-privs", "--"]
        with open(self.directory + "/hosts", "w", encoding="utf-8") as file:
            file.write("127.0.0.1 localhost\n%s %s\n" % (self.ip, self.meta["name"]))
            for alias in spec.get("hostAliases", []):
                file.write("%s %s\n" % (alias["ip"], " ".join(alias["hostnames"])))
        volumes, words = {}, []
        for volume in spec.get("volumes", []):
            name = volume["name"]
            if "emptyDir" in volume:
                volumes[name] = self.directory + "/volume-" + name
                os.mkdir(volumes[name])
                os.chown(volumes[name], 0, group)
                os.chmod(volumes[name], 0o2777)
            elif volume.get("persistentVolumeClaim", {}).get("claimName") == "shared":
                volumes[name] = shared
        for mount in spec["containers"][0].get("volumeMounts", []):
            if mount["name"] in volumes:
                words += [volumes[mount["name"]], mount["mountPath"]]
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "--kill-child", "--propagation", "private",
             "sh", HERE + "/pod.sh", self.directory, program, *words], stdin=subprocess.DEVNULL, start_new_session=True)
        self.first = self.wait_for(self.child)
        link = "pod%d" % number
        run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", str(self.first))
        run("ip", "link", "set", link, "master", "pods", "up")
        inside = ["nsenter", "-t", str(self.first), "-n", "ip"]
        run(*inside, "link", "set", "lo", "up")
        run(*inside, "address", "add", self.ip + "/16", "dev", "eth0")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "route", "add", "default", "via", GATEWAY)
        self.wait_for(lambda: os.path.exists("/proc/%d/root/dev/shm/.ready" % self.first))

    def wait_for(self, question):
        limit = time.time() + 20
        while True:
            answer = question()
            if answer:
                return answer
            if self.holder.poll() is not None or time.time() > limit:
                raise RuntimeError("the pod %s does not start" % self.meta["name"])
            time.sleep(0.01)

    def child(self):
        with open("/proc/%d/task/%d/children" % (self.holder.pid, self.holder.pid), encoding="utf-8") as file:
            children = file.read().split()
        # Its namespace of PIDs is a new one: it is the child, and no forked part of unshare itself.
        if children and os.readlink("/proc/%s/ns/pid" % children[0]) != os.readlink("/proc/self/ns/pid"):
            return int(children[0])
        return None

    def command(self, words):
        return ["nsenter", "-t", str(self.first), "-m", "-p", "-n", "-u", "-i", "--", "setpriv", *self.become, *words]

    def stop(self):
        if self.holder.poll() is None:
            self.holder.kill()
        self.holder.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class Handler(tls.Handler):
    def serve(self):
        url = urllib.parse.urlsplit(self.path)
        parts = url.path.strip("/").split("/")
        node = self.server.node
        if parts[0] != "exec" or len(parts) != 4:
            self.answer(api_server.status(404, "NotFound", "this node only serves exec"), 404)
            return
        # The API server asks for streams by `input` and so on, and hands a WebSocket on as it has come.
        pod = node.pod(parts[1], parts[2])
        if pod is None:
            self.answer(api_server.status(404, "NotFound", "no such pod"), 404)
            return
        command = urllib.parse.parse_qs(url.query)["command"]
        self.close_connection = True
        try:
            if self.headers.get("Upgrade", "").lower() == "websocket":
                self.exec_websocket(parts[2], pod.command(command), None)
            else:
                self.exec_spdy(parts[2], pod.command(command), None)
        except OSError:
            pass

    do_GET = do_POST = serve


class Node:
    def __init__(self, plane, program):
        self.api, self.program = plane.api, program
        self.spaces, self.pods, self.number = {}, {}, 0
        self.lock, self.stop = threading.Lock(), threading.Event()
        run("ip", "link", "add", "pods", "type", "bridge")
        run("ip", "address", "add", GATEWAY + "/16", "dev", "pods")
        run("ip", "link", "set", "pods", "up")
        context = plane.server_tls()
        context.load_verify_locations(plane.path("ca.crt"))
        context.verify_mode = ssl.CERT_REQUIRED
        self.server = tls.Server((ADDRESS, 10250), Handler, context)
        self.server.node = self
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.api.post("/api/v1/nodes", {"kind": "Node", "apiVersion": "v1", "metadata": {"name": NAME}})
        self.api.patch("/api/v1/nodes/%s/status" % NAME, {"status": {
            "addresses": [{"type": "InternalIP", "address": ADDRESS}], "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "",
                            "lastHeartbeatTime": stamp(time.time()), "lastTransitionTime": stamp(time.time())}]}})
        threading.Thread(target=self.watch, daemon=True).start()

    def share(self, space, directory):
        """The claim `shared` of a namespace: Pod takes the directory of the cluster that has it."""

    def pod(self, space, name):
        with self.lock:
            return next((pod for pod in self.pods.values()
                         if pod.meta["name"] == name and pod.meta["namespace"] == space), None)

    def watch(self):
        for kind, pod in self.api.watch(PODS, self.stop):
            uid = pod["metadata"]["uid"]
            if kind == "DELETED":
                with self.lock:
                    gone = self.pods.pop(uid, None)
                if gone is not None:
                    gone.stop()
            elif pod["spec"].get("nodeName") == NAME and uid not in self.pods and pod["metadata"]["namespace"] in self.spaces:
                self.begin(pod)

    def begin(self, pod):
        meta = pod["metadata"]
        self.number += 1
        try:
            started = Pod(pod, self.number, self.program, self.spaces[meta["namespace"]].directory.name)
        except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
            print("node: %s %s" % (error, getattr(error, "stderr", "")), flush=True)
            return
        with self.lock:
            self.pods[meta["uid"]] = started
        now = stamp(time.time())
        statuses = [{"name": one["name"], "ready": True, "restartCount": 0, "image": one["image"], "imageID": "",
                     "state": {"running": {"startedAt": now}}, "started": True} for one in pod["spec"]["containers"]]
        try:
            self.api.patch("/api/v1/namespaces/%s/pods/%s/status" % (meta["namespace"], meta["name"]), {
                "metadata": {"uid": meta["uid"]}, "status": {
                    "phase": "Running", "podIP": started.ip, "podIPs": [{"ip": started.ip}], "containerStatuses": statuses,
                    "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": now}]}})
        except ApiError as error:
            if error.code not in (404, 409):
                raise

    def close(self):
        self.stop.set()
        self.server.shutdown()
        self.server.server_close()
        with self.lock:
            pods, self.pods = list(self.pods.values()), {}
        for pod in pods:
            pod.stop()
