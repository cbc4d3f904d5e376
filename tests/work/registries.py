"""Servers of package registries on a network of its own: registries.py DIRECTORY

In a network and mount namespace that `unshare --net --mount` made. DIRECTORY/www/NAME/PATH is served as https://NAME/PATH;
DIRECTORY/ca.pem signs. Prints "up" when it listens, and stays until it is killed; each request is a line of DIRECTORY/log.
"""
import http.server
import os
import ssl
import subprocess
import sys
import urllib.parse

directory = sys.argv[1]
names = sorted(os.listdir(directory + "/www"))


def run(*words, text=""):
    subprocess.run(words, check=True, input=text, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def set_up():
    run("ip", "link", "set", "lo", "up")
    run("ip", "route", "add", "local", "203.0.113.0/24", "dev", "lo")
    run("mount", "--make-rprivate", "/")
    with open(directory + "/hosts", "w") as hosts:
        hosts.write("127.0.0.1 localhost\n")
        hosts.writelines(f"203.0.113.{number} {name}\n" for number, name in enumerate(names, 1))
    os.chmod(directory + "/hosts", 0o644)
    run("mount", "--bind", directory + "/hosts", "/etc/hosts")


def make_certificates():
    key, ca = directory + "/key.pem", directory + "/ca.pem"
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test", "-keyout",
        directory + "/ca.key", "-out", ca)
    run("openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=registries", "-keyout", key, "-out",
        directory + "/request.pem")
    with open(directory + "/names", "w") as file:
        file.write("subjectAltName=" + ",".join("DNS:" + name for name in names) + "\n")
    run("openssl", "x509", "-req", "-days", "2", "-in", directory + "/request.pem", "-CA", ca, "-CAkey",
        directory + "/ca.key", "-CAcreateserial", "-extfile", directory + "/names", "-out", directory + "/server.pem")
    os.chmod(ca, 0o644)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory + "/server.pem", key)
    return context


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def translate_path(self, path):
        name = self.headers.get("Host", "").split(":")[0]
        path = urllib.parse.unquote(path.split("?")[0])
        return os.path.join(directory, "www", name if name in names else "-", path.strip("/"))

    def log_message(self, form, *words):
        with open(directory + "/log", "a") as log:
            log.write(self.headers.get("Host", "-") + " " + form % words + "\n")


set_up()
tls = make_certificates()
server = http.server.ThreadingHTTPServer(("203.0.113.0", 443), Handler, bind_and_activate=False)
server.socket.setsockopt(0, 15, 1)  # IP_FREEBIND
server.server_address = ("0.0.0.0", 443)
server.server_bind()
server.server_activate()
server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print("up", flush=True)
server.serve_forever()
