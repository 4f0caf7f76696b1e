"""An app: one subject's connection, with all it received, across reconnects.

Every message is held against the contract as it comes in. A breach fails whatever the test does next, and the test at
its end at the latest.
"""

import asyncio
import copy
import json
import ssl

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from . import contract, patience
from .feeds import Watching
from .protobuf import binary
from .stubborn import Stubborn

SUBPROTOCOL = "kerbside.v1.json"

#: The clients of the running test.
EVERYONE = []


class Refused(AssertionError):
    """The hub answered with an error."""

    def __init__(self, command, error):
        super().__init__(f"{command} was refused: {error}")
        self.code, self.error = error["code"], error


def order(seq):
    """Redis orders its streams by these two numbers; for the rest of the client `seq` is opaque."""
    return tuple(map(int, seq.split("-")))


def _place(row):
    return order(row[0]), row[1]


def _unique_object(pairs):
    fields = dict(pairs)
    assert len(fields) == len(pairs), f"a key stands twice in {pairs}"
    return fields


def _no_constant(text):
    raise contract.Breach(f"{text} is not JSON")


def parse(text):
    """Strict JSON: no NaN, no key twice."""
    return json.loads(text, object_pairs_hook=_unique_object, parse_constant=_no_constant)


class Client(Stubborn, Watching):
    role = None
    #: Where it reaches the hub, if not where clients do.
    address = None
    #: What is agreed for a connection, and its messages ⇄ the JSON of the contract.
    subprotocol = SUBPROTOCOL

    #: What all clients speak that are made from now on: `protobuf`, or `json`, but for kinds that are `Binary`.
    spoken = "json"

    def __new__(cls, *args, **kwargs):
        return super().__new__(binary(cls) if Client.spoken == "protobuf" else cls)

    def encode(self, message):
        return json.dumps(message)

    def decode(self, raw):
        assert isinstance(raw, str), "a binary message on the JSON subprotocol"
        return parse(raw)

    def __init__(self, hub, subject, token=None):
        self.hub, self.subject = hub, subject
        self.token = token or hub.token(self.role, subject)
        self.channel = f"{self.role}:{subject}"
        self.ws = None
        #: Events of the own channel in the order of arrival, and how many of them the test has looked at.
        self.events, self._cursor = [], 0
        #: All messages that came unasked, in the order of arrival.
        self.pushed = []
        self.states, self._state_cursor = {}, {}
        #: Where the own channel stood when this client first came, or after a gap.
        self.start, self.had_gap = None, False
        self.hello_reply = None
        self.breach = None
        self.closed = None
        self.forget_feeds()
        self._next_id = 1001
        self._replies = {}
        self._waiters = []
        self._reader = None
        EVERYONE.append(self)

    def twin(self):
        """Another app of the same subject, as it stands now, but with a connection of its own, not made yet."""
        other = copy.copy(self)
        Client.__init__(other, self.hub, self.subject, self.token)
        return other

    # The link

    async def open(self, headers=None, **options):
        """The WebSocket, without hello."""
        if self.ws is not None and self.closed is None:
            await self.cut()
        self.ws = await self.link(headers, options)
        self.closed = self.hello_reply = None
        self.had_gap = False
        self.forget_feeds()
        self._replies = {}
        self._reader = asyncio.create_task(self._read(self.ws))
        return self

    async def link(self, headers, options):
        context = None
        if self.hub.is_tls:
            context = ssl.create_default_context(cafile=self.hub.settings["server.tls.certificate"])
        options = {"subprotocols": [self.subprotocol], "ping_interval": None, "compression": None, "ssl": context} | options
        return await connect(
            self.hub.url_at(self.address or self.hub.client_address),
            additional_headers=headers,
            open_timeout=patience.PROCESS,
            close_timeout=1,
            max_queue=None,
            **options,
        )

    async def connect(self, resume=None, **options):
        """Open and hello. `resume`: {channel: seq}, or True for the last event seen."""
        await self.open(**options)
        return await self.hello(resume)

    async def hello(self, resume=None):
        fields = {"token": self.token}
        if resume is True:
            resume = {self.channel: self.last_seq}
        if resume:
            fields["resume"] = resume
        reply = await self.call("hello", **fields)
        assert (reply["role"], reply["subject"], reply["city"]) == (self.role, self.subject, self.hub.city)
        assert self.channel in reply["channels"] and self.channel in reply["seq"]
        self.hello_reply = reply
        since = (resume or {}).get(self.channel)
        if self.had_gap or (self.start is None and since is None):
            self.start = reply["seq"][self.channel]
        elif self.start is None:
            self.start = since
        return reply

    @property
    def last_seq(self):
        return self.events[-1]["seq"] if self.events else self.start

    async def cut(self):
        """The link dies: no closing frame, nothing said."""
        self.ws.transport.abort()
        await self._reader

    async def close(self):
        if self.ws is not None:
            await self.ws.close()
            await self._reader

    async def resume(self, **options):
        """Back after a cut, from the last event seen."""
        return await self.connect(resume=True, **options)

    async def wait_closed(self, within=None):
        """(code, reason) of the close."""
        await self.wait(lambda: self.closed, "the close", within)
        return self.closed

    async def _read(self, ws):
        try:
            async for raw in ws:
                assert ws is self.ws, "two links at a time"
                try:
                    self._take(raw)
                except Exception as error:  # noqa: BLE001 - kept, and raised where the test waits
                    self.breach = self.breach or error
                self._wake()
        except ConnectionClosed:
            pass
        finally:
            self.closed = (ws.close_code, ws.close_reason)
            self._wake()

    def _take(self, raw):
        message = self.decode(raw)
        if "ok" in message or "error" in message:
            return self._take_reply(message)
        contract.check_push(message)
        self.pushed.append(message)
        if message["type"] == "gap" and message["ch"] == self.channel:
            self.had_gap, self.events, self._cursor = True, [], 0
            if self.hello_reply:
                self.start = self.hello_reply["seq"][self.channel]
        elif message["ch"] == self.channel and "seq" in message:
            assert message["seq"] not in {e["seq"] for e in self.events}, f"an event came twice: {message}"
            self.events.append(message)
        elif message["ch"].partition(":")[0] in contract.FEEDS:
            if rows := self.take_feed(message):
                self.states.setdefault("positions", []).append({**message, "data": rows})
        elif "seq" not in message:
            self.states.setdefault(message["type"], []).append(message)
        return None

    def _take_reply(self, message):
        if "id" not in message:
            contract.check_error(message)
            self.pushed.append(message)
            return
        command, future = self._replies.pop(message["id"], (None, None))
        assert future is not None, f"a reply that nobody asked for, or a second one: {message}"
        contract.check_reply(command, message)
        if not future.done():
            future.set_result(message)

    # Commands

    async def send(self, message):
        """Anything, as it is."""
        await self.ws.send(message if isinstance(message, (str, bytes)) else self.encode(message))

    def expect_reply(self, number, command="driver.unavailable"):
        """The future of the reply to a message that is sent by hand with this id."""
        future = asyncio.get_running_loop().create_future()
        self._replies[number] = (command, future)
        return future

    async def ask(self, command, **fields):
        """The whole reply to a command; it may be one that the contract does not allow to send."""
        number, self._next_id = self._next_id, self._next_id + 1
        future = self.expect_reply(number, command)
        await self.send({"id": number, "cmd": command, **fields})
        await self.wait(lambda: future.done() or None, f"the reply to {command}")
        return future.result()

    async def call(self, command, **fields):
        """The `ok` of a command's reply; raises Refused."""
        contract.check_command({"id": 0, "cmd": command, **fields})
        reply = await self.ask(command, **fields)
        if "error" in reply:
            raise Refused(command, reply["error"])
        return reply["ok"]

    async def refused(self, command, code, field=None, **fields):
        """The error of a command that must be refused with this code."""
        reply = await self.ask(command, **fields)
        assert "error" in reply, f"{command} {fields} was not refused: {reply}"
        error = reply["error"]
        assert error["code"] == code, f"{command} {fields}: expected {code}, got {error}"
        if field is not None:
            assert error.get("field") == field, f"{command} {fields}: expected field {field!r} in {error}"
        return error

    # Waiting

    def _wake(self):
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self, condition, what, within=None):
        """Until `condition()` is not None: looked at whenever something came, for patience.MESSAGE unless said."""
        loop, within = asyncio.get_running_loop(), within or patience.MESSAGE
        end = loop.time() + within
        while True:
            if self.breach is not None:
                raise self.breach
            if (value := condition()) is not None:
                return value
            if self.closed is not None:
                raise AssertionError(
                    f"{self.channel} was closed with {self.closed} while waiting for {what}\n{self._story()}"
                )
            waiter = loop.create_future()
            self._waiters.append(waiter)
            try:
                async with asyncio.timeout_at(end):
                    await waiter
            except TimeoutError:
                if (value := condition()) is not None:
                    return value
                raise AssertionError(f"{self.channel} waited {within} s for {what}\n{self._story()}") from None

    def _story(self):
        return "\n".join(json.dumps(message)[:300] for message in self.pushed[-12:])

    async def event(self, within=None):
        """The next event of the own channel."""
        event = await self.wait(
            lambda: self.events[self._cursor] if len(self.events) > self._cursor else None, "an event", within
        )
        self._cursor += 1
        return event

    async def expect(self, kind, within=None, **data):
        """The data of the next event, which must be of this type and have these values."""
        try:
            event = await self.event(within)
        except AssertionError as error:
            raise AssertionError(f"expected {kind} {data}: {error}") from None
        told = {key: event["data"].get(key) for key in data}
        assert event["type"] == kind and told == data, f"{self.channel} expected {kind} {data}, got {event}"
        return event["data"]

    async def until(self, kind, within=None, **data):
        """The data of the next event of this type; those before it are passed over."""
        while True:
            event = await self.event(within)
            if event["type"] == kind:
                told = {key: event["data"].get(key) for key in data}
                assert told == data, f"{self.channel} expected {kind} {data}, got {event}"
                return event["data"]

    def skip(self):
        """What came so far is of no interest."""
        self._cursor = len(self.events)

    @property
    def unseen(self):
        return self.events[self._cursor :]

    async def state(self, kind, where=lambda data: True, within=None):
        """The data of the next state of this type for which `where` holds."""

        def found():
            rows = self.states.get(kind, [])
            for index in range(self._state_cursor.get(kind, 0), len(rows)):
                if where(rows[index]["data"]):
                    self._state_cursor[kind] = index + 1
                    return rows[index]["data"]
            return None

        return await self.wait(found, f"the state {kind}", within)

    @property
    def snapshot(self):
        """The data of the last snapshot of the own channel, if one came."""
        found = [m for m in self.pushed if m.get("ch") == self.channel and m["type"] == "snapshot"]
        return found[-1]["data"] if found else None

    # What the hub published, against what came

    async def settled(self, within=None):
        """Waits for all events that were published for this client so far, and insists: each once, in order."""
        assert self.start is not None, f"{self.channel} never said hello, or had a gap and did not start anew"
        due = [row for row in map(_place, self.hub.history(self.channel)) if row[0] > order(self.start)]
        await self.wait(
            lambda: not due or (bool(self.events) and order(self.events[-1]["seq"]) >= due[-1][0]) or None,
            f"all of {len(due)} events that were published; {len(self.events)} came",
            within,
        )
        came = [(order(event["seq"]), event["type"]) for event in self.events]
        if due and len(came) > len(due):  # old ones are no longer kept
            came = [row for row in came if row[0] >= due[0][0]]
        assert came[: len(due)] == due, f"{self.channel}: came {came}, published {due}"
        return self.events

    async def nothing_more(self):
        """No event was published that the test has not looked at."""
        await self.settled()
        assert not self.unseen, f"{self.channel} also got {self.unseen}"
