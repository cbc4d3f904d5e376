"""Starts api_server.py, and mxc-exec against it."""
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# kubectl is started a thousand times, and a third of what its start takes is to read the messages of its language, of which
# it has few in French, to collect garbage, and to have threads for that.
QUICK_KUBECTL = {"LANG": "fr_FR.UTF-8", "GOGC": "off", "GOMAXPROCS": "1"}


class Cluster:
    """`program`: the mxc-exec under test, which is in the pods' image as well."""

    def __init__(self, program):
        self.program = program
        self.directory = tempfile.TemporaryDirectory(prefix="mxc-kubernetes-")
        path = self.directory.name
        os.chmod(path, 0o755)
        self.server = subprocess.Popen([sys.executable, "-B", HERE + "/api_server.py", path], text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        while not os.path.exists(path + "/kubeconfig"):
            assert self.server.poll() is None, "the server has ended"
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stdin.close()
        self.server.stdout.close()
        self.server.wait()
        self.directory.cleanup()

    def order(self, **order):
        self.server.stdin.write(json.dumps(order) + "\n")
        self.server.stdin.flush()
        return json.loads(self.server.stdout.readline())

    def state(self):
        return self.order(state=True)

    def start(self, command, ttl=60, section=None, stdin=subprocess.DEVNULL, out=subprocess.PIPE, err=subprocess.PIPE, flags=(),
              terminal=False, **members):
        """`terminal`: standard input becomes the controlling terminal of a session of its own."""
        section = {"namespace": "agents", "warmPool": "small", "program": self.program, "ttl": ttl,
                   "kubeconfig": self.directory.name + "/kubeconfig", **(section or {})}
        config = {
            "version": "1.1.0-alpha", "containment": "kubernetes",
            "kubernetes": {key: value for key, value in section.items() if value is not None},
            "process": {"argv": command, **members.pop("process", {})}, **members}
        name = tempfile.mkdtemp(dir=self.directory.name)
        with open(name + "/config.json", "w", encoding="utf-8") as file:
            json.dump(config, file)
        run = subprocess.Popen([self.program, *flags, "--result", name + "/result", name + "/config.json"], cwd="/",
                               env={"PATH": "/usr/bin:/bin", "HOME": self.directory.name, **QUICK_KUBECTL},
                               stdin=stdin, stdout=out, stderr=err, start_new_session=terminal,
                               preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if terminal else None)
        run.result_file = name + "/result"
        return run


def commands_of(identifier):
    """The processes in the pods that hold a command of a sandbox that stays. Pods are of this machine."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/" + name + "/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if len(words) > 2 and words[1] == b"--in-pod" and words[2].startswith(b"mxc-" + identifier[4:].encode()):
            found.append(name)
    return found


def outcome(run):
    """The last status line: of an outcome or an error."""
    with open(run.result_file, encoding="utf-8") as file:
        return json.loads(file.read().splitlines()[-1])
