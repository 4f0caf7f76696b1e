"""A link for networks that let no WebSocket through [H2].

The hub's messages come as server-sent events of one long answer, the client's go by requests, one after the other.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Awaitable
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from .transport import GOODBYE_S, LARGEST, Link, Told, Transport, web_socket

#: Seconds that a request has, and the stream until it begins.
REQUEST_S = 10
#: The hub takes 16 KiB in a request, bytes.
FULL = 8192
#: Seconds until what was put off is said again, whatever the hub says.
LONGEST_WAIT_S = 5


def event_stream(url: str, told: Told, context: ssl.SSLContext | None = None) -> Link:
    """A stream beside `ws://…/v1/connect` or `wss://…/v1/connect`. `context`: of TLS, instead of the system's own.

    Raises `ValueError` if the address is none.
    """
    return _EventStream(url, told, context)


class _EventStream:
    """`http.client` waits, so the stream is read in a thread of its own; all that is told is told in the event loop."""

    def __init__(self, url: str, told: Told, context: ssl.SSLContext | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("ws", "wss") or not parts.hostname:
            raise ValueError(f"{url} is no address of a hub: wss://<host>/v1/connect")
        self._told = told
        self._host, self._port = parts.hostname, parts.port
        self._tls = (context or ssl.create_default_context()) if parts.scheme == "wss" else None
        self._path = parts.path.removesuffix("/connect") + "/stream"
        self._token = self._session = ""
        #: The id and token of a hello that is not answered.
        self._hello: tuple[Any, str] | None = None
        self._waiting: list[str] = []
        self._alarms: list[str] = []
        self._is_open = self._is_over = False
        self._socket: socket.socket | None = None
        self._saying: asyncio.Task[None] | None = None
        #: Ends the wait of what was put off.
        self._hurry = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._loop.call_soon(self._opened)

    def _opened(self) -> None:
        if not self._is_over:
            self._told.opened()

    # The client's half

    def send(self, text: str) -> None:
        if self._is_over:
            return
        message = json.loads(text)
        if message["cmd"] == "hello":
            if self._is_open and not self._session:
                # Refused, it is said again by another stream.
                self._loop.call_soon(self._end, 1006, "hello again")
                return
            self._hello = (message.get("id"), message["token"])
            if not self._is_open:
                self._is_open = True
                threading.Thread(target=self._read, args=(text,), name="kerbside stream", daemon=True).start()
                return
        if message["cmd"] == "sos":
            self._alarms.append(text)
            self._hurry.set()
        else:
            self._waiting.append(text)
        self._say()

    def close(self, code: int) -> Awaitable[None] | None:
        leaves = code == 1000 and self._session and not self._is_over
        self._is_over = True
        if not leaves:
            self._cut()
            return None
        # With nothing said the stream is left.
        left = self._loop.create_future()
        threading.Thread(target=self._leave, args=(left,), name="kerbside goodbye", daemon=True).start()
        self._loop.call_later(GOODBYE_S, self._part, left)
        return left

    def _leave(self, left: asyncio.Future[None]) -> None:
        """In a thread."""
        with contextlib.suppress(OSError, HTTPException):
            self._pass("")
        self._in_loop(self._part, left)

    def _part(self, left: asyncio.Future[None]) -> None:
        self._cut()
        if not left.done():
            left.set_result(None)

    def _cut(self) -> None:
        if self._saying is not None:
            self._saying.cancel()
        if self._socket is not None:
            # Not that of TLS, which would take its own away from the thread that reads.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    # The hub's half

    def _read(self, hello: str) -> None:
        """In the thread."""
        code, reason = 1006, "the stream has ended"
        try:
            with self._post(self._path, hello) as response:
                if response.status != 200:
                    reason = f"HTTP {response.status}"
                    return
                rest = b""
                while piece := response.read1(65_536):
                    *events, rest = (rest + piece).split(b"\n\n")
                    if len(rest) > LARGEST:
                        reason = "an event without an end"
                        return
                    self._in_loop(self._take, [event.decode(errors="replace") for event in events])
        except (OSError, HTTPException, ValueError) as error:
            reason = str(error)
        finally:
            self._in_loop(self._end, code, reason)

    def _in_loop(self, call: Any, *values: Any) -> None:
        # The loop may be over.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call, *values)

    def _take(self, events: list[str]) -> None:
        for event in events:
            if self._is_over:
                return
            lines = event.split("\n")
            data = next((line[6:] for line in lines if line.startswith("data: ")), "")
            if "event: close" in lines:
                code, _, reason = data.partition(" ")
                self._end(int(code) if code.isdigit() else 1006, reason)
            elif not data:
                # A comment is a ping.
                self._told.heard()
            else:
                try:
                    self._answer(data)
                except ValueError as error:
                    self._end(1006, str(error))
                    return
                self._told.message(data)
                self._say()

    def _answer(self, data: str) -> None:
        if self._hello is None:
            return
        reply = json.loads(data)
        identity, token = self._hello
        if reply.get("id") == identity:
            self._hello = None
            if "ok" in reply:
                self._token, self._session = token, reply["ok"]["session"]

    def _say(self) -> None:
        has_words = self._alarms or self._waiting
        if self._session and has_words and not self._is_over and (self._saying is None or self._saying.done()):
            self._saying = self._loop.create_task(self._speak())

    def _next(self) -> tuple[list[str], list[str]]:
        """The next request's, and where it is from: an alarm by itself, or what waits, as much as the hub takes."""
        source = self._alarms or self._waiting
        count = size = 0
        while count < len(source) and (size := size + len(source[count].encode())) <= FULL:
            count += 1
        said = source[: 1 if source is self._alarms else max(1, count)]
        del source[: len(said)]
        return said, source

    async def _speak(self) -> None:
        """What comes meanwhile goes with the next request; an alarm does not wait for what was put off."""
        while (self._alarms or self._waiting) and not self._is_over:
            said, source = self._next()
            try:
                status, wait_s = await asyncio.to_thread(self._pass, "\n".join(said))
            except (OSError, HTTPException, ValueError, RuntimeError) as error:
                self._end(1006, str(error))
                return
            if status in (429, 503):
                source[:0] = said
                if self._alarms and source is self._waiting:
                    # An alarm that came meanwhile goes at once.
                    continue
                self._hurry.clear()
                wait_s = min(max(wait_s, 0.25), LONGEST_WAIT_S)
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._hurry.wait() if source is self._waiting else asyncio.sleep(wait_s), wait_s)
            elif status != 202:
                self._end(1006, f"HTTP {status}")

    def _pass(self, text: str) -> tuple[int, float]:
        """In a thread. The status, and after how many seconds to try again."""
        with self._post(f"{self._path}/{self._session}", text) as response:
            wait = response.headers.get("Retry-After", "1")
            return response.status, float(wait) if wait.isdecimal() else 1

    def _post(self, path: str, text: str) -> HTTPResponse:
        """In a thread. What the answer's end closes."""
        if self._tls is None:
            connection = HTTPConnection(self._host, self._port, timeout=REQUEST_S)
        else:
            connection = HTTPSConnection(self._host, self._port, timeout=REQUEST_S, context=self._tls)
        headers = {"Content-Type": "application/json", "Connection": "close"}
        if self._session:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            connection.request("POST", path, text.encode(), headers)
            if not self._session:
                self._socket = connection.sock
                if self._is_over:
                    raise OSError("left")
            response = connection.getresponse()
            if not self._session and self._socket is not None:
                # Whether the hub is still there is seen by those who wait for its pings.
                self._socket.settimeout(None)
            return response
        except BaseException:
            connection.close()
            raise

    def _end(self, code: int, reason: str) -> None:
        if not self._is_over:
            self._is_over = True
            self._cut()
            self._told.closed(code, reason)


#: So often in a row a first way that brings nothing is tried before the second.
TRIES = 2


def either(first: Transport = web_socket, second: Transport = event_stream) -> Transport:
    """The first way; where that brought no message twice in a row, the second [H3].

    When one ends that did, the first is tried once before the next. For one client: it remembers how the last ones went.
    """
    failures, is_second_good = 0, False

    def open_link(url: str, told: Told) -> Link:
        is_first = failures < TRIES
        is_good = False

        def over() -> None:
            nonlocal failures, is_second_good
            if is_good:
                # Which way brought something last.
                is_second_good = not is_first
            otherwise = failures + 1 if is_first else TRIES - 1 if is_second_good else 0
            failures = 0 if is_good and is_first else otherwise

        def message(text: str) -> None:
            nonlocal is_good
            is_good = True
            told.message(text)

        def closed(code: int, reason: str) -> None:
            over()
            told.closed(code, reason)

        link = (first if is_first else second)(url, Told(told.opened, told.heard, message, closed))
        return _Either(link, over)

    return open_link


class _Either:
    def __init__(self, link: Link, over: Any) -> None:
        self._link, self._over = link, over

    def send(self, text: str) -> None:
        self._link.send(text)

    def close(self, code: int) -> Awaitable[None] | None:
        self._over()
        return self._link.close(code)
