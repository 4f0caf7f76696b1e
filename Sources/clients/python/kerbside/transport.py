"""A link to the hub, as the client sees it, and the WebSocket that is one.

Another transport has the same two halves: what it is told, and what it tells. `stream.py` is one.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

try:
    from websockets.client import ClientProtocol
except ImportError:  # websockets 10, that of Debian 12
    from websockets.client import ClientConnection as ClientProtocol

SUBPROTOCOL = "kerbside.v1.json"
#: The largest message that is taken, in bytes, so that a stranger can't fill the memory.
LARGEST = 16 * 1024 * 1024
#: Seconds that the other end has for its part of a goodbye.
GOODBYE_S = 1


@dataclass(frozen=True, slots=True)
class Told:
    """What a link tells, in the event loop. Nothing is told after `closed`, nor after the client has closed it."""

    opened: Callable[[], object]
    #: Of a ping of the hub, where the transport sees it.
    heard: Callable[[], object]
    message: Callable[[str], object]
    #: Code and reason; 1006 if there was no code.
    closed: Callable[[int, str], object]


class Link(Protocol):
    """What the client does with a link."""

    def send(self, text: str) -> None:
        """Sends a message, as far as there is a link."""

    def close(self, code: int) -> Awaitable[None] | None:
        """Leaves it at once, whether the other end answers or not. The answer is over when goodbye was said."""


Transport = Callable[[str, Told], Link]


def web_socket(url: str, told: Told, context: ssl.SSLContext | None = None) -> Link:
    """A WebSocket to `ws://…` or `wss://…`. `context`: of TLS, instead of the system's own.

    For a transport with a context of one's own: `lambda url, told: web_socket(url, told, context)`. Raises
    `websockets.exceptions.InvalidURI` if the address is none.
    """
    return _WebSocket(url, told, context)


class _WebSocket(asyncio.Protocol):
    """RFC 6455 is read and written by `websockets`; this connects it to a socket of the event loop."""

    def __init__(self, url: str, told: Told, context: ssl.SSLContext | None) -> None:
        self._told = told
        uri = parse_uri(url)
        self._protocol = ClientProtocol(uri, subprotocols=[Subprotocol(SUBPROTOCOL)], max_size=LARGEST)
        self._transport: asyncio.Transport | None = None
        self._is_open = self._is_over = self._is_text = False
        self._text = bytearray()
        self._loop = asyncio.get_running_loop()
        self._gone: asyncio.Future[None] = self._loop.create_future()
        tls = (context or ssl.create_default_context()) if uri.secure else None
        self._connecting = self._loop.create_task(self._connect(uri.host, uri.port, tls))

    async def _connect(self, host: str, port: int, tls: ssl.SSLContext | None) -> None:
        try:
            await self._loop.create_connection(lambda: self, host, port, ssl=tls, happy_eyeballs_delay=0.25)
        except (OSError, ValueError) as error:
            # No such host, nobody there, no trust.
            self._set_gone()
            self._end(1006, str(error))

    # The client's half

    def send(self, text: str) -> None:
        # A goodbye may have come with the message that is answered here.
        if self._protocol.state.name == "OPEN" and not self._is_over:
            self._protocol.send_text(text.encode())
            self._flush()

    def close(self, code: int) -> Awaitable[None]:
        if not self._is_over:
            self._is_over = True
            self._part(code)
        return self._gone

    # The socket's half

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._is_over:
            transport.abort()
            return
        self._protocol.send_request(self._protocol.connect())
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        self._read()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._read()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(1006, str(exc or ""))
        self._set_gone()

    def _read(self) -> None:
        for event in self._protocol.events_received():
            if isinstance(event, Response):
                self._shake_hands(event)
            elif isinstance(event, Frame):
                self._take(event)
        self._flush()
        if self._is_open and self._protocol.state.name != "OPEN":
            # Without a goodbye of the other end: frames that are none, or its end without one.
            self._end(1006, "broken frames" if self._protocol.close_sent else "")
        elif not self._is_open and self._protocol.handshake_exc is not None:
            self._end(1006, "no hub answers there")

    def _shake_hands(self, response: Response) -> None:
        if response.status_code != 101:
            self._end(1006, f"HTTP {response.status_code}")
        elif self._protocol.handshake_exc is not None or self._protocol.subprotocol != SUBPROTOCOL:
            self._end(1006, "no hub answers there")
        elif not self._is_over:
            self._is_open = True
            self._told.opened()

    def _take(self, frame: Frame) -> None:
        if self._is_over:
            return
        if frame.opcode is Opcode.CLOSE:
            said = self._protocol.close_rcvd
            self._end(1006 if said is None or said.code == 1005 else said.code, said.reason if said else "")
            return
        if frame.opcode in (Opcode.PING, Opcode.PONG):
            self._told.heard()
            return
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        if self._is_text:
            self._text += frame.data
            if frame.fin:
                text, self._text = self._text, bytearray()
                self._told.message(text.decode(errors="replace"))

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if self._transport is None or self._transport.is_closing():
                return
            if data:
                self._transport.write(data)
            elif self._transport.can_write_eof():
                self._transport.write_eof()

    def _end(self, code: int, reason: str) -> None:
        """The other end has ended it."""
        if not self._is_over:
            self._is_over = True
            self._part(1000)
            self._told.closed(code, reason)

    def _part(self, code: int) -> None:
        """Who doesn't read gets no goodbye."""
        if self._transport is None or not self._is_open:
            self._abort()
            return
        if self._protocol.state.name == "OPEN":
            self._protocol.send_close(code)
        self._flush()
        self._loop.call_later(GOODBYE_S, self._abort)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()
        elif not self._gone.done():
            self._connecting.cancel()
            self._set_gone()

    def _set_gone(self) -> None:
        if not self._gone.done():
            self._gone.set_result(None)
