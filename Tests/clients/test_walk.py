"""Random faults, by a seed: whatever the link and the hub do, nothing is lost and nothing is done twice.

An app acts and moves about while the hub is away, cut, half-open, late, forgetful; then all is well again, and the books are
compared. The same in networks that let no WebSocket through, where it goes by streams and requests. `KERBSIDE_SEEDS=1000` walks
as many seeds, `KERBSIDE_SEED=7` that one.
"""

import asyncio
import os
import random
from typing import ClassVar

import pytest

from app import LIBRARIES, Process
from links import token
from server import Server, order
from streams import Stream

#: None: each kind of walk has its own number.
SEEDS = os.environ.get("KERBSIDE_SEEDS")
ONE = os.environ.get("KERBSIDE_SEED")
STEPS = 25
OWN, TOPIC = "driver:T1", "topic:city"
COMMANDS = ["driver.available", "driver.unavailable", "ride.end", "seats.set", "publish"]
CLOSES = [(1012, "restart; retry_ms=3000"), (1013, ""), (4420, ""), (4429, ""), (4408, ""), (4410, ""), (1001, "")]
FAULTS = ["silent", "late", "lost", "cut", "cut before", {"error": {"code": "unavailable"}},
          {"error": {"code": "rate_limited", "retry_after_ms": 3000}}, {"error": {"code": "not_available"}}]
#: What goes wrong with hello, and with a request; one that is put off takes a quarter of a second.
HELLOS = ["silent", "lost", "cut before", {"error": {"code": "unavailable"}}]
REQUESTS = ["held", "lost", "cut", "gone"] * 3 + [{"busy": 0}]


class Walk:
    SEEDS = 100
    #: What happens, and how often.
    KINDS: ClassVar = {"act": 6, "push": 6, "time": 8, "fault": 4, "cut": 2, "freeze": 1, "close": 2, "away": 1, "well": 3,
                       "release": 1, "die": 1, "forget": 0.4, "wake": 1}  # fmt: skip
    #: Of the app's first tokens, s; the others last.
    COMMANDS: ClassVar = [*COMMANDS, "sos"]
    LIVES: ClassVar = [600, 900]
    #: Of an app.
    OPTIONS: ClassVar = {}

    def __init__(self, seed, server, process):
        self.random, self.server, self.process = random.Random(seed), server, process
        self.number = self.lives = 0
        self.seed, self.keys, self.named = seed, [], []
        #: seq → what was told with it.
        self.pushed = {}

    @property
    def app(self):
        return f"{self.seed}.{self.lives}"

    @property
    def lines(self):
        return self.process.lines

    async def do(self, what, **fields):
        return await self.process.do(what, self.app, **fields)

    async def live(self):
        self.lives += 1
        self.named.append(self.app)
        lives = [*self.LIVES, *[90_000] * 20]
        tokens = [token(life_s=life, now=self.server.now, mark=str(n)) for n, life in enumerate(lives)]
        await self.do("new", url=self.server.url, seed=self.seed, clock=self.server.now, store=f"phone{self.seed}", tokens=tokens,
                      remembers=True, promises=self.seed % 2 == 1, **self.OPTIONS)
        await self.do("subscribe", channel=TOPIC, fields={"since": "0"})
        await self.do("start")

    async def step(self):
        chance = self.random
        kind = chance.choices(list(self.KINDS), list(self.KINDS.values()))[0]
        if kind == "act":
            self.number += 1
            key = f"k{self.number}"
            self.keys.append(key)
            await self.do("call", cmd=chance.choice(self.COMMANDS), key=key, fields=self.fields())
        elif kind == "push":
            self.number += 1
            await self.push(chance.choice([OWN, TOPIC]), {"n": self.number, "text": "Πλατεία" * 9})
        elif kind == "time":
            await self.server.time(self, int(10 ** chance.uniform(0, 4.8)))
        elif kind == "fault":
            self.server.behaviours.setdefault(chance.choice(self.COMMANDS), []).append(chance.choice(FAULTS))
        elif kind == "close":
            await self.server.close(*chance.choice(CLOSES))
        elif kind == "away":
            self.server.mood = chance.choice(["away", "hole"])
        elif kind == "well":
            self.server.mood = "well"
        elif kind == "release":
            await self.server.release()
        elif kind == "die":
            await self.do("die")
            await self.live()
        elif kind == "forget":
            self.server.forget(chance.choice([OWN, TOPIC]))
        elif kind == "wake":
            await self.do("wake")
        elif kind == "hello":
            self.server.behaviours.setdefault("hello", []).append(chance.choice(HELLOS))
        elif kind == "request":
            self.server.streams.behaviours.append(chance.choice(REQUESTS))
        elif kind == "rest":
            await self.do("stop")
            if chance.random() < 0.5:
                await self.server.time(self, int(10 ** chance.uniform(0, 4.8)))
            await self.do("start")
        else:
            getattr(self.server, kind)()

    def fields(self):
        """Of an act."""
        return {}

    async def push(self, channel, data):
        message = await self.server.push(channel, "notice", data)
        self.pushed[message["seq"]] = data

    async def walk(self):
        await self.live()
        for _ in range(STEPS):
            await self.step()
            if self.random.random() < 0.7:
                await self.server.settled(self)
        await self.heal()
        self.check()

    async def heal(self):
        self.server.mood = "well"
        self.server.behaviours.clear()
        self.server.streams.behaviours.clear()
        # Half-open links are noticed, the longest wait ends, all is sent again.
        for _ in range(40):
            await self.server.settled(self)
            look = await self.do("look")
            is_on_living = look["sockets"]["open"] == len(self.server.living()) == 1
            if look["state"] == "live" and not look["pending"] and is_on_living:
                break
            await self.server.time(self, 10_000)
        else:
            raise AssertionError(f"not well again: {look}")
        await self.push(OWN, {"n": 0})
        await self.push(TOPIC, {"n": 0})
        await self.server.settled(self)

    def seen(self, kind):
        return [row for name in self.named for row in self.process.seen.get(name, {}).get(kind, [])]

    def check(self):
        assert not self.seen("fault"), self.seen("fault")
        twice = {key: times for key, times in self.server.effects.items() if times != 1}
        assert not twice, f"took effect more than once: {twice}"
        # An outcome may be told again to the next life of the app; it never changes.
        outcomes = {}
        for row in self.seen("outcome"):
            assert outcomes.setdefault(row["key"], row.get("error")) == row.get("error"), f"{row} after {outcomes[row['key']]}"
        assert set(outcomes) == set(self.keys), f"no outcome of {sorted(set(self.keys) - set(outcomes))}"
        for key, error in outcomes.items():
            assert (key in self.server.done) or error, f"{key} is told as done"
            assert error in (None, "not_available"), f"{key}: {error}"
        for channel in (OWN, TOPIC):
            self.check_channel(channel)

    def check_channel(self, channel):
        """All that is kept came, in order, once; what is not was told as a gap."""
        events = [row for row in self.seen("event") if row["ch"] == channel]
        assert all(row["data"] == self.pushed[row["seq"]] for row in events), f"{channel}: {events} came, not {self.pushed}"
        came = [row["seq"] for row in events]
        assert came == sorted(set(came), key=order), f"{channel}: twice, or not in order: {came}"
        kept = [event["seq"] for event in self.server.history.get(channel, [])]
        missing = [seq for seq in kept if seq not in came]
        # The first life of the app began with a snapshot of its own channel, which holds what was before.
        first = came[0] if came else "0-0"
        missing = [seq for seq in missing if channel != OWN or order(seq) > order(first)]
        assert not missing or self.had_gap(channel), f"{channel}: {missing} never came; {came} did"

    def had_gap(self, channel):
        return any(row["channel"] == channel for row in self.seen("gap"))


class StreamWalk(Walk):
    """In a network that lets no WebSocket through, from the beginning or from a random moment on."""

    SEEDS = 40
    KINDS: ClassVar = Walk.KINDS | {"hello": 1, "request": 3, "mute": 1, "rest": 0.5}
    COMMANDS: ClassVar = [*COMMANDS, "sos"]
    LIVES: ClassVar = [60, 120]
    OPTIONS: ClassVar = {"way": "either"}

    def __init__(self, seed, server, process):
        super().__init__(seed, server, process)
        self.network = self.random.choice(["refuse", "refuse", "hole", "deaf"])
        self.left = self.random.randrange(STEPS) if seed % 2 else 0

    async def live(self):
        self.enter()
        await super().live()

    async def step(self):
        self.left -= 1
        self.enter()
        await super().step()

    def fields(self):
        # What waits may be more than one request takes.
        return {"text": "ώ" * self.random.choice([0, 1200, 2400])}

    def enter(self):
        """The network in which no WebSocket lives, when it is time."""
        if self.left <= 0 and not self.server.blocks:
            self.server.blocks = self.network
            self.server.cut()

    def check(self):
        super().check()
        assert not self.server.streams.complaints, self.server.streams.complaints
        assert all(isinstance(link, Stream) for link in self.server.living())


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", [Walk, StreamWalk], ids=["socket", "stream"])
def test_random_faults(library, kind):
    async def walk():
        async with Process(library) as process:
            for seed in [int(ONE)] if ONE else range(int(SEEDS or kind.SEEDS)):
                async with Server() as server:
                    try:
                        await kind(seed, server, process).walk()
                    except Exception as error:
                        raise AssertionError(f"seed {seed}: {error!r}") from error

    asyncio.run(walk())
