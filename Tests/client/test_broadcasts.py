"""Notices of an operator to many people, and what may go wrong with them."""

import asyncio
import os
import signal

import pytest

from kerbside.bus import BinaryBusDriver, BusDriver, Line
from kerbside.driver import Driver
from kerbside.names import fresh
from kerbside.operator import Operator
from kerbside.passenger import Passenger
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger


def texts(client):
    return [event["data"]["text"] for event in client.events if event["type"] == "notice"]


async def told(client, text):
    return await client.wait(lambda: (text in texts(client)) or None, f"{text!r} of {client.channel}")


async def test_all_of_a_role_are_told_wherever_they_are_connected(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    [elsewhere] = await cast.queue(hub, here.b.stand, 1)
    rider, operator = await cast.rider(hub), await cast.operator(hub)
    sent = await operator.call("broadcast", to="drivers", text="The bridge is closed.")
    assert sent["people"] >= 2
    data = await driver.until("notice")
    assert data == {"notice": sent["notice"], "text": "The bridge is closed."}
    await told(elsewhere, "The bridge is closed.")
    sent = await operator.call("broadcast", to="drivers", zone=here.a.id, text="Only here.")
    assert sent["people"] == 1
    await told(driver, "Only here.")
    assert (await driver.until("notice"))["zone"] == here.a.id
    sent = await operator.call("broadcast", to="passengers", text="Storm.")
    await told(rider, "Storm.")
    await asyncio.sleep(0.3)
    assert texts(rider) == ["Storm."]
    assert texts(elsewhere) == ["The bridge is closed."]


async def test_who_is_away_finds_it_when_it_is_back(hub, cast):
    rider, operator = await cast.rider(hub), await cast.operator(hub)
    await rider.close()
    await operator.call("broadcast", to="passengers", text="While you were out.", key="away-1")
    again = await operator.call("broadcast", to="passengers", text="While you were out.", key="away-1")
    await hub.until("it was told", lambda: not hub.redis.hexists(hub.key("broadcasts"), again["notice"]))
    await rider.resume()
    await told(rider, "While you were out.")
    assert texts(rider) == ["While you were out."], "once"


async def test_what_can_not_be_sent_says_why(hub, cast):
    operator, driver = await cast.operator(hub), cast.driver(hub)
    await driver.connect()
    await driver.refused("broadcast", "forbidden", to="drivers", text="Hear me.")
    error = await operator.refused("broadcast", "bad_message", to="everybody", text="x")
    assert error["field"] == "to" and "drivers, bus_drivers or passengers" in error["detail"]
    error = await operator.refused("broadcast", "bad_message", to="drivers", text="two\nlines")
    assert error["field"] == "text"
    assert (await operator.refused("broadcast", "bad_message", to="drivers", text="x" * 501))["field"] == "text"
    assert (await operator.refused("broadcast", "bad_message", to="passengers", zone="1", text="x"))["field"] == "zone"
    assert (await operator.refused("broadcast", "not_found", to="drivers", zone="nowhere", text="x"))["field"] == "zone"


async def test_an_operator_that_told_too_many_waits_and_another_can_tell(hub, cast):
    rider, operator, other = await cast.rider(hub), await cast.operator(hub), await cast.operator(hub)
    first = await send(hub, operator, to="passengers", text="First.", key="first")
    await told(rider, "First.")
    # As after notices to 150,000 people.
    hub.redis.set(hub.key(f"told:{operator.subject}"), "", px=5_400_000)
    error = await operator.refused("broadcast", "rate_limited", to="passengers", text="Second.", key="second")
    assert 0 < error["retry_after_ms"] <= 1_800_000 and "another operator" in error["detail"]
    assert await operator.call("broadcast", to="passengers", text="First.", key="first") == first
    await send(hub, other, to="passengers", text="Of another.")
    await told(rider, "Of another.")
    hub.redis.set(hub.key(f"told:{operator.subject}"), "", px=3_600_000)
    await send(hub, operator, to="passengers", text="Second.", key="second")
    await told(rider, "Second.")
    assert texts(rider) == ["First.", "Of another.", "Second."]


async def test_a_notice_outlives_the_worker_that_tells_it(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    operator = await cast.operator(hub)
    # People whom nobody holds a connection for: so many that telling them takes seconds.
    key = hub.key("people:passenger")
    now = int(hub.redis.time()[0]) * 1000
    hub.redis.zadd(key, {f"far{n}": now for n in range(8000)})
    sent = await operator.call("broadcast", to="passengers", text="To all.")
    assert sent["people"] == 8000
    assert hub.redis.exists(hub.key("broadcasts")), "it is still being told"
    for pid in hub.workers():
        os.kill(pid, signal.SIGKILL)
    await hub.until("all are told", lambda: not hub.redis.exists(hub.key("broadcasts")))
    with hub.redis.pipeline(transaction=False) as pipe:
        for n in range(8000):
            pipe.xlen(hub.key(f"ch:passenger:far{n}"))
        assert set(pipe.execute()) == {1}, "each once"


class Pair:
    """One person at two devices, of which the first speaks JSON and the second Protocol Buffers."""

    def __init__(self, hub, kinds, *more):
        subject = fresh("b-")
        self.plain, self.binary = (kind(hub, *more, subject) for kind in kinds)

    async def connect(self):
        for one in (self.plain, self.binary):
            await one.connect()
        return self

    async def told(self, notice, text, **more):
        """Both are told the same, once."""
        for one in (self.plain, self.binary):
            await told(one, text)
            assert [event["data"] for event in one.events if event["data"].get("notice") == notice] == [
                {"notice": notice, "text": text, **more}]
        assert [(event["seq"], event["data"]) for event in self.plain.events if event["type"] == "notice"] == [
            (event["seq"], event["data"]) for event in self.binary.events if event["type"] == "notice"]


async def send(hub, operator, **fields):
    """A notice, when those before it are told: of one operator only so many are at once."""
    await hub.until("the notices before", lambda: hub.redis.hlen(hub.key("broadcasts")) == 0)
    return await operator.call("broadcast", **fields)


@pytest.mark.parametrize("office", [Operator, BinaryOperator], ids=["json", "protobuf"])
async def test_m8_a_notice_is_the_same_in_both_encodings(hub, cast, office):
    here, operator = hub.block(), office(hub, fresh("office-"))
    await operator.connect()
    rider = await Pair(hub, (Passenger, BinaryPassenger)).connect()
    driver = await Pair(hub, (Driver, BinaryDriver)).connect()
    bus = await Pair(hub, (BusDriver, BinaryBusDriver), Line(0, 0)).connect()
    driver.binary.place = here.a.stand
    await driver.binary.go_available()
    text = f"Ünder the bridge, “{fresh('n')}”: 3\u202fm."
    for to, pair, others in (
        ("passengers", rider, (driver, bus)), ("drivers", driver, (rider, bus)), ("bus_drivers", bus, (rider, driver)),
    ):  # fmt: skip
        key = fresh("k")
        sent = await send(hub, operator, to=to, text=f"{text} {to}", key=key)
        await pair.told(sent["notice"], f"{text} {to}")
        assert await operator.call("broadcast", to=to, text=f"{text} {to}", key=key) == sent
        for other in others:
            assert f"{text} {to}" not in texts(other.plain) + texts(other.binary)
    sent = await send(hub, operator, to="drivers", zone=here.a.id, text=f"{text} here")
    assert sent["people"] == 1
    await driver.told(sent["notice"], f"{text} here", zone=here.a.id)
    # Who is away finds it in its own encoding.
    for pair, to in ((rider, "passengers"), (driver, "drivers"), (bus, "bus_drivers")):
        await pair.plain.cut()
        await pair.binary.cut()
        sent = await send(hub, operator, to=to, text=f"{text} later")
        await pair.binary.resume()
        await pair.plain.resume()
        await pair.told(sent["notice"], f"{text} later")
    for pair in (rider, driver, bus):
        assert len(texts(pair.binary)) == len(set(texts(pair.binary))), "each once"
