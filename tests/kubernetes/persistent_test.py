#!/usr/bin/python3
"""Sandboxes that stay in a cluster: each phase a call of mxc-exec by itself, with the real kubectl and api_server.py.

  persistent_test.py MXC_EXEC [NAME...]
"""
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from cluster import Cluster, QUICK_KUBECTL, commands_of

PROGRAM = ""
SKIPPED = 77


def record_of(identifier):
    fixed = "/run/mxc-exec" if os.geteuid() == 0 else "/tmp/mxc-exec-%d" % os.geteuid()
    [record] = [each for below in ("/", "/.place-*/") for each in glob.glob(fixed + below + "k8s-" + identifier[4:])]
    return record


def age(path, days):
    then = time.time() - days * 24 * 60 * 60
    os.utime(path, (then, then))


class Persistent(unittest.TestCase):
    def setUp(self):
        self.cluster = self.enterContext(Cluster(PROGRAM))
        self.work = self.cluster.directory.name
        self.runtime = self.runtime_directory("/run")
        self.places = set()
        self.addCleanup(self.forget)

    def runtime_directory(self, name):
        os.mkdir(self.work + name, 0o700)
        return self.work + name

    def forget(self):
        """No later call has this $XDG_RUNTIME_DIR, and what it names goes with this cluster."""
        for place in self.places:
            shutil.rmtree(place, ignore_errors=True)

    def environment(self):
        runtime = {"XDG_RUNTIME_DIR": self.runtime} if self.runtime else {}
        return {"PATH": "/usr/bin:/bin", "HOME": self.work, **QUICK_KUBECTL, **runtime}

    def start_phase(self, document, flags=(), stdin=subprocess.DEVNULL, **streams):
        name = tempfile.mkdtemp(dir=self.work)
        with open(name + "/request.json", "w", encoding="utf-8") as file:
            json.dump({"version": "1.1.0-alpha", **document}, file)
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        return subprocess.Popen([PROGRAM, *flags, name + "/request.json"], cwd="/", env=self.environment(), stdin=stdin, text=True,
                                **streams)

    def phase(self, name, *flags, **members):
        """The answer."""
        run = self.start_phase({"phase": name, **members}, flags)
        out, err = run.communicate(timeout=90)
        answer = json.loads(out)
        self.assertEqual(run.returncode, 1 if "error" in answer else 0, err)
        return answer

    def refused(self, name, **members):
        return self.phase(name, **members)["error"]

    def provision_document(self, ttl=60, section=None, **members):
        section = {"namespace": "agents", "warmPool": "small", "program": PROGRAM, "ttl": ttl,
                   "kubeconfig": self.work + "/kubeconfig", **(section or {})}
        section = {key: value for key, value in section.items() if value is not None}
        return {"phase": "provision", "containment": "kubernetes", "kubernetes": section, **members}

    def ask_provision(self, **members):
        """The answer."""
        run = self.start_phase(self.provision_document(**members))
        return json.loads(run.communicate(timeout=90)[0])

    def provision(self, **members):
        answer = self.ask_provision(**members)
        self.assertIn("result", answer)
        self.assertEqual(answer["result"]["metadata"], {"containment": "kubernetes", "tier": "container"})
        identifier = answer["result"]["sandboxId"]
        if self.runtime:
            self.places.add(os.path.dirname(record_of(identifier)))
        return identifier

    def started(self, **members):
        identifier = self.provision(**members)
        self.assertEqual(self.phase("start", sandboxId=identifier), {"result": {}})
        return identifier

    def exec(self, identifier, *command, **process):
        run = self.start_phase({"phase": "exec", "sandboxId": identifier, "process": {"argv": list(command), **process}})
        out, err = run.communicate(timeout=90)
        return run.returncode, out, err

    def list(self, flag="--list"):
        """Those in clusters: other tests have sandboxes of the same user on this machine."""
        run = subprocess.run([PROGRAM, flag], capture_output=True, text=True, check=True, env=self.environment())
        listed = json.loads(run.stdout)
        if flag == "--reap":
            return [each for each in listed["reaped"] if each.startswith("k8s:")]
        return [each for each in listed if each["sandboxId"].startswith("k8s:")]

    def ends(self):
        """Of the claims: seconds from now."""
        return [end - time.time() for end in self.cluster.state()["ends"].values()]

    def wait(self, true, seconds=15):
        end = time.time() + seconds
        while not true():
            self.assertLess(time.time(), end)
            time.sleep(0.05)

    def test_all_phases_are_on_one_claim(self):
        identifier = self.provision()
        self.assertRegex(identifier, "^k8s:[0-9a-f]{32}$")
        claims = self.cluster.state()["claims"]
        self.assertEqual(claims, ["mxc-" + identifier[4:]])
        self.assertIn("has not been started", self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})["message"])
        self.assertIn("never started", self.refused("stop", sandboxId=identifier)["message"])
        self.assertEqual(self.phase("start", sandboxId=identifier), {"result": {}})
        self.assertEqual(self.refused("start", sandboxId=identifier)["code"], "already_started")
        self.assertEqual(self.exec(identifier, "sh", "-c", "echo out; echo err >&2; exit 7"), (7, "out\n", "err\n"))
        self.assertEqual(self.exec(identifier, "echo", "again")[:2], (0, "again\n"))
        self.assertEqual(self.phase("stop", sandboxId=identifier), {"result": {}})
        self.assertEqual(self.refused("stop", sandboxId=identifier)["code"], "already_stopped")
        self.assertIn("is stopped", self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})["message"])
        self.assertEqual(self.phase("start", sandboxId=identifier), {"result": {}})
        self.assertEqual(self.exec(identifier, "echo", "more")[:2], (0, "more\n"))
        self.assertEqual(self.cluster.state()["claims"], claims)
        self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})
        state = self.cluster.state()
        self.assertEqual((state["claims"], [end["how"] for end in state["ended"]]), ([], ["deleted"]))
        self.assertEqual(self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})["code"], "stale_id")
        self.assertEqual(self.list(), [])

    def test_the_policy_holds_for_each_command(self):
        for name, text in (("secret", "TOKEN"), ("read", "readable")):
            with open(self.work + "/" + name, "w", encoding="utf-8") as file:
                file.write(text)
        os.mkdir(self.work + "/out")
        identifier = self.started(filesystem={
            "readonlyPaths": [self.work], "readwritePaths": [self.work + "/out"], "deniedPaths": [self.work + "/secret"]})
        script = "cat read; cat secret; echo no >read; echo yes >>out/new; cat out/new"
        self.assertEqual(self.exec(identifier, "sh", "-c", script, cwd=self.work)[1], "readableyes\n")
        self.assertEqual(self.exec(identifier, "sh", "-c", script, cwd=self.work)[1], "readableyes\nyes\n")

    def test_environment_and_input_are_the_commands(self):
        identifier = self.started()
        run = self.start_phase({"phase": "exec", "sandboxId": identifier, "process": {
            "commandLine": "echo $TOKEN; cat", "env": ["TOKEN=swordfish"]}}, stdin=subprocess.PIPE)
        self.assertEqual(run.communicate("input\n", timeout=60)[0], "swordfish\ninput\n")
        state = json.dumps(self.cluster.state())
        self.assertNotIn("swordfish", state)
        self.assertNotIn("TOKEN", state)

    def test_the_verbs(self):
        config = {k: v for k, v in self.provision_document().items() if k != "phase"}
        with open(self.work + "/config.json", "w", encoding="utf-8") as file:
            json.dump({"version": "1.1.0-alpha", "process": {"argv": ["true"], "env": ["FROM=start"], "inheritDefaultEnv": True},
                       **config}, file)

        def verb(*words):
            return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, env=self.environment(), cwd="/")
        begun = verb("start", self.work + "/config.json")
        self.assertEqual(begun.returncode, 0, begun.stderr)
        identifier = begun.stdout.strip()
        self.places.add(os.path.dirname(record_of(identifier)))
        done = verb("exec", identifier[:10], "--", "sh", "-c", "echo $FROM; exit 3")
        self.assertEqual((done.returncode, done.stdout), (3, "start\n"), done.stderr)
        self.assertEqual(verb("exec", "--background", identifier, "--", "true").returncode, 1)
        self.assertEqual(verb("stop", identifier).returncode, 0)
        self.assertEqual(self.cluster.state()["claims"], [])

    def test_its_time_begins_anew_with_each_call(self):
        identifier = self.provision(ttl=30)
        self.assertAlmostEqual(self.ends()[0], 30, delta=9)
        for name, members in (("start", {}), ("exec", {"process": {"argv": ["true"]}}), ("stop", {})):
            time.sleep(3)
            before = self.ends()[0] + time.time()
            run = self.start_phase({"phase": name, "sandboxId": identifier, **members})
            told = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 0, told)
            self.assertGreater(self.ends()[0] + time.time(), before + 1, name)

    def test_its_time_is_the_api_servers(self):
        """Whose clock is set while the sandbox is there."""
        identifier = self.provision(ttl=60)
        for name, ahead in (("start", 30), ("exec", -20), ("stop", 10)):
            self.cluster.order(ahead=ahead)
            self.phase(name, sandboxId=identifier) if name != "exec" else self.exec(identifier, "true")
            self.assertAlmostEqual(self.ends()[0], 60 + ahead, delta=9)

    def test_the_lifetime_bounds_all_of_that(self):
        identifier = self.started(ttl=300, session={"lifetimeMs": 60000})
        self.assertLess(self.ends()[0], 61)
        self.cluster.order(ahead=60)
        self.wait(lambda: not self.cluster.state()["claims"])
        self.assertEqual(self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})["code"], "stale_id")

    def test_the_idle_time_bounds_it(self):
        self.provision(ttl=300, session={"idleTimeoutMs": 60000})
        self.assertLess(self.ends()[0], 61)

    def test_a_command_ends_before_the_claim(self):
        identifier = self.started(ttl=40)  # on a loaded machine half of that passes before it has started
        begin = time.time()
        status, _, err = self.exec(identifier, "sleep", "80", timeout=80000)
        self.assertNotEqual(status, 0)
        self.assertIn("is ended after 36000 ms", err)
        self.assertLess(time.time() - begin, 80)

    def test_a_replaced_pod_is_refused(self):
        identifier = self.started()
        self.assertEqual(self.exec(identifier, "echo", "ran")[:2], (0, "ran\n"))
        self.cluster.order(replace=True)
        runs = len(self.cluster.state()["execs"])
        for name, members in (("exec", {"process": {"argv": ["true"]}}), ("stop", {})):
            error = self.refused(name, sandboxId=identifier, **members)
            self.assertEqual(error["code"], "stale_id")
            self.assertIn("was replaced", error["message"])
        self.assertEqual(len(self.cluster.state()["execs"]), runs)
        self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})
        self.assertEqual(self.cluster.state()["claims"], [])

    def test_a_pod_that_is_replaced_while_the_command_runs(self):
        identifier = self.started()
        self.cluster.order(faults=[{"at": "exec", "kind": "replaced"}])
        _, out, err = self.exec(identifier, "true")
        self.assertIn("was replaced", out + err)

    def test_the_pod_is_judged_each_time(self):
        identifier = self.started()
        self.cluster.order(policies=[])
        error = self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})
        self.assertIn("network-policy", error["message"])

    def test_a_claim_of_another_owner(self):
        identifier = self.started()
        runs = len(self.cluster.state()["execs"])
        self.cluster.order(disown=True)
        error = self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})
        self.assertEqual(error["code"], "stale_id")
        self.assertIn("is not the one", error["message"])
        self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})
        state = self.cluster.state()
        self.assertEqual((len(state["claims"]), len(state["execs"])), (1, runs))  # it is left alone
        self.assertEqual([each for each in state["requests"] if each["verb"] == "DELETE"], [])

    def test_an_expired_claim(self):
        identifier = self.started(ttl=30)  # as above
        self.wait(lambda: not self.cluster.state()["claims"], 60)
        self.assertEqual(self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})["code"], "stale_id")
        self.wait(lambda: self.list()[0]["state"] == "expired", 60)
        self.assertEqual(self.list("--reap"), [identifier])
        self.assertEqual(self.list(), [])

    def test_what_is_gone_is_deprovisioned(self):
        identifier = self.started()
        self.cluster.order(vanish=True)
        self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})
        self.assertEqual(self.refused("deprovision", sandboxId=identifier)["code"], "stale_id")

    def test_deprovision_that_fails_may_be_repeated(self):
        identifier = self.provision()
        self.cluster.order(faults=[{"at": "delete", "kind": "403"}])
        self.assertIn("forbidden", self.refused("deprovision", sandboxId=identifier)["message"])
        self.assertEqual(len(self.list()), 1)
        self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})
        self.assertEqual(self.cluster.state()["claims"], [])

    def test_a_provision_that_fails_leaves_nothing(self):
        faults = ({"at": "pod", "kind": "reason", "reason": "PodFailed"}, {"at": "create", "kind": "403"},
                  {"at": "patch", "kind": "403", "times": 3}, {"at": "get pods", "kind": "403"})
        for fault in faults:
            with self.subTest(fault):
                self.cluster.order(faults=[fault])
                answer = self.ask_provision()
                self.assertEqual(answer["error"]["kind"], "unavailable", answer)
                self.assertEqual((self.cluster.state()["claims"], self.list()), ([], []))

    def test_an_unfit_pod_is_not_kept(self):
        self.cluster.order(pod={"spec": {"hostPID": True}})
        error = self.ask_provision()["error"]
        self.assertIn("spec.hostPID", error["message"])
        self.assertEqual((self.cluster.state()["claims"], self.cluster.state()["execs"], self.list()), ([], [], []))

    def test_a_killed_provision_leaves_a_claim_no_longer_than_its_lease(self):
        self.cluster.order(faults=[{"at": "pod", "kind": "reason", "reason": "SandboxNotReady"}])
        run = self.start_phase(self.provision_document(ttl=20))
        self.wait(lambda: self.cluster.state()["claims"])
        run.kill()
        run.communicate()
        self.wait(lambda: not self.cluster.state()["claims"], 12)  # a lease of 5 s
        self.assertEqual(self.list(), [])

    def test_a_provision_that_is_killed_at_any_moment(self):
        for _ in range(8):
            run = self.start_phase(self.provision_document(ttl=8))
            time.sleep(random.random() * 2.5)
            run.kill()
            run.communicate()
        self.wait(lambda: not self.cluster.state()["claims"], 12)
        self.assertTrue(all(end["how"] == "expired" and end["late"] < 5 for end in self.cluster.state()["ended"]))
        self.wait(lambda: all(each["state"] == "expired" for each in self.list()))
        self.list("--reap")
        self.assertEqual(self.list(), [])

    def test_a_signal_to_provision_deletes_the_claim(self):
        self.cluster.order(faults=[{"at": "pod", "kind": "reason", "reason": "SandboxNotReady"}])
        run = self.start_phase(self.provision_document())
        self.wait(lambda: any("watch" in each["path"] for each in self.cluster.state()["requests"]))
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=30)
        self.assertEqual((self.cluster.state()["claims"], self.list()), ([], []))

    def test_nobody_reads_the_identifier(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.start_phase(self.provision_document(), stdout=full).communicate(timeout=60)
        self.assertEqual((self.cluster.state()["claims"], self.list()), ([], []))

    def test_a_signal_ends_the_command_and_not_the_sandbox(self):
        identifier = self.started()
        run = self.start_phase({"phase": "exec", "sandboxId": identifier, "process": {"argv": ["sleep", "50"]}})
        self.wait(lambda: any("--in-pod" in each["command"] for each in self.cluster.state()["execs"]))
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 128 + signal.SIGINT)
        self.wait(lambda: not commands_of(identifier))
        self.assertEqual(self.exec(identifier, "echo", "ran")[:2], (0, "ran\n"))

    def test_stop_ends_what_runs(self):
        identifier = self.started()
        runs = [self.start_phase({"phase": "exec", "sandboxId": identifier, "process": {"argv": ["sleep", "50"]}}) for _ in range(2)]
        self.wait(lambda: len(commands_of(identifier)) >= 2)
        time.sleep(1)
        self.assertEqual(self.phase("stop", sandboxId=identifier), {"result": {}})
        for run in runs:
            run.communicate(timeout=30)
            self.assertNotEqual(run.returncode, 0)
        self.assertEqual(commands_of(identifier), [])

    def test_stop_waits_for_what_was_let_in(self):
        identifier = self.started()
        self.cluster.order(faults=[{"at": "exec", "kind": "hang", "seconds": 10}])
        run = self.start_phase({"phase": "exec", "sandboxId": identifier, "process": {"argv": ["sleep", "20"]}})
        self.wait(lambda: any("command=--in-pod" in each["path"] for each in self.cluster.state()["requests"]))
        self.assertEqual(self.phase("stop", sandboxId=identifier), {"result": {}})
        while run.poll() is None:
            self.assertEqual(commands_of(identifier), [])
            time.sleep(0.1)
        run.communicate()
        self.assertNotEqual(run.returncode, 0)

    def test_a_stop_that_fails_may_be_repeated(self):
        identifier = self.started(ttl=20)
        run = self.start_phase({"phase": "exec", "sandboxId": identifier, "process": {"argv": ["yes"]}})
        run.stdout.read(1)
        self.wait(lambda: commands_of(identifier))
        run.send_signal(signal.SIGSTOP)
        self.assertIn("was let in", self.refused("stop", sandboxId=identifier)["message"])
        run.kill()
        run.communicate()
        self.assertEqual(self.phase("stop", sandboxId=identifier), {"result": {}})

    def test_a_sandbox_of_a_template_stays(self):
        identifier = self.started(section={"warmPool": None, "template": "small"})
        self.assertEqual(self.exec(identifier, "echo", "ran")[:2], (0, "ran\n"))
        self.assertGreater(self.ends()[0], 40)
        self.cluster.order(replace=True)
        self.assertIn("was replaced", self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})["message"])
        self.assertEqual(self.phase("deprovision", sandboxId=identifier), {"result": {}})
        self.assertEqual(self.cluster.state()["claims"], [])

    def test_the_program_is_sent_in_once(self):
        identifier = self.started(section={"program": "/nonexistent/mxc-exec"})
        self.assertEqual(self.exec(identifier, "echo", "ran")[:2], (0, "ran\n"))
        self.assertEqual(self.exec(identifier, "echo", "ran")[:2], (0, "ran\n"))
        commands = [each["command"][0] for each in self.cluster.state()["execs"]]
        self.assertEqual(commands.count("sh"), 1)
        self.assertEqual(commands[-1], "/tmp/.mxc-" + identifier[4:] + "/mxc-exec")

    def test_the_program_may_not_be_written(self):
        for path in ("/tmp", "/", os.path.dirname(PROGRAM)):
            error = self.ask_provision(filesystem={"readwritePaths": [path]})["error"]
            self.assertEqual(error["kind"], "policy_conflict")
        self.assertEqual(self.cluster.state()["requests"], [])

    def test_only_its_owner_has_the_record(self):
        identifier = self.started()
        record = record_of(identifier)
        self.assertEqual(os.stat(record).st_mode & 0o777, 0o600)
        runs = len(self.cluster.state()["requests"])
        os.chmod(record, 0o644)
        self.assertEqual(self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})["code"], "stale_id")
        os.chmod(record, 0o600)
        os.link(record, record + ".other")
        self.assertEqual(self.refused("exec", sandboxId=identifier, process={"argv": ["true"]})["code"], "stale_id")
        os.unlink(record + ".other")
        self.assertEqual(len(self.cluster.state()["requests"]), runs)
        self.assertEqual(self.exec(identifier, "echo", "ran")[:2], (0, "ran\n"))
        self.assertEqual(self.refused("exec", sandboxId="k8s:" + "0" * 32, process={"argv": ["true"]})["code"], "stale_id")

    def test_what_has_been_over_for_a_day_is_forgotten(self):
        """Nobody may have that $XDG_RUNTIME_DIR any more."""
        record = record_of(self.provision())
        place = os.path.dirname(record)
        self.runtime = self.runtime_directory("/other")
        age(record, 0.5)
        self.provision()
        self.assertTrue(os.path.exists(record))
        age(record, 2)
        self.provision()
        self.assertFalse(os.path.exists(record))
        self.assertTrue(os.path.exists(place))
        age(place, 2)
        self.runtime = None
        self.assertEqual(self.phase("deprovision", sandboxId=self.provision()), {"result": {}})
        self.assertFalse(os.path.exists(place))

    def test_listing_asks_no_cluster(self):
        identifier = self.started()
        asked = len(self.cluster.state()["requests"])
        listed = self.list()
        self.assertEqual([(each["sandboxId"], each["state"]) for each in listed], [(identifier, "started")])
        self.assertNotIn("commands", listed[0])
        self.assertEqual(self.list("--reap"), [])
        self.assertEqual(len(self.cluster.state()["requests"]), asked)


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv[1])
    if shutil.which("kubectl", path="/usr/bin:/bin:/usr/local/bin") is None:
        print("kubectl is not installed")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:], verbosity=2)


if __name__ == "__main__":
    main()
