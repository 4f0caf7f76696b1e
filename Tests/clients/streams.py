"""The way for networks that let no WebSocket through, of the hub in `server.py`: streams of events, and requests for what is said.

It answers as the contract says. Besides what a link does wrong, a request may be put off, cut or left without an answer. What
a library does wrong is in `complaints`.
"""

import asyncio
import json

from websockets.asyncio.server import ServerConnection

from links import Link, claims_of

PATH = "/v1/stream"
#: Of several messages in a request, without what is between them, bytes [H2].
FULL = 8192
WORDS = {202: "Accepted", 401: "Unauthorized", 404: "Not Found", 503: "Service Unavailable"}


class Door(ServerConnection):
    """What asks for a WebSocket goes on as one; what is posted goes to the streams."""

    def __init__(self, streams, *values, **named):
        super().__init__(*values, **named)
        self._streams, self._first, self._is_socket = streams, None, False

    def connection_made(self, transport):
        self._first = transport

    def data_received(self, data):
        if not self._is_socket and data.startswith(b"POST "):
            reader = asyncio.StreamReader()
            protocol = asyncio.StreamReaderProtocol(reader, self._streams.serve)
            self._first.set_protocol(protocol)
            protocol.connection_made(self._first)
            return protocol.data_received(data)
        if not self._is_socket:
            self._is_socket = True
            super().connection_made(self._first)
        return super().data_received(data)

    def eof_received(self):
        return super().eof_received() if self._is_socket else None

    def connection_lost(self, exc):
        if self._is_socket:
            super().connection_lost(exc)


class Stream(Link):
    """What an app has opened by a request."""

    def __init__(self, writer, session):
        super().__init__(session)
        self._writer = writer
        #: Whether a request of it is not answered yet; set when it needs no answer any more.
        self.is_asking, self.left, self.is_held = False, asyncio.Event(), False

    async def tell(self, text):
        self._write(f"data: {text}\n\n")

    async def ping(self):
        # A comment. Its pong is that the app has heard of it.
        self.pings += 1
        self._write(":\n\n")

    async def part(self, code, reason):
        self._write(f"event: close\ndata: {code} {reason}\n\n")
        self._writer.close()
        self.left.set()

    def abort(self):
        self._writer.transport.abort()
        self.left.set()

    def _write(self, text):
        """In two pieces, as a network may have it."""
        data = text.encode()
        for piece in (data[: len(data) // 2], data[len(data) // 2 :]):
            if not self._writer.is_closing():
                self._writer.write(piece)


class Streams:
    def __init__(self, server):
        self.server = server
        #: What is done wrong with the next requests: `held`, `lost`, `cut`, `gone`; {"busy": n} puts it off for n seconds, with
        #: `held` not before it is released.
        self.behaviours, self.complaints = [], []
        #: Requests for a stream that are never answered, and how many streams there were.
        self.in_hole, self.count = 0, 0
        self._sessions, self._writers, self._released = {}, set(), asyncio.Event()

    def release(self):
        """Answers that were held come."""
        self._released.set()
        self._released = asyncio.Event()

    def end(self):
        for writer in self._writers:
            writer.transport.abort()

    async def serve(self, reader, writer):
        self._writers.add(writer)
        try:
            while await self._request(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _request(self, reader, writer):
        """Whether another may follow."""
        head, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        path = head.split(" ")[1]
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        if body and fields.get("content-type") != "application/json":
            self.complaints.append(f"{path} got {fields.get('content-type')}")
        messages = [json.loads(line) for line in body.splitlines()]
        if len(messages) > 1 and (len(body) >= FULL + len(messages) or any(one["cmd"] == "sos" for one in messages)):
            self.complaints.append(f"{len(body)} bytes came in {messages}")
        if path == PATH:
            return await self._open(reader, writer, messages)
        return await self._say(writer, path.removeprefix(f"{PATH}/"), fields.get("authorization", ""), messages)

    async def _open(self, reader, writer, messages):
        if self.server.mood == "hole":
            self.in_hole += 1
            await reader.read()
            self.in_hole -= 1
            return False
        if self.server.mood == "away":
            return self._answer(writer, 503)
        if not messages or messages[0]["cmd"] != "hello":
            self.complaints.append(f"a stream began with {messages}")
        self.count += 1
        link = Stream(writer, f"w1.{self.count}")
        self._sessions[link.session] = link
        self.server.links.append(link)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n")
        try:
            await self._take(link, messages)
            # Up to its end; there is nothing to read.
            await reader.read()
        finally:
            link.is_gone = True
            link.left.set()
            self.server.links.remove(link)
        return False

    async def _say(self, writer, session, authorization, messages):
        link = self._sessions.get(session)
        if link is None or link.is_gone:
            return self._answer(writer, 404)
        claims = claims_of(authorization.removeprefix("Bearer "))
        if f"{claims['role']}:{claims['sub']}" != link.own:
            self.complaints.append(f"{link.own} was spoken for by {claims}")
        if claims["exp"] * 1000 <= self.server.now:
            if claims_of(link.token)["exp"] * 1000 > self.server.now and not link.is_frozen:
                self.complaints.append("a token that was renewed goes on")
            return self._refuse(link, writer, 401)
        if not messages:
            return await self._leave(link, writer)
        if link.is_asking:
            self.complaints.append(f"{messages} came before the answer to what was said before")
        link.is_asking = True
        try:
            return await self._hear(link, writer, messages)
        finally:
            link.is_asking = False

    async def _leave(self, link, writer):
        """Goodbye, which waits for nothing that was said before."""
        if link.is_frozen and not link.is_mute:
            return await self._hold(link, writer)
        await self.server.close(1000, "", link)
        return self._answer(writer, 202)

    async def _hear(self, link, writer, messages):
        if link.is_frozen and not link.is_mute:
            return await self._hold(link, writer)
        behaviour = self.behaviours.pop(0) if self.behaviours else "well"
        if isinstance(behaviour, dict):
            answer = (503, f"Retry-After: {behaviour['busy']}\r\n")
            return await self._hold(link, writer, *answer) if "held" in behaviour else self._answer(writer, *answer)
        if behaviour == "gone":
            return self._refuse(link, writer, 404)
        if behaviour == "lost":
            return self._refuse(link, writer)
        await self._take(link, messages)
        if behaviour == "held" and not link.is_gone:
            return await self._hold(link, writer)
        return self._refuse(link, writer) if behaviour == "cut" or link.is_gone else self._answer(writer, 202)

    async def _take(self, link, messages):
        for message in messages:
            if not link.is_gone:
                await self.server.take(link, message)

    async def _hold(self, link, writer, status=202, field=""):
        """No answer until the app has left, or until it is released."""
        link.is_held = True
        waits = [asyncio.create_task(event.wait()) for event in (link.left, self._released)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        link.is_held = False
        return self._refuse(link, writer) if link.is_gone or link.is_frozen else self._answer(writer, status, field)

    def _refuse(self, link, writer, status=None):
        """After this the app must leave the stream."""
        link.is_gone = True
        if status:
            return self._answer(writer, status)
        writer.transport.abort()
        return False

    def _answer(self, writer, status, field=""):
        writer.write(f"HTTP/1.1 {status} {WORDS[status]}\r\nContent-Length: 0\r\n{field}\r\n".encode())
        return True
