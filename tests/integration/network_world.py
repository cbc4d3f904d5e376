"""A network of its own for the tests, in a network and mount namespace that `unshare --net --mount` made.

    unshare --net --mount python3 network_world.py DIRECTORY KIND

KIND: "dual", "ipv4" and "ipv6" have addresses of that kind only, the resolver's among them; "stub" has its resolver at
127.0.0.53, as systemd-resolved does.
Addresses of the documentation ranges stand on its loopback interface; nothing real is reachable. Prints "up" when
every server listens, and stays until it is killed. Every request is a line of DIRECTORY/log:

    tcp 203.0.113.1:80 GET /path good.test        http, with the Host header
    tcp 203.0.113.1:9000 took 1000                bytes of a connection to the end
    udp 203.0.113.1:7 text                        echo
    dns name type                                 the resolver of this network, which resolv.conf names
"""
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

DIRECTORY, KIND = sys.argv[1:3]
ADDRESSES = ["203.0.113.1", "203.0.113.2", "203.0.113.53", "10.77.0.9", "169.254.169.254"] if KIND != "ipv6" else []
ADDRESSES6 = ["2001:db8::1", "2001:db8::2", "2001:db8::53"] if KIND != "ipv4" else []
RESOLVER = {"ipv6": "2001:db8::53", "stub": "127.0.0.53"}.get(KIND, "203.0.113.53")
NAMES = {
    "good.test": ["203.0.113.1"],
    "six.test": ["2001:db8::1"],
    "other.test": ["203.0.113.1"],  # the same address under another name
    "evil.test": ["203.0.113.2", "2001:db8::2"],
    "sub.good.test": ["203.0.113.1"],
    "rebind.test": ["10.77.0.9", "169.254.169.254", "127.0.0.1"],
    "proxy.test": ["203.0.113.2"],
    "both.test": ["203.0.113.1", "2001:db8::1"],
}
# Good until somebody has been there, then one of these after the other.
TURNING = {
    "turning1.test": ["127.0.0.1", "169.254.169.254"],
    "turning2.test": ["127.0.0.1", "169.254.169.254"],
    "turning3.test": ["127.0.0.1", "169.254.169.254"],
}
visited = set()
lock = threading.Lock()
log_file = open(DIRECTORY + "/log", "a", buffering=1)


def log(*words):
    with lock:
        log_file.write(" ".join(str(word) for word in words) + "\n")


def run(*words):
    subprocess.run(words, check=True)


def set_up():
    run("ip", "link", "set", "lo", "up")
    # Every address leads here, and none is the host's own.
    if ADDRESSES:
        run("ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo")
    if ADDRESSES6:
        run("ip", "-6", "route", "add", "local", "::/0", "dev", "lo")
    run("mount", "--make-rprivate", "/")
    replace("/etc/resolv.conf", "nameserver " + RESOLVER + "\n")
    # The machine's own file may name a host that is served here.
    replace("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")


def replace(path, text):
    """Shows a file with `text` at `path` to the processes of this network."""
    own = DIRECTORY + "/" + os.path.basename(path)
    with open(own, "w") as file:
        file.write(text)
    run("mount", "--bind", own, os.path.realpath(path))


def make_socket(address, kind):
    server = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind)
    server.setsockopt(socket.SOL_IP, 15, 1)  # IP_FREEBIND
    return server


def listener(address, port):
    server = make_socket(address, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((address, port))
    server.listen(100)
    return server


def head_of(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        part = connection.recv(4096)
        if not part:
            break
        head += part
    return head.decode("latin1")


def answer_http(connection, place):
    head = head_of(connection)
    lines = head.split("\r\n")
    host = [line[5:].strip() for line in lines if line.lower().startswith("host:")]
    log("tcp", place, lines[0].rsplit(" ", 1)[0] if lines[0] else "nothing", *host)
    body, status = ("at " + place + " for " + " ".join(host)).encode(), b"200 OK"
    visited.update(host)
    target = lines[0].split(" ")[1:2] or ["/"]
    if target[0].startswith("/repo/"):
        body, status = file_of(target[0].split("?")[0])
    connection.sendall(b"HTTP/1.1 " + status + b"\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def answer_proxy(connection, place):
    """Dials what a CONNECT names, by this network's names; anything else is answered here."""
    if not connection.recv(8, socket.MSG_PEEK).startswith(b"CONNECT "):
        return answer_http(connection, place)
    lines = head_of(connection).split("\r\n")
    authority = lines[0].split(" ")[1]
    credentials = [line[21:].strip() for line in lines if line.lower().startswith("proxy-authorization:")]
    log("tcp", place, "CONNECT", authority, *credentials)
    name, port = authority.rsplit(":", 1)
    if name not in NAMES and name not in ADDRESSES:
        return connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
    with socket.create_connection((NAMES.get(name, [name])[0], int(port)), 10) as far:
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        back = threading.Thread(target=pump, args=(far, connection), daemon=True)
        back.start()
        pump(connection, far)
        back.join()


def pump(source, sink):
    try:
        while text := source.recv(65536):
            sink.sendall(text)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one of the two is gone


def file_of(path):
    try:
        with open(DIRECTORY + path, "rb") as file:
            return file.read(), b"200 OK"
    except OSError:
        return b"", b"404 Not Found"


def make_repository():
    """DIRECTORY/repo, for `git clone http://good.test/repo`: plain files, which git can read from any server."""
    work = DIRECTORY + "/work"
    git = ["git", "-C", work, "-c", "user.name=a", "-c", "user.email=a@b"]
    run("git", "init", "-q", work)
    with open(work + "/file", "w") as file:
        file.write("hello\n")
    run(*git, "add", "file")
    run(*git, "commit", "-q", "-m", "one")
    run("git", "clone", "-q", "--bare", work, DIRECTORY + "/repo")
    run("git", "-C", DIRECTORY + "/repo", "update-server-info")


def answer_banner(connection, place):
    log("tcp", place, "banner")
    connection.sendall(b"SSH-2.0-world\r\n")
    text = connection.recv(100)
    connection.sendall(b"you said " + text)


def answer_slowly(connection, place):
    """Takes what it is sent, once the client has had time to end."""
    time.sleep(0.3)
    size = 0
    while part := connection.recv(1 << 20):
        size += len(part)
    log("tcp", place, "took", size)


def answer_never(connection, place):
    log("tcp", place, "connected")
    time.sleep(60)


def serve(address, port, answer, context=None):
    server = listener(address, port)
    place = "%s:%d" % (address, port)

    def one(connection):
        try:
            connection.settimeout(10)
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            answer(connection, place)
        except OSError as error:
            log("tcp", place, "failed", type(error).__name__)
        finally:
            connection.close()

    def loop():
        while True:
            connection, _ = server.accept()
            threading.Thread(target=one, args=(connection,), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()


def serve_echo(address, port):
    server = make_socket(address, socket.SOCK_DGRAM)
    server.bind((address, port))

    def loop():
        while True:
            text, client = server.recvfrom(2048)
            log("udp", "%s:%d" % (address, port), text.decode("latin1"))
            server.sendto(b"echo " + text, client)

    threading.Thread(target=loop, daemon=True).start()


def dns_answer(query):
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("latin1"))
        at += query[at] + 1
    name = ".".join(labels).lower()
    kind = struct.unpack("!H", query[at + 1 : at + 3])[0]
    log("dns", name, kind)
    wanted = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
    addresses = NAMES.get(name, [])
    if name in TURNING and kind == 1:
        addresses = ["203.0.113.1"]
        if name in visited:
            addresses = TURNING[name][:1]
            TURNING[name] = TURNING[name][1:] + addresses
    found = [a for a in addresses if wanted == (socket.AF_INET6 if ":" in a else socket.AF_INET)]
    flags = 0x8180 if name in NAMES or name in TURNING else 0x8183
    text = query[:2] + struct.pack("!5H", flags, 1, len(found), 0, 0) + query[12 : at + 5]
    for address in found:
        raw = socket.inet_pton(wanted, address)
        text += b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(raw)) + raw
    return text


def serve_dns(address):
    server = make_socket(address, socket.SOCK_DGRAM)
    server.bind((address, 53))

    def loop():
        while True:
            query, client = server.recvfrom(2048)
            server.sendto(dns_answer(query), client)

    threading.Thread(target=loop, daemon=True).start()


def tls_context():
    key, certificate = DIRECTORY + "/key", DIRECTORY + "/certificate"
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-subj", "/CN=good.test", "-addext", "subjectAltName=DNS:good.test,DNS:other.test",
        "-days", "2", "-keyout", key, "-out", certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def main():
    set_up()
    context = tls_context()
    make_repository()
    for address in set(ADDRESSES + ADDRESSES6 + ["127.0.0.1"]) - {"203.0.113.53", "2001:db8::53"}:
        serve(address, 80, answer_http)
        serve(address, 8080, answer_http)
        serve(address, 443, answer_http, context)
        serve_echo(address, 7)
    if KIND != "ipv6":
        serve("203.0.113.1", 22, answer_banner)
        serve("203.0.113.1", 9000, answer_slowly)
        serve("203.0.113.1", 9001, answer_never)
        serve("203.0.113.2", 3128, answer_proxy)
    serve("127.0.0.1", 3128, answer_proxy)
    serve_dns(RESOLVER)
    print("up", flush=True)
    threading.Event().wait()


main()
