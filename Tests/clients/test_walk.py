"""Random faults, by a seed: whatever the link and the hub do, nothing is lost and nothing is done twice.

An app acts and moves about while the hub is away, cut, half-open, late, forgetful; then all is well again, and the books are
compared. `KERBSIDE_SEEDS=1000` walks as many seeds, `KERBSIDE_SEED=7` that one.
"""

import asyncio
import os
import random

import pytest

from app import LIBRARIES, Process
from links import token
from server import Server, order

SEEDS = int(os.environ.get("KERBSIDE_SEEDS", "100"))
ONE = os.environ.get("KERBSIDE_SEED")
STEPS = 25
OWN, TOPIC = "driver:T1", "topic:city"
COMMANDS = ["driver.available", "driver.unavailable", "ride.end", "seats.set", "publish"]
CLOSES = [(1012, "restart; retry_ms=3000"), (1013, ""), (4420, ""), (4429, ""), (4408, ""), (4410, ""), (1001, "")]
FAULTS = ["silent", "late", "lost", "cut", "cut before", {"error": {"code": "unavailable"}},
          {"error": {"code": "rate_limited", "retry_after_ms": 3000}}, {"error": {"code": "not_available"}}]


class Walk:
    def __init__(self, seed, server, process):
        self.random, self.server, self.process = random.Random(seed), server, process
        self.number = self.lives = 0
        self.seed, self.keys, self.refused, self.named = seed, [], set(), []

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
        tokens = [token(life_s=life, now=self.server.now, mark=str(n)) for n, life in enumerate([600, 900, *[90_000] * 20])]
        await self.do("new", url=self.server.url, seed=self.seed, clock=self.server.now, store=f"phone{self.seed}", tokens=tokens,
                      remembers=True, promises=self.seed % 2 == 1)
        await self.do("subscribe", channel=TOPIC, fields={"since": "0"})
        await self.do("start")

    async def step(self):
        chance = self.random
        kind = chance.choices(
            ["act", "push", "time", "fault", "cut", "freeze", "close", "away", "well", "release", "die", "forget", "wake"],
            [6, 6, 8, 4, 2, 1, 2, 1, 3, 1, 1, 0.4, 1],
        )[0]
        if kind == "act":
            self.number += 1
            key = f"k{self.number}"
            self.keys.append(key)
            await self.do("call", cmd=chance.choice(COMMANDS), key=key)
        elif kind == "push":
            self.number += 1
            await self.server.push(chance.choice([OWN, TOPIC]), "notice", {"n": self.number})
        elif kind == "time":
            await self.server.time(self, int(10 ** chance.uniform(0, 4.8)))
        elif kind == "fault":
            self.server.behaviours.setdefault(chance.choice(COMMANDS), []).append(chance.choice(FAULTS))
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
        else:
            getattr(self.server, kind)()

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
        await self.server.push(OWN, "notice", {"n": 0})
        await self.server.push(TOPIC, "notice", {"n": 0})
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
        came = [row["seq"] for row in self.seen("event") if row["ch"] == channel]
        assert came == sorted(set(came), key=order), f"{channel}: twice, or not in order: {came}"
        kept = [event["seq"] for event in self.server.history.get(channel, [])]
        missing = [seq for seq in kept if seq not in came]
        # The first life of the app began with a snapshot of its own channel, which holds what was before.
        first = came[0] if came else "0-0"
        missing = [seq for seq in missing if channel != OWN or order(seq) > order(first)]
        assert not missing or self.had_gap(channel), f"{channel}: {missing} never came; {came} did"

    def had_gap(self, channel):
        return any(row["channel"] == channel for row in self.seen("gap"))


@pytest.mark.parametrize("library", LIBRARIES)
def test_random_faults(library):
    async def walk():
        async with Process(library) as process:
            for seed in [int(ONE)] if ONE else range(SEEDS):
                async with Server() as server:
                    try:
                        await Walk(seed, server, process).walk()
                    except Exception as error:
                        raise AssertionError(f"seed {seed}: {error!r}") from error

    asyncio.run(walk())
