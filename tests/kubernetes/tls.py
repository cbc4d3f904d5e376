"""TLS for servers whose connections are read by one thread and written by another, which ssl.SSLSocket does not bear."""
import io
import select
import socket
import ssl
import threading

import api_server


class Connection(io.RawIOBase):
    """One side of a TLS connection, as a socket and as a file."""

    def __init__(self, plain, context, **side):
        super().__init__()
        self.tls = context.wrap_socket(plain, do_handshake_on_connect=False, **side)
        self.tls.setblocking(False)
        self.lock = threading.Lock()

    def attempt(self, what, *arguments):
        while True:
            try:
                with self.lock:
                    return what(*arguments)
            except ssl.SSLWantReadError:
                wanted = ([self.tls], [])
            except ssl.SSLWantWriteError:
                wanted = ([], [self.tls])
            # shutdown() wakes this up.
            select.select(*wanted, [])

    def handshake(self):
        self.attempt(self.tls.do_handshake)

    def recv(self, size):
        return self.attempt(self.tls.recv, size)

    def sendall(self, data):
        data = memoryview(data)
        while data:
            data = data[self.attempt(self.tls.send, data):]

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self.recv(len(buffer))
        buffer[:len(data)] = data
        return len(data)

    def shutdown(self, how):
        socket.socket.shutdown(self.tls, how)

    def close(self):
        if not self.closed:
            super().close()
            self.tls.close()


class Handler(api_server.Handler):
    def setup(self):
        self.connection = Connection(self.request, self.server.tls, server_side=True)
        self.rfile, self.wfile = io.BufferedReader(self.connection, 65536), api_server.socketserver._SocketWriter(self.connection)
        self.connection.handshake()

    def finish(self):
        self.connection.close()


class Server(api_server.Server):
    def __init__(self, address, handler, tls):
        self.tls = tls
        super().__init__(address, handler)

    def shutdown_request(self, request):
        self.close_request(request)
