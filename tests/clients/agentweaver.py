"""Agentweaver: `EXE --experimental --config-base64 B64`, with pipes for output and no input.

It shows both streams to people as they are, takes the status for the command's, and ends a run that is late by SIGKILL.
"""
import base64
import json
import os
import re
import subprocess
import unittest

import calling


def as_system_text_json(value):
    """JSON as .NET's default encoder writes it: what HTML or a shell could act on is escaped."""
    text = json.dumps(value, separators=(",", ":"))
    text = re.sub(r"\\.", lambda pair: "\\u0022" if pair[0] == '\\"' else pair[0], text)
    return re.sub(r"['+<>&`]", lambda match: f"\\u{ord(match[0]):04X}", text)


class Agentweaver(calling.ClientTest):
    def arguments(self, command, network="block", more_of_files=None):
        config = {
            "version": "0.4.0-alpha",
            "containerId": "0a1b2c3d",
            "lifecycle": {"destroyOnExit": True, "preservePolicy": False},
            "process": {"commandLine": command, "cwd": self.work, "timeout": 0},
            "filesystem": {"readwritePaths": [self.work], "readonlyPaths": [], "deniedPaths": [], **(more_of_files or {})},
            "ui": {"disable": True, "clipboard": "none", "injection": False},
            "network": {"defaultPolicy": network},
            "containment": "process",
        }
        encoded = base64.b64encode(as_system_text_json(config).encode()).decode()
        return ["--experimental", "--config-base64", encoded]

    def call(self, command, network="block"):
        return self.run_program(self.arguments(command, network))

    def expect(self, command, out, err="", status=0):
        ended = self.call(command)
        self.assertEqual((ended.status, ended.out.decode(), ended.err.decode()), (status, out, err))

    def test_streams_are_the_commands_byte_by_byte(self):
        self.expect("printf 'a\\0b\\377' | od -An -tx1", " 61 00 62 ff\n")
        self.expect("echo out; echo err >&2", "out\n", "err\n")
        ended = self.call("head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2")
        self.assertEqual((len(ended.out), len(ended.err)), (300000, 200000))

    def test_characters_that_its_encoder_escapes(self):
        self.expect("""echo "it's <b>1+1</b> & `echo tick` \\"q\\" é" > f && cat f""",
                    "it's <b>1+1</b> & tick \"q\" é\n")

    def test_status_is_the_commands(self):
        for status in (1, 2, 77, 254):
            self.expect(f"exit {status}", "", status=status)
        self.expect("kill -TERM $$", "", status=143)
        ended = self.call("no-such-program-here")
        self.assertEqual(ended.status, 127, ended)
        self.assertIn(b"not found", ended.err)

    def test_there_is_no_input(self):
        self.expect("wc -c", "0\n")

    def test_everyday_commands(self):
        self.write("src/a.txt", "one\ntwo\n")
        for command in ("ls src", "cat src/a.txt", "grep -rn two .", "find . -name '*.txt'", "sed -i s/one/1/ src/a.txt",
                        "mkdir -p build && cp src/a.txt build/ && rm build/a.txt", "tar cf a.tar src && tar tf a.tar",
                        "python3 -c 'print(6 * 7)'", "sort src/a.txt | uniq -c", "env | grep -q ^PATH=", "id -u",
                        "test $(pwd) = " + self.work):
            with self.subTest(command):
                ended = self.call(command)
                self.assertEqual((ended.status, ended.err), (0, b""), ended)

    def make_repository(self):
        """As the client finds one: made on the host, before its commands."""
        self.write("f", "x\n")
        for words in (["init", "-q"], ["config", "user.name", "me"], ["config", "user.email", "me@example.com"],
                      ["add", "f"], ["commit", "-qm", "one"]):
            subprocess.run(["git", *words], cwd=self.work, check=True)

    def test_git_of_every_kind(self):
        self.make_repository()
        for command, out in (
            ("git status --short", ""),
            ("echo y >> f && git status --short", " M f\n"),
            ("git commit -qam two && git log --format=%s", "two\none\n"),
            ("git branch topic && git switch -q topic && git branch --show-current", "topic\n"),
            ("git diff HEAD~1 --stat | tail -1", " 1 file changed, 1 insertion(+)\n"),
            ("echo z >> f && git stash -q && git stash list | wc -l", "1\n"),
        ):
            with self.subTest(command):
                self.expect(command, out)

    def test_settings_of_git_stay(self):
        """What a command could have the host's git run. The last line says how to let harmless keys be written."""
        self.make_repository()
        for command in ("git config user.name you", "git remote add origin https://example.com/x.git"):
            with self.subTest(command):
                ended = self.call(command)
                self.assertNotEqual(ended.status, 0)
                self.assertEqual(ended.out, b"")
                last = ended.err.decode().splitlines()[-1]
                self.assertIn("mxc-exec: warning: git could not write", last)
                self.assertIn('"protect": {"git": {"config": "allow-safe"}}', last)
        safe = {"protect": {"git": {"config": "allow-safe"}}}
        for command in ("git config user.name you", "git remote add origin https://example.com/x.git && git remote"):
            with self.subTest("allowed: " + command):
                ended = self.run_program(self.arguments(command, more_of_files=safe))
                self.assertEqual((ended.status, ended.err), (0, b""), ended)

    def test_a_new_repository_is_named(self):
        self.make_repository()
        for command in ("git worktree add -q side && cat side/f", "git init -q more && cat f"):
            with self.subTest(command):
                ended = self.call(command)
                self.assertEqual((ended.status, ended.out), (0, b"x\n"), ended)
                self.assertIn(b"mxc-exec: warning: the command has left new repositories", ended.err)
        self.expect("git -C side status --short", "")

    def test_it_is_contained(self):
        secret = os.path.join(calling.AREA, "secret")
        with open(secret, "w", encoding="utf-8") as file:
            file.write("SECRET")
        ended = self.call(f"cat {secret}; touch {calling.AREA}/made; echo $?")
        self.assertEqual(ended.out, b"1\n", ended)
        self.assertNotIn(b"SECRET", ended.err)
        self.assertFalse(os.path.exists(os.path.join(calling.AREA, "made")))

    def test_closed_network(self):
        self.expect("python3 -c 'import socket; print(len(socket.if_nameindex()))'", "1\n")

    def test_open_network_starts_without_a_word(self):
        ended = self.call("echo out", network="allow")
        self.assertEqual((ended.status, ended.out, ended.err), (0, b"out\n", b""), ended)

    def test_nothing_outlives_its_sigkill(self):
        marker = f"99{os.getpid()}.25"
        process = self.start(self.arguments(f"sleep {marker} & sleep {marker}"))
        self.assertTrue(calling.eventually(lambda: len(calling.processes_with(f"sleep\0{marker}")) >= 2))
        calling.kill(process)
        self.assertTrue(calling.eventually(lambda: not calling.processes_with(f"sleep\0{marker}")))


if __name__ == "__main__":
    unittest.main()
