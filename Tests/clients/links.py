"""What the hub in `server.py` knows of an app: its token, and its link, whatever that is made of."""

import base64
import contextlib
import json

from websockets.exceptions import ConnectionClosed

#: The clock of app and server at the beginning, Unix ms.
START = 1_795_000_000_000


def token(sub="T1", role="driver", life_s=3600, now=START, mark=""):
    """A token that only this server takes: nothing is signed."""
    claims = {"sub": sub, "role": role, "iat": now // 1000, "exp": now // 1000 + life_s, "mark": mark}
    parts = ({"alg": "none"}, claims)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + ".x"


def claims_of(text):
    part = text.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class Link:
    """A connection of an app."""

    def __init__(self, session):
        self.session, self.own, self.token = session, None, None
        #: Looks alive and is not; or tells nothing, but hears.
        self.is_frozen, self.is_mute, self.is_gone = False, False, False
        self.channels = set()
        #: Messages that came and were dealt with, and pings that went.
        self.got, self.pings = 0, 0

    async def send(self, message):
        if not self.is_frozen and not self.is_gone:
            await self.tell(json.dumps(message, ensure_ascii=False))

    async def close(self, code, reason):
        self.is_gone = True
        await self.part(code, reason)

    def cut(self):
        self.is_gone = True
        self.abort()

    def freeze(self):
        self.is_frozen = True

    def mute(self):
        self.is_frozen = self.is_mute = True


class Socket(Link):
    """A WebSocket."""

    def __init__(self, socket):
        super().__init__("s1")
        self.socket = socket

    async def tell(self, text):
        with contextlib.suppress(ConnectionClosed):
            await self.socket.send(text)

    async def ping(self):
        with contextlib.suppress(ConnectionClosed):
            await (await self.socket.ping())

    async def part(self, code, reason):
        with contextlib.suppress(ConnectionClosed):
            await self.socket.close(code, reason)

    def abort(self):
        self.socket.transport.abort()

    def freeze(self):
        super().freeze()
        self.socket.transport.pause_reading()
