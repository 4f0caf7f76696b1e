"""Positions that were stored on the device: where a vehicle was, not where it is."""

import re
import time

import pytest

from conftest import running

HOURS = 3_600_000


@pytest.fixture(scope="module")
def hub():
    """A hub that believes no car to be faster than the default says."""
    yield from running(blocks=20, positions__max_speed_mps=45)


def now():
    return int(time.time() * 1000)


@pytest.mark.parametrize("age", [29 * HOURS, 30 * 24 * HOURS, 6 * 60_000])
async def test_c3_a_first_fix_that_is_old_shows_nothing_and_makes_nobody_available(hub, cast, age):
    here = hub.block()
    driver, operator = cast.driver(hub, here.a.stand), await cast.operator(hub)
    await driver.connect()
    reply = await driver.call("position", **here.a.stand.fields, at=now() - age, accuracy=5)
    assert reply == {"ignored": "old"}
    error = await driver.refused("driver.available", "no_position")
    [told] = re.findall(r"`at` of the last one that came is (\d+) s old", error["detail"])
    # The hub's clock and this one may differ by some milliseconds.
    assert -1 <= int(told) - age // 1000 < 60
    assert (await operator.follow(f"vehicle:{driver.subject}")).vehicles == {}
    assert await driver.call("position", **here.a.stand.fields, at=now(), accuracy=5) == {}
    assert (await driver.call("driver.available"))["zone"] == here.a.id


async def test_c7_a_first_fix_that_is_stale_is_not_shown_as_live(hub, cast):
    here = hub.block()
    driver, operator = cast.driver(hub, here.a.stand), await cast.operator(hub)
    await driver.connect()
    assert await driver.call("position", **here.a.stand.fields, at=now() - 120_000, accuracy=5) == {}
    await hub.until("it in Redis", lambda: hub.redis.hget(hub.key(f"vehicle:{driver.subject}"), "at"))
    picture = await operator.follow(f"vehicle:{driver.subject}")
    assert picture.vehicles[driver.subject].freshness == "stale"
    driver.clock = now() - 100
    assert await driver.call("position", **here.a.stand.fields, at=driver.clock, accuracy=5) == {}
    await operator.sees_all(picture, [driver], freshness="live")


async def test_c3_what_was_ignored_is_said(hub, cast):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    await driver.connect()
    at = now() - 5_000
    place, far = here.a.stand.fields, here.a.stand.moved(north=5000).fields
    assert await driver.call("position", **place, at=at) == {}
    assert await driver.call("position", **place, at=at) == {"ignored": "duplicate"}
    assert await driver.call("position", **place, at=at - 1000) == {"ignored": "late"}
    assert await driver.call("position", **far, at=at + 1000) == {"ignored": "jump"}
    assert await driver.call("position", **far, at=at + 2000) == {"ignored": "jump"}, "no car comes so far in the time"


@pytest.mark.parametrize("reconnects", [True, False])
async def test_c2_a_fix_300_km_off_after_a_silence_is_not_believed(hub, cast, reconnects):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    await driver.connect()
    place, far = here.a.stand.fields, here.a.stand.moved(north=300_000).fields
    at = now()
    assert await driver.call("position", **place, at=at - 100_000) == {}
    if reconnects:
        await hub.until("it in Redis", lambda: hub.redis.hget(hub.key(f"vehicle:{driver.subject}"), "at"))
        await driver.cut()
        await driver.resume()
    assert await driver.call("position", **far, at=at) == {"ignored": "jump"}
    assert await driver.call("position", **place, at=at + 1) == {}


async def test_m14_a_batch_of_stored_fixes_moves_the_vehicle_in_silence(hub, cast):
    """Half an hour without a link: what is older than five minutes is left out, the rest is taken, and nobody is alerted."""
    here = hub.block()
    driver, passenger = cast.driver(hub, here.a.centre.moved(north=900)), await cast.rider(hub)
    await driver.connect()
    began = now() - 10_000
    assert await driver.call("position", **driver.place.fields, at=began, accuracy=5) == {}
    await driver.call("driver.available")
    await driver.until("queue.joined")
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await passenger.expect("ride.accepted")
    await driver.cut()
    await driver.resume()
    replies = [
        (await driver.call("position", **here.a.centre.fields, at=now() - minutes * 60_000, accuracy=5)).get("ignored")
        for minutes in (30, 20, 10, 6, 4, 2)
    ]
    assert set(replies) <= {"old", "late"}, "the hub knows a later one"
    await driver.barrier()
    await passenger.nothing_more()
    assert await driver.call("position", **driver.place.fields, at=now(), accuracy=5) == {}
