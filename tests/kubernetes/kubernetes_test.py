#!/usr/bin/python3
"""The containment `kubernetes` as a user meets it: mxc-exec, the real kubectl, and api_server.py.

  kubernetes_test.py MXC_EXEC [NAME...]
"""
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

from cluster import Cluster, outcome

PROGRAM = ""
SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))


class Kubernetes(unittest.TestCase):
    def setUp(self):
        self.cluster = self.enterContext(Cluster(PROGRAM))
        self.work = self.cluster.directory.name

    def run_in_pod(self, *command, **members):
        run = self.cluster.start(list(command), **members)
        out, err = run.communicate(timeout=90)
        return run.returncode, out.decode(), err.decode(), outcome(run)

    def refused(self, *command, **members):
        """The error; the command has not run, and no claim is left."""
        marker = self.work + "/ran"
        status, _, err, told = self.run_in_pod("sh", "-c", "echo ran >" + marker,
                                               filesystem={"readwritePaths": [self.work]}, **members)
        self.assertEqual(told["event"], "error", told)
        self.assertEqual(status, 255, err)
        self.assertFalse(os.path.exists(marker))
        self.assertEqual(self.cluster.state()["claims"], [])
        return told["error"]

    def test_streams_and_status_are_the_commands(self):
        status, out, err, told = self.run_in_pod("sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual((status, out, err), (7, "out\n", "err\n"))
        self.assertEqual(told["exitCode"], 7)
        inside = told["inside"]
        self.assertRegex(inside["pod"], "^pod-mxc-[0-9a-f]{16}$")
        self.assertEqual(inside["podUid"], "uid-" + inside["pod"])
        self.assertIn(inside["engine"], ("namespaces", "bubblewrap", "landlock"))
        self.assertEqual([end["how"] for end in self.cluster.state()["ended"]], ["deleted"])

    def test_a_terminal_is_left_as_by_a_command_of_this_machine(self):
        for after, number in (("exit 3", 0), ("sleep 30", signal.SIGTERM)):
            with self.subTest(after):
                ours, its = pty.openpty()
                run = self.cluster.start(["sh", "-c", r"printf '\033[c\033[?1049h\033[8m\033(0hidden'; " + after],
                                         stdin=its, out=its, err=its, terminal=True)
                seen, answered = b"", 0
                while select.select([ours], [], [], 0.2)[0] or run.poll() is None:
                    if not select.select([ours], [], [], 0)[0]:
                        continue
                    seen += os.read(ours, 65536)
                    if number and b"hidden" in seen:
                        run.send_signal(number)
                        number = 0
                    while answered < seen.count(b"\033[c") + seen.count(b"\033[5n"):  # as a terminal does
                        os.write(ours, b"\033[0n" if answered else b"\033[?62;1c")
                        answered += 1
                self.assertIn(b"\033[?1049l", seen)
                self.assertIn(b"\033[5n", seen)
                attributes = termios.tcgetattr(its)
                attributes[3] &= ~termios.ICANON
                termios.tcsetattr(its, termios.TCSANOW, attributes)
                self.assertEqual(select.select([its], [], [], 0)[0], [], "an answer is left for the caller's shell")
                os.close(ours)
                os.close(its)

    def test_another_launchers_sequence_is_waited_for_and_ended(self):
        for command, shown in (("printf 6n", b"\033\\6n"), ("printf 6n >&2", b"\033\\6n")):
            with self.subTest(command):
                ours, its = pty.openpty()
                other = os.open(os.ttyname(its), os.O_WRONLY | os.O_NOCTTY)
                fcntl.flock(other, fcntl.LOCK_EX)  # as a launcher does whose terminal is full
                run = self.cluster.start(["sh", "-c", command], stdin=its, out=its, err=its, terminal=True)
                seen = b""
                while select.select([ours], [], [], 0.2)[0] or run.poll() is None:
                    if select.select([ours], [], [], 0)[0]:
                        seen += os.read(ours, 65536)
                self.assertEqual(run.returncode, 0, seen)
                self.assertTrue(seen.startswith(shown), seen)
                for descriptor in (ours, its, other):
                    os.close(descriptor)

    def test_input_goes_to_the_command(self):
        run = self.cluster.start(["sh", "-c", "read line; echo got $line; cat | wc -c"], stdin=subprocess.PIPE)
        out, err = run.communicate(b"one\n" + b"x" * 300000, timeout=90)
        self.assertEqual(out.decode().split(), ["got", "one", "300000"], err)

    def test_much_output_arrives_whole(self):
        status, out, err, _ = self.run_in_pod("sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; echo; seq 20000 >&2")
        self.assertEqual(status, 0, err[-300:])
        self.assertEqual(out, "x" * 3000000 + "\n")
        self.assertEqual(err.split(), [str(i) for i in range(1, 20001)])

    def test_the_policy_holds_inside(self):
        for name, text in (("secret", "TOKEN"), ("read", "readable")):
            with open(self.work + "/" + name, "w", encoding="utf-8") as file:
                file.write(text)
        script = "cat read; cat secret; echo no >read; echo yes >out/new; cat out/new"
        os.mkdir(self.work + "/out")
        _, out, _, _ = self.run_in_pod("sh", "-c", script, process={"cwd": self.work}, filesystem={
            "readonlyPaths": [self.work], "readwritePaths": [self.work + "/out"], "deniedPaths": [self.work + "/secret"]})
        self.assertEqual(out, "readableyes\n")
        with open(self.work + "/read", encoding="utf-8") as file:
            self.assertEqual(file.read(), "readable")

    def test_the_time_out_is_kept_inside(self):
        begin = time.time()
        status, _, err, told = self.run_in_pod("sleep", "30", process={"timeout": 1000})
        self.assertEqual(status, 255)
        self.assertTrue(told["timedOut"], told)
        self.assertIn("timed out after 1000ms", err)
        self.assertLess(time.time() - begin, 15)

    def test_secrets_are_in_no_request(self):
        status, out, _, told = self.run_in_pod(
            "sh", "-c", "echo $TOKEN; echo COMMAND-TEXT", process={"env": ["TOKEN=swordfish", "PATH=/usr/bin:/bin"]},
            filesystem={"readwritePaths": [self.work]})
        self.assertEqual((status, out), (0, "swordfish\nCOMMAND-TEXT\n"), told)
        state = json.dumps(self.cluster.state())
        for secret in ("swordfish", "TOKEN", "COMMAND-TEXT", "readwritePaths"):
            self.assertNotIn(secret, state)
        self.assertIn("--in-pod", state)

    def test_a_signal_deletes_the_claim(self):
        run = self.cluster.start(["sleep", "30"])
        while "--in-pod" not in json.dumps(self.cluster.state()["execs"]):
            time.sleep(0.05)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 128 + signal.SIGTERM)
        self.assertEqual(outcome(run)["interruptedBy"], signal.SIGTERM)
        self.assertEqual(self.cluster.state()["claims"], [])

    def test_a_signal_while_it_waits(self):
        self.cluster.order(faults=[{"at": "pod", "kind": "reason", "reason": "SandboxNotReady"}])
        run = self.cluster.start(["true"])
        while not any("watch" in each["path"] for each in self.cluster.state()["requests"]):
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 128 + signal.SIGINT)
        self.assertEqual(self.cluster.state()["claims"], [])

    def test_a_killed_launchers_claim_expires(self):
        run = self.cluster.start(["sleep", "30"], ttl=20)
        while not self.cluster.state()["execs"]:
            time.sleep(0.05)
        run.kill()
        run.communicate()
        end = time.time() + 20  # a lease of 5 s
        while self.cluster.state()["claims"]:
            self.assertLess(time.time(), end)
            time.sleep(0.1)

    def test_the_lease_is_renewed(self):
        status, _, err, told = self.run_in_pod("sleep", "22", ttl=80)  # a lease of 20 s
        self.assertEqual(status, 0, err)
        self.assertEqual(told["exitCode"], 0)
        self.assertEqual([end["how"] for end in self.cluster.state()["ended"]], ["deleted"])

    def test_a_slow_reader_gets_everything(self):
        run = self.cluster.start(["sh", "-c", "head -c 300000 /dev/zero"])
        while not any("--in-pod" in each["command"] for each in self.cluster.state()["execs"]):
            time.sleep(0.05)
        time.sleep(4)
        out, err = run.communicate(timeout=60)
        self.assertEqual((run.returncode, len(out)), (0, 300000), err)

    def test_nobody_reads_the_output(self):
        run = self.cluster.start(["yes"])
        run.stdout.readline()
        run.stdout.close()
        run.wait(timeout=30)
        self.assertEqual(run.returncode, 128 + signal.SIGPIPE)
        self.assertEqual(self.cluster.state()["claims"], [])

    def test_a_pod_is_judged_before_anything_runs(self):
        self.cluster.order(pod={"spec": {"hostPID": True, "hostNetwork": True}})
        error = self.refused()
        self.assertEqual(error["kind"], "unavailable")
        self.assertIn("spec.hostNetwork", error["message"])
        self.assertIn("hostNetwork: false", error["hint"])
        self.assertEqual(len(error["others"]), 1)
        self.assertEqual(self.cluster.state()["execs"], [])

    def test_risks_are_accepted_by_name(self):
        self.cluster.order(pod={"spec": {"hostPID": True}})
        status, _, err, _ = self.run_in_pod("true", section={"acceptedRisks": ["host-pid"]})
        self.assertEqual(status, 0, err)

    def test_without_a_network_policy(self):
        self.cluster.order(policies=[])
        self.assertIn("network-policy", self.refused()["message"])

    def test_a_part_of_the_network_policies(self):
        self.cluster.order(rest="abc")
        self.assertIn("metadata.continue", self.refused()["message"])

    def test_answers_that_cannot_be_read(self):
        for kind in ("doubled", "short", "twice", "other"):
            for at in ("get pods", "get sandboxes"):
                with self.subTest(kind=kind, at=at):
                    self.cluster.order(faults=[{"at": at, "kind": kind}])
                    error = self.refused()
                    self.assertEqual(error["kind"], "unavailable")
                    self.assertRegex(error["message"], "the API server's answer about the (Pod|Sandbox) .* cannot be read")
        self.assertEqual(self.cluster.state()["execs"], [])

    def test_names_of_the_cluster_are_names(self):
        for name in ("--kubeconfig=/x", "../pods/pod", "a b"):
            self.cluster.order(sandbox={"metadata": {"annotations": {"agents.x-k8s.io/pod-name": name}}})
            self.assertIn("no name of an object", self.refused()["message"])
        state = self.cluster.state()
        self.assertEqual(state["execs"], [])
        self.assertEqual([each["path"] for each in state["requests"] if "/pods/" in each["path"]], [])

    def test_what_the_program_in_the_pod_says_is_checked(self):
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        liar = self.work + "/liar"
        for lie in ({}, {"tier": "none", "backend": "none"}, {"exitCode": -1}, {"realIsolation": False}, {"limits": []},
                    {"exitCode": 137, "exitStatus": 137, "signal": 15}):
            honest = {"exitStatus": 0, "exitCode": 0, "signal": None, "timedOut": False, "interruptedBy": None, "ledger": [],
                      "limits": {"stdoutTruncated": False, "stderrTruncated": False, "reached": []}, "durationMs": 1,
                      "backend": "namespaces", "tier": "container", "realIsolation": True}
            said = json.dumps({"event": "outcome", **honest, **lie} if lie else {"event": "outcome"})
            with open(liar, "w", encoding="utf-8") as file:
                file.write("#!/usr/bin/python3\nimport sys\n"
                           "if '--version' in sys.argv:\n    print(%r)\n    sys.exit()\n"
                           "words = sys.stdin.buffer.read(64).split()\nsys.stdin.buffer.read(int(words[3]))\n"
                           "mark = '\\x1emxc-end ' + words[2].decode() + '\\n'\n"
                           "print(mark, end='', flush=True)\nprint(mark + %r, file=sys.stderr)\n" % (version.strip(), said))
            os.chmod(liar, 0o755)
            status, _, _, told = self.run_in_pod("true", section={"program": liar})
            self.assertEqual((status, told["event"]), (255, "error"), told)
            self.assertEqual(told["error"]["kind"], "setup_failed")
            self.assertIn("cannot be read", told["error"]["message"])

    def test_a_virtual_machine_is_asked_for(self):
        self.assertIn("runtime-class", self.refused(minimumTier="virtual-machine")["message"])
        self.cluster.order(pod={"spec": {"runtimeClassName": "kata"}})
        status, _, err, told = self.run_in_pod("true", minimumTier="virtual-machine")
        self.assertEqual(status, 0, err)
        self.assertEqual((told["tier"], told["inside"]["runtimeClass"]), ("virtual-machine", "kata"))

    def test_reasons_become_errors(self):
        for reason, words in (("WarmPoolNotFound", "warm pool"), ("PodFailed", "has failed")):
            self.cluster.order(faults=[{"at": "pod", "kind": "reason", "reason": reason}])
            self.assertIn(words, self.refused()["message"])

    def test_the_cluster_refuses(self):
        for kind, words in (("401", "credentials"), ("403", "forbidden")):
            self.cluster.order(faults=[{"at": "create", "kind": kind}])
            error = self.refused()
            self.assertIn(words, error["message"] + error["hint"])

    def test_a_claim_of_that_name_is_somebody_elses(self):
        self.cluster.order(faults=[{"at": "create", "kind": "409"}])
        run = self.cluster.start(["true"], ttl=20)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 255)
        self.assertEqual(len(self.cluster.state()["claims"]), 1)  # it is left alone

    def test_kubectl_is_the_file_that_is_pinned(self):
        probed = json.loads(subprocess.run([PROGRAM, "--probe=json"], capture_output=True, check=True).stdout)
        pin = probed["helpers"]["kubectl"]["sha256"]
        status, out, err, _ = self.run_in_pod("echo", "out", helpers={"kubectl": {"sha256": pin}})
        self.assertEqual((status, out), (0, "out\n"), err)
        error = self.refused(helpers={"kubectl": {"sha256": "0" * 64}})
        self.assertIn(pin, error["message"])
        self.assertEqual(error["pointer"], "/helpers/kubectl")

    def test_what_passes_is_asked_again(self):
        for faults in ({"create": "429", "watch": "410", "get": "500", "delete": "500"},
                       {"create": "lost", "watch": "slow", "delete": "lost"},
                       {"create": "409-own", "watch": "refused", "pod": "late"},
                       {"create": "500", "pod": "stale"}):
            with self.subTest(faults):
                self.cluster.order(faults=[{"at": at, "kind": kind, "times": 1} for at, kind in faults.items()])
                status, out, err, _ = self.run_in_pod("echo", "ran")
                self.assertEqual((status, out), (0, "ran\n"), err)
                state = self.cluster.state()
                self.assertEqual((state["claims"], [each["times"] for each in state["faults"]]), ([], [0] * len(faults)))

    def test_a_foreign_pod_is_not_used(self):
        self.cluster.order(faults=[{"at": "pod", "kind": "wrong-uid"}])
        error = self.refused(ttl=8)
        self.assertIn("the claim got no pod in time", error["message"])
        self.assertEqual(self.cluster.state()["execs"], [])

    def test_a_sandbox_of_a_template(self):
        section = {"warmPool": None, "template": "small"}
        status, out, err, told = self.run_in_pod("sh", "-c", "echo out; exit 7", section=section)
        self.assertEqual((status, out), (7, "out\n"), err)
        self.assertRegex(told["inside"]["pod"], "^mxc-[0-9a-f]{16}$")
        state = self.cluster.state()
        self.assertEqual([end["how"] for end in state["ended"]], ["deleted"])
        made = [json.loads(each["body"]) for each in state["requests"] if each["verb"] == "POST" and each["body"]]
        self.assertEqual([(one["kind"], one["spec"]["shutdownPolicy"]) for one in made], [("Sandbox", "Delete")])
        self.assertFalse(made[0]["spec"]["podTemplate"]["spec"]["automountServiceAccountToken"])
        self.assertNotIn("exit 7", json.dumps(state))

    def test_a_sandbox_of_a_template_has_a_lease(self):
        section = {"warmPool": None, "template": "small"}
        status, _, err, _ = self.run_in_pod("sleep", "22", ttl=80, section=section)
        self.assertEqual(status, 0, err)
        run = self.cluster.start(["sleep", "30"], ttl=20, section=section)
        while not self.cluster.state()["execs"][1:]:
            time.sleep(0.05)
        run.kill()
        run.communicate()
        end = time.time() + 20  # a lease of 5 s
        while self.cluster.state()["claims"]:
            self.assertLess(time.time(), end)
            time.sleep(0.1)

    def test_a_template_that_cannot_be_used(self):
        section = {"warmPool": None, "template": "small"}
        self.assertIn("no SandboxTemplate", self.refused(section={"warmPool": None, "template": "other"})["message"])
        self.cluster.order(template={"spec": {"volumeClaimTemplates": [{}]}})
        self.assertIn("volumeClaimTemplates", self.refused(section=section)["message"])
        self.cluster.order(template={"spec": {"podTemplate": None}})
        self.assertIn("cannot be read", self.refused(section=section)["message"])
        self.cluster.order(template={})
        for kind in ("doubled", "short", "twice", "other"):
            self.cluster.order(faults=[{"at": "get sandboxtemplates", "kind": kind}])
            self.assertIn("about the SandboxTemplate", self.refused(section=section)["message"])
        self.cluster.order(pod={"spec": {"hostPID": True}})
        self.assertIn("spec.hostPID", self.refused(section=section)["message"])
        self.assertEqual(self.cluster.state()["execs"], [])

    def test_a_pod_of_another_sandbox_is_not_used(self):
        self.cluster.order(faults=[{"at": "pod", "kind": "wrong-uid"}])
        self.assertIn("the sandbox got no pod in time", self.refused(ttl=8, section={"warmPool": None, "template": "small"})["message"])
        self.assertEqual(self.cluster.state()["execs"], [])

    def test_reap_deletes_sandboxes_that_are_over(self):
        over = self.claim("mxc-old", "2020-01-01T00:00:00Z", keep=True)
        self.cluster.order(claim={**over, "kind": "Sandbox", "spec": over["spec"]["lifecycle"]})
        run = self.cluster.start(["true"], flags=["--reap"], section={"warmPool": None, "template": "small"})
        _, err = run.communicate(timeout=30)
        self.assertEqual((run.returncode, self.cluster.state()["claims"]), (0, []), err)

    def test_a_pod_that_was_replaced(self):
        self.cluster.order(faults=[{"at": "exec", "kind": "replaced"}])
        status, _, _, told = self.run_in_pod("true")
        self.assertEqual((status, told["error"]["kind"]), (255, "setup_failed"))
        self.assertIn("was replaced", told["error"]["message"])

    def test_a_connection_that_is_cut(self):
        for after in (0, 3, 2000):
            self.cluster.order(faults=[{"at": "exec", "kind": "cut", "after": after}])
            status, out, _, told = self.run_in_pod("sh", "-c", "seq 1 1000")
            self.assertEqual((status, told["event"]), (255, "error"), told)
            self.assertEqual(told["error"]["kind"], "setup_failed")
            self.assertTrue("".join("%d\n" % i for i in range(1, 1001))[:after].startswith(out), out)
            self.assertEqual(self.cluster.state()["claims"], [])

    def test_the_program_is_sent_in(self):
        status, out, err, _ = self.run_in_pod("echo", "ran", section={"program": "/nonexistent/mxc-exec"})
        self.assertEqual((status, out), (0, "ran\n"), err)
        commands = [run["command"] for run in self.cluster.state()["execs"]]
        self.assertRegex(commands[-1][0], "^/tmp/.mxc-[0-9a-f]{16}/mxc-exec$")
        self.assertFalse(os.path.exists(commands[-1][0]))

    def test_the_version_is_checked(self):
        other = self.work + "/mxc-exec"
        with open(other, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho mxc-exec 0.0.1\n")
        os.chmod(other, 0o755)
        status, out, err, _ = self.run_in_pod("echo", "ran", section={"program": other})
        self.assertEqual((status, out), (0, "ran\n"), err)
        self.assertNotEqual(self.cluster.state()["execs"][-1]["command"][0], other)

    def test_what_the_sandbox_inside_refuses(self):
        error = self.refused(process={"cwd": "/nonexistent-in-this-pod"})
        self.assertEqual(error["kind"], "policy_conflict")
        self.assertIn("refused in the pod", error["message"])

    def test_the_command_cannot_end_the_streams(self):
        script = "printf '\\036mxc-end 00000000000000000000000000000000\\n'; tr '\\0' ' ' </proc/*/cmdline; cat"
        status, out, err, _ = self.run_in_pod("sh", "-c", script)
        self.assertIn("mxc-end 0000", out)
        self.assertNotRegex(out, "mxc-end (?!0{32})")
        self.assertEqual(status, 0, err)

    def test_reap_deletes_what_is_over(self):
        self.cluster.order(claim=self.claim("mxc-old", "2020-01-01T00:00:00Z", keep=True))
        self.cluster.order(claim=self.claim("mxc-new", "2099-01-01T00:00:00Z"))
        run = self.cluster.start(["true"], flags=["--reap"])
        _, err = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 0, err)
        self.assertEqual(self.cluster.state()["claims"], ["mxc-new"])

    def test_reap_leaves_what_has_changed_meanwhile(self):
        for kind in ("replaced", "renewed"):
            with self.subTest(kind):
                self.cluster.order(claim=self.claim("mxc-old", "2020-01-01T00:00:00Z", keep=True),
                                   faults=[{"at": "delete", "kind": kind}])
                run = self.cluster.start(["true"], flags=["--reap"])
                out, err = run.communicate(timeout=30)
                self.assertEqual((run.returncode, self.cluster.state()["claims"]), (0, ["mxc-old"]), err)
                self.assertNotIn(b"mxc-old", out + err)

    def test_another_claim_of_its_name_is_not_deleted(self):
        self.cluster.order(faults=[{"at": "delete", "kind": "replaced"}])
        status, _, err, _ = self.run_in_pod("true")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(len(self.cluster.state()["claims"]), 1)

    def test_what_is_deleted_is_named_by_its_uid(self):
        for faults in ([], [{"at": "create", "kind": "lost"}, {"at": "get", "kind": "500"}]):
            self.cluster.order(faults=faults)
            self.run_in_pod("true")
            self.assertEqual(self.cluster.state()["claims"], [])
        deletes = [json.loads(each["body"]) for each in self.cluster.state()["requests"] if each["verb"] == "DELETE"]
        self.assertEqual(len(deletes), 2)
        for each in deletes:
            self.assertRegex(each["preconditions"]["uid"], "^claim-")

    @staticmethod
    def claim(name, end, keep=False):
        return {"kind": "SandboxClaim", "apiVersion": "extensions.agents.x-k8s.io/v1beta1", "keep": keep,
                "metadata": {"name": name, "labels": {"app.kubernetes.io/managed-by": "mxc-exec", "mxc-exec/owner": "somebody"}},
                "spec": {"lifecycle": {"shutdownTime": end}}}


class Documents(unittest.TestCase):
    """The manifests of docs/backends/kubernetes.md."""

    def setUp(self):
        self.cluster = self.enterContext(Cluster(PROGRAM))
        with open(HERE + "/../../docs/backends/kubernetes.md", encoding="utf-8") as file:
            manifests = file.read().split("```yaml\n")[1].split("```")[0]
        command = ["kubectl", "--kubeconfig", self.cluster.directory.name + "/kubeconfig", "create", "--validate=false",
                   "--dry-run=client", "--output=json", "--filename=-"]
        done = subprocess.run(command, input=manifests, capture_output=True, text=True, check=True,
                              env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": self.cluster.directory.name})
        self.objects = {}
        while done.stdout.strip():
            read, end = json.JSONDecoder().raw_decode(done.stdout.lstrip())
            done.stdout = done.stdout.lstrip()[end:]
            for one in read.get("items", [read]):
                self.objects[one["kind"]] = one

    def run_once(self, *flags):
        template = self.objects["SandboxTemplate"]["spec"]["podTemplate"]
        self.cluster.order(pod={"metadata": template["metadata"], "spec": template["spec"]},
                           policies=[self.objects["NetworkPolicy"]])
        run = self.cluster.start(["true"], flags=flags, section={"workspace": "/work"}, process={"cwd": "/"})
        _, err = run.communicate(timeout=60)
        return run.returncode, err

    def test_their_pods_are_fit(self):
        self.assertEqual(self.objects["SandboxWarmPool"]["spec"]["sandboxTemplateRef"]["name"],
                         self.objects["SandboxTemplate"]["metadata"]["name"])
        status, err = self.run_once()
        self.assertEqual(status, 0, err)

    def test_their_role_is_what_is_asked(self):
        self.cluster.order(faults=[{"at": "create", "kind": "409-own"}])
        self.assertEqual(self.run_once()[0], 0)
        self.assertEqual(self.run_once("--reap")[0], 0)
        self.cluster.start(["sleep", "7"], ttl=20).communicate(timeout=60)  # the lease is renewed
        template = {"warmPool": None, "template": "small"}
        for words in ({}, {"flags": ["--reap"]}):
            self.cluster.start(["sleep", "7"], ttl=20, section=template, **words).communicate(timeout=60)
        self.cluster.order(faults=[{"at": "watch", "kind": "slow"}])
        self.cluster.start(["true"], section=template).communicate(timeout=60)
        asked = set()
        for request in self.cluster.state()["requests"]:
            path, _, query = request["path"].partition("?")
            parts = path.split("/namespaces/agents/")
            if len(parts) == 1:
                continue
            group = parts[0].split("/")[2] if parts[0].startswith("/apis/") else ""
            resource, _, rest = parts[1].partition("/")
            verb = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}.get(request["verb"], "get" if rest else "list")
            if "watch=" in query:
                verb = "watch"
            asked.add((group, resource + "/exec" if rest.endswith("/exec") else resource, verb))
        granted = {(group, resource, verb) for rule in self.objects["Role"]["rules"] for group in rule["apiGroups"]
                   for resource in rule["resources"] for verb in rule["verbs"]}
        exec_verbs = {("", "pods/exec", "create"), ("", "pods/exec", "get")}  # of older and newer kubectl
        self.assertEqual(asked - exec_verbs, granted - exec_verbs)
        self.assertTrue(exec_verbs <= granted and exec_verbs & asked)


class NoCluster(unittest.TestCase):
    """kubectl reaches no API server, or one whose answer is lost."""

    def setUp(self):
        self.work = self.enterContext(tempfile.TemporaryDirectory())

    def run_with(self, server=None, ttl=20):
        """The error, and the categories of warnings, of a run with a kubeconfig of that server or without one."""
        section = {"namespace": "agents", "warmPool": "small", "ttl": ttl}
        if server:
            section["kubeconfig"] = self.work + "/kubeconfig"
            names = {"cluster": "test", "user": "test"}
            with open(section["kubeconfig"], "w", encoding="utf-8") as file:
                json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "test", "users": [{"name": "test", "user": {"token": "x"}}],
                           "clusters": [{"name": "test", "cluster": {"server": server}}], "contexts": [{"name": "test", "context": names}]}, file)
        with open(self.work + "/config.json", "w", encoding="utf-8") as file:
            json.dump({"version": "1.1.0-alpha", "containment": "kubernetes", "kubernetes": section, "process": {"argv": ["true"]}}, file)
        done = subprocess.run([PROGRAM, "--result", self.work + "/result", self.work + "/config.json"], capture_output=True, text=True,
                              check=False, env={"PATH": "/usr/bin:/bin", "HOME": self.work}, timeout=120)
        with open(self.work + "/result", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        os.unlink(self.work + "/result")
        self.assertEqual((done.returncode, lines[-1]["error"]["kind"]), (255, "unavailable"), done.stderr)
        return lines[-1]["error"], [line["category"] for line in lines if line["event"] == "warning"]

    def serve(self, answer):
        """A port of the loopback; `answer` is called with each connection when it has said something."""
        server = self.enterContext(socket.create_server(("127.0.0.1", 0)))

        def accept():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    answer(connection)
        threading.Thread(target=accept, daemon=True).start()
        return server.getsockname()[1]

    def test_what_was_never_created_is_not_left(self):
        refuse = self.serve(lambda connection: connection.sendall(b"\x15\x03\x03\0\2\2\x28"))  # handshake_failure
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        for server in (None, "https://127.0.0.1:%d" % port, "https://127.0.0.1:%d" % refuse):
            with self.subTest(server):
                error, warnings = self.run_with(server)
                self.assertNotIn("claim-left", warnings)
                self.assertIn("cannot create a SandboxClaim", error["message"])

    def test_what_may_have_been_created_is(self):
        self.assertIn("claim-left", self.run_with("http://127.0.0.1:%d" % self.serve(lambda connection: None))[1])


class Auto(unittest.TestCase):
    """Without a cluster."""

    def explain(self, config, **environment):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"version": "1.1.0-alpha", "process": {"commandLine": "true"}, **config}, file)
            file.flush()
            done = subprocess.run([PROGRAM, "--explain=json", file.name], capture_output=True, check=False,
                                  env={"PATH": "/usr/bin:/bin", **environment})
        return json.loads(done.stdout) if done.returncode == 0 else json.loads(done.stderr.splitlines()[-1])

    def test_a_section_is_a_claim_in_a_cluster_alone(self):
        config = {"containment": "auto", "kubernetes": {"namespace": "agents", "warmPool": "small"}}
        inside = self.explain(config, KUBERNETES_SERVICE_HOST="10.0.0.1")
        self.assertEqual(inside["containment"], "kubernetes")
        self.assertIn("SandboxClaim", inside["kubernetes"]["claim"])
        self.assertNotEqual(self.explain(config)["containment"], "kubernetes")

    def test_a_template_is_shown_as_a_sandbox(self):
        told = self.explain({"containment": "kubernetes", "kubernetes": {"namespace": "agents", "template": "small"}})
        self.assertIn("kubernetes", told, told)
        shown = json.loads(told["kubernetes"]["claim"])
        self.assertEqual((shown["kind"], shown["spec"]["shutdownPolicy"]), ("Sandbox", "Delete"))
        self.assertEqual(shown["spec"]["podTemplate"], "OF THE SandboxTemplate small")

    def test_without_a_section_it_says_so(self):
        told = json.dumps(self.explain({"containment": "auto"}, KUBERNETES_SERVICE_HOST="10.0.0.1")["warnings"])
        self.assertIn("in-this-pod", told)
        self.assertNotIn("in-this-pod", json.dumps(self.explain({"containment": "auto"})["warnings"]))

    def test_the_order_is_kept(self):
        told = self.explain({"containment": "auto", "selection": {"order": ["kubernetes", "landlock"]}})
        self.assertEqual(told["containment"], "landlock")
        told = self.explain({"containment": "auto", "selection": {"order": ["kubernetes"]}})
        self.assertIn("not kubernetes: this is no pod of a cluster", told["error"]["message"])


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv[1])
    if shutil.which("kubectl", path="/usr/bin:/bin:/usr/local/bin") is None:
        print("kubectl is not installed")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:], verbosity=2)


if __name__ == "__main__":
    main()
