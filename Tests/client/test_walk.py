"""A passenger who walks while a vehicle comes: the pickup follows (R5)."""

import asyncio
import time

import pytest

from conftest import Cast, running
from kerbside.asker import Asker
from kerbside.driver import Driver
from kerbside.minibus import one_online, riding
from kerbside.passenger import Passenger
from kerbside.protobuf import Binary
from kerbside.streams import StreamedPassenger


class BinaryDriver(Binary, Driver):
    pass


class BinaryPassenger(Binary, Passenger):
    pass


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return Cast() if request.param == "json" else Cast(BinaryDriver, BinaryPassenger)


@pytest.fixture(scope="module")
def hub():
    yield from running(server__workers=2, eta__push_max_age_s=1)


async def walks(passenger, place, **fields):
    """Sends where it is; why the pickup stays, or None."""
    # Two fixes of one millisecond are one.
    await asyncio.sleep(0.002)
    return (await passenger.call("position", **place.fields, at=int(time.time() * 1000), **fields)).get("ignored")


async def on_the_way(hub, cast, metres=1000):
    """A driver so far north of its pickup, on another worker than its passenger: (driver, passenger, ride, pickup)."""
    pickup = hub.block().a.centre
    [driver] = await cast.queue(hub, pickup.moved(north=metres), 1)
    passenger = cast.passenger(hub)
    await passenger.connect_to(other_than=driver.worker)
    ride = await passenger.request(pickup)
    await driver.accept(ride)
    await passenger.until("ride.accepted", ride=ride)
    return driver, passenger, ride, pickup


async def test_r5_the_alerts_follow_who_walks(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast)
    there = pickup.moved(north=-200)
    assert await walks(passenger, there) is None
    moved = await driver.expect("ride.pickup_moved", ride=ride)
    assert moved["position"] == pytest.approx(there.fields)
    await driver.drive(pickup.moved(north=320))
    await passenger.state("ride.eta", lambda d: abs(d["distance_m"] - 520) < 15)
    await passenger.nothing_more()
    await driver.drive(pickup.moved(north=280), pickup)
    await passenger.until("ride.near", ride=ride)
    await passenger.nothing_more()
    await driver.drive(there)
    await passenger.until("ride.arrived", ride=ride)
    await driver.until("ride.confirm_aboard")
    assert await walks(passenger, pickup) in ("arrived", "soon")


async def test_r5_who_comes_back_finds_the_pickup_where_its_passenger_is(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast)
    await driver.cut()
    there = pickup.moved(north=-250)
    assert await walks(passenger, there) is None
    await driver.back()
    moved = await driver.until("ride.pickup_moved", ride=ride)
    assert "position" not in moved, "the history does not keep it"
    assert driver.snapshot["ride"]["pickup"] == pytest.approx(there.fields)
    await driver.drive(there)
    await passenger.until("ride.near", ride=ride)
    await passenger.until("ride.arrived", ride=ride)


async def test_r5_a_worker_dies_and_the_pickup_stays_where_it_is(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    driver, passenger, ride, pickup = await on_the_way(hub, cast)
    there = pickup.moved(north=-250)
    assert await walks(passenger, there) is None
    await driver.expect("ride.pickup_moved", ride=ride)
    await hub.kill_workers(*hub.workers())
    await driver.back()
    await passenger.back()
    await driver.drive(there)
    await passenger.until("ride.near", ride=ride)
    await passenger.until("ride.arrived", ride=ride)


async def test_r5_the_reply_says_why_the_pickup_stays(hub, cast):
    passenger = await cast.rider(hub)
    here = hub.block().a.centre
    assert await walks(passenger, here) == "no_pickup"
    _driver, passenger, _ride, pickup = await on_the_way(hub, cast)
    assert await walks(passenger, pickup, accuracy=80) == "inaccurate"
    assert await walks(passenger, pickup.moved(north=10)) == "near"
    assert await walks(passenger, pickup.moved(north=30)) == "soon"


async def test_r5_too_far_is_no_pickup(hub, cast):
    driver, passenger, _ride, pickup = await on_the_way(hub, cast)
    assert await walks(passenger, pickup.moved(north=-320)) == "far"
    await driver.nothing_more()


async def test_r5_b17_over_http_who_walks_is_told_that_it_takes_a_connection(hub):
    driver, passenger, ride, pickup = await on_the_way(hub, Cast())
    there = pickup.moved(north=-100)
    asker = Asker(hub, "passenger", passenger.subject)
    for key in (None, "walk"):
        answer = asker.refused("position", "not_available", key, **there.fields, at=int(time.time() * 1000))
        assert answer.status == 409 and answer.page["retry"] is False
        assert "position is of a connection" in answer.page["detail"] and "/v1/connect" in answer.page["detail"]
    await driver.barrier()
    await driver.nothing_more()
    # That was all that kept it.
    assert await walks(passenger, there) is None
    await driver.expect("ride.pickup_moved", ride=ride)


async def test_r5_b17_a_stream_is_a_connection_over_which_one_walks(hub):
    driver, passenger, ride, pickup = await on_the_way(hub, Cast(Driver, StreamedPassenger))
    there = pickup.moved(north=-100)
    assert await walks(passenger, there) is None
    moved = await driver.expect("ride.pickup_moved", ride=ride)
    assert moved["position"] == pytest.approx(there.fields)


async def test_m9_a_minibus_follows_its_passenger_too(hub, cast):
    minibus, zone = await one_online(hub, cast)
    passenger, booking = await riding(hub, cast, minibus, zone)
    there = zone.centre.moved(east=200)
    assert await walks(passenger, there) is None
    moved = await minibus.until("seat.pickup_moved", booking=booking)
    assert moved["position"] == pytest.approx(there.fields)
    await minibus.state("seat.stops", lambda d: abs(d["stops"][0]["lon"] - there.lon) < 1e-6)
    await minibus.drive(there)
    await passenger.until("seat.near", booking=booking)
    await passenger.until("seat.arrived", booking=booking)
