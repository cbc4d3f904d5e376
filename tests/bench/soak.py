#!/usr/bin/env python3
"""Mixed load through the network gateway for a long time: its descriptors and its memory must stay flat.

    python3 tests/bench/soak.py build/release/mxc-exec [SECONDS]

Servers stand on the host's loopback, which the sandbox reaches as host.mxc.internal; the load runs inside: streams,
short connections, resets, half-closed and refused ones, DNS questions (allowed, refused, malformed), datagrams. Every ten
seconds one line says what the gateway holds. The last line compares the first minute with the end; nothing is asserted.
"""
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HOST = "198.18.0.1"  # host.mxc.internal


def serve(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve_one, args=(connection,), daemon=True).start()


def serve_one(connection):
    with connection:
        try:
            while data := connection.recv(65536):
                connection.sendall(data)
        except OSError:
            pass


def serve_udp(server):
    while True:
        data, client = server.recvfrom(65536)
        server.sendto(data, client)


# ---- the load, inside


def connect(port):
    connection = socket.create_connection((HOST, port), 10)
    return connection


def short(ports):
    with connect(ports[0]) as connection:
        connection.sendall(b"x")
        connection.recv(1)


def stream(ports):
    with connect(ports[0]) as connection:
        block = os.urandom(65536)
        for _ in range(random.randrange(1, 64)):
            connection.sendall(block)
            left = len(block)
            while left:
                left -= len(connection.recv(left))


def reset(ports):
    connection = connect(ports[0])
    connection.sendall(b"x" * random.randrange(1, 200000))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def half_closed(ports):
    with connect(ports[0]) as connection:
        connection.sendall(b"x" * 1000)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass


def refused(_):
    socket.create_connection(("203.0.113.%d" % random.randrange(1, 255), 80), 10).recv(1)


def dns(_):
    name = random.choice([b"\x04host\x03mxc\x08internal\0", b"\x08%08x\x04evil\x04test\0" % random.getrandbits(32),
                          b"\xff\xff"])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(0.2)
        asker.sendto(struct.pack("!6H", 1, 0x100, 1, 0, 0, 0) + name + struct.pack("!2H", 1, 1), (HOST, 53))
        asker.recv(512)


def datagrams(ports):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(1)
        asker.sendto(b"x" * random.randrange(1, 1400), (HOST, ports[1]))
        asker.recv(2048)


def load(ports, seconds):
    kinds = [short] * 8 + [stream, reset, half_closed, refused, dns, dns, datagrams]
    end = time.monotonic() + seconds
    done = [0]

    def work():
        while time.monotonic() < end:
            try:
                random.choice(kinds)(ports)
            except OSError:
                pass
            done[0] += 1

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("done", done[0], flush=True)


# ---- what the gateway holds


def children(process):
    with open("/proc/%d/task/%d/children" % (process, process)) as file:
        return [int(word) for word in file.read().split()]


def gateway_of(launcher):
    """The child that is the launcher's own program, without namespaces of its own."""
    own = os.readlink("/proc/%d/ns/net" % launcher)
    for child in children(launcher):
        status = open("/proc/%d/status" % child).read()
        if "Seccomp:\t2" in status and os.readlink("/proc/%d/ns/net" % child) == own:
            return child
    return None


def held(process):
    resident = next(line for line in open("/proc/%d/status" % process) if line.startswith("VmRSS"))
    return len(os.listdir("/proc/%d/fd" % process)), int(resident.split()[1])


def watch(run):
    time.sleep(2)
    gateway = gateway_of(run.pid)
    if gateway is None:
        sys.exit("no gateway to look at: run it as root")
    samples, start = [], time.monotonic()
    while run.poll() is None:
        try:
            samples.append(held(gateway))
        except OSError:
            break
        print("%5d s: %d descriptors, %d KiB" % (time.monotonic() - start, *samples[-1]), flush=True)
        time.sleep(10)
    return samples


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    program, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1800
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    echo.bind(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    threading.Thread(target=serve_udp, args=(echo,), daemon=True).start()
    ports = [str(listener.getsockname()[1]), str(echo.getsockname()[1])]
    here = os.path.realpath(__file__)
    policy = {"version": "1.0.0", "containment": "namespaces",
              "process": {"argv": ["/usr/bin/python3", here, "load", *ports, str(seconds)]},
              "filesystem": {"readonlyPaths": [here]}, "network": {"ingress": {"hostLoopback": "allow"}}}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(policy, file)
        file.flush()
        run = subprocess.Popen([program, file.name])
        try:
            samples = watch(run)
            status = run.wait()
        finally:
            run.terminate()  # nothing, once it has ended
            run.wait()
    early, late = samples[: max(1, len(samples) // 10)], samples[-max(1, len(samples) // 10) - 1 : -1]
    for name, at in (("descriptors", 0), ("KiB", 1)):
        print("%s: at most %d in the first tenth, %d in the last" %
              (name, max(s[at] for s in early), max((s[at] for s in late), default=0)))
    sys.exit(status)


if sys.argv[1:2] == ["load"]:
    load([int(sys.argv[2]), int(sys.argv[3])], float(sys.argv[4]))
else:
    main()
