"""Who is asked again, and when; who can't carry so many is not; and nobody is absent before there was time to come."""

import re

import pytest

from conftest import running
from kerbside import patience
from kerbside.minibus import book

pytestmark = pytest.mark.usefixtures("encoding")

PAUSE_MS = int(700 * patience.PACE)


@pytest.fixture(scope="module")
def hub():
    yield from running(dispatch__round_pause_ms=PAUSE_MS)


async def test_r5_a_driver_alone_is_not_asked_at_once_what_it_has_declined(hub, cast):
    here = hub.block()
    driver, other = await cast.queue(hub, here.a.stand, 2)
    await other.call("driver.unavailable")
    await other.expect("queue.left", reason="unavailable")
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.offered(ride)
    await driver.call("offer.decline", ride=ride)
    # Who comes in the pause is asked.
    await other.call("driver.available")
    await other.expect("queue.joined", reason="available")
    await other.offered(ride)
    await driver.barrier()
    await driver.nothing_more()
    await other.call("offer.decline", ride=ride)
    declined = await hub.logged("offer.declined", driver=other.subject)
    assert declined["ride"] == ride
    again = await passenger.expect("ride.searching", ride=ride, round=2, reason="next_round")
    assert again["zone"] == here.a.id
    times = {row["type"]: int(row["time"]) for _, row in hub.redis.xrange(hub.key("events")) if ride in row["data"]}
    assert times["ride.searching"] - times["offer.declined"] >= PAUSE_MS
    await driver.offered(ride)
    await driver.call("offer.decline", ride=ride)
    await other.offered(ride)
    await other.call("offer.decline", ride=ride)
    await passenger.expect("ride.failed", ride=ride, code="no_driver")


async def test_r5_a_driver_alone_is_not_asked_for_what_it_gave_back(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await passenger.expect("ride.accepted")
    await driver.call("ride.cancel", ride=ride)
    await driver.expect("ride.cancelled", ride=ride, by="driver")
    await driver.expect("queue.joined", rank=1, size=1)
    await passenger.expect("ride.searching", ride=ride, round=1, reason="driver_cancelled")
    await passenger.expect("ride.searching", ride=ride, round=2, reason="next_round")
    await passenger.expect("ride.failed", ride=ride, code="no_driver")
    await driver.nothing_more()
    other = await cast.rider(hub)
    await driver.accept(await other.request(here.a.centre))


async def test_c26_a_full_taxi_is_passed_over_and_keeps_its_place(hub, cast):
    here = hub.block()
    full, free = await cast.queue(hub, here.a.stand, 2)
    await full.call("seats.set", taken=3)
    two = await cast.rider(hub)
    ride = await two.request(here.a.centre, passengers=2)
    await free.offered(ride)
    # A passenger alone fits.
    one = await cast.rider(hub)
    await full.offered(await one.request(here.a.centre))
    await one.call("ride.cancel")
    await full.expect("offer.withdrawn")
    await full.call("seats.set", taken=4)
    await free.call("offer.accept", ride=ride)
    third = await cast.rider(hub)
    error = await third.refused("ride.request", "seats_full", **here.a.centre.fields, passengers=1)
    assert "1 free seats" in error["detail"]
    await full.call("seats.set", taken=0)
    await full.offered(await third.request(here.a.centre, passengers=3))


async def test_c26_a_request_that_nobody_can_carry_any_more_fails_with_its_reason(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre, passengers=3)
    await first.offered(ride)
    await second.call("seats.set", taken=2)
    await first.call("driver.unavailable")
    await passenger.expect("ride.failed", ride=ride, code="seats_full")


async def test_r12_a_no_show_is_taken_when_there_was_time_to_come(new_hub, cast):
    hub = new_hub(
        clock__scale=30,
        dispatch__noshow_wait_ms=180_000,
        # All by the hub's clock.
        dispatch__offer_seen_timeout_ms=60_000,
        dispatch__offer_timeout_ms=600_000,
        dispatch__search_timeout_ms=3_600_000,
    ).start()
    here = hub.block()
    first, _second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.accept(ride)
    await first.drive(here.a.centre)
    await passenger.until("ride.arrived")
    error = await first.refused("ride.noshow", "not_available", ride=ride)
    [seconds] = re.findall(r"for (\d+) s more", error["detail"])
    assert 0 < int(seconds) <= 180 and error["retry"] and 0 < error["retry_after_ms"] <= 180_000, error
    await hub.until("it is taken", lambda: said(first, ride))
    await first.until("queue.joined", rank=1, size=2, reason="restored")
    await passenger.until("ride.cancelled", ride=ride, by="driver", reason="noshow")
    rows = [(row["type"], int(row["time"])) for _, row in hub.redis.xrange(hub.key("events"))]
    times = dict(rows)
    assert times["ride.noshow"] - times["ride.arrived"] >= 180_000


async def said(driver, ride):
    return "ok" in await driver.ask("ride.noshow", ride=ride)


async def test_m9_a_minibus_driver_is_told_how_far_it_is_and_what_it_costs(hub, cast):
    zone = hub.block().a
    start = zone.stand
    minibus = cast.minibus(hub, start)
    await minibus.go_online()
    passenger = await cast.rider(hub)
    pickup, destination = start.moved(north=1000, east=200), start.moved(north=2500, east=100)
    # No way is announced: the distance is by road, and a detour has nothing to be one of.
    booking = await book(passenger, minibus, pickup, destination)
    asked = await minibus.asked(booking)
    assert 1020 <= asked["distance_m"] <= 1800 and "detour_m" not in asked
    await minibus.call("seat.decline", booking=booking)
    await passenger.expect("seat.declined")
    way = {"start": start.fields, "via": [], "end": start.moved(north=3000).fields}
    await minibus.call("route.set", route=None, **way)
    await minibus.drive(start.moved(north=400), step=100)
    await minibus.known()
    booking = await book(passenger, minibus, pickup, destination)
    asked = await minibus.expect("seat.requested", booking=booking)
    assert abs(asked["distance_m"] - 632) < 40, "600 m along the way and 200 m beside it"
    assert abs(asked["detour_m"] - 600) < 20, "200 m and 100 m, there and back"
    # Who comes back is told the same.
    await minibus.cut()
    await minibus.connect()
    assert {key: minibus.snapshot["request"][key] for key in ("distance_m", "detour_m")} == {
        key: asked[key] for key in ("distance_m", "detour_m")}
