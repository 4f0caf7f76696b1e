"""The client libraries against the real hub (KERBSIDE_BIN), with the real clock: a ride while workers are killed, what was done
without a link, a token that is renewed. Each by WebSocket, and through a proxy that lets none through [H2, H3]."""

import asyncio
import json
import time

import pytest

from app import LIBRARIES, Process
from kerbside import patience
from kerbside.hub import Hub
from kerbside.proxy import Proxy

WAYS = ["socket", "stream"]
pytestmark = [pytest.mark.hub, pytest.mark.parametrize("library", LIBRARIES), pytest.mark.parametrize("way", WAYS)]


@pytest.fixture(scope="module")
def hub():
    hub = Hub(blocks=2 * len(LIBRARIES) * len(WAYS))
    try:
        hub.start()
        yield hub
        hub.stop()
    finally:
        hub.kill()
        hub.remove()


class Phone:
    """An app of one subject."""

    def __init__(self, hub, process, role, subject):
        self.hub, self.process, self.role, self.subject = hub, process, role, f"{subject}-{process.library}-{process.way}"
        self.name, self.lives = self.subject, 0

    async def begin(self, *lives_s, **options):
        """A first or a further life of the app, on the same phone."""
        self.lives += 1
        self.name = f"{self.subject}.{self.lives}"
        tokens = [self.hub.token(self.role, self.subject, exp=int(time.time()) + life) for life in lives_s or [3600]]
        fields = {"url": self.process.url, "tokens": tokens, "clock": "real", "store": self.subject}
        await self.do("new", **fields, **{"handles": ["offer.made"], "remembers": True} | options)
        await self.do("start")
        await self.until("state", state="live")
        return self

    async def do(self, what, **fields):
        return await self.process.do(what, self.name, **fields)

    async def until(self, kind, **wanted):
        return await self.process.until(kind, wanted, self.name)

    async def call(self, cmd, key, **fields):
        """The `ok` of an act."""
        await self.do("call", cmd=cmd, key=key, fields=fields)
        outcome = await self.until("outcome", key=key)
        assert "ok" in outcome, outcome
        return outcome["ok"]

    async def seqs(self, came):
        """All that was published for it has come: each once, in order."""
        history = [seq for seq, _, _ in self.hub.history(f"{self.role}:{self.subject}")]
        async with asyncio.timeout(patience.MESSAGE):
            while len(came) < len(history):
                came.append((await self.until("event"))["seq"])
        assert came == history and not self.process.take("event", self.name)
        assert not self.process.left("gap", "fault", "refused", app=self.name)


def run(hub, library, way, test):
    async def within():
        async with Process(library) as process, Proxy(hub) as proxy:
            process.way, process.url = way, hub.url if way == "socket" else proxy.url
            await test(process)
            assert proxy.refused if way == "stream" else not proxy.refused

    asyncio.run(within())


async def kill_all(hub):
    await hub.kill_workers(*hub.workers())


def test_a_ride_while_workers_are_killed(hub, library, way):
    async def ride(process):
        here = hub.block()
        driver, passenger = Phone(hub, process, "driver", "T"), Phone(hub, process, "passenger", "p")
        drove, rode = [], []

        async def event(phone, came, kind):
            # On a slow machine an offer may end meanwhile, and be made again.
            while True:
                row = await phone.until("event")
                came.append(row["seq"])
                if row["type"] == kind:
                    return row["data"]

        await driver.begin()
        await passenger.begin()
        await driver.do("position", fix={**here.a.stand.fields, "at": int(time.time() * 1000), "accuracy": 5})
        await driver.call("driver.available", "d1")
        await event(driver, drove, "queue.joined")
        asked = await passenger.call("ride.request", "p1", **here.a.centre.fields, passengers=1)
        await event(passenger, rode, "ride.searching")
        offer = await event(driver, drove, "offer.made")
        assert offer["ride"] == asked["ride"]
        # The client says by itself that it is on the screen.
        await hub.until("seen", lambda: hub.redis.hget(hub.key(f"ride:{asked['ride']}"), "seen"), patience.MESSAGE)
        await kill_all(hub)
        # At once, whether the link is back or not.
        await driver.call("offer.accept", "d2", ride=offer["ride"])
        await driver.until("state", state="waiting")
        await driver.until("state", state="live")
        await event(driver, drove, "ride.assigned")
        accepted = await event(passenger, rode, "ride.accepted")
        assert accepted["taxi"] == driver.subject
        await driver.seqs(drove)
        await passenger.seqs(rode)

    run(hub, library, way, ride)


def test_done_without_a_link_it_takes_effect_once(hub, library, way):
    async def offline(process):
        here = hub.block()
        driver, passenger = Phone(hub, process, "driver", "T2"), Phone(hub, process, "passenger", "p2")
        await driver.begin()
        await driver.do("position", fix={**here.a.stand.fields, "at": int(time.time() * 1000), "accuracy": 5})
        await driver.call("driver.available", "d1")
        await passenger.begin()
        # Its driver may be back later than the passenger: then it waits.
        wish = {**here.a.centre.fields, "passengers": 1, "wait": True}
        await passenger.do("stop")
        await passenger.do("call", cmd="ride.request", key="p1", fields=wish)
        await passenger.do("die")
        await asyncio.gather(passenger.begin(), kill_all(hub))
        outcome = await passenger.until("outcome", key="p1")
        assert "ok" in outcome, outcome
        first = outcome["ok"]
        # Sent once more by an app that did not get the reply: the same ride.
        await passenger.do("call", cmd="ride.request", key="p1", fields=wish)
        assert (await passenger.until("outcome", key="p1"))["ok"] == first
        assert not (await passenger.do("look"))["pending"]
        told = [json.loads(data) for _, kind, data in hub.history(f"passenger:{passenger.subject}") if kind == "ride.searching"]
        assert [data["reason"] for data in told].count("requested") == 1
        assert await passenger.call("ride.cancel", "p2") == {"ride": first["ride"], "state": "cancelled"}

    run(hub, library, way, offline)


def test_a_token_is_renewed_and_nobody_notices(hub, library, way):
    async def renew(process):
        phone = await Phone(hub, process, "passenger", "p3").begin(10, 3600)
        await phone.until("token")
        # Before the first one's end.
        await phone.until("token")
        await asyncio.sleep(4)
        look = await phone.do("look")
        assert look["state"] == "live" and look["sockets"] == {"opening": 0, "open": 1}
        assert not phone.process.left("state", app=phone.name), "the state has changed"
        assert (await phone.call("notify.set", "n1", mute=["eta"]))["mute"] == ["eta"]

    run(hub, library, way, renew)
