"""An app for the scenarios, on the Python client: told what to do by lines of JSON on the input, tells on the output
what it sees. Tests/clients/app.py has the other end. {"n": 1, "do": …} is answered by {"done": 1, …}; what is seen is
{"saw": kind, …}.
"""

import asyncio
import dataclasses
import json
import pathlib
import random
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Sources/clients/python"))

from kerbside import Kerbside, MemoryStorage, Refused, either, web_socket

#: How often the loop goes round, so that all that was begun is done, as far as it waits for nothing from outside.
ROUNDS = 20


def tell(line):
    sys.stdout.write(f"{json.dumps(line)}\n")
    sys.stdout.flush()


class TestClock:
    """A clock that goes on only when it is told to."""

    def __init__(self, start):
        self.time, self._timers, self._last = start, {}, 0

    def now(self):
        return self.time

    def set(self, ms, call):
        self._last += 1
        self._timers[self._last] = (self.time + ms, call)
        return self._last

    def clear(self, timer):
        self._timers.pop(timer, None)

    def put(self, ms):
        """Put forward or back by somebody; timers go by another."""
        self.time += ms
        self._timers = {timer: (at + ms, call) for timer, (at, call) in self._timers.items()}

    def advance(self, ms):
        """Up to the next timer within so many ms, which is called, or to their end: what is left, and whether it is over."""
        end = self.time + ms
        timer = min(self._timers, key=lambda one: self._timers[one][0], default=None)
        if timer is None or self._timers[timer][0] > end:
            self.time = end
            return {"left": 0, "over": True}
        at, call = self._timers.pop(timer)
        self.time = max(self.time, at)
        call()
        return {"left": end - self.time, "over": False}


class Later:
    """As a database: everything is answered by an awaitable."""

    def __init__(self, storage):
        self._storage = storage

    async def all(self):
        return self._storage.all()

    async def put(self, name, text):
        self._storage.put(name, text)

    async def remove(self, name):
        self._storage.remove(name)


class CountedLink:
    """Counts the sockets, so that the server knows when all has come."""

    def __init__(self, app, url, told):
        self._app, self._phase = app, ""
        #: Messages that were given to it, and pings that it told.
        self.sent = self.heard = 0
        self._enter("opening")
        self._link = app.way(url, dataclasses.replace(
            told,
            # As in a browser, which keeps pings to itself; the server of the scenarios sends them only to know that all has come.
            heard=lambda: self._heard(told),
            opened=lambda: (self._enter("open"), told.opened()),
            closed=lambda code, reason: (self._over(), told.closed(code, reason)),
        ))
        app.links.add(self)

    def _enter(self, phase):
        if self._phase:
            self._app.sockets[self._phase] -= 1
        self._phase = phase
        if phase:
            self._app.sockets[phase] += 1

    def _heard(self, told):
        self.heard += 1
        if self._app.clock is None:
            told.heard()

    def _over(self):
        self._enter("")
        self._app.links.discard(self)

    def send(self, text):
        self.sent += 1
        self._link.send(text)

    def close(self, code):
        self._over()
        return self._link.close(code)


#: name → what a phone keeps.
stores = {}


class App:
    def __init__(self, name, url, tokens, clock, random=None, seed=1, store=None, remembers=False, handles=(), promises=False,
                 way=None):
        self.name, self.tokens, self.is_dead = name, tokens, False
        self.sockets, self.subscriptions, self.links, self.calls = {"opening": 0, "open": 0}, {}, set(), set()
        self.clock = None if clock == "real" else TestClock(clock)
        self.way = web_socket if self.clock and way != "either" else either()
        storage = MemoryStorage(stores.setdefault(store or name, {}))
        self.client = Kerbside(
            url,
            self._token,
            storage=Later(storage) if promises else storage,
            remembers=remembers,
            clock=self.clock,
            random=chance(seed, random),
            transport=lambda address, told: CountedLink(self, address, told),
        )
        on = self.client.on
        on("state", lambda change: self._saw("state", state=change.state, reason=change.reason, wait=change.wait))
        on("gap", lambda channel: self._saw("gap", channel=channel))
        on("refused", lambda error: self._saw("refused", code=error["code"]))
        on("fault", lambda error: self._saw("fault", text=repr(error)))
        on("outcome", lambda end: self._saw("outcome", cmd=end.cmd, key=end.key, ok=end.ok, error=end.error and end.error["code"]))
        for type_ in handles:
            on(type_, lambda _: None)
        on("*", self._event)

    def _saw(self, kind, **what):
        if not self.is_dead:
            tell({"app": self.name, "saw": kind, **what})

    def _event(self, message):
        kind = "told" if message.seq is None else "event"
        self._saw(kind, ch=message.ch, type=message.type, seq=message.seq, data=message.data)

    def _token(self, refused):
        self._saw("token", refused=refused)
        token = self.tokens.pop(0) if len(self.tokens) > 1 else self.tokens[0]
        if token == "away":
            raise OSError("the login service is away")
        return token

    async def _answer(self, future, name):
        try:
            self._saw("answer", **{"as": name}, ok=await future)
        except Refused as error:
            self._saw("answer", **{"as": name}, error=error.code)

    async def _read(self, one):
        """What is followed is read by a loop."""
        try:
            async for message in one:
                if message.type != "gap":
                    self._event(message)
        except Refused as error:
            self._saw("denied", channel=one.channel, code=error.code)

    def _hold(self, what):
        task = asyncio.create_task(what)
        self.calls.add(task)
        task.add_done_callback(self.calls.discard)

    async def do(self, do, **what):
        client = self.client
        match do:
            case "start":
                await client.start()
            case "stop":
                client.stop()
            case "wake":
                client.wake()
            case "tokens":
                self.tokens = what["tokens"]
            case "call":
                future = client.call(what["cmd"], what.get("fields", {}), key=what.get("key"))
                if "as" in what:
                    self._hold(self._answer(future, what["as"]))
            case "position":
                client.position(what["fix"])
            case "subscribe" | "watch":
                fields = what.get("fields", {})
                one = client.watch(fields) if do == "watch" else client.subscribe(what["channel"], fields)
                if self.subscriptions.get(one.channel) is not one:
                    self.subscriptions[one.channel] = one
                    self._hold(self._read(one))
            case "leave":
                self.subscriptions.pop(what["channel"]).close()
            case "time":
                return self.clock.advance(what["ms"])
            case "clock":
                self.clock.put(what["ms"])
            case "look":
                return {
                    "sockets": self.sockets, "sent": sum(link.sent for link in self.links),
                    "heard": sum(link.heard for link in self.links),
                    "state": client.state, "time": client.time, "pending": client.pending,
                    "vehicles": [dataclasses.asdict(vehicle) for vehicle in client.vehicles.values()],
                }
            case "die":
                # As when the system ends an app: nothing is said, nothing more is done.
                self.is_dead = True
                for link in list(self.links):
                    link.close(1001)
            case _:
                raise ValueError(f"nobody knows how to {do}")
        return {}


def chance(seed, always):
    """Of a seed, or always the same."""
    return random.Random(seed).random if always is None else lambda: always


async def main():
    apps = {}
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async for line in reader:
        what = json.loads(line)
        number, app = what.pop("n"), what.pop("app", "app")
        try:
            if what["do"] == "new":
                what.pop("do")
                apps[app] = App(app, **what)
                answer = {}
            else:
                answer = await apps[app].do(**what)
            for _ in range(ROUNDS):
                await asyncio.sleep(0)
        except Exception:  # noqa: BLE001 - told to the test, whatever it is
            tell({"failed": traceback.format_exc()})
        else:
            tell({"done": number, **answer})


asyncio.run(main())
