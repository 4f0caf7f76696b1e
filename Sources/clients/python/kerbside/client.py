"""A client of a Kerbside hub.

It carries out what connection.py decides: sockets, clock and the app's calls are here, decisions are there. sender.py
has what is sent, channels.py what is read. ../../behaviour.md has the rules that are named in brackets.
"""

from __future__ import annotations

import asyncio
import json
import random as chance
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from .actions import Action, AskToken, Close, Hello, Lost, Open, Ping, Renew, SetTimer, State, StateChange, Timer
from .channels import Channels
from .connection import Connection
from .decisions import Random, own_of
from .device import Device, settled
from .feeds import Vehicles
from .options import Clock, SystemClock, TokenSource, as_sent
from .sender import Sender
from .storage import MemoryStorage, Storage
from .stream import either
from .subscription import Subscription, Teller, log
from .transport import Link, Told, Transport

if TYPE_CHECKING:
    from .messages import Call, HelloReply, On, PositionFields, SubscribeFields, WatchFields

#: What a message that nobody understands raises.
NOT_UNDERSTOOD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Kerbside:
    """A client of a hub, in one event loop: not for several threads."""

    def __init__(
        self,
        url: str,
        token: TokenSource,
        *,
        storage: Storage | None = None,
        remembers: bool = False,
        transport: Transport | None = None,
        clock: Clock | None = None,
        random: Random = chance.random,
    ) -> None:
        """Does nothing yet.

        `url`: `wss://<host>/v1/connect`. `token`: asked whenever one is needed, one time after the other. `storage`:
        where commands wait, in memory if left out. `remembers`: the app keeps what it knows, so after its restart it
        wants only what it missed [R5]. `transport`: `either()` if left out, a WebSocket or what else goes through.
        `clock` and `random` (0 ≤ x < 1) are for tests.
        """
        self._url, self._token_source, self._transport = url, token, transport or either()
        self._clock = SystemClock() if clock is None else clock
        self._device = Device(MemoryStorage() if storage is None else storage, remembers, self._fault)
        self._connection = Connection(random)
        self._teller = Teller(self._fault)
        self._sender = Sender(
            self._connection, self._device, self._teller, self._clock, random,
            send=self._send, wait=lambda ms: self._timer("outbox", ms),
        )
        self._channels = Channels(
            self._connection, self._sender, self._device, self._teller, time=lambda: self.time, fault=self._fault
        )
        self._links: dict[int, Link] = {}
        self._timers: dict[Timer | Literal["outbox"], Any] = {}
        self._fix: dict[str, Any] | None = None
        self._hello = 0
        self._is_wanted = False
        #: The device is read, once.
        self._loading: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Future[Any]] = set()
        self._goodbyes: set[asyncio.Future[Any]] = set()

    async def __aenter__(self) -> Self:
        """Starts."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops."""
        await self.stop()

    @property
    def state(self) -> State:
        """`closed`, `connecting`, `live` or `waiting`."""
        return self._connection.state

    @property
    def who(self) -> str:
        """`role:subject`, once it is known: the own channel, unless the role has none."""
        return self._channels.own

    @property
    def vehicles(self) -> Vehicles:
        """All vehicles that any feed shows, by id."""
        return self._channels.vehicles

    @property
    def time(self) -> int:
        """The hub's time, Unix ms."""
        return self._clock.now() + self._connection.offset

    @property
    def pending(self) -> list[tuple[str, dict[str, Any], str]]:
        """Acts that wait for the link or for their reply, in their order: command, fields, key."""
        return [(entry.cmd, entry.fields, entry.key) for entry in self._sender.outbox.entries if entry.key is not None]

    async def start(self) -> None:
        """Connects, and comes back until `stop`. Waits for the storage, not for the hub: `state` tells of that."""
        self._is_wanted = True
        if self._loading is None:
            self._loading = asyncio.create_task(self._load())
        await asyncio.shield(self._loading)
        if self._is_wanted:
            self._connection.start(self._clock.now())
        self._run()

    def stop(self) -> asyncio.Future[None]:
        """Says goodbye, at once. Commands that wait stay on the device, and are sent after the next `start` [S2].

        Who awaits it knows that goodbye was said and all is written, but for places of events whose handlers still run.
        """
        self._is_wanted = False
        self._connection.stop()
        self._run()
        return self._hold(self._tasks, asyncio.ensure_future(self._parted()))

    def wake(self) -> None:
        """The network or the app's window is back: tries at once, or looks whether the link lives [B4]."""
        self._connection.wake(self._clock.now())
        self._run()

    @property
    def on(self) -> On:
        """`on(type, handler)` calls the handler with what is told; what it returns ends it.

        `type`: of an event or a state of one's own channel, whose `data` is told; `*` for all of these, each as a
        `Message`; or what the client itself has to say: `state` (`StateChange`), `gap` (a channel of which is to be
        forgotten what is known), `outcome` (`Outcome` of an act), `refused` (the error of a position, or of a channel
        to resume), `vehicles` (ids of those that have changed in `vehicles`, or gone), `fault` (an exception of a
        handler, the storage, the login service, or a message that nobody understands; logged if there is no such
        handler).
        """
        return self._teller.add

    @property
    def call(self) -> Call:
        """`await call(cmd, fields, key=…)` sends a command, at once or when there is a link, and has its `ok`.

        What changes something is kept on the device and takes effect once, whoever still awaits it; `key` is for an act
        that the app itself has kept. Raises `Refused` where it is awaited; `TypeError` or `ValueError` at once for what
        is no JSON, and for what the client sends by itself.
        """
        return self._call

    def position(self, fix: PositionFields) -> None:
        """Where the device is. Without a link it waits for one, unless the next replaces it: the latest counts [A2]."""
        self._fix = {"cmd": "position", **as_sent(fix)}
        self._send_fix()

    def subscribe(self, channel: str, fields: SubscribeFields | None = None) -> Subscription:
        """Follows a channel: `topic:…`, `line:…`, `zone:…`, `vehicle:…`, `events:…`, `city`, `catalog`, `office`.

        The same channel is the same object, with other fields. What comes of a feed of vehicles is in `vehicles`, too.
        """
        return self._channels.follow(channel, {"channel": channel, **as_sent(fields or {})})

    def watch(self, fields: WatchFields) -> Subscription:
        """Follows the vehicles around a place; `change` moves the circle."""
        return self._channels.follow("near", as_sent(fields))

    def _call(
        self, cmd: str, fields: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> asyncio.Future[Any]:
        return self._sender.call(self.who or own_of(self._connection.token), cmd, fields or {}, key)

    def _send_fix(self) -> None:
        if self._fix is not None and self._connection.is_greeted:
            fix, self._fix = self._fix, None
            self._send(fix)

    async def _load(self) -> None:
        acts, places = await self._device.load()
        self._sender.restore(acts)
        self._channels.restore(places)

    # What was decided

    def _run(self) -> None:
        # A handler that calls `stop` comes here again: the loop below goes on with that.
        if self._sender.is_held:
            return
        self._sender.is_held = True
        try:
            while actions := self._connection.take():
                for action in actions:
                    self._do(action)
        finally:
            self._sender.is_held = False
        self._sender.pump()

    def _do(self, action: Action) -> None:
        match action:
            case Open(link):
                self._open(link)
            case Close(link, code):
                left = self._links.pop(link, None)
                goodbye = left.close(code) if left is not None else None
                if goodbye is not None:
                    self._hold(self._goodbyes, asyncio.ensure_future(goodbye))
            case Hello(token):
                self._say_hello(token)
            case Renew(token):
                self._hello = self._sender.next_id()
                self._send({"id": self._hello, "cmd": "hello", "token": token})
            case Ping():
                # Its reply is the pong: it leaves what nobody follows [P2].
                self._send({"id": self._sender.next_id(), "cmd": "unsubscribe", "channel": "topic:ping"})
            case Lost():
                self._channels.lost()
                self._sender.lost()
            case AskToken(refused):
                self._hold(self._tasks, asyncio.ensure_future(self._token(refused)))
            case SetTimer(timer, ms):
                self._timer(timer, ms)
            case StateChange():
                self._teller.tell("state", action)

    def _open(self, number: int) -> None:
        def then(what: Callable[[int], None]) -> None:
            if number in self._links:
                what(self._clock.now())
                self._run()

        def closed(code: int, reason: str, now: int) -> None:
            del self._links[number]
            self._connection.lost(number, code, reason, now)

        told = Told(
            opened=lambda: then(lambda now: self._connection.opened(number, now)),
            heard=lambda: then(lambda now: self._connection.heard(number, now)),
            message=lambda text: then(lambda _: self._message(number, text)),
            closed=lambda code, reason: then(lambda now: closed(code, reason, now)),
        )
        try:
            self._links[number] = self._transport(self._url, told)
        except Exception as error:
            self._fault(error)
            self._connection.lost(number, 1006, "no socket", self._clock.now())

    async def _token(self, refused: str | None) -> None:
        try:
            token = await settled(self._token_source(refused))
        except (Exception, asyncio.CancelledError) as error:
            self._fault(error)
            self._connection.token_failed()
        else:
            self._connection.got_token(token)
        self._run()

    def _timer(self, timer: Timer | Literal["outbox"], ms: int | None) -> None:
        if timer in self._timers:
            self._clock.clear(self._timers.pop(timer))
        if ms is None:
            return

        def call() -> None:
            del self._timers[timer]
            if timer != "outbox":
                self._connection.fired(timer, self._clock.now())
            self._run()

        self._timers[timer] = self._clock.set(ms, call)

    def _send(self, message: Mapping[str, Any]) -> None:
        link = self._links.get(self._connection.link)
        if link is None:
            return
        try:
            link.send(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
        except Exception as error:
            # It is sent again when no reply comes.
            self._fault(error)

    @staticmethod
    def _hold(tasks: set[asyncio.Future[Any]], task: asyncio.Future[Any]) -> asyncio.Future[Any]:
        """The loop does not hold what runs on it."""
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return task

    async def _parted(self) -> None:
        if self._goodbyes:
            await asyncio.wait(set(self._goodbyes))
        await self._device.written()

    # What comes

    def _message(self, link: int, text: str) -> None:
        if link != self._connection.link:
            return
        self._connection.heard(link, self._clock.now())
        try:
            message = json.loads(text)
            if not isinstance(message, dict):
                raise TypeError(f"no message: {text[:100]}")
            if "id" in message:
                self._reply(message)
            elif "error" in message:
                self._teller.tell("refused", message["error"])
            elif "ch" in message:
                self._channels.push(message)
        except NOT_UNDERSTOOD as error:
            self._fault(error)

    def _reply(self, message: dict[str, Any]) -> None:
        now = self._clock.now()
        if message["id"] != self._hello:
            self._sender.reply(message)
        elif self._connection.is_greeted:
            self._connection.answered(message, now)
        elif "ok" in message:
            self._greeted(message["ok"], now)
        elif message["error"]["code"] == "bad_message" and self._channels.forget():
            self._say_hello(self._connection.token or "")
        else:
            self._connection.refused(message["error"])

    def _say_hello(self, token: str) -> None:
        self._channels.own = own_of(token) or self.who
        resume = self._channels.resume()
        self._hello = self._sender.next_id()
        self._send({"id": self._hello, "cmd": "hello", "token": token, **({"resume": resume} if resume else {})})

    def _greeted(self, reply: HelloReply, now: int) -> None:
        self._channels.own = f"{reply['role']}:{reply['subject']}"
        self._sender.belong_to(self.who)
        self._connection.greeted(reply, now)
        # Before the acts, which may go by it.
        self._send_fix()
        self._channels.greeted(reply)

    def _fault(self, error: BaseException) -> None:
        if self._teller.hears("fault"):
            asyncio.get_running_loop().call_soon(self._teller.tell, "fault", error)
        else:
            log.error("%s", error, exc_info=error)
