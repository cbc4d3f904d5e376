#!/usr/bin/env python3
"""Writes the order in which the release is linked: launch_order.py PROGRAM > src/launch_order.ld

PROGRAM is a release with its symbols:

    cmake --preset release -B build/symbols -DCMAKE_EXE_LINKER_FLAGS=-Wl,--gc-sections && cmake --build build/symbols
    tests/bench/launch_order.py build/symbols/mxc-exec > src/launch_order.ld

It is run under valgrind, which sees the functions a launcher calls until it makes the sandbox; those of the sandbox's
first process are taken by the names of their files. A list that has grown old costs some speed and nothing else."""
import base64
import json
import os
import re
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[1])


def called(folder, *arguments):
    """The functions that a launch with these arguments calls, up to the sandbox."""
    out = os.path.join(folder, "calls")
    subprocess.run(["valgrind", "--tool=callgrind", "--demangle=no", "--callgrind-out-file=" + out, program, *arguments],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    names, seen = {}, set()
    with open(out, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line)
            if not match:
                continue
            if match[3]:
                names[match[2]] = re.sub(r"'\d+$", "", match[3].strip())  # the depth of a recursion
            if not match[1]:
                seen.add(match[2])
    return {names[number] for number in seen if re.fullmatch(r"[A-Za-z_]\w*", names.get(number, ""))}


with tempfile.TemporaryDirectory() as folder:
    def file_of(name, **members):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": "1.0.0", **members}, file)
        return path

    def answer(path):
        ended = subprocess.run([program, path], stdout=subprocess.PIPE, check=True)
        return json.loads(ended.stdout)["result"]

    os.mkdir(os.path.join(folder, "project"))
    command = {"process": {"commandLine": "/bin/true", "cwd": folder + "/project", "env": ["A=b"]}}
    run = file_of("run", containment="process", **command, filesystem={
        "readonlyPaths": [folder], "readwritePaths": [folder + "/project"], "deniedPaths": [folder + "/run"]})
    sandbox = {"sandboxId": answer(file_of("provision", phase="provision", containment="process"))["sandboxId"]}
    answer(file_of("start", phase="start", **sandbox))
    execute = file_of("exec", phase="exec", process={"commandLine": "/bin/true"}, **sandbox)
    try:
        of_exec = called(folder, execute)
        with open(run, "rb") as text:
            of_run = called(folder, run) | called(folder, "--config-base64", base64.b64encode(text.read()).decode())
    finally:
        answer(file_of("end", phase="deprovision", **sandbox))

print("/* What a launch calls, next to each other. Written by tests/bench/launch_order.py. */")
print("SECTIONS {\n  .text.launch : {")
for title, names in (("an exec", of_exec - of_run), ("an exec and a run", of_exec & of_run), ("a run", of_run - of_exec)):
    print(f"    /* {title} */")
    for name in sorted(names):
        print(f"    *(.text.{name})")
print("    /* init */\n    *:engine_*.cc.o(.text.*)\n  }\n} INSERT BEFORE .text;")
