"""Each scenario of scenarios.yaml, with each client library, against the hub that misbehaves."""

import asyncio
import pathlib
import re

import pytest
import yaml

from app import LIBRARIES, Process, matches
from links import claims_of, token
from server import Server

HERE = pathlib.Path(__file__).parent
SCENARIOS = yaml.safe_load((HERE / "scenarios.yaml").read_text())
BEHAVIOUR = HERE.parents[1] / "Sources/clients/behaviour.md"
#: What the app sees is looked at, all of it; these only where a scenario asks for them.
LOOSE = {"told", "token", "fault"}
CASES = [
    pytest.param(library, one, code, id=f"{library}-{one['name']}" + (f" {code}" if code else ""))
    for library in LIBRARIES
    for one in SCENARIOS
    for code in one.get("each", [None])
]


class Play:
    """A scenario on its stage."""

    def __init__(self, scenario, server, process, code):
        self.scenario, self.server, self.process, self.code = scenario, server, process, code
        self.names, self.made = ["app"], 0

    @property
    def app(self):
        return self.names[-1]

    async def do(self, what, **fields):
        return await self.process.do(what, self.app, **fields)

    async def new(self, tokens=None):
        rows = tokens or self.scenario.get("tokens") or [{}]
        fields = {
            "url": self.server.url, "random": self.scenario.get("random", 0.5), "clock": self.server.now, "store": "phone",
            "remembers": self.scenario.get("remembers", False), "handles": self.scenario.get("handles", []),
            "promises": self.scenario.get("promises", False),
        }
        await self.do("new", tokens=self.tokens(rows), **fields)

    def tokens(self, rows):
        return [row if isinstance(row, str) else token(**row, now=self.server.now) for row in rows]

    async def begin(self):
        await self.new()
        if self.scenario.get("live"):
            await self.do("start")
            await self.see(state={"state": "connecting"})
            await self.see(state={"state": "live"})
            await self.server.settled(self)
            self.server.hellos.clear()

    async def play(self):
        await self.begin()
        for step in self.scenario["steps"]:
            times = step.get("repeat", 1)
            [(kind, what)] = [(kind, what) for kind, what in step.items() if kind != "repeat"]
            for _ in range(times):
                try:
                    await getattr(self, f"step_{kind}")(what)
                except AssertionError as error:
                    raise AssertionError(f"at {step}: {error}") from None
        await self.server.settled(self)
        left = {kind: rows for kind, rows in self.process.seen.get(self.app, {}).items() if rows and kind not in LOOSE}
        assert not left, f"nobody expected {left}"
        assert not self.server.got, f"nobody expected {self.server.got}"

    # What the process says for the app on the stage

    @property
    def lines(self):
        return self.process.lines

    # Steps

    async def step_app(self, what):
        what = dict(what)
        do = what.pop("do")
        if do == "again":
            self.names.append(f"app{len(self.names)}")
            await self.new(**what)
        elif do == "tokens":
            await self.do(do, tokens=self.tokens(what["tokens"]))
        else:
            await self.do(do, **what)
        await self.server.settled(self)

    async def step_time(self, ms):
        await self.server.settled(self)
        await self.server.time(self, ms)

    async def step_see(self, what):
        await self.see(**what)

    async def see(self, **what):
        [(kind, wanted)] = what.items()
        row = await self.process.see(kind, {}, self.app)
        if kind == "token" and row["refused"]:
            row = {"refused": claims_of(row["refused"])["mark"] or "first"}
        assert matches(row, wanted), f"it saw {kind} {row}"

    async def step_nothing(self, kind):
        await self.server.settled(self)
        rows = self.process.take(kind, self.app)
        assert not rows, f"it saw {kind} {rows}"

    async def step_got(self, wanted):
        await self.server.settled(self)
        for one in wanted:
            assert self.server.got, f"{one} never came"
            assert matches(self.server.got[0], one), f"{self.server.got[0]} came, not {one}"
            self.server.got.pop(0)

    async def step_hello(self, wanted):
        await self.server.settled(self)
        assert self.server.hellos, "no hello came"
        hello = dict(self.server.hellos.pop(0))
        hello["token"] = claims_of(hello["token"])["mark"] or "first"
        wanted = dict(wanted)
        if wanted.get("resume", {}) is None:
            assert "resume" not in hello, f"{hello} came"
            del wanted["resume"]
        assert matches(hello, wanted) and ("resume" in hello) >= ("resume" in wanted), f"{hello} came"

    async def step_vehicles(self, wanted):
        await self.server.settled(self)
        vehicles = sorted((await self.do("look"))["vehicles"], key=lambda vehicle: vehicle["id"])
        assert matches(vehicles, wanted), f"on the map are {vehicles}"

    async def step_push(self, what):
        what = dict(what)
        await self.server.push(what.pop("ch"), what.pop("type"), what.pop("data"), **what)
        await self.server.settled(self)

    async def step_behave(self, what):
        self.server.behaviours.update({command: list(rows) for command, rows in what.items()})

    async def step_hub(self, word):
        if word in ("away", "hole", "well"):
            self.server.mood = word
        elif word == "release":
            await self.server.release()
        else:
            getattr(self.server, word)()
        await self.server.settled(self)

    async def step_close(self, what):
        code, reason = what
        await self.server.close(self.code if code == "each" else code, reason)
        await self.server.settled(self)

    async def step_forget(self, channel):
        self.server.forget(channel)

    async def step_links(self, count):
        await self.server.settled(self)
        assert len(self.server.living()) == count

    async def step_done(self, keys):
        await self.server.settled(self)
        assert self.server.done == keys
        assert all(times == 1 for times in self.server.effects.values())


@pytest.mark.parametrize(("library", "scenario", "code"), CASES)
def test_scenario(library, scenario, code):
    async def play():
        async with Server() as server, Process(library) as process:
            await Play(scenario, server, process, code).play()

    asyncio.run(play())


def test_every_rule_has_a_scenario_or_says_where_it_is_tested():
    text = BEHAVIOUR.read_text()
    rules = dict(re.findall(r"^\*\*([A-Z]\d+)\*\* (.*?)(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL))
    named = {rule for one in SCENARIOS for rule in one["rules"]}
    assert named <= set(rules), f"no such rules: {sorted(named - set(rules))}"
    elsewhere = {rule for rule, about in rules.items() if "*Tested" in about}
    assert set(rules) - named == elsewhere, "each rule has a scenario, or says where it is tested"
