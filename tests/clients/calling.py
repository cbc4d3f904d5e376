"""What the tests of clients share: the program under test, started as a client starts it."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

AREA = os.environ["MXC_TEST_AREA"]
PROGRAM = os.path.join(AREA, "bin", "mxc-exec")


class Ended:
    """How a run ended, and all that it said, as bytes."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\nstdout {self.out!r}\nstderr {self.err!r}"


class ClientTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="work-", dir=AREA)
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def read(self, name):
        with open(os.path.join(self.work, name), encoding="utf-8") as file:
            return file.read()

    def start(self, arguments, stdin=subprocess.DEVNULL, environment=None):
        return subprocess.Popen([PROGRAM, *arguments], stdin=stdin, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=environment)

    def run_program(self, arguments, given=None, environment=None):
        stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
        process = self.start(arguments, stdin, environment)
        out, err = process.communicate(given, timeout=60)
        return Ended(process.returncode, out, err)


def processes_with(marker):
    """Numbers of the processes whose command line holds `marker`, in every namespace below."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                if marker.encode() in file.read() and int(number) != os.getpid():
                    found.append(int(number))
        except OSError:
            pass
    return found


def eventually(holds, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.communicate()
