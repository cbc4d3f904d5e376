"""Stands between kubectl and the API server, and lets go wrong what api_server.py names in FAULTS."""
import json
import socket
import ssl
import threading
import time
import urllib.parse

import api_server
import tls
from control_plane import PORT, ApiError


HEAD = 200  # bytes of an exec's answer before its first stream, about


class Handler(tls.Handler):
    def serve(self):
        space = self.server.space
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        body = self.body()
        with api_server.LOCK:
            space.requests.append({"verb": self.command, "path": self.path, "body": body.decode()})
        parts = url.path.strip("/").split("/")
        at = None
        if "sandboxclaims" in parts:
            at = "watch" if "watch" in query else {"POST": "create", "PATCH": "patch", "DELETE": "delete"}.get(self.command, "get")
        elif parts[-1] == "exec":
            at = "exec" if "--in-pod" in query["command"] else None
            with api_server.LOCK:
                space.execs.append({"pod": parts[-2], "command": query["command"]})
        elif len(parts) > 1 and parts[-2] in ("pods", "sandboxes"):
            at = "get"
        fault = (space.fault(at) if at else None) or {}
        kind = fault.get("kind")
        if self.refuse(kind):
            return
        self.close_connection = True
        if kind == "slow":
            time.sleep(fault.get("seconds", 2))
            return
        if kind == "410":
            gone = api_server.status(410, "Expired", "too old resource version")
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write((json.dumps({"type": "ERROR", "object": gone}) + "\n").encode())
            return
        if kind == "409":
            self.make_foreign(space, json.loads(body))
        upstream = self.forward(body)
        if kind in ("lost", "409-own"):
            while upstream.recv(65536):
                pass
            upstream.close()
            if kind == "409-own":
                name = json.loads(body)["metadata"]["name"]
                self.answer(api_server.status(409, "AlreadyExists", 'sandboxclaims "%s" already exists' % name), 409)
            return
        self.relay(upstream, fault, parts)

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = serve

    @staticmethod
    def make_foreign(space, claim):
        """A claim of that name which is somebody else's: the API server itself then says that it exists."""
        try:
            space.plane.api.post(space.claims_path, api_server.merge(claim, {"metadata": {"labels": {"mxc-exec/owner": "another"}}}))
        except ApiError as error:
            if error.code != 409:
                raise

    def forward(self, body):
        upstream = tls.Connection(socket.create_connection(("127.0.0.1", PORT)), self.server.client, server_hostname="127.0.0.1")
        upstream.handshake()
        upgrade = "Upgrade" in self.headers
        head = "%s %s HTTP/1.1\r\n" % (self.command, self.path)
        for name, value in self.headers.items():
            if name.lower() not in ("transfer-encoding", "content-length") and (upgrade or name.lower() != "connection"):
                head += "%s: %s\r\n" % (name, value)
        if not upgrade:
            head += "Connection: close\r\n"
        if body or self.command == "POST":
            head += "Content-Length: %d\r\n" % len(body)
        upstream.sendall(head.encode() + b"\r\n" + body)
        return upstream

    def relay(self, upstream, fault, parts):
        def back():
            sent, kind = 0, fault.get("kind") if fault.get("kind") in ("cut", "replaced") else None
            try:
                while True:
                    data = upstream.recv(65536)
                    if not data:
                        break
                    # What stands in the stream beside output is some hundred bytes more: the cut comes before the end.
                    if kind == "cut" and sent + len(data) > fault["after"] + HEAD:
                        self.connection.sendall(data[:max(0, fault["after"] + HEAD - sent)])
                        kind = None
                        break
                    # The status of the command is withheld until its pod is another one.
                    if kind == "replaced" and b'"status":' in data:
                        self.server.space.controller.replace(parts[-2])
                        kind = None
                    self.connection.sendall(data)
                    sent += len(data)
            except OSError:
                pass
            if kind is not None:
                with api_server.LOCK:
                    fault["times"] += 1  # it has not come to that
            self.hang_up()

        pump = threading.Thread(target=back, daemon=True)
        pump.start()
        try:
            while True:
                data = self.rfile.read1(65536)
                if not data:
                    break
                upstream.sendall(data)
        except OSError:
            pass
        try:
            upstream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        pump.join()
        upstream.close()


class FaultProxy:
    def __init__(self, plane, space):
        self.server = tls.Server(("127.0.0.1", 0), Handler, plane.server_tls())
        self.server.space = space
        self.server.client = ssl.create_default_context(cafile=plane.path("ca.crt"))
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
