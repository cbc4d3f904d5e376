"""A controller that binds claims of one namespace as agent-sandbox does: pods from a warm pool, conditions, labels, expiry.
A Sandbox that mxc-exec makes itself gets a pod of its own.

Beside the controllers of kubernetes-sigs/agent-sandbox it does what those of Kubernetes would: it picks the node, and deletes
what belonged to a claim that is gone.
"""
import random
import threading
import time

from api_server import stamp
from control_plane import ApiError

CLAIMS = "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/%s/"
BOXES = "/apis/agents.x-k8s.io/v1beta1/namespaces/%s/sandboxes"
PODS = "/api/v1/namespaces/%s/pods"


def end_of(claim):
    text = claim["spec"].get("lifecycle", claim["spec"]).get("shutdownTime")
    return time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone if text else float("inf")


class Controller:
    def __init__(self, api, space, pool, node, fault):
        """`fault()`: what goes wrong with the next claim, a dictionary or nothing."""
        self.api, self.space, self.pool, self.node, self.fault = api, space, pool, node, fault
        self.claims_path, self.boxes_path, self.pods_path = CLAIMS % space, BOXES % space, PODS % space
        self.lock, self.stop = threading.RLock(), threading.Event()
        self.claims, self.pods, self.idle, self.bound, self.expired = {}, {}, [], {}, set()
        self.paths = {"SandboxClaim": self.claims_path + "sandboxclaims/", "Sandbox": self.boxes_path + "/"}
        self.ended = []  # claims: name, how (deleted, expired), seconds past their lease
        self.threads = [threading.Thread(target=target, daemon=True) for target in
                        (self.watch_claims, self.watch_boxes, self.keep_pool, self.expire, self.watch_pods)]
        for thread in self.threads:
            thread.start()

    def close(self):
        self.stop.set()
        self.threads[2].join()
        self.threads[3].join()

    # The pool.

    def make_pod(self, name, template, labels, owners=()):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": name, "ownerReferences": list(owners), "labels": {**template.get("metadata", {}).get("labels", {}), **labels},
            "annotations": template.get("metadata", {}).get("annotations", {})}, "spec": {
                "automountServiceAccountToken": False, **template["spec"], "nodeName": self.node}}
        return self.api.post(self.pods_path, pod)

    def add(self):
        pool = self.api.get(self.claims_path + "sandboxwarmpools/" + self.pool)
        if pool["spec"]["replicas"] <= len(self.idle):
            return
        template = self.api.get(self.claims_path + "sandboxtemplates/" + pool["spec"]["sandboxTemplateRef"]["name"])
        template = template["spec"]["podTemplate"]
        box = "%s-%05x" % (self.pool, random.getrandbits(20))
        pod = box + random.choice(["", "-pod"])  # without an annotation the pod has the Sandbox's name
        annotations = {"agents.x-k8s.io/pod-name": pod} if pod != box else {}
        self.api.post(self.boxes_path, {"apiVersion": "agents.x-k8s.io/v1beta1", "kind": "Sandbox", "spec": {"podTemplate": template},
                                        "metadata": {"name": box, "annotations": annotations}})
        self.make_pod(pod, template, {"agents.x-k8s.io/pool": self.pool})
        with self.lock:
            self.idle.append((box, pod))

    def keep_pool(self):
        while not self.stop.wait(0.05):
            try:
                self.add()
            except (OSError, ApiError) as error:
                if not self.stop.wait(1):
                    print("agent-sandbox: %s" % error, flush=True)

    def watch_pods(self):
        for kind, pod in self.api.watch(self.pods_path, self.stop):
            with self.lock:
                if kind == "DELETED":
                    self.pods.pop(pod["metadata"]["name"], None)
                else:
                    self.pods[pod["metadata"]["name"]] = pod

    def take(self):
        """A Sandbox of the pool whose pod runs, and that pod; nothing when there is none."""
        with self.lock:
            for pair in self.idle:
                if self.pods.get(pair[1], {}).get("status", {}).get("phase") == "Running":
                    self.idle.remove(pair)
                    return pair
        return None

    # Claims.

    def watch_claims(self):
        for kind, claim in self.api.watch(self.claims_path + "sandboxclaims", self.stop):
            self.follow(kind, claim)

    def watch_boxes(self):
        for kind, box in self.api.watch(self.boxes_path, self.stop):
            if box["metadata"].get("labels", {}).get("app.kubernetes.io/managed-by") == "mxc-exec":
                self.follow(kind, box)

    def follow(self, kind, claim):
        name, uid = claim["metadata"]["name"], claim["metadata"]["uid"]
        with self.lock:
            known = self.claims.get(uid)
            if kind == "DELETED":
                self.claims.pop(uid, None)
                self.ended.append({"name": name, "how": "expired" if uid in self.expired else "deleted",
                                   "late": time.time() - end_of(claim)})
            else:
                self.claims[uid] = claim
        if kind == "DELETED":
            threading.Thread(target=self.remove, args=(uid,), daemon=True).start()
        elif known is None:
            threading.Thread(target=self.bind, args=(claim,), daemon=True).start()

    def alive(self, claim):
        with self.lock:
            return claim["metadata"]["uid"] in self.claims and not self.stop.is_set()

    def set_ready(self, claim, status, reason, message="", sandbox=None):
        state = {"conditions": [{"type": "Ready", "status": status, "reason": reason, "message": message or reason,
                                 "lastTransitionTime": stamp(time.time()), "observedGeneration": 1}]}
        if sandbox:
            state["sandbox"] = {"name": sandbox}
        try:
            self.api.patch(self.paths[claim["kind"]] + claim["metadata"]["name"] + "/status", {"status": state})
        except ApiError as error:
            if error.code != 404:
                raise

    def bind(self, claim):
        name, uid = claim["metadata"]["name"], claim["metadata"]["uid"]
        # Somebody else's claim, which a fault has made, gets nothing.
        if claim["metadata"].get("labels", {}).get("mxc-exec/owner") == "another":
            return
        if claim["kind"] == "Sandbox":
            self.run(claim)
            return
        fault = self.fault() or {}
        kind = fault.get("kind")
        if claim["spec"]["warmPoolRef"]["name"] != self.pool:
            self.set_ready(claim, "False", "WarmPoolNotFound", "there is no such pool")
            return
        if kind == "reason":
            self.set_ready(claim, "False", fault["reason"], fault.get("message", ""))
            return
        if kind == "late":
            self.set_ready(claim, "False", "DependenciesNotReady")
            self.stop.wait(1)
        if kind == "stale":
            self.set_ready(claim, "True", "DependenciesReady", sandbox="gone-" + name)
            self.stop.wait(1)
        taken = self.take()
        if taken is None:
            self.set_ready(claim, "False", "SandboxNotReady", "the pool is empty")
        while taken is None and self.alive(claim):
            self.stop.wait(0.05)
            taken = self.take()
        if taken is None:
            return
        with self.lock:
            self.bound[uid] = taken
        box, pod = taken
        if not self.alive(claim):
            self.remove(uid)
            return
        try:
            owner = {"apiVersion": claim["apiVersion"], "kind": "SandboxClaim", "name": name, "uid": uid, "controller": True}
            self.api.patch(self.boxes_path + "/" + box, {"metadata": {
                "ownerReferences": [owner], "labels": {"agents.x-k8s.io/launch-type": "warm"}}})
            self.api.patch(self.pods_path + "/" + pod, {"metadata": {"labels": {
                "agents.x-k8s.io/claim-uid": "0" if kind == "wrong-uid" else uid, "agents.x-k8s.io/pool": None}}})
            self.api.patch(self.claims_path + "sandboxclaims/" + name, {"metadata": {"annotations": {
                "agents.x-k8s.io/sandbox-name": box}}})
            self.set_ready(claim, "True", "DependenciesReady", sandbox=box)
        except ApiError as error:
            if error.code != 404:
                raise

    def run(self, box):
        """A Sandbox without a claim: a pod of its template, of its name or of one that is noted."""
        name, uid = box["metadata"]["name"], box["metadata"]["uid"]
        pod = name + random.choice(["", "-pod"])
        owner = {"apiVersion": box["apiVersion"], "kind": "Sandbox", "name": name, "uid": uid, "controller": True, "blockOwnerDeletion": True}
        try:
            if pod != name:
                self.api.patch(self.boxes_path + "/" + name, {"metadata": {"annotations": {"agents.x-k8s.io/pod-name": pod}}})
            self.set_ready(box, "False", "DependenciesNotReady")
            with self.lock:
                self.bound[uid] = (name, pod)
            self.make_pod(pod, box["spec"]["podTemplate"], {}, [owner])
            while self.alive(box) and self.pods.get(pod, {}).get("status", {}).get("phase") != "Running":
                self.stop.wait(0.05)
            self.set_ready(box, "True", "DependenciesReady")
        except ApiError as error:
            if error.code != 404:
                raise
        if not self.alive(box):
            self.remove(uid)

    def pod_of(self, name):
        with self.lock:
            return next((uid for uid, pair in self.bound.items() if pair[1] == name), None)

    def replace(self, pod):
        """Another pod in the place of one that is bound, with its name and labels."""
        uid = self.pod_of(pod)
        with self.lock:
            old = self.pods.get(pod)
        if uid is None or old is None:
            return
        self.api.delete(self.pods_path + "/" + pod, gracePeriodSeconds=0)
        spec = {key: old["spec"][key] for key in old["spec"] if key != "nodeName"}
        self.make_pod(pod, {"spec": spec}, old["metadata"].get("labels", {}), old["metadata"].get("ownerReferences", ()))

    def remove(self, uid):
        with self.lock:
            box, pod = self.bound.pop(uid, (None, None))
        if box is not None:
            self.api.delete(self.boxes_path + "/" + box)
            self.api.delete(self.pods_path + "/" + pod, gracePeriodSeconds=0)

    def expire(self):
        while not self.stop.wait(0.1):
            with self.lock:
                over = [(uid, self.paths[claim["kind"]] + claim["metadata"]["name"]) for uid, claim in self.claims.items()
                        if end_of(claim) <= time.time() and uid not in self.expired
                        and claim["spec"].get("lifecycle", claim["spec"]).get("shutdownPolicy") in ("Delete", "DeleteForeground")]
                self.expired.update(uid for uid, _ in over)
            for uid, path in over:
                try:
                    self.api.delete(path, preconditions={"uid": uid})
                except (OSError, ApiError) as error:
                    if getattr(error, "code", 0) != 409:
                        print("agent-sandbox: %s" % error, flush=True)
                        self.expired.discard(uid)
