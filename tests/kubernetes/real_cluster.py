"""A namespace of the real API server, with the interface of cluster.py's Cluster: its own pool, controller and fault proxy."""
import copy
import json
import os
import tempfile
import threading

import api_server
import cluster
from agent_sandbox import CLAIMS, Controller, end_of
from control_plane import LAUNCHER
from fault_proxy import FaultProxy
from node import NAME

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = "/usr/local/bin/mxc-exec"  # in the image of node.py
# Where the kinds of the manifests are.
PLACES = {"SandboxTemplate": CLAIMS + "sandboxtemplates", "SandboxWarmPool": CLAIMS + "sandboxwarmpools",
          "NetworkPolicy": "/apis/networking.k8s.io/v1/namespaces/%s/networkpolicies",
          "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles"}


def manifests():
    """Those of docs/backends/kubernetes.md, as text."""
    with open(HERE + "/../../docs/backends/kubernetes.md", encoding="utf-8") as file:
        return file.read().split("```yaml\n")[1].split("```")[0]


class RealCluster(cluster.Cluster):
    """`objects`: the manifests by kind. `shared`: the pods have this cluster's directory, as the claim `shared`."""

    def __init__(self, plane, node, program, space, objects, shared=True):
        self.plane, self.node, self.program, self.space = plane, node, program, space
        self.directory = tempfile.TemporaryDirectory(prefix="mxc-kubernetes-")
        self.claims_path = CLAIMS % space + "sandboxclaims"
        self.requests, self.execs, self.faults = [], [], []
        objects = copy.deepcopy(objects)
        spec = objects["SandboxTemplate"]["spec"]["podTemplate"]["spec"]
        self.user = spec["securityContext"]["runAsUser"]
        os.chmod(self.directory.name, 0o777)
        if shared:
            spec["terminationGracePeriodSeconds"] = 1  # sleep, as process 1, ends by no other signal than SIGKILL
            spec["containers"][0]["resources"]["requests"] = {"cpu": "10m", "memory": "32Mi"}  # there is one node for all namespaces
            spec["volumes"].append({"name": "shared", "persistentVolumeClaim": {"claimName": "shared"}})
            spec["containers"][0]["volumeMounts"].append({"name": "shared", "mountPath": self.directory.name})
        node.spaces[space] = self
        if space != "agents":
            plane.api.post("/api/v1/namespaces", {"metadata": {"name": space}})
            for kind, path in PLACES.items():
                one = objects[kind]
                plane.api.post(path % space, {**one, "metadata": {
                    **{key: one["metadata"][key] for key in ("name", "labels") if key in one["metadata"]}, "namespace": space}})
        plane.api.post("/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings" % space, {
            "metadata": {"name": "launcher"}, "subjects": [{"kind": "User", "name": "launcher"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "mxc-exec"}})
        if shared:
            node.share(space, self.directory.name)
        self.controller = Controller(plane.api, space, "small", NAME, lambda: self.fault("pod"))
        self.proxy = FaultProxy(plane, self)
        self.kubeconfig = plane.kubeconfig(space + ".kubeconfig", LAUNCHER, self.proxy.port)

    def __exit__(self, *_):
        self.proxy.close()
        self.controller.close()
        self.directory.cleanup()

    def fault(self, at):
        return api_server.Cluster.fault(self, at)

    def order(self, **order):
        with api_server.LOCK:
            if "faults" in order:
                self.faults = order["faults"]
                return {"ok": True}
        claims = self.plane.api.get(self.claims_path)["items"]
        claims += [box for box in self.plane.api.get(self.controller.boxes_path)["items"]
                   if box["metadata"].get("labels", {}).get("app.kubernetes.io/managed-by") == "mxc-exec"]
        with api_server.LOCK, self.controller.lock:
            return json.loads(json.dumps({
                "claims": sorted(claim["metadata"]["name"] for claim in claims),
                "ends": {claim["metadata"]["name"]: end_of(claim) for claim in claims}, "ended": self.controller.ended,
                "requests": self.requests, "faults": self.faults, "execs": self.execs}))

    def start(self, command, section=None, **members):
        return super().start(command, section={"namespace": self.space, "program": PROGRAM, "kubeconfig": self.kubeconfig,
                                               **(section or {})}, **members)


class Clusters:
    """Called as cluster.Cluster is: each call is a namespace of its own. `kind`: the class of the node."""

    def __init__(self, plane, program, objects, kind):
        self.plane, self.program, self.objects = plane, program, objects
        self.node = kind(plane, program)
        self.lock, self.count = threading.Lock(), 0

    def make(self, space, objects, shared=True):
        return RealCluster(self.plane, self.node, self.program, space, objects, shared)

    def __call__(self, program):
        with self.lock:
            self.count += 1
            space = "agents-%d" % self.count
        return self.make(space, self.objects)

    def close(self):
        self.node.close()
