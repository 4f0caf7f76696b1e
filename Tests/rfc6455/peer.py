"""A WebSocket peer made by hand: raw frames over a socket, right or wrong as asked."""

import base64
import hashlib
import os
import socket
import ssl
import struct
import time

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

# The server has this long to do what it must; only a failing test waits for it.
PATIENCE = float(os.environ.get("KERBSIDE_PATIENCE", "10"))


def mask(payload: bytes, key: bytes) -> bytes:
    count = len(payload)
    if count == 0:
        return b""
    repeated = (key * (count // 4 + 1))[:count]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(count, "big")


def frame(opcode, payload=b"", fin=True, rsv=0, masked=True, length_form=None) -> bytes:
    """One frame. `length_form` forces 7, 16 or 64 bits where the shortest form would be another."""
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    count = len(payload)
    form = length_form or (7 if count < 126 else 16 if count < 65536 else 64)
    bit = 0x80 if masked else 0
    if form == 7:
        head = struct.pack("!BB", first, bit | count)
    elif form == 16:
        head = struct.pack("!BBH", first, bit | 126, count)
    else:
        head = struct.pack("!BBQ", first, bit | 127, count)
    if not masked:
        return head + payload
    key = os.urandom(4)
    return head + key + mask(payload, key)


def close_payload(code, reason=b"") -> bytes:
    return struct.pack("!H", code) + reason


def connect(address):
    """A connection to the server: TLS, with any certificate, when KERBSIDE_ECHO_TLS is set."""
    client = socket.create_connection(address, timeout=PATIENCE)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not os.environ.get("KERBSIDE_ECHO_TLS"):
        return client
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(client)


class Peer:
    """A client after the opening handshake. What it receives is checked frame by frame."""

    def __init__(self, address, path="/", headers=()):
        self.socket = connect(address)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {path} HTTP/1.1", f"Host: {address[0]}:{address[1]}", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", *headers,
        ]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = self.read_until(b"\r\n\r\n").decode()
        assert head.startswith("HTTP/1.1 101 "), head
        digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        assert f"Sec-WebSocket-Accept: {base64.b64encode(digest).decode()}" in head, head
        assert "extensions" not in head.lower(), head

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data: bytes, chop=None):
        """Sends bytes; `chop` gives the size of the pieces, each a write (and a TCP segment) of its own."""
        if chop is None:
            self.socket.sendall(data)
            return
        for start in range(0, len(data), chop):
            self.socket.sendall(data[start : start + chop])
            if chop < 64:
                # Lets the server read each piece by itself: a yield, not a delay that anything depends on.
                time.sleep(0)

    def read_until(self, end: bytes) -> bytes:
        while end not in self.buffer:
            self.fill()
        head, _, self.buffer = self.buffer.partition(end)
        return head + end

    def read(self, count: int) -> bytes:
        parts, have = [self.buffer], len(self.buffer)
        while have < count:
            data = self.socket.recv(1 << 20)
            if not data:
                raise EOFError("the server ended the stream within a frame")
            parts.append(data)
            have += len(data)
        data = b"".join(parts)
        self.buffer = data[count:]
        return data[:count]

    def fill(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise EOFError("the server ended the stream")
        self.buffer += data

    def receive(self):
        """(opcode, payload) of the next frame, which must be whole, unmasked and in its shortest form."""
        first, second = self.read(2)
        assert first & 0xF0 == 0x80, f"not final, or reserved bits: {first:#x}"
        assert second & 0x80 == 0, "a server's frame is masked"
        count = second
        if second == 126:
            (count,) = struct.unpack("!H", self.read(2))
            assert count >= 126
        elif second == 127:
            (count,) = struct.unpack("!Q", self.read(8))
            assert count >= 65536
        return first & 0x0F, self.read(count)

    def expect(self, opcode, payload):
        got = self.receive()
        assert got[0] == opcode, f"opcode {got[0]:#x} {got[1][:60]!r} where {opcode:#x} was due"
        assert got[1] == payload, f"{len(got[1])} bytes {got[1][:60]!r} where {len(payload)} were due"

    def expect_end(self):
        """The server must end the TCP stream, orderly, and send nothing before that."""
        assert self.buffer == b"", f"data after the close frame: {self.buffer[:60]!r}"
        data = self.socket.recv(1 << 16)
        assert data == b"", f"data after the close frame: {data[:60]!r}"

    def expect_close(self, *codes):
        """A close frame with one of `codes` (None: without a code), then the end of the stream. Nothing before."""
        opcode, payload = self.receive()
        assert opcode == CLOSE, f"opcode {opcode:#x} {payload[:60]!r} where a close frame was due"
        assert len(payload) != 1
        code = struct.unpack("!H", payload[:2])[0] if payload else None
        payload[2:].decode()
        assert code in codes, f"close code {code} where one of {codes} was due"
        self.expect_end()

    def close_normally(self):
        self.send(frame(CLOSE, close_payload(1000)))
        self.expect_close(1000)
