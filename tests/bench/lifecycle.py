#!/usr/bin/env python3
"""A command in a persistent sandbox, beside a run of its own: lifecycle.py PROGRAM [ROUNDS] [LXC_PATH NAME]

Rounds launch all in turn, so that a busy machine hits all alike. With the name of a running LXC container, and the
directory it is in, lxc-attach is a third."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200


def call(folder, name, **members):
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": "1.0.0", **members}, file)
    return [program, path]


def answer(command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["result"]


def milliseconds(command):
    begin = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ)
    _, status = os.waitpid(pid, 0)
    assert status == 0, command
    return (time.perf_counter() - begin) * 1000


with tempfile.TemporaryDirectory() as folder:
    process = {"commandLine": "/bin/true"}
    sandbox = answer(call(folder, "provision", phase="provision", containment="process"))["sandboxId"]
    answer(call(folder, "start", phase="start", sandboxId=sandbox))
    contenders = {"run": call(folder, "run", containment="process", process=process),
                  "exec": call(folder, "exec", phase="exec", sandboxId=sandbox, process=process)}
    if len(sys.argv) > 4:
        contenders["attach"] = ["/usr/bin/lxc-attach", "-P", sys.argv[3], "-n", sys.argv[4], "--", "/bin/true"]
    times = {name: [] for name in contenders}
    for number in range(-5, rounds):
        for name, command in contenders.items():
            elapsed = milliseconds(command)
            if number >= 0:
                times[name].append(elapsed)
    answer(call(folder, "deprovision", phase="deprovision", sandboxId=sandbox))

print(f"{'':6} {'min ms':>8} {'median':>8}")
for name, values in times.items():
    print(f"{name:6} {min(values):8.2f} {statistics.median(values):8.2f}")
paired = statistics.median(one / other for one, other in zip(times["exec"], times["run"]))
print(f"exec / run: {min(times['exec']) / min(times['run']):.2f} by minima, {paired:.2f} paired median")
if "attach" in times:
    print(f"attach / exec: {min(times['attach']) / min(times['exec']):.1f} by minima")
