"""Copilot CLI with SDK 0.6.1: one shell on a terminal for many commands, started as `MXC_BIN_DIR/x64/lxc-exec
--config-base64 B64`. The three modes of its configuration: a whole one, a policy, a base of what the user's tools need.
"""
import base64
import fcntl
import json
import os
import pty
import re
import select
import shutil
import socket
import struct
import termios
import threading
import time
import unittest

import calling

PROMPT = "READY$ "


class Shell:
    """An interactive shell on a terminal of 120 by 80, as node-pty starts it."""

    def __init__(self, arguments, cwd, environment):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execve(arguments[0], arguments, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 80, 120, 0, 0))
        self.seen = ""

    def read_until(self, text, seconds=20):
        end = time.monotonic() + seconds
        while text not in self.seen and time.monotonic() < end:
            if not select.select([self.terminal], [], [], 0.2)[0]:
                continue
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                break
            if not data:
                break
            self.seen += data.decode(errors="replace")
        at = self.seen.find(text)
        if at < 0:
            raise AssertionError(f"never said {text!r}: {self.seen!r}")
        before, self.seen = self.seen[:at], self.seen[at + len(text):]
        return before

    def run(self, command):
        """What stands between the command, as it is echoed, and the next prompt."""
        os.write(self.terminal, (command + "\n").encode())
        said = self.read_until(PROMPT).replace("\r\n", "\n")
        echoed, _, output = said.partition("\n")
        if echoed != command:
            raise AssertionError(f"between prompt and echo: {echoed!r}")
        return output

    def end(self, command="exit 3"):
        os.write(self.terminal, (command + "\n").encode())
        rest = ""
        try:
            while data := os.read(self.terminal, 65536):
                rest += data.decode(errors="replace")
        except OSError:
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status), self.seen + rest


class Copilot(calling.ClientTest):
    def setUp(self):
        super().setUp()
        folder = os.path.join(self.work, "bin", "x64")
        os.makedirs(folder)
        self.program = os.path.join(folder, "lxc-exec")
        shutil.copy(calling.PROGRAM, self.program)
        self.project = os.path.join(self.work, "project")
        os.mkdir(self.project)

    def config(self, read_write, read_only=(), network=None, **process):
        """As createConfigFromPolicy of SDK 0.6.1 makes it, with the command and the directory filled in."""
        return {
            "version": "0.5.0-alpha",
            "containerId": "97f486f5",
            "lifecycle": {"destroyOnExit": True, "preservePolicy": False},
            "process": {"commandLine": "sh -i", "timeout": 0, "cwd": self.project, **process},
            "filesystem": {"readwritePaths": list(read_write), "readonlyPaths": list(read_only), "deniedPaths": []},
            "ui": {"disable": True, "clipboard": "none", "injection": False},
            "network": network or {"defaultPolicy": "block"},
            "containment": "process",
        }

    def shell(self, config):
        encoded = base64.b64encode(json.dumps(config).encode()).decode()
        environment = {**os.environ, "TERM": "xterm-color", "MXC_BIN_DIR": os.path.join(self.work, "bin")}
        shell = Shell([self.program, "--config-base64", encoded], self.project, environment)
        self.addCleanup(lambda: os.path.exists(f"/proc/{shell.pid}/exe") and os.kill(shell.pid, 9))
        os.write(shell.terminal, f"PS1='READY''$ '\n".encode())
        shell.read_until(PROMPT)
        return shell

    def base(self):
        """Tools of the PATH, the temporary directory, the project."""
        tools = [d for d in ("/usr/local/bin", "/usr/local/sbin") if os.path.isdir(d)]
        return self.config(["/tmp", self.project], tools)

    def test_many_commands_in_one_shell(self):
        shell = self.shell(self.config([self.project]))
        self.assertEqual(shell.run("echo out; echo err >&2"), "out\nerr\n")
        self.assertEqual(shell.run("cd " + self.project + " && touch f && ls"), "f\n")
        self.assertEqual(shell.run("export A=1"), "")
        self.assertEqual(shell.run("echo $A $?"), "1 0\n")
        self.assertEqual(shell.run("(exit 9); echo $?"), "9\n")
        status, rest = shell.end("exit 3")
        self.assertEqual(status, 3)
        self.assertNotIn("mxc-exec", rest)

    def test_it_is_a_terminal_of_that_size(self):
        shell = self.shell(self.config([self.project]))
        self.assertEqual(shell.run("test -t 0 && test -t 1 && test -t 2 && echo all"), "all\n")
        self.assertEqual(shell.run("stty size"), "80 120\n")
        self.assertEqual(shell.end()[0], 3)

    def test_an_interrupt_ends_the_command_and_not_the_shell(self):
        shell = self.shell(self.config([self.project]))
        os.write(shell.terminal, b"sleep 100\n")
        shell.read_until("sleep 100")
        time.sleep(0.5)
        os.write(shell.terminal, b"\x03")
        shell.read_until(PROMPT)
        self.assertEqual(shell.run("echo on"), "on\n")
        self.assertEqual(shell.end()[0], 3)

    def test_the_first_thing_on_the_terminal_is_the_shells(self):
        """No line of ours before it, also where the temporary directory is writable."""
        for config in (self.config([self.project]), self.base()):
            config["process"]["commandLine"] = "printf first"
            encoded = base64.b64encode(json.dumps(config).encode()).decode()
            shell = Shell([self.program, "--config-base64", encoded], self.project, dict(os.environ))
            self.assertEqual(shell.end("")[1].strip(), "first")

    def test_home_can_be_written(self):
        shell = self.shell(self.base())
        self.assertEqual(shell.run("touch ~/f && echo made"), "made\n")
        self.assertEqual(shell.run("git config --global user.name me && git config --global user.name"), "me\n")
        self.assertEqual(shell.run("mkdir -p ~/.cache/pip && echo x > ~/.cache/pip/f && cat ~/.cache/pip/f"), "x\n")
        self.assertEqual(shell.end()[0], 3)
        self.assertFalse(os.path.exists(os.path.join(os.environ["HOME"], "f")), "the caller's own HOME was written")

    @unittest.skipUnless(shutil.which("npm"), "npm is not installed")
    def test_npm_pack(self):
        with open(os.path.join(self.project, "package.json"), "w", encoding="utf-8") as file:
            json.dump({"name": "p", "version": "1.0.0"}, file)
        shell = self.shell(self.base())
        self.assertTrue(shell.run("npm pack --silent").endswith("p-1.0.0.tgz\n"))
        self.assertEqual(shell.run("echo $?"), "0\n")
        self.assertEqual(shell.end()[0], 3)

    def test_what_is_not_granted_is_not_there(self):
        secret = os.path.join(self.work, "secret")
        with open(secret, "w", encoding="utf-8") as file:
            file.write("SECRET")
        shell = self.shell(self.config([self.project]))
        self.assertIn("No such file", shell.run("cat " + secret))
        self.assertEqual(shell.end()[0], 3)

    def test_an_open_network_with_the_local_one_is_the_hosts(self):
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def answer():
            connection, _ = server.accept()
            connection.sendall(b"hello")
            connection.close()

        threading.Thread(target=answer, daemon=True).start()
        shell = self.shell(self.config([self.project], network={"defaultPolicy": "allow", "allowLocalNetwork": True}))
        port = server.getsockname()[1]
        said = shell.run("python3 -c 'import socket; print(socket.create_connection((\"127.0.0.1\", " + str(port) +
                         ")).recv(9).decode())'")
        self.assertEqual(said, "hello\n")
        self.assertEqual(shell.end()[0], 3)

    def test_an_open_network_alone_begins_in_silence(self):
        shell = self.shell(self.config([self.project], network={"defaultPolicy": "allow"}))
        self.assertRegex(shell.run("cat /etc/resolv.conf"), re.compile("^nameserver ", re.MULTILINE))
        self.assertEqual(shell.end()[0], 3)

    def test_a_policy_that_is_wrong_ends_with_an_envelope(self):
        config = self.config(["relative"])
        encoded = base64.b64encode(json.dumps(config).encode()).decode()
        shell = Shell([self.program, "--config-base64", encoded], self.project, dict(os.environ))
        status, said = shell.end("")
        self.assertEqual(status, 1)
        envelopes = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        self.assertEqual(envelopes[-1]["error"]["code"], "malformed_request")
        self.assertTrue(envelopes[-1]["error"]["message"])


if __name__ == "__main__":
    unittest.main()
