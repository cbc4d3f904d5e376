#!/usr/bin/env python3
"""Runs the command of a configuration as an `exec` in a sandbox of its own: in_session.py PROGRAM [FLAG...] CONFIG

What checks runs of mxc-exec can so check persistent sandboxes: provision, start, exec, stop, deprovision, with the
streams, the signals and the exit status of the command. A refusal of any phase goes to standard error.
"""
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile


def refuse(text, status):
    sys.stderr.write(text)
    sys.exit(status)


def unique(members):
    if len(dict(members)) != len(members):
        raise ValueError("a key stands twice")
    return dict(members)


def request(folder, program, phase, members):
    path = os.path.join(folder, phase + ".json")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump({**members, "phase": phase}, file)
    return [*program, path]


def call(command):
    """The result of a phase that answers; descriptors that we have inherited are inherited on."""
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           close_fds=False, check=False)
    if ended.returncode != 0:
        refuse(ended.stderr.decode(errors="replace") + ended.stdout.decode(errors="replace"), 255)
    return json.loads(ended.stdout)["result"]


def end_with_us():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def run(command):
    """Its exit status. The signals we get are its, SIGKILL included."""
    child = subprocess.Popen(command, close_fds=False, preexec_fn=end_with_us)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: child.send_signal(number))
    status = child.wait()
    return status if status >= 0 else 128 - status


def main():
    program, path = sys.argv[1:-1], sys.argv[-1]
    try:
        with open(path, "rb") as file:
            config = json.loads(file.read(), object_pairs_hook=unique)
        process, version = config["process"], {key: config[key] for key in ("version",) if key in config}
    except (ValueError, TypeError, KeyError):
        os.execv(program[0], [*program, path])  # no configuration: it says why
    policy = {key: value for key, value in config.items() if key != "lifecycle"}
    policy.setdefault("containment", "process")
    policy.setdefault("session", {"idleTimeoutMs": 60000})  # should we be killed
    with tempfile.TemporaryDirectory(prefix="in-session-") as folder:
        sandbox = {**version, "sandboxId": call(request(folder, program, "provision", policy))["sandboxId"]}
        try:
            call(request(folder, program, "start", sandbox))
            status = run(request(folder, program, "exec", {**sandbox, "process": process}))
            subprocess.run(request(folder, program, "stop", sandbox), stdout=subprocess.DEVNULL, check=False)
        finally:
            call(request(folder, program, "deprovision", sandbox))
    sys.exit(status)


if __name__ == "__main__":
    main()
