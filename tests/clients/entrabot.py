"""entrabot's first runner: the executor by its hash, the configuration by standard input or in a private file, a program
and its arguments, and a record before anything runs.
"""
import hashlib
import json
import os
import shutil
import stat
import unittest

import calling


def hash_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Entrabot(calling.ClientTest):
    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.work, "audit.jsonl")
        self.granted = os.path.join(self.work, "granted")
        os.mkdir(self.granted)

    def config(self, argv, **more):
        config = {
            "version": "1.0.0",
            "containment": "process",
            "process": {"argv": argv, "cwd": self.granted, "timeout": 20000},
            "filesystem": {"readwritePaths": [self.granted]},
            "network": {"egress": {"default": "deny"}},
            "output": {"maxBytes": 4096, "redact": ["secrets", "pii"]},
            "audit": {"path": self.log, "onFailure": "refuse"},
        }
        return {**config, **more}

    def call(self, argv, environment=None, **more):
        given = json.dumps(self.config(argv, **more)).encode()
        return self.run_program(["-"], given, environment)

    def error_of(self, ended):
        return json.loads(ended.err.decode().splitlines()[-1])["error"]

    def records(self):
        with open(self.log, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_the_program_is_one_file_that_no_run_changes(self):
        pinned = hash_of(calling.PROGRAM)
        place = os.path.join(self.work, "private")
        os.mkdir(place, 0o700)
        shutil.copy(calling.PROGRAM, os.path.join(place, "executor"))
        os.chmod(os.path.join(place, "executor"), 0o500)
        self.assertEqual(self.call(["/bin/true"]).status, 0)
        self.assertEqual(hash_of(calling.PROGRAM), pinned)
        self.assertEqual(hash_of(os.path.join(place, "executor")), pinned)

    def test_a_configuration_by_standard_input_leaves_the_command_none_of_it(self):
        ended = self.call(["/bin/cat"])
        self.assertEqual((ended.status, ended.out, ended.err), (0, b"", b""), ended)

    def test_a_configuration_in_a_private_file(self):
        place = os.path.join(self.work, "private")
        os.mkdir(place, 0o700)
        file = os.path.join(place, "policy.json")
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600), "w") as out:
            json.dump(self.config(["/bin/echo", "a b", "$HOME", "*"]), out)
        self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o600)
        ended = self.run_program([file])
        self.assertEqual((ended.status, ended.out, ended.err), (0, b"a b $HOME *\n", b""), ended)

    def test_no_variable_of_the_caller_is_inside(self):
        environment = {**os.environ, "ENTRABOT_TOKEN": "5ecret-marker", "GH_TOKEN": "5ecret-marker"}
        ended = self.call(["/usr/bin/env"], environment, output={"maxBytes": 65536})
        self.assertEqual(ended.status, 0, ended)
        self.assertNotIn(b"5ecret-marker", ended.out)
        self.assertNotIn(b"TOKEN", ended.out)

    def test_a_record_is_begun_before_the_command_and_ended_after_it(self):
        self.assertEqual(self.call(["/bin/sh", "-c", "exit 7"]).status, 7)
        begin, end = self.records()
        self.assertEqual((begin["event"], end["event"]), ("begin", "end"))
        self.assertRegex(begin["policyHash"], "^sha256:[0-9a-f]{64}$")
        self.assertRegex(begin["run"], "^[0-9a-f]{16}$")
        self.assertEqual(begin["run"], end["run"])
        self.assertEqual(begin["uid"], os.getuid())
        self.assertEqual(self.call(["/bin/true"]).status, 0)
        again = self.records()
        self.assertEqual(again[2]["policyHash"], begin["policyHash"])
        self.assertNotEqual(again[2]["run"], begin["run"])
        self.assertEqual(self.run_program(["--audit-verify", self.log]).status, 0)

    def test_without_a_record_nothing_runs(self):
        made = os.path.join(self.granted, "made")
        audit = {"path": "/proc/audit.jsonl", "onFailure": "refuse"}
        ended = self.call(["/usr/bin/touch", made], audit=audit)
        self.assertEqual((ended.status, ended.out), (255, b""), ended)
        self.assertFalse(os.path.exists(made))

    def test_output_has_a_bound(self):
        ended = self.call(["/usr/bin/head", "-c", "100000", "/dev/zero"])
        self.assertEqual((ended.status, len(ended.out)), (0, 4096))

    def test_secrets_and_personal_data_are_replaced(self):
        said = "token ghp_0123456789abcdefghijklmnopqrstuvwxyz mail me@example.com key AKIAIOSFODNN7EXAMPLE end"
        ended = self.call(["/bin/echo", said])
        text = ended.out.decode()
        self.assertEqual(ended.status, 0)
        for secret in ("ghp_0123456789", "me@example.com", "AKIAIOSFODNN7EXAMPLE"):
            self.assertNotIn(secret, text)
        self.assertTrue(text.startswith("token ") and text.endswith(" end\n"), text)

    def test_links_that_lead_out_lead_nowhere(self):
        with open(os.path.join(self.work, "outside"), "w", encoding="utf-8") as file:
            file.write("OUTSIDE")
        os.symlink(os.path.join(self.work, "outside"), os.path.join(self.granted, "link"))
        ended = self.call(["/bin/cat", "link"])
        self.assertEqual((ended.status, ended.out), (1, b""), ended)
        ended = self.call(["/bin/sh", "-c", "echo x > link"])
        self.assertNotEqual(ended.status, 0)
        with open(os.path.join(self.work, "outside"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "OUTSIDE")

    def test_a_grant_through_a_link_is_refused(self):
        link = os.path.join(self.work, "link")
        os.symlink(self.granted, link)
        if os.getuid() == 0:  # one of root's own is followed
            os.lchown(link, 23456, 23456)
        ended = self.call(["/bin/true"], filesystem={"readwritePaths": [link]})
        self.assertEqual(ended.status, 255, ended)
        error = self.error_of(ended)
        self.assertEqual((error["kind"], error["pointer"]), ("policy_conflict", "/filesystem/readwritePaths/0"))

    def test_kinds_are_told_apart_by_the_last_line(self):
        for more, status, kind in (
            ({"filesystem": {"readwritePath": []}}, 1, "schema"),
            ({"containment": "wslc"}, 1, "unsupported"),
            ({"process": {"argv": ["/bin/sleep", "9"], "timeout": 200}}, 255, "timeout"),
            ({"filesystem": {"deniedPaths": ["/"]}}, 255, "policy_conflict"),
            ({"minimumTier": "virtual-machine"}, 255, "policy_conflict"),
        ):
            with self.subTest(kind):
                ended = self.call(["/bin/true"], **more)
                self.assertEqual((ended.status, self.error_of(ended)["kind"]), (status, kind), ended)

    def test_on_macos_the_keychain_stays_shut(self):
        """Shown here: what the profile of a Mac would let through."""

        def lets_in_keychain(keychain_access):
            config = self.config(["/bin/true"], containment="seatbelt", seatbelt={"keychainAccess": keychain_access})
            del config["output"]
            ended = self.run_program(["--explain=json", "-"], json.dumps(config).encode())
            self.assertEqual(ended.status, 0, ended)
            return b"com.apple.SecurityServer" in ended.out

        self.assertFalse(lets_in_keychain(False))
        self.assertTrue(lets_in_keychain(True))


if __name__ == "__main__":
    unittest.main()
