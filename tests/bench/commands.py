#!/usr/bin/env python3
"""Many commands in one persistent sandbox: commands.py PROGRAM [COMMANDS] [CONTAINMENT]

First a hundred at a time, then COMMANDS (10000) one after the other; the resident memory, descriptors and processes of
the daemon and of the sandbox's init at the start, in the middle and at the end. Nothing is asserted but each command's status.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]
total = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
containment = sys.argv[3] if len(sys.argv) > 3 else "process"


def request(folder, name, **members):
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": "1.0.0", **members}, file)
    return [program, path]


def answer(command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def children(process):
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def tree(process):
    return [process] + [below for child in children(process) for below in tree(child)]


def name(process):
    with open(f"/proc/{process}/comm", encoding="ascii") as file:
        return file.read().strip()


def show(done, daemon, init):
    sizes = []
    for process in (daemon, init):
        with open(f"/proc/{process}/status", encoding="ascii") as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        sizes += [resident, len(os.listdir(f"/proc/{process}/fd"))]
    print("{:8} {:12} {:9} {:12} {:9} {:10}".format(done, *sizes, len(tree(daemon))), flush=True)


with tempfile.TemporaryDirectory() as folder:
    sandbox = answer(request(folder, "provision", phase="provision", containment=containment))["result"]["sandboxId"]
    try:
        answer(request(folder, "start", phase="start", sandboxId=sandbox))
        listed = answer([program, "--list"])
        holder = next(entry["holder"] for entry in listed if entry["sandboxId"] == sandbox)
        init = next(process for process in tree(daemon) if name(process) == "mxc-init")
        print("commands   daemon KiB  its fds     init KiB  its fds  processes")
        show(0, daemon, init)

        slow = request(folder, "slow", phase="exec", sandboxId=sandbox, process={"commandLine": "sleep 0.5; exit 7"})
        begin = time.monotonic()
        together = [subprocess.Popen(slow) for _ in range(100)]
        statuses = {child.wait() for child in together}
        assert statuses == {7}, statuses
        seconds = time.monotonic() - begin

        quick = request(folder, "quick", phase="exec", sandboxId=sandbox, process={"commandLine": "exit 7"})
        for number in range(total + 1):
            if number in (100, total // 2, total):
                time.sleep(0.2)  # the last supervisor ends
                show(number + 100, daemon, init)
            if number < total:
                child = os.posix_spawn(program, quick, os.environ)
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                assert status == 7, status
        print(f"100 commands of half a second at a time: {seconds:.2f} s")
    finally:
        answer(request(folder, "deprovision", phase="deprovision", sandboxId=sandbox))
