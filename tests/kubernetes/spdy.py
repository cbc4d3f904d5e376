"""The server's side of SPDY/3.1 as far as an exec of kubectl needs it: streams with their headers, and data."""
import struct
import threading
import zlib

_WORDS = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow"
    " authorization cache-control connection content-base content-encoding content-language content-length"
    " content-location content-md5 content-range content-type date etag expect expires from host if-match"
    " if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma"
    " proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade"
    " user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie"
    " keep-alive origin").split(" ")
_TEXT = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized"
    "403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
    "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,"
    "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.")

# The dictionary that both sides compress headers with; its checksum is part of the protocol.
DICTIONARY = b"".join(struct.pack(">I", len(word)) + word.replace("_", " ").encode() for word in _WORDS) + _TEXT.encode()
assert zlib.adler32(DICTIONARY) == 0xE3C6A7C2, hex(zlib.adler32(DICTIONARY))

SYN_STREAM, SYN_REPLY, RST_STREAM, SETTINGS, PING, GOAWAY, HEADERS, WINDOW_UPDATE = 1, 2, 3, 4, 6, 7, 8, 9
FIN = 1


class Session:
    """`read(n)` gives exactly n bytes, or fewer at the end; `write(bytes)` writes all."""

    def __init__(self, read, write):
        self._read = read
        self._write = write
        self._lock = threading.Lock()
        self._inflate = zlib.decompressobj(zdict=DICTIONARY)
        self._deflate = zlib.compressobj(zdict=DICTIONARY)

    def frames(self):
        """("open", stream, headers, fin), ("data", stream, bytes, fin) and ("reset", stream, None, True), to the end."""
        while True:
            head = self._read(8)
            if len(head) < 8:
                return
            first, second = struct.unpack(">II", head)
            flags, length = second >> 24, second & 0xFFFFFF
            body = self._read(length)
            if len(body) < length:
                return
            if not first & 0x80000000:
                yield "data", first, body, bool(flags & FIN)
                continue
            kind = first & 0xFFFF
            if kind == SYN_STREAM:
                stream = struct.unpack(">I", body[:4])[0] & 0x7FFFFFFF
                yield "open", stream, self._headers(body[10:]), bool(flags & FIN)
            elif kind == RST_STREAM:
                yield "reset", struct.unpack(">I", body[:4])[0] & 0x7FFFFFFF, None, True
            elif kind == PING:
                self._control(PING, 0, body)
            elif kind == GOAWAY:
                return

    def reply(self, stream):
        with self._lock:
            block = self._deflate.compress(struct.pack(">I", 0)) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
            self._write_frame(0x80030000 | SYN_REPLY, 0, struct.pack(">I", stream) + block)

    def send(self, stream, data, fin=False):
        with self._lock:
            self._write_frame(stream, FIN if fin else 0, data)

    def _control(self, kind, flags, body):
        with self._lock:
            self._write_frame(0x80030000 | kind, flags, body)

    def _write_frame(self, first, flags, body):
        self._write(struct.pack(">II", first, flags << 24 | len(body)) + body)

    def _headers(self, block):
        text = self._inflate.decompress(block)
        count, at, headers = struct.unpack(">I", text[:4])[0], 4, {}
        for _ in range(count):
            pair = []
            for _ in range(2):
                size = struct.unpack(">I", text[at:at + 4])[0]
                pair.append(text[at + 4:at + 4 + size].decode())
                at += 4 + size
            headers[pair[0].lower()] = pair[1]
        return headers
