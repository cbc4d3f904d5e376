#!/usr/bin/env python3
"""Compares builds of the program by their launches: paired.py ROUNDS CONTAINMENT PROGRAM PROGRAM...

Every round launches every program once, in a new random order. Ratios are to the first program: of the minima, of the
medians, and the median of the ratios within a round. Processor time includes all that the launcher has waited for.

How a file came to be lies in the page cache, and is worth a tenth of a launch: each COPY_ROUNDS rounds every program is
copied anew.
"""
import os
import random
import statistics
import sys
import tempfile
import time

COPY_ROUNDS = 40
rounds, containment, programs = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
config = tempfile.NamedTemporaryFile("w", suffix=".json")
config.write('{"version":"1.0.0","containment":"%s","process":{"commandLine":"/usr/bin/true"}}' % containment)
config.flush()
null = os.open("/dev/null", os.O_RDWR)
quiet = [(os.POSIX_SPAWN_DUP2, null, stream) for stream in (0, 1, 2)]


def launch(program):
    begin = time.perf_counter()
    process = os.posix_spawn(program, [program, config.name], os.environ, file_actions=quiet)
    _, status, used = os.wait4(process, 0)
    elapsed = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{program} ended with {status}")
    return elapsed * 1e3, (used.ru_utime + used.ru_stime) * 1e3


def copy_of(program, name):
    with open(program, "rb") as source, open(name, "wb") as copy:
        copy.write(source.read())
    os.chmod(name, 0o755)
    return name


taken = {program: [] for program in programs}
with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
    for done in range(rounds):
        if done % COPY_ROUNDS == 0:
            copies = {program: copy_of(program, f"{directory}/{done}.{place}") for place, program in enumerate(programs)}
        for program in random.sample(programs, len(programs)):
            taken[program].append(launch(copies[program]))

for column, title in enumerate(("launch", "processor")):
    print(f"{title:>10}: min, 10 %, median in ms, each with its ratio; ratio within a round")
    first = [times[column] for times in taken[programs[0]]]
    for program in programs:
        own = [times[column] for times in taken[program]]
        figures = []
        for part in (0, 0.1, 0.5):
            mine, other = (sorted(x)[int(part * (rounds - 1))] for x in (own, first))
            figures.append(f"{mine:7.3f} {mine / other:5.3f}")
        paired = statistics.median(a / b for a, b in zip(own, first))
        print(f"{os.path.basename(program):>10}: {'   '.join(figures)}   {paired:5.3f}")
