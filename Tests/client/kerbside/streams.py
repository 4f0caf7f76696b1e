"""A client where no WebSocket goes through: server-sent events, and requests for what it says."""

import asyncio
import json
import ssl

from .bus import BusDriver
from .driver import Driver
from .passenger import Passenger


class Stream:
    """Looks to the client like a WebSocket."""

    def __init__(self, hub, token):
        self.hub, self.token, self.session = hub, token, None
        self.close_code = self.close_reason = None
        self.reader = self.writer = None
        self.opened = asyncio.Event()
        self.waiting, self.saying = [], asyncio.Lock()
        #: What came that is no message, and the head of the answer.
        self.comments, self.head = 0, None
        self.transport = self

    async def _ask(self, path, body, headers):
        context = ssl.create_default_context(cafile=self.hub.settings["server.tls.certificate"]) if self.hub.is_tls else None
        reader, writer = await asyncio.open_connection(self.hub.client_address, self.hub.port, ssl=context)
        fields = {"Host": "127.0.0.1", "Content-Type": "application/json", "Content-Length": len(body), **headers}
        lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        return int(head[0].split()[1]), head, reader, writer

    async def send(self, text):
        if self.reader is None:
            status, self.head, self.reader, self.writer = await self._ask("/v1/stream", text.encode(), {})
            assert status == 200, self.head
            self.opened.set()
            return
        self.waiting.append(text)
        async with self.saying:
            await self._say()

    async def _say(self):
        if not self.session or not self.waiting:
            return
        body, self.waiting = "\n".join(self.waiting).encode(), []
        status, head, _, writer = await self._ask(
            f"/v1/stream/{self.session}", body, {"Authorization": f"Bearer {self.token}", "Connection": "close"})
        writer.close()
        assert status == 202 or self.close_code is not None, head

    def __aiter__(self):
        return self

    async def __anext__(self):
        await self.opened.wait()
        while True:
            try:
                event = (await self.reader.readuntil(b"\n\n")).decode()[:-2]
            except (asyncio.IncompleteReadError, ConnectionError):
                self.close_code = self.close_code or 1006
                raise StopAsyncIteration from None
            if event.startswith("event: close\ndata: "):
                code, _, self.close_reason = event.partition("data: ")[2].partition(" ")
                self.close_code = int(code)
            elif event.startswith("data: "):
                if not self.session and (reply := json.loads(event[6:])).get("ok"):
                    self.session = reply["ok"]["session"]
                return event[6:]
            else:
                assert event == ":", event
                self.comments += 1

    async def close(self):
        self.abort()

    def abort(self):
        if self.writer is not None:
            self.writer.transport.abort()


class Streamed:
    """Goes before a kind of client."""

    async def link(self, headers, options):
        return Stream(self.hub, self.token)


class StreamedDriver(Streamed, Driver):
    pass


class StreamedPassenger(Streamed, Passenger):
    pass


class StreamedBusDriver(Streamed, BusDriver):
    pass
