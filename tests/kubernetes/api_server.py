#!/usr/bin/python3
"""An API server of a cluster with agent-sandbox, as small as the tests need it. The real kubectl speaks to it.

  api_server.py DIRECTORY

It answers on a port of the loopback, and writes DIRECTORY/kubeconfig when it is ready. A claim gets a pod, whose
commands run on this machine. On standard input it takes one JSON object a line:

  {"faults": [{"at": "create", "kind": "429", "times": 1}, ...]}   what goes wrong next (FAULTS below)
  {"pod": {...}}                                                    merged into the pods that come
  {"sandbox": {...}}                                                merged into the Sandboxes that come
  {"template": {...}}                                               merged into the SandboxTemplate
  {"policies": [...]}                                               the NetworkPolicies there are
  {"rest": "..."}                                                   metadata.continue of their list
  {"ahead": 30}                                                     how far its clock is ahead of this machine's
  {"replace": true}, {"disown": true}, {"vanish": true}             the pods get other UIDs, the claims another owner, all goes

and answers {"ok": true}; {"state": true} is answered with claims, requests and execs. It ends with its input.
"""
import json
import os
import queue
import random
import signal
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler

import spdy
import websocket

CLAIMS = "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/"
SPACE = "agents"
LOCK = threading.RLock()

# at: create, watch, get ("get pods", "get sandboxes"), pod, exec, patch, delete. kind:
FAULTS = {
    "429": "too many requests", "401": "the token has expired", "403": "the role lacks a rule",
    "500": "an internal error", "lost": "it is done, and the answer lost", "refused": "the connection is closed",
    "409": "an object of that name is somebody else's", "409-own": "it is done, and the answer says that it exists",
    "410": "the resource version is too old", "slow": "a watch that tells nothing",
    "stale": "Ready is the one of a pod that is gone", "wrong-uid": "the pod belongs to another claim",
    "replaced": "the pod is another one when the command has ended, the claim before it is deleted",
    "renewed": "the claim changes before it is deleted", "cut": "the connection ends in the output",
    "hang": "the command is started seconds later",
    "reason": "the claim never gets ready", "late": "it gets ready after a second",
    "doubled": "the answer stands there twice", "short": "the answer lacks its end",
    "twice": "a key of the answer stands there twice", "other": "the answer is another object of that kind",
}

DEFAULT_POD = {
    "spec": {
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "volumes": [{"name": "work", "emptyDir": {}}],
        "containers": [{
            "name": "agent", "image": "agent",
            "resources": {"limits": {"memory": "1Gi", "cpu": "1"}},
            "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                "capabilities": {"drop": ["ALL"]}},
        }],
    },
}
DEFAULT_POLICIES = [{
    "kind": "NetworkPolicy", "metadata": {"name": "closed", "namespace": SPACE},
    "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
}]


def merge(base, other):
    if not isinstance(base, dict) or not isinstance(other, dict):
        return other
    return {key: merge(base.get(key), other[key]) if key in other else base[key] for key in {**base, **other}}


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Cluster:
    def __init__(self):
        self.claims, self.sandboxes, self.pods = {}, {}, {}
        self.policies, self.pod, self.sandbox, self.rest = DEFAULT_POLICIES, DEFAULT_POD, {}, None
        self.template = {}  # of the SandboxTemplate `small`, which makes DEFAULT_POD
        self.watchers, self.faults, self.requests, self.execs = [], [], [], []
        self.ended = []  # claims: name, how (deleted, expired), seconds past their lease
        self.version = 1
        self.ahead = 0  # seconds, of this server's clock

    def now(self):
        return time.time() + self.ahead

    def fault(self, at):
        with LOCK:
            for fault in self.faults:
                if fault["at"] == at and fault.get("times", 1) > 0 and random.random() < fault.get("chance", 1):
                    fault["times"] = fault.get("times", 1) - 1
                    return fault
        return None

    def tell(self, kind, claim):
        self.version += 1
        claim["metadata"]["resourceVersion"] = str(self.version)
        for watcher in self.watchers:
            watcher.put((kind, json.dumps(claim)))

    def written_by(self, manager, claim):
        """As the API server has it: the time of a manager that has the field already stays."""
        if manager not in [one["manager"] for one in claim["metadata"].get("managedFields", [])]:
            claim["metadata"]["managedFields"] = [{"manager": manager, "operation": "Update", "time": stamp(self.now())}]

    def set_ready(self, claim, status, reason, message="", sandbox=None):
        with LOCK:
            name = claim["metadata"]["name"]
            if self.claims.get(name) is not claim:
                return
            claim["status"] = {"conditions": [{"type": "Ready", "status": status, "reason": reason, "message": message}]}
            if sandbox:
                claim["status"]["sandbox"] = {"name": sandbox}
            self.tell("MODIFIED", claim)

    def bind(self, claim):
        fault = self.fault("pod") or {}
        kind, name = fault.get("kind"), claim["metadata"]["name"]
        if kind == "reason":
            return self.set_ready(claim, "False", fault["reason"], fault.get("message", ""))
        if kind == "late":
            self.set_ready(claim, "False", "DependenciesNotReady")
            time.sleep(1)
        if kind == "stale":
            self.set_ready(claim, "True", "DependenciesReady", sandbox="gone-" + name)
            time.sleep(1)
        if claim["kind"] == "Sandbox":
            return self.run(claim, kind)
        sandbox, pod = "box-" + name, "pod-" + name
        owner = "0" if kind == "wrong-uid" else claim["metadata"]["uid"]
        with LOCK:
            if self.claims.get(name) is not claim:
                return
            self.sandboxes[sandbox] = merge({"kind": "Sandbox", "metadata": {
                "name": sandbox, "namespace": SPACE, "uid": "uid-" + sandbox,
                "annotations": {"agents.x-k8s.io/pod-name": pod}}}, self.sandbox)
            self.pods[pod] = merge(self.pod, {"kind": "Pod", "apiVersion": "v1", "metadata": merge(self.pod.get("metadata", {}), {
                "name": pod, "namespace": SPACE, "uid": "uid-" + pod, "labels": {"agents.x-k8s.io/claim-uid": owner}})})
            names = [one["name"] for one in self.pods[pod]["spec"]["containers"]]
            self.pods[pod]["status"] = {"phase": "Running", "containerStatuses": [
                {"name": each, "ready": True} for each in names]}
        self.set_ready(claim, "True", "DependenciesReady", sandbox=sandbox)

    def run(self, sandbox, kind):
        """The pod of a Sandbox without a claim: its template, its name, and no label of a claim."""
        name = sandbox["metadata"]["name"]
        owner = "0" if kind == "wrong-uid" else sandbox["metadata"]["uid"]
        template = sandbox["spec"]["podTemplate"]
        names = [one["name"] for one in template["spec"]["containers"]]
        with LOCK:
            if self.claims.get(name) is not sandbox:
                return
            self.pods[name] = {
                "kind": "Pod", "apiVersion": "v1", "spec": template["spec"],
                "metadata": merge(template.get("metadata", {}), {
                    "name": name, "namespace": SPACE, "uid": "uid-" + name,
                    "ownerReferences": [{"apiVersion": "agents.x-k8s.io/v1beta1", "kind": "Sandbox", "name": name, "uid": owner,
                                         "controller": True, "blockOwnerDeletion": True}]}),
                "status": {"phase": "Running", "containerStatuses": [{"name": each, "ready": True} for each in names]}}
        self.set_ready(sandbox, "True", "DependenciesReady")

    def create(self, claim, bound=True):
        name = claim["metadata"]["name"]
        claim["metadata"].setdefault("namespace", SPACE)
        claim["metadata"].update(uid="claim-%016x" % random.getrandbits(64), creationTimestamp=stamp(self.now()))
        with LOCK:
            self.claims[name] = claim
            self.tell("ADDED", claim)
        if bound:
            threading.Thread(target=self.bind, args=(claim,), daemon=True).start()
        return claim

    def changed(self, name, preconditions):
        """What of them does not hold, in the API server's words."""
        with LOCK:
            have = self.claims.get(name, {"metadata": preconditions})["metadata"]
            for key, word in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
                if key in preconditions and preconditions[key] != have[key]:
                    return "%s in precondition: %s, %s in object meta: %s" % (word, preconditions[key], word, have[key])
        return None

    def remove(self, name, how):
        with LOCK:
            claim = self.claims.pop(name, None)
            if claim is None:
                return None
            late = self.now() - self.end_of(claim)
            self.ended.append({"name": name, "how": how, "late": late})
            self.sandboxes.pop("box-" + name, None)
            self.pods.pop("pod-" + name, None)
            self.pods.pop(name, None)
            self.tell("DELETED", claim)
            for run in self.execs:
                if run["pod"] in (name, "pod-" + name):
                    run["kill"]()
        subprocess.run(["rm", "-rf", "/tmp/." + name], check=False)
        return claim

    @staticmethod
    def end_of(claim):
        text = claim["spec"].get("lifecycle", claim["spec"])["shutdownTime"]
        return time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone

    def expire(self):
        while True:
            time.sleep(0.1)
            with LOCK:
                over = [name for name, claim in self.claims.items()
                        if self.end_of(claim) <= self.now() and not claim.get("keep")]
            for name in over:
                self.remove(name, "expired")


CLUSTER = Cluster()


def status(code, reason, message):
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
            "reason": reason, "code": code}


def resources(group, *kinds):
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group, "resources": [
        {"name": plural, "singularName": kind.lower(), "namespaced": True, "kind": kind,
         "verbs": ["get", "list", "create", "watch", "patch", "delete"]} for plural, kind in kinds]}


def group(name, version):
    full = {"groupVersion": name + "/" + version, "version": version}
    return {"name": name, "versions": [full], "preferredVersion": full}


DISCOVERY = {
    "/version": {"major": "1", "minor": "32", "gitVersion": "v1.32.4", "platform": "linux/amd64"},
    "/api": {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
        group("extensions.agents.x-k8s.io", "v1beta1"), group("agents.x-k8s.io", "v1beta1"),
        group("networking.k8s.io", "v1"), group("rbac.authorization.k8s.io", "v1")]},
    "/api/v1": resources("v1", ("pods", "Pod"), ("namespaces", "Namespace")),
    "/apis/extensions.agents.x-k8s.io/v1beta1": resources(
        "extensions.agents.x-k8s.io/v1beta1", ("sandboxclaims", "SandboxClaim"),
        ("sandboxtemplates", "SandboxTemplate"), ("sandboxwarmpools", "SandboxWarmPool")),
    "/apis/rbac.authorization.k8s.io/v1": resources("rbac.authorization.k8s.io/v1", ("roles", "Role")),
    "/apis/agents.x-k8s.io/v1beta1": resources("agents.x-k8s.io/v1beta1", ("sandboxes", "Sandbox")),
    "/apis/networking.k8s.io/v1": resources("networking.k8s.io/v1", ("networkpolicies", "NetworkPolicy")),
}


class Exec:
    """A command of a pod: a process of this machine."""

    def __init__(self, pod, command, send, cut_after):
        self.send, self.cut_after, self.sent = send, cut_after, 0
        self.cut = threading.Event()
        self.process = None
        self.error = None
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, start_new_session=True, cwd="/",
                                            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOSTNAME": pod})
        except OSError as error:
            self.error = 'exec: "%s": %s: unknown' % (command[0], error.strerror.lower())
        with LOCK:
            CLUSTER.execs.append({"pod": pod, "command": command, "kill": self.kill})

    def kill(self):
        self.cut.set()
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def feed(self, data, fin):
        if self.process is None:
            return
        try:
            if data:
                self.process.stdin.write(data)
                self.process.stdin.flush()
            if fin:
                self.process.stdin.close()
        except (OSError, ValueError):
            pass

    def _pump(self, channel, stream):
        while True:
            data = os.read(stream.fileno(), 65536)
            if not data or self.cut.is_set():
                return
            self.sent += len(data)
            over = 0 if self.cut_after is None else max(0, self.sent - self.cut_after)
            try:
                self.send(channel, data[:max(0, len(data) - over)])
            except OSError:
                over = 1
            if over:
                self.cut.set()
                return

    def run(self):
        """The Status for the error channel; nothing: the connection is to be cut."""
        if self.process is None:
            return status(500, "InternalError", "Internal error occurred: " + self.error)
        pumps = [threading.Thread(target=self._pump, args=pair, daemon=True)
                 for pair in ((1, self.process.stdout), (2, self.process.stderr))]
        for pump in pumps:
            pump.start()
        while any(pump.is_alive() for pump in pumps):
            if self.cut.wait(0.01):
                return None
        code = self.process.wait()
        if self.cut.is_set():
            return None
        if code == 0:
            return {"metadata": {}, "status": "Success"}
        failed = status(500, "NonZeroExitCode", "command terminated with non-zero exit code")
        failed["details"] = {"causes": [{"reason": "ExitCode", "message": str(code if code >= 0 else 128 - code)}]}
        return failed


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, document, code=200, headers=(), spoil=None):
        if spoil == "other":
            document = merge(document, {"metadata": {"name": "another"}})
        body = json.dumps(document).encode()
        if spoil == "doubled":
            body += b"\n" + body
        elif spoil == "short":
            body = body[:-9]
        elif spoil == "twice":
            body = b'{"metadata":{},' + body[1:]
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, kind):
        """True: a fault has answered."""
        if kind == "429":
            self.answer(status(429, "TooManyRequests", "too many requests"), 429, [("Retry-After", "1")])
        elif kind == "401":
            self.answer(status(401, "Unauthorized", "Unauthorized"), 401)
        elif kind == "403":
            self.answer(status(403, "Forbidden", 'sandboxclaims is forbidden: User "me" cannot do that'), 403)
        elif kind == "500":
            self.answer(status(500, "InternalError", "an error on the server"), 500)
        elif kind == "refused":
            self.close_connection = True
            self.connection.close()
        else:
            return False
        return True

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        whole = b""
        while True:
            size = int(self.rfile.readline(), 16)
            whole += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return whole

    def serve(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        body = self.body().decode()
        with LOCK:
            CLUSTER.requests.append({"verb": self.command, "path": self.path, "body": body})
        if url.path in DISCOVERY:
            return self.answer(DISCOVERY[url.path])
        parts = url.path.strip("/").split("/")
        kinds = ("sandboxclaims", "sandboxes", "pods", "sandboxtemplates")
        kind, name = (parts[-2], parts[-1]) if parts[-2] in kinds else (parts[-1], "")
        if parts[-1] == "exec":
            return self.exec(parts[-2], query)
        if kind == "sandboxclaims" or (kind == "sandboxes" and name not in CLUSTER.sandboxes):
            return self.claims("SandboxClaim" if kind == "sandboxclaims" else "Sandbox", name, query, body)
        if kind == "networkpolicies":
            return self.answer({"kind": "NetworkPolicyList", "items": CLUSTER.policies,
                                "metadata": {"continue": CLUSTER.rest} if CLUSTER.rest else {}})
        fault = CLUSTER.fault("get") or CLUSTER.fault("get " + kind) or {}
        if self.refuse(fault.get("kind")):
            return None
        with LOCK:
            template = merge({"kind": "SandboxTemplate", "metadata": {"name": "small", "namespace": SPACE, "uid": "t"},
                              "spec": {"podTemplate": CLUSTER.pod}}, CLUSTER.template)
            found = {"sandboxes": CLUSTER.sandboxes, "pods": CLUSTER.pods,
                     "sandboxtemplates": {"small": template}}.get(kind, {}).get(name)
        return self.found(found, name, fault.get("kind"))

    do_GET = do_POST = do_PATCH = do_DELETE = serve

    def found(self, document, name, spoil=None):
        if document is None:
            return self.answer(status(404, "NotFound", '"%s" not found' % name), 404)
        return self.answer(document, spoil=spoil)

    def claims(self, kind, name, query, body):
        verb = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}.get(self.command, "get")
        if "watch" in query:
            return self.watch(query)
        fault = CLUSTER.fault(verb) or {}
        if self.refuse(fault.get("kind")):
            return None
        if verb == "create":
            return self.create(json.loads(body), fault.get("kind"))
        with LOCK:
            claim = CLUSTER.claims.get(name)
            if verb == "get" and not name:
                items = [each for each in CLUSTER.claims.values() if each["kind"] == kind]
                return self.answer({"kind": kind + "List", "items": items})
            if claim is not None and claim["kind"] != kind:
                claim = None
            if verb == "patch" and claim is not None:
                claim["spec"] = merge(claim["spec"], json.loads(body)["spec"])
                CLUSTER.written_by(query.get("fieldManager", ["kubectl-patch"])[0], claim)
                CLUSTER.tell("MODIFIED", claim)
        if verb == "delete":
            if fault.get("kind") == "replaced":
                CLUSTER.create({**claim, "metadata": dict(claim["metadata"])}, bound=False)
            if fault.get("kind") == "renewed":
                with LOCK:
                    CLUSTER.tell("MODIFIED", claim)
            changed = CLUSTER.changed(name, json.loads(body or "{}").get("preconditions", {}))
            if changed:
                return self.answer(status(409, "Conflict", "Precondition failed: " + changed), 409)
            claim = CLUSTER.remove(name, "deleted")
            if fault.get("kind") == "lost":
                self.close_connection = True
                return self.connection.close()
        return self.found(claim, name)

    def create(self, claim, kind):
        name = claim["metadata"]["name"]
        exists = status(409, "AlreadyExists", 'sandboxclaims "%s" already exists' % name)
        if kind == "409":
            other = merge(claim, {"metadata": {"labels": {"mxc-exec/owner": "another"}}})
            CLUSTER.create(other, bound=False)
            return self.answer(exists, 409)
        if name in CLUSTER.claims:
            return self.answer(exists, 409)
        made = CLUSTER.create(claim)
        if kind == "409-own":
            return self.answer(exists, 409)
        if kind == "lost":
            self.close_connection = True
            return self.connection.close()
        return self.answer(made, 201)

    def watch(self, query):
        fault = CLUSTER.fault("watch") or {}
        if self.refuse(fault.get("kind")):
            return
        wanted = query.get("fieldSelector", ["="])[0].split("=")[1]
        until = time.time() + float(query.get("timeoutSeconds", ["10"])[0])
        events = queue.Queue()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if fault.get("kind") == "410":
            gone = status(410, "Expired", "too old resource version")
            return self.wfile.write((json.dumps({"type": "ERROR", "object": gone}) + "\n").encode())
        if fault.get("kind") == "slow":
            return time.sleep(min(fault.get("seconds", 2), until - time.time()))
        with LOCK:
            CLUSTER.watchers.append(events)
            if wanted in CLUSTER.claims:
                events.put(("ADDED", json.dumps(CLUSTER.claims[wanted])))
        try:
            while time.time() < until:
                try:
                    kind, claim = events.get(timeout=0.2)
                except queue.Empty:
                    continue
                if json.loads(claim)["metadata"]["name"] == wanted:
                    self.wfile.write(('{"type":"%s","object":%s}\n' % (kind, claim)).encode())
                    self.wfile.flush()
        finally:
            with LOCK:
                CLUSTER.watchers.remove(events)

    def exec(self, pod, query):
        fault = CLUSTER.fault("exec") if "--in-pod" in query["command"] else None
        fault = fault or {}
        if self.refuse(fault.get("kind")):
            return
        if fault.get("kind") == "hang":
            time.sleep(fault["seconds"])
        if pod not in CLUSTER.pods:
            return self.found(None, pod)
        cut = fault.get("after", 20) if fault.get("kind") == "cut" else None
        self.close_connection = True
        try:
            if self.headers.get("Upgrade", "").lower() == "websocket":
                self.exec_websocket(pod, query["command"], cut)
            else:
                self.exec_spdy(pod, query["command"], cut)
        except OSError:
            pass
        if fault.get("kind") == "replaced":
            with LOCK:
                if pod in CLUSTER.pods:
                    CLUSTER.pods[pod] = merge(CLUSTER.pods[pod], {"metadata": {"uid": "another"}})

    def switch(self, headers):
        self.send_response(101)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.flush()

    def exec_spdy(self, pod, command, cut):
        self.switch([("Connection", "Upgrade"), ("Upgrade", "SPDY/3.1"), ("X-Stream-Protocol-Version", "v4.channel.k8s.io")])
        session = spdy.Session(self.rfile.read, self.wfile.write)
        streams, kinds, run, lock = {}, {}, None, threading.Event()
        channels = {1: "stdout", 2: "stderr"}

        def finish():
            end = run.run()
            if end is not None:
                for name in ("stdout", "stderr"):
                    session.send(streams[name], b"", True)
                session.send(streams["error"], json.dumps(end).encode(), True)
                lock.wait(5)
            self.hang_up()

        for kind, stream, value, fin in session.frames():
            if kind == "open":
                streams[value["streamtype"]], kinds[stream] = stream, value["streamtype"]
                session.reply(stream)
                if run is None and {"error", "stdin", "stdout", "stderr"} <= set(streams):
                    run = Exec(pod, command, lambda channel, data: session.send(streams[channels[channel]], data), cut)
                    threading.Thread(target=finish, daemon=True).start()
            elif kinds.get(stream) == "stdin" and run is not None:
                run.feed(value or b"", fin)
        lock.set()
        if run is not None:
            run.feed(b"", True)

    def exec_websocket(self, pod, command, cut):
        self.switch([("Connection", "Upgrade"), ("Upgrade", "websocket"),
                     ("Sec-WebSocket-Accept", websocket.accept(self.headers["Sec-WebSocket-Key"])),
                     ("Sec-WebSocket-Protocol", "v5.channel.k8s.io")])
        session = websocket.Session(self.rfile.read, self.wfile.write)
        run, lock = Exec(pod, command, session.send, cut), threading.Event()

        def finish():
            end = run.run()
            if end is not None:
                session.send(3, json.dumps(end).encode())
                session.close()
                lock.wait(5)
            self.hang_up()

        threading.Thread(target=finish, daemon=True).start()
        for channel, data in session.messages():
            if channel == 0:
                run.feed(data, False)
            elif channel == websocket.CLOSE_CHANNEL:
                run.feed(b"", True)
        lock.set()
        run.feed(b"", True)

    def hang_up(self):
        try:
            self.connection.shutdown(2)
        except OSError:
            pass


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*_)


def state():
    with LOCK:
        ends = {name: CLUSTER.end_of(claim) for name, claim in CLUSTER.claims.items()}
        return {"claims": sorted(CLUSTER.claims), "ends": ends, "ended": CLUSTER.ended, "requests": CLUSTER.requests,
                "faults": CLUSTER.faults, "execs": [{"pod": run["pod"], "command": run["command"]} for run in CLUSTER.execs]}


def obey(order):
    if "state" in order:
        return state()
    with LOCK:
        if "faults" in order:
            CLUSTER.faults = order["faults"]
        if "pod" in order:
            CLUSTER.pod = merge(DEFAULT_POD, order["pod"])
        CLUSTER.sandbox = order.get("sandbox", CLUSTER.sandbox)
        CLUSTER.policies = order.get("policies", CLUSTER.policies)
        CLUSTER.rest = order.get("rest", CLUSTER.rest)
        CLUSTER.ahead = order.get("ahead", CLUSTER.ahead)
        if "replace" in order:
            CLUSTER.pods = {name: merge(pod, {"metadata": {"uid": "another"}}) for name, pod in CLUSTER.pods.items()}
        if "disown" in order:
            for name, claim in CLUSTER.claims.items():
                CLUSTER.claims[name] = merge(claim, {"metadata": {"labels": {"mxc-exec/owner": "another"}}})
        if "vanish" in order:
            CLUSTER.claims, CLUSTER.sandboxes, CLUSTER.pods = {}, {}, {}
        CLUSTER.template = order.get("template", CLUSTER.template)
        if "claim" in order:
            CLUSTER.create(order["claim"], bound=False)
    return {"ok": True}


def main():
    directory = sys.argv[1]
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=CLUSTER.expire, daemon=True).start()
    cluster = {"server": "http://127.0.0.1:%d" % server.server_address[1]}
    config = {"apiVersion": "v1", "kind": "Config", "current-context": "test",
              "clusters": [{"name": "test", "cluster": cluster}], "users": [{"name": "test", "user": {}}],
              "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]}
    with open(directory + "/kubeconfig.new", "w", encoding="utf-8") as file:
        json.dump(config, file)
    os.rename(directory + "/kubeconfig.new", directory + "/kubeconfig")
    for line in sys.stdin:
        print(json.dumps(obey(json.loads(line))), flush=True)
    with LOCK:
        for run in CLUSTER.execs:
            run["kill"]()
        names = list(CLUSTER.claims)
    for name in names:
        CLUSTER.remove(name, "deleted")


if __name__ == "__main__":
    main()
