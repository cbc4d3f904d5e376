#!/usr/bin/python3
"""Runs in pods of api_server.py while things go wrong.

  sweep.py MXC_EXEC faults 200 [SEED]   runs with faults at random
  sweep.py MXC_EXEC kills 100 [SEED]    launchers that are killed at random moments

faults: no run is told as a success that was none or whose output is incomplete, no command runs twice, none in a pod of
another claim, and no claim is left. kills: no claim outlives its lease.
"""
import concurrent.futures
import os
import random
import signal
import sys
import threading
import time

from cluster import Cluster, outcome

AT_ONCE = 4
LATE = 1.5  # seconds that the controller may take to delete what is over
LINES = 300  # of output, 6 bytes each
FAULTS = [("create", kind) for kind in ("429", "500", "lost", "refused", "409", "409-own", "401", "403")] + \
    [("watch", kind) for kind in ("429", "500", "refused", "410", "slow", "401")] + \
    [("pod", kind) for kind in ("stale", "wrong-uid", "late", "reason")] + \
    [("get", kind) for kind in ("429", "500", "refused")] + \
    [("exec", kind) for kind in ("cut", "replaced", "refused", "500")] + \
    [("patch", "500"), ("patch", "refused"), ("delete", "500"), ("delete", "lost"), ("delete", "refused")]
# With these the run must not be told as a success.
# Of these, "cut" and "replaced" come when the command has begun.
FATAL = {"cut", "replaced", "wrong-uid", "reason", "401", "403", "409"}


def one_fault(cluster, number, seed):
    rng = random.Random(seed * 100000 + number)
    faults = []
    for at, kind in rng.sample(FAULTS, rng.randint(1, 2)):
        fault = {"at": at, "kind": kind, "times": 1}
        if kind == "cut":
            fault["after"] = rng.randint(0, LINES * 6 - 1)
        if kind == "reason":
            fault["reason"] = rng.choice(["TemplateNotFound", "PodFailed"])
        faults.append(fault)
    cluster.order(faults=faults)
    marker = "%s/ran-%d" % (cluster.directory.name, number)
    script = "echo ran >>%s; i=0; while [ $i -lt %d ]; do printf '%%05d\\n' $i; i=$((i+1)); done; exit 7" % (marker, LINES)
    run = cluster.start(["sh", "-c", script], ttl=40,
                        filesystem={"readwritePaths": [cluster.directory.name]})
    out, err = run.communicate(timeout=120)
    told = outcome(run)
    ran = open(marker, encoding="utf-8").read().count("ran") if os.path.exists(marker) else 0
    whole = out == b"".join(b"%05d\n" % i for i in range(LINES))
    faults = [fault for fault in cluster.state()["faults"] if fault["times"] == 0]
    kinds = {fault["kind"] for fault in faults}
    wrong = []
    if told["event"] == "outcome":
        if told["exitCode"] != 7 or run.returncode != 7:
            wrong.append("a status that the command did not have")
        if not whole or ran != 1:
            wrong.append("a success that was none: whole %s, ran %d" % (whole, ran))
        if kinds & FATAL:
            wrong.append("a success in spite of it")
    elif run.returncode in (0, 7):
        wrong.append("an error with the status of a success")
    elif "error" in told and not told["error"].get("message"):
        wrong.append("an error without words")
    if ran and kinds & (FATAL - {"cut", "replaced"}):
        wrong.append("ran in spite of it")
    if ran > 1:
        wrong.append("ran %d times" % ran)
    return faults, told, wrong, err


def faults(program, count, seed):
    """One server for each of AT_ONCE workers: a fault is for the run that is under way."""
    failed, tally, lock = 0, {}, threading.Lock()
    work = iter(range(count))

    def worker():
        nonlocal failed
        with Cluster(program) as cluster:
            while True:
                with lock:
                    number = next(work, None)
                if number is None:
                    break
                given, told, wrong, err = one_fault(cluster, number, seed)
                with lock:
                    key = told["event"] if told["event"] == "outcome" else told["error"]["kind"]
                    tally[key] = tally.get(key, 0) + 1
                    for text in wrong:
                        failed += 1
                        print("run %d (seed %d), %s: %s\n%s\n%s" % (number, seed, given, text, told, err.decode()))
            cluster.order(faults=[])
            limit = time.time() + 45
            # What somebody else has made under our name is not ours to delete.
            while cluster.state()["claims"] and time.time() < limit:
                time.sleep(0.2)
            for claim in cluster.state()["claims"]:
                failed += 1
                print("left: " + claim)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for job in [pool.submit(worker) for _ in range(AT_ONCE)]:
            job.result()
    if tally.get("outcome", 0) < count // 8:
        failed += 1
        print("hardly anything has run")
    print("%d runs, seed %d: %s; %d wrong" % (count, seed, tally, failed))
    return failed


def kills(program, count, seed):
    rng, late, claims = random.Random(seed), [], 0
    with Cluster(program) as cluster:
        def kill(wait):
            run = cluster.start(["sleep", "30"], ttl=20)  # a lease of 5 s
            time.sleep(wait)
            run.send_signal(signal.SIGKILL)
            run.communicate()
            return time.time()
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            last = max(pool.map(kill, [rng.uniform(0, 8) for _ in range(count)]))
        while cluster.state()["claims"] and time.time() < last + 30:
            time.sleep(0.2)
        state = cluster.state()
        claims = len(state["ended"])
        late = [end for end in state["ended"] if end["how"] == "expired" and end["late"] > LATE]
        left = state["claims"]
        seconds = time.time() - last
    for end in late:
        print("late: %s" % end)
    print("%d killed, seed %d: %d claims, %d left, %d late; the last gone %.1f s after the last kill" %
          (count, seed, claims, len(left), len(late), seconds))
    return len(left) + len(late) + (seconds > 7)


def main():
    program, what, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(10000)
    sys.exit(1 if {"faults": faults, "kills": kills}[what](os.path.abspath(program), count, seed) else 0)


if __name__ == "__main__":
    main()
