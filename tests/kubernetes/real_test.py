#!/usr/bin/python3
"""The containment `kubernetes` with a real API server. tests/kubernetes/run.sh starts it, in namespaces of its own.

  real_test.py PARTS MXC_EXEC NODE FAULTS KILLS SEED [NAME...]

PARTS is the directory of parts.sh; NODE is `node` (node.py) or `kubelet` (kubelet.py). First come the tests here (or those of NAME), then FAULTS runs with faults and KILLS
launchers that are killed (sweep.py), at the end secrets are looked for in all that etcd and the audit log have.
"""
import glob
import http.server
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import kubelet
import node
import sweep
from cluster import commands_of, outcome
from control_plane import ControlPlane
from real_cluster import Clusters, manifests

SITE = "203.0.113.80"
SECRETS = {"environment": "swordfish-of-the-environment", "argument": "swordfish-of-the-command-line",
           "input": "swordfish-of-the-input", "path": "swordfish-of-a-path"}
# What differs between two runs of one policy: where, when and by what means. The rung of a pod stands in `inside`.
NAMES = {"backend", "durationMs", "inside", "rung", "notCovered", "run", "policyHash", "mechanism"}
PLANE = CLUSTERS = None
PROGRAM = ""
OBJECTS = {}


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"the site\n")

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass


def serve_site():
    """A host that policies name, `site.test`, and one that they do not, `other.test`."""
    subprocess.run(["ip", "address", "add", SITE + "/32", "dev", "lo"], check=True)
    server = http.server.ThreadingHTTPServer((SITE, 80), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.NamedTemporaryFile("w", delete=False) as hosts:
        hosts.write("127.0.0.1 localhost\n%s site.test other.test\n" % SITE)
    os.chmod(hosts.name, 0o644)
    subprocess.run(["mount", "--bind", hosts.name, "/etc/hosts"], check=True)
    os.unlink(hosts.name)


def install():
    """CRDs and manifests; what kubectl and the API server say of them stands in the test's output."""
    here = os.path.dirname(os.path.abspath(__file__))
    PLANE.kubectl("apply", "--filename", here + "/crds.yaml")
    PLANE.kubectl("wait", "--for=condition=Established", "--timeout=30s", "crd", "--all")
    text = manifests()
    # Nothing of a namespace can be tried before there is one.
    PLANE.kubectl("apply", "--server-side", "--filename=-", text=text.split("---")[0])
    print(PLANE.kubectl("apply", "--server-side", "--dry-run=server", "--filename=-", text=text), end="")
    print(PLANE.kubectl("apply", "--server-side", "--filename=-", text=text), end="")
    sent, rest = PLANE.kubectl("create", "--dry-run=client", "--validate=false", "--output=json", "--filename=-", text=text), {}
    while sent.strip():
        one, end = json.JSONDecoder().raw_decode(sent.lstrip())
        sent = sent.lstrip()[end:]
        for each in one.get("items", [one]):
            rest[each["kind"]] = each
    return rest


def dropped(sent, stored, path=""):
    """What the stored object lacks of the one that was sent."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        for key, value in sent.items():
            if key not in stored:
                yield path + "." + key
            else:
                yield from dropped(value, stored[key], path + "." + key)
    elif isinstance(sent, list) and isinstance(stored, list) and len(stored) >= len(sent):
        for index, value in enumerate(sent):
            yield from dropped(value, stored[index], "%s[%d]" % (path, index))
    elif sent != stored:
        yield path


class Real(unittest.TestCase):
    maxDiff = None

    """`agents` has the manifests of docs/backends/kubernetes.md as they stand there. The pods of `jobs` have a volume and names of hosts more."""

    @classmethod
    def setUpClass(cls):
        objects = json.loads(json.dumps(OBJECTS))
        spec = objects["SandboxTemplate"]["spec"]["podTemplate"]["spec"]
        # Of the node kubelet.py. With RuntimeDefault there are no namespaces of users: Landlock holds the command, and no rule for a host.
        spec["securityContext"]["seccompProfile"] = {"type": "Localhost", "localhostProfile": "namespaces.json"}
        spec["hostAliases"] = [{"ip": SITE, "hostnames": ["site.test", "other.test"]}]
        cls.agents = CLUSTERS.make("agents", OBJECTS, shared=False)
        cls.jobs = CLUSTERS.make("jobs", objects)
        cls.work = cls.jobs.directory.name

    def run_in_pod(self, *command, stdin=b"", cluster=None, **members):
        run = (cluster or self.agents).start(list(command), stdin=subprocess.PIPE, **members)
        out, err = run.communicate(stdin, timeout=90)
        return run.returncode, out.decode(), err.decode(), outcome(run)

    def on_this_machine(self, *command, **members):
        """The same policy as the pod's user, without a cluster."""
        directory = tempfile.mkdtemp(dir=self.work)
        os.chmod(directory, 0o777)
        process = {"argv": list(command), **members.pop("process", {})}
        with open(directory + "/config.json", "w", encoding="utf-8") as file:
            json.dump({"version": "1.1.0-alpha", "containment": "namespaces", "process": process, **members}, file)
        user = str(self.agents.user)
        done = subprocess.run(["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--", PROGRAM, "--result",
                               directory + "/result", directory + "/config.json"], capture_output=True, check=False, cwd="/",
                              stdin=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin"}, timeout=90)
        done.result_file = directory + "/result"
        return done.returncode, done.stdout.decode(), done.stderr.decode(), outcome(done)

    @classmethod
    def tearDownClass(cls):
        cls.agents.__exit__()
        cls.jobs.__exit__()

    def tearDown(self):
        self.assertEqual([cluster.state()["claims"] for cluster in (self.agents, self.jobs)], [[], []])

    def test_the_manifests_are_stored_whole(self):
        for kind, path in (("SandboxTemplate", "sandboxtemplates"), ("SandboxWarmPool", "sandboxwarmpools"), ("Role", "roles"),
                           ("NetworkPolicy", "networkpolicies"), ("Namespace", "namespaces")):
            sent = OBJECTS[kind]
            stored = json.loads(PLANE.kubectl("--namespace", "agents", "get", path, sent["metadata"]["name"], "--output=json"))
            for part in ("spec", "rules"):
                self.assertEqual(list(dropped(sent.get(part, {}), stored.get(part, {}))), [], kind)

    def test_the_pods_of_the_template_are_stored_whole(self):
        template = PLANE.api.get(self.agents.claims_path.replace("sandboxclaims", "sandboxtemplates/small"))
        pods = PLANE.api.get("/api/v1/namespaces/agents/pods")["items"]
        self.assertTrue(pods)
        self.assertEqual(list(dropped(template["spec"]["podTemplate"]["spec"], pods[0]["spec"])), [])

    def test_streams_and_status_are_the_commands(self):
        status, out, err, told = self.run_in_pod("sh", "-c", "cat; echo err >&2; id -u; exit 7", stdin=b"in\n")
        self.assertEqual((status, out.split(), err.split("\n")[0]), (7, ["in", str(self.agents.user)], "err"), told)
        self.assertEqual(told["exitCode"], 7)
        self.assertRegex(told["inside"]["podUid"], "^[0-9a-f]{8}-")
        print("inside the pod: %s" % told["inside"])

    def test_much_output_arrives_whole(self):
        status, out, err, _ = self.run_in_pod("sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; echo; seq 20000 >&2")
        self.assertEqual(status, 0, err[-300:])
        self.assertEqual(out, "x" * 3000000 + "\n")
        self.assertEqual([word for word in err.split() if word.isdigit()], [str(i) for i in range(1, 20001)])

    def test_a_policy_is_held_as_on_a_laptop(self):
        job = tempfile.mkdtemp(dir=self.work)
        os.chmod(job, 0o777)
        for name in ("ro", "rw", "denied"):
            os.mkdir(job + "/" + name)
            os.chmod(job + "/" + name, 0o777)
            with open(job + "/" + name + "/file", "w", encoding="utf-8") as file:
                file.write(name + "\n")
            os.chmod(job + "/" + name + "/file", 0o666)
        script = """cat ro/file; cat denied/file || echo hidden; (echo no >ro/file) || echo read-only; echo yes >rw/new; cat rw/new
            /usr/bin/wget -q -t 1 -T 10 -O - http://site.test/; /usr/bin/wget -q -t 1 -T 10 -O - http://other.test/ || echo refused
            ulimit -n; (head -c 3000000 /dev/zero >rw/big); wc -c <rw/big; rm rw/big rw/new; sleep 20; echo late"""
        policy = {
            "filesystem": {"readonlyPaths": [job], "readwritePaths": [job + "/rw"], "deniedPaths": [job + "/denied"]},
            "network": {"egress": {"allow": [{"to": [{"host": "site.test"}]}]}},
            "resources": {"openFiles": 64, "fileSizeMb": 1},
            "process": {"cwd": job, "timeout": 8000, "env": ["PATH=/usr/bin:/bin"]}}
        here = self.on_this_machine("sh", "-c", script, **json.loads(json.dumps(policy)))
        there = self.run_in_pod("sh", "-c", script, cluster=self.jobs, **policy)
        self.assertEqual(here[1].split("\n"), ["ro", "hidden", "read-only", "yes", "the site", "refused", "64", "1048576", ""], here)
        self.assertEqual(there[:2], here[:2], there[2])
        self.assertEqual(there[0], 255)
        self.assertTrue(there[3]["timedOut"])
        print("on this machine: %s\nin the pod:      %s" % (json.dumps(here[3]), json.dumps(there[3])))
        self.assertEqual(self.without_names(there[3]), self.without_names(here[3]))
        self.assertEqual(there[3]["inside"]["engine"], here[3]["backend"])

    def without_names(self, told):
        told = {key: value for key, value in told.items() if key not in NAMES}
        return {**told, "ledger": [{key: entry[key] for key in entry if key not in NAMES} for entry in told["ledger"]]}

    def test_a_signal_deletes_the_claim(self):
        before = len(self.agents.state()["execs"])
        run = self.agents.start(["sleep", "30"])
        while not any("--in-pod" in each["command"] for each in self.agents.state()["execs"][before:]):
            time.sleep(0.05)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 128 + signal.SIGTERM)

    def test_the_lease_is_renewed(self):
        status, _, err, told = self.run_in_pod("sleep", "12", ttl=40)  # a lease of 10 s
        self.assertEqual((status, told["exitCode"]), (0, 0), err)

    def test_the_program_is_sent_in(self):
        status, out, err, told = self.run_in_pod("echo", "ran", section={"program": "/nonexistent/mxc-exec"})
        self.assertEqual((status, out), (0, "ran\n"), (err, told))

    def test_reap_deletes_what_is_over(self):
        claim = {"apiVersion": "extensions.agents.x-k8s.io/v1beta1", "kind": "SandboxClaim", "metadata": {
            "name": "mxc-old", "labels": {"app.kubernetes.io/managed-by": "mxc-exec", "mxc-exec/owner": "somebody"}},
            "spec": {"warmPoolRef": {"name": "small"}, "lifecycle": {"shutdownTime": "2020-01-01T00:00:00Z", "shutdownPolicy": "Retain"}}}
        PLANE.api.post(self.agents.claims_path, claim)
        run = self.agents.start(["true"], flags=["--reap"])
        _, err = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 0, err)

    def test_a_claim_cannot_be_made_in_another_namespace(self):
        run = self.agents.start(["true"], section={"namespace": "default"})
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 255)
        self.assertIn("forbidden", outcome(run)["error"]["message"] + outcome(run)["error"].get("hint", ""), err)

    def test_what_a_template_lacks_is_refused(self):
        objects = json.loads(json.dumps(OBJECTS))
        container = objects["SandboxTemplate"]["spec"]["podTemplate"]["spec"]["containers"][0]
        del container["securityContext"]["allowPrivilegeEscalation"]
        with CLUSTERS.make("careless", objects) as cluster:
            run = cluster.start(["true"])
            run.communicate(timeout=60)
            self.assertEqual(run.returncode, 255)
            self.assertIn("allowPrivilegeEscalation", outcome(run)["error"]["message"])
            self.assertFalse(any("--in-pod" in each["command"] for each in cluster.state()["execs"]))

    def test_a_sandbox_of_a_template(self):
        section = {"warmPool": None, "template": "small"}
        status, out, err, told = self.run_in_pod("sh", "-c", "cat; exit 7", stdin=b"in\n", section=section)
        self.assertEqual((status, out), (7, "in\n"), (err, told))
        self.assertRegex(told["inside"]["pod"], "^mxc-[0-9a-f]{16}(-pod)?$")
        status, _, err, told = self.run_in_pod("sleep", "22", ttl=80, section=section)  # a lease of 20 s
        self.assertEqual(status, 0, (err, told))
        run = self.agents.start(["sleep", "30"], ttl=20, section=section)
        self.wait(lambda: self.agents.state()["claims"])
        run.kill()
        run.communicate()
        self.wait(lambda: not self.agents.state()["claims"], 12)  # a lease of 5 s, and the controller's time

    def wait(self, true, seconds=30):
        end = time.time() + seconds
        while not true():
            self.assertLess(time.time(), end)
            time.sleep(0.1)

    def start_phase(self, name, **members):
        directory = tempfile.mkdtemp(dir=self.agents.directory.name)
        with open(directory + "/request.json", "w", encoding="utf-8") as file:
            json.dump({"version": "1.1.0-alpha", "phase": name, **members}, file)
        return subprocess.Popen([PROGRAM, directory + "/request.json"], cwd="/", text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={
                                    "PATH": "/usr/bin:/bin", "HOME": self.agents.directory.name, "XDG_RUNTIME_DIR": self.state_directory()})

    def state_directory(self):
        path = self.agents.directory.name + "/run"
        os.makedirs(path, 0o700, exist_ok=True)
        return path

    def phase(self, name, **members):
        """The answer."""
        out, err = self.start_phase(name, **members).communicate(timeout=90)
        self.assertTrue(out, err)
        return json.loads(out)

    def provision(self, **section):
        section = {"namespace": "agents", "warmPool": "small", "program": "/usr/local/bin/mxc-exec", "workspace": "/work", "ttl": 120,
                   "kubeconfig": self.agents.kubeconfig, **section}
        section = {key: value for key, value in section.items() if value is not None}
        answer = self.phase("provision", containment="kubernetes", kubernetes=section, filesystem={"readwritePaths": ["/work"]})
        self.assertIn("result", answer, answer)
        identifier = answer["result"]["sandboxId"]
        self.addCleanup(self.phase, "deprovision", sandboxId=identifier)  # of a test that has failed
        return identifier

    def exec(self, identifier, *command):
        run = self.start_phase("exec", sandboxId=identifier, process={"argv": list(command)})
        out, err = run.communicate(timeout=90)
        return run.returncode, out, err

    def ends_in(self, identifier):
        return self.agents.state()["ends"]["mxc-" + identifier[4:]] - time.time()

    def test_a_sandbox_that_stays(self):
        for section in ({}, {"warmPool": None, "template": "small"}):
            with self.subTest(section):
                identifier = self.provision(**section)
                self.assertAlmostEqual(self.ends_in(identifier), 120, delta=15)
                self.assertEqual(self.phase("exec", sandboxId=identifier, process={"argv": ["true"]})["error"]["kind"], "not_started")
                self.assertEqual(self.phase("start", sandboxId=identifier), {"result": {}})
                self.assertEqual(self.exec(identifier, "sh", "-c", "echo one >file; echo err >&2; exit 7")[0], 7)
                self.assertEqual(self.exec(identifier, "cat", "file")[:2], (0, "one\n"))
                runs = [self.start_phase("exec", sandboxId=identifier, process={"argv": ["sleep", "50"]}) for _ in range(3)]
                self.wait(lambda: commands_of(identifier))  # the others are on their way, maybe
                self.assertEqual(self.phase("stop", sandboxId=identifier), {"result": {}})
                self.assertEqual(commands_of(identifier), [])
                for run in runs:
                    run.communicate(timeout=30)
                    self.assertNotEqual(run.returncode, 0)
                self.assertIn("is stopped", self.phase("exec", sandboxId=identifier, process={"argv": ["true"]})["error"]["message"])
                self.assertEqual(self.phase("start", sandboxId=identifier), {"result": {}})
                self.assertEqual(self.exec(identifier, "cat", "file")[:2], (0, "one\n"))
                self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})
                self.assertEqual(self.agents.state()["claims"], [])

    def test_a_sandbox_that_stays_has_the_api_servers_time(self):
        identifier = self.provision()
        [record] = glob.glob("/run/mxc-exec/.place-*/k8s-" + identifier[4:])
        with open(record, "r+", encoding="utf-8") as file:
            text = json.load(file)
            self.assertEqual(text["kept"]["clockAhead"], 0)
            text["kept"]["clockAhead"] = -40
            file.seek(0)
            json.dump(text, file)
            file.truncate()
        self.assertEqual(self.phase("start", sandboxId=identifier), {"result": {}})
        self.assertAlmostEqual(self.ends_in(identifier), 120, delta=15)
        with open(record, encoding="utf-8") as file:
            self.assertAlmostEqual(json.load(file)["kept"]["clockAhead"], 0, delta=1)
        self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})

    def test_a_sandbox_that_stays_is_the_pod_that_it_was(self):
        for section in ({}, {"warmPool": None, "template": "small"}):
            with self.subTest(section):
                identifier = self.provision(**section)
                self.assertEqual(self.phase("start", sandboxId=identifier), {"result": {}})
                self.agents.controller.replace(self.agents.state()["execs"][-1]["pod"])
                error = self.phase("exec", sandboxId=identifier, process={"argv": ["true"]})["error"]
                self.assertEqual(error["code"], "stale_id", error)
                self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})

    def test_a_sandbox_that_stays_ends_with_its_time(self):
        identifier = self.provision(ttl=20)
        self.wait(lambda: not self.agents.state()["claims"], 40)
        self.assertEqual(self.phase("start", sandboxId=identifier)["error"]["code"], "stale_id")
        self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})

    def test_secrets_are_said_to_the_pod_alone(self):
        os.mkdir(self.work + "/" + SECRETS["path"])
        os.chmod(self.work + "/" + SECRETS["path"], 0o777)
        status, out, err, told = self.run_in_pod(
            "sh", "-c", 'cat; echo "$TOKEN"; echo ' + SECRETS["argument"], stdin=SECRETS["input"].encode() + b"\n",
            cluster=self.jobs,
            process={"env": ["TOKEN=" + SECRETS["environment"], "PATH=/usr/bin:/bin"]},
            filesystem={"readwritePaths": [self.work + "/" + SECRETS["path"]]})
        self.assertEqual((status, out.split()), (0, [SECRETS["input"], SECRETS["environment"], SECRETS["argument"]]), (err, told))


def look_for_secrets():
    """The number of places where there is one. That the places are the right ones, a claim's label and an exec's path show."""
    held, audit = PLANE.stored()
    found = 0
    for where, text in (("etcd", held), ("the audit log", audit)):
        for name, secret in SECRETS.items():
            if secret.encode() in text:
                print("%s holds a secret of %s" % (where, name))
                found += 1
    events = [json.loads(line) for line in audit.splitlines()]
    mine = [event for event in events if event["user"]["username"] == "launcher"]
    told = {(event["objectRef"].get("apiGroup", ""), event["objectRef"]["resource"] + ("/" + event["objectRef"]["subresource"] if
             "subresource" in event["objectRef"] else ""), event["verb"]) for event in mine if event.get("objectRef", {}).get("name")
            or event.get("objectRef", {}).get("resource")}
    refused = {event["requestURI"].split("?")[0] for event in mine if event["responseStatus"].get("code") == 403}
    execs = [event for event in mine if event.get("objectRef", {}).get("subresource") == "exec"]
    labels = b"mxc-exec/owner" in audit
    print("etcd: %d bytes, audit log: %d bytes, %d events of the launcher, %d execs; secrets in %d places" %
          (len(held), len(audit), len(mine), len(execs), found))
    print("the launcher asked for: %s" % ", ".join(sorted(" ".join(each) for each in told)))
    print("and was forbidden: %s" % (", ".join(sorted(refused)) or "nothing"))
    return found + (not labels) + (not any("--in-pod" in event["requestURI"] for event in execs))


def report(failure):
    """Connections of the tests break on purpose."""
    if not issubclass(failure.exc_type, OSError):
        threading.__excepthook__(failure)


def main():
    global PLANE, CLUSTERS, PROGRAM, OBJECTS
    parts, PROGRAM, kind, seed = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3], int(sys.argv[6])
    threading.excepthook = report
    PLANE = ControlPlane(parts)
    failed = 0
    try:
        print("API server: %s" % PLANE.api.get("/version")["gitVersion"])
        print(PLANE.kubectl("version").strip(), flush=True)
        serve_site()
        OBJECTS = install()
        CLUSTERS = Clusters(PLANE, PROGRAM, OBJECTS, {"node": node.Node, "kubelet": kubelet.Node}[kind])
        sweep.Cluster = CLUSTERS
        sweep.LATE = 5  # the controller shares the machine with a whole cluster
        try:
            tests = unittest.main(argv=[sys.argv[0]] + sys.argv[7:], verbosity=2, exit=False).result
            failed += len(tests.failures) + len(tests.errors)
            for what, count in ((sweep.faults, int(sys.argv[4])), (sweep.kills, int(sys.argv[5]))):
                sys.stdout.flush()
                if count:
                    failed += what(PROGRAM, count, seed)
            failed += look_for_secrets()
        finally:
            CLUSTERS.close()
    except BaseException:
        PLANE.show()
        raise
    finally:
        PLANE.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
