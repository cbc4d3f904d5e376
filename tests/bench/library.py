#!/usr/bin/env python3
"""What libmxc_ffi.so adds to a launch: library.py LIBRARY ROUNDS [CONTAINMENT]

Every round starts the program beside the library once by posix_spawn, with its output to two pipes that are read to their end,
and once by mxc_run_json, in random order. In ms: the minima, the medians, and the median of the differences within a round.
"""
import ctypes
import json
import os
import random
import statistics
import sys
import tempfile
import time

library, rounds = os.path.realpath(sys.argv[1]), int(sys.argv[2])
program = os.path.join(os.path.dirname(library), "mxc-exec")
containment = sys.argv[3] if len(sys.argv) > 3 else "process"
request = json.dumps({"version": "1.0.0", "containment": containment, "process": {"commandLine": "/usr/bin/true"}}).encode()


class Result(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int32), ("exit_code", ctypes.c_int32), ("timed_out", ctypes.c_int32)] + [
        (name, ctypes.c_void_p) for name in ("output", "errors", "message", "operation", "code", "remediation", "metadata", "warnings")]


ffi = ctypes.CDLL(library)
config = tempfile.NamedTemporaryFile("wb", suffix=".json")
config.write(request)
config.flush()
null = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)


def by_spawn():
    begin = time.perf_counter()
    pipes = [os.pipe2(os.O_CLOEXEC) for _ in range(2)]
    actions = [(os.POSIX_SPAWN_DUP2, null, 0)] + [(os.POSIX_SPAWN_DUP2, writing, i + 1) for i, (_, writing) in enumerate(pipes)]
    process = os.posix_spawn(program, ["mxc-exec", "--quiet", config.name], os.environ, file_actions=actions)
    for _, writing in pipes:
        os.close(writing)
    for reading, _ in pipes:
        while os.read(reading, 4096):
            pass
        os.close(reading)
    _, status = os.waitpid(process, 0)
    elapsed = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{program} ended with {status}")
    return elapsed * 1e3


def by_library():
    result = Result()
    begin = time.perf_counter()
    status = ffi.mxc_run_json(request, 0, ctypes.byref(result))
    ffi.mxc_run_result_free(ctypes.byref(result))
    elapsed = time.perf_counter() - begin
    if status != 0 or result.exit_code != 0:
        sys.exit(f"mxc_run_json answered {status}, exit code {result.exit_code}")
    return elapsed * 1e3


taken = {by_spawn: [], by_library: []}
for _ in range(rounds):
    for way in random.sample(list(taken), len(taken)):
        taken[way].append(way())
spawn, library_call = taken[by_spawn], taken[by_library]
for title, pick in (("min", min), ("median", statistics.median)):
    print(f"{title:>6}: posix_spawn {pick(spawn):7.3f}, library {pick(library_call):7.3f}, added {pick(library_call) - pick(spawn):6.3f}")
print(f"paired: added {statistics.median(b - a for a, b in zip(spawn, library_call)):6.3f}")
