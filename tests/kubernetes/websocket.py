"""The server's side of a WebSocket as an exec of newer kubectl speaks it: v5.channel.k8s.io and v4.channel.k8s.io."""
import base64
import hashlib
import struct
import threading

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_BINARY, _CLOSE, _PING, _PONG = 2, 8, 9, 10
CLOSE_CHANNEL = 255


def accept(key):
    return base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()


class Session:
    def __init__(self, read, write):
        self._read = read
        self._write = write
        self._lock = threading.Lock()

    def messages(self):
        """(channel, bytes) until the other side closes."""
        whole = b""
        while True:
            head = self._read(2)
            if len(head) < 2:
                return
            code, length = head[0] & 15, head[1] & 127
            if length == 126:
                length = struct.unpack(">H", self._read(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._read(8))[0]
            mask = self._read(4) if head[1] & 128 else b"\0\0\0\0"
            body = self._read(length)
            if len(body) < length or code == _CLOSE:
                return
            key = (mask * (length // 4 + 1))[:length]
            body = (int.from_bytes(body, "big") ^ int.from_bytes(key, "big")).to_bytes(length, "big")
            if code == _PING:
                self._send(_PONG, body)
                continue
            if code == _PONG:
                continue
            whole += body
            if head[0] & 128 and whole:
                yield whole[0], whole[1:]
                whole = b""

    def send(self, channel, data):
        self._send(_BINARY, bytes([channel]) + data)

    def close(self):
        self._send(_CLOSE, struct.pack(">H", 1000))

    def _send(self, code, body):
        size = len(body)
        if size < 126:
            head = struct.pack(">BB", 128 | code, size)
        elif size < 65536:
            head = struct.pack(">BBH", 128 | code, 126, size)
        else:
            head = struct.pack(">BBQ", 128 | code, 127, size)
        with self._lock:
            self._write(head + body)
