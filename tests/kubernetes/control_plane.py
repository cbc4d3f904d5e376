"""etcd and a real kube-apiserver on the loopback of this network namespace, and a client for their administrator."""
import http.client
import json
import os
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ADDRESS = "10.250.0.1"  # of API server and node; on the loopback
PORT = 6443
ADMIN, LAUNCHER = "admin-token", "launcher-token"

AUDIT_POLICY = """apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: RequestResponse}]
"""


class ApiError(Exception):
    def __init__(self, code, text):
        super().__init__("%d: %s" % (code, text[:500]))
        self.code = code


class Api:
    """The API as JSON: `api.get(path)`, `api.post(path, object)` and so on, as the administrator."""

    def __init__(self, authority):
        self.tls = ssl.create_default_context(cafile=authority)

    def open(self, method, path, body=None, content="application/json", timeout=60):
        request = urllib.request.Request("https://127.0.0.1:%d%s" % (PORT, path), method=method,
                                         data=None if body is None else json.dumps(body).encode())
        request.add_header("Authorization", "Bearer " + ADMIN)
        request.add_header("Content-Type", content)
        try:
            return urllib.request.urlopen(request, context=self.tls, timeout=timeout)
        except urllib.error.HTTPError as error:
            raise ApiError(error.code, error.read().decode()) from error

    def call(self, *arguments, **named):
        with self.open(*arguments, **named) as answer:
            return json.loads(answer.read())

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body):
        return self.call("POST", path, body)

    def patch(self, path, body):
        return self.call("PATCH", path, body, content="application/merge-patch+json")

    def delete(self, path, **options):
        """False: it is not there."""
        try:
            self.call("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", **options})
        except ApiError as error:
            if error.code != 404:
                raise
            return False
        return True

    def watch(self, path, stop):
        """(type, object) of all that is at the path and comes there, until `stop` is set."""
        while not stop.is_set():
            try:
                listed = self.get(path)
                for one in listed["items"]:
                    yield "ADDED", one
                version = listed["metadata"]["resourceVersion"]
                with self.open("GET", "%s?watch=true&resourceVersion=%s" % (path, version), timeout=3600) as events:
                    for line in events:
                        event = json.loads(line)
                        if stop.is_set() or event["type"] == "ERROR":
                            break
                        yield event["type"], event["object"]
            except (OSError, http.client.HTTPException, ApiError, ValueError):
                if stop.wait(0.2):
                    return


class ControlPlane:
    """`parts` has bin/ with kube-apiserver, etcd and etcdctl."""

    def __init__(self, parts):
        self.parts = parts
        self.temporary = tempfile.TemporaryDirectory(prefix="mxc-control-plane-")
        self.directory = self.temporary.name
        os.chmod(self.directory, 0o711)
        self.audit = self.directory + "/audit.log"
        self.processes = []
        for command in (["ip", "link", "set", "lo", "up"], ["ip", "address", "add", ADDRESS + "/32", "dev", "lo"]):
            subprocess.run(command, check=True)
        self.make_keys()
        self.write("audit.yaml", AUDIT_POLICY)
        self.write("tokens.csv", '%s,admin,1,"system:masters"\n%s,launcher,2\n' % (ADMIN, LAUNCHER))
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def path(self, name):
        return self.directory + "/" + name

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def openssl(self, *words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=self.directory)

    def make_keys(self):
        """An authority; a certificate of API server, fault proxy and node; one of the API server as a client of the node."""
        self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=authority",
                     "-keyout", "ca.key", "-out", "ca.crt")
        self.openssl("genrsa", "-out", "accounts.key", "2048")
        for name, subject, extension in (("server", "/CN=server", "subjectAltName=IP:127.0.0.1,IP:" + ADDRESS),
                                         ("client", "/O=system:masters/CN=kube-apiserver", "extendedKeyUsage=clientAuth")):
            self.write(name + ".ext", extension + "\n")
            self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", subject, "-keyout", name + ".key", "-out", name + ".csr")
            self.openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                         "-days", "2", "-extfile", name + ".ext", "-out", name + ".crt")

    def server_tls(self):
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.path("server.crt"), self.path("server.key"))
        return tls

    def spawn(self, name, *command):
        with open(self.path(name + ".log"), "w", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen([self.parts + "/bin/" + name, *command], stdin=subprocess.DEVNULL,
                                                   stdout=log, stderr=log, start_new_session=True))

    def start(self):
        self.spawn("etcd", "--data-dir", self.path("etcd"), "--unsafe-no-fsync", "--listen-client-urls", "http://127.0.0.1:2379",
                   "--advertise-client-urls", "http://127.0.0.1:2379", "--listen-peer-urls", "http://127.0.0.1:2380")
        self.spawn("kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", "--service-cluster-ip-range=10.96.0.0/24",
                   "--advertise-address=" + ADDRESS, "--secure-port=%d" % PORT, "--token-auth-file=" + self.path("tokens.csv"),
                   "--authorization-mode=RBAC", "--kubelet-preferred-address-types=InternalIP", "--disable-admission-plugins=ServiceAccount", "--allow-privileged=true",
                   "--service-account-issuer=https://kubernetes.test", "--service-account-key-file=" + self.path("accounts.key"),
                   "--service-account-signing-key-file=" + self.path("accounts.key"), "--client-ca-file=" + self.path("ca.crt"),
                   "--tls-cert-file=" + self.path("server.crt"), "--tls-private-key-file=" + self.path("server.key"),
                   "--kubelet-certificate-authority=" + self.path("ca.crt"), "--audit-log-mode=blocking",
                   "--kubelet-client-certificate=" + self.path("client.crt"), "--kubelet-client-key=" + self.path("client.key"),
                   "--audit-policy-file=" + self.path("audit.yaml"), "--audit-log-path=" + self.audit)
        self.api = Api(self.path("ca.crt"))
        limit = time.time() + 90
        while True:
            try:
                with self.api.open("GET", "/readyz") as answer:
                    answer.read()
                return
            except (OSError, ApiError):
                if time.time() > limit or any(process.poll() is not None for process in self.processes):
                    raise
                time.sleep(0.2)

    def kubeconfig(self, name, token, port=PORT):
        return self.write(name, json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": "https://127.0.0.1:%d" % port,
                                                      "certificate-authority": self.path("ca.crt")}}],
            "users": [{"name": "test", "user": {"token": token}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]}))

    def kubectl(self, *words, text=None):
        """Its output; as the administrator."""
        config = self.kubeconfig("admin.kubeconfig", ADMIN)
        done = subprocess.run(["kubectl", "--kubeconfig", config, *words], input=text, capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": self.directory})
        if done.returncode != 0:
            raise RuntimeError("kubectl %s: %s" % (" ".join(words), done.stderr))
        return done.stdout + done.stderr

    def stored(self):
        """All that etcd holds, and the audit log."""
        held = subprocess.run([self.parts + "/bin/etcdctl", "get", "--prefix", "/"], capture_output=True, check=True,
                              env={"ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"}).stdout
        with open(self.audit, "rb") as file:
            return held, file.read()

    def show(self, lines=20):
        """The ends of the logs, for a run that has failed."""
        for name in sorted(os.listdir(self.directory)):
            if name.endswith(".log") and name != "audit.log":
                with open(self.path(name), encoding="utf-8", errors="replace") as file:
                    print("== %s\n%s" % (name, "".join(line[:400].rstrip("\n") + "\n" for line in file.readlines()[-lines:])), end="")

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.temporary.cleanup()
