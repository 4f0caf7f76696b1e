"""A WebSocket by hand: frames as a hostile or broken client would send them."""

import asyncio
import base64
import contextlib
import os
import struct

from . import patience
from .client import SUBPROTOCOL, parse

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


def frame(opcode, payload=b"", fin=True, rsv=0, masked=True, length=None):
    """The bytes of one frame. `length` lies about the payload's."""
    size = len(payload) if length is None else length
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    bit = 0x80 if masked else 0
    if size < 126:
        head += bytes([bit | size])
    elif size < 1 << 16:
        head += bytes([bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", size)
    if not masked:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(byte ^ key[i % 4] for i, byte in enumerate(payload))


def close(code=1000, reason=b""):
    return frame(CLOSE, struct.pack(">H", code) + reason)


class RawSocket:
    """A connection below the level of any library."""

    def __init__(self, hub):
        self.hub = hub
        self.reader = self.writer = None
        self.close_code = self.close_reason = None

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.hub.port)
        return self

    async def handshake(self, path="/v1/connect", method="GET", **headers):
        """Sends the upgrade; (status, headers). A header of None is left out."""
        await self.connect()
        fields = {
            "Host": f"127.0.0.1:{self.hub.port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Protocol": SUBPROTOCOL,
        } | {key.replace("_", "-"): value for key, value in headers.items()}
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{key}: {value}" for key, value in fields.items() if value is not None),
        ]
        self.writer.write("\r\n".join([*lines, "", ""]).encode())
        return await self.response()

    async def response(self):
        """(status, headers) of what the hub answers; (None, {}) if it just closes."""
        try:
            async with asyncio.timeout(patience.MESSAGE):
                head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None, {}
        status, *lines = head.strip().split("\r\n")
        return int(status.split()[1]), {k.strip().lower(): v.strip() for k, v in (line.split(":", 1) for line in lines)}

    async def hello(self, token):
        await self.send(frame(TEXT, b'{"id":0,"cmd":"hello","token":"%s"}' % token.encode()))
        reply = await self.message()
        assert reply["id"] == 0 and "ok" in reply, reply
        assert (await self.message())["type"] == "snapshot"
        return self

    async def send(self, data):
        self.writer.write(data)
        with contextlib.suppress(ConnectionError):  # what the hub said before shows in what is read
            await self.writer.drain()

    async def frame(self):
        """(opcode, payload) of the next frame, which must be as RFC 6455 wants a server's."""
        async with asyncio.timeout(patience.MESSAGE):
            first, second = await self.reader.readexactly(2)
            assert not first & 0x70, "a reserved bit is set"
            assert not second & 0x80, "a server does not mask"
            size = second & 0x7F
            if size == 126:
                [size] = struct.unpack(">H", await self.reader.readexactly(2))
            elif size == 127:
                [size] = struct.unpack(">Q", await self.reader.readexactly(8))
            opcode = first & 0x0F
            if opcode >= 8:
                assert first & 0x80 and size < 126, "a control frame is whole and short"
            return opcode, await self.reader.readexactly(size)

    async def message(self):
        """The next text message, parsed; pings are answered."""
        while True:
            opcode, payload = await self.frame()
            if opcode == PING:
                await self.send(frame(PONG, payload))
            elif opcode == TEXT:
                return parse(payload.decode())
            else:
                raise AssertionError(f"opcode {opcode} with {payload!r} instead of a message")

    async def closing(self):
        """The code of the close frame that comes, None if the link ends without one. Messages before it are skipped."""
        try:
            while True:
                opcode, payload = await self.frame()
                if opcode == CLOSE:
                    code = struct.unpack(">H", payload[:2])[0] if payload else 1005
                    self.close_code, self.close_reason = code, payload[2:].decode()
                    return code
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def ended(self):
        """Waits for the end of the stream: the server closes the TCP connection first."""
        async with asyncio.timeout(patience.MESSAGE):
            try:
                while await self.reader.read(65536):
                    pass
            except ConnectionError:
                pass

    def drop(self):
        if self.writer is not None:
            self.writer.transport.abort()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.drop()
