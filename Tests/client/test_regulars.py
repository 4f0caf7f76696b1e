"""Points of regulars (U11): for whose kilometres, how many, once; what leaves them alone; and to whom advice is given (Q10)."""

import pytest

from conftest import running
from kerbside.asker import Asker
from kerbside.minibus import book
from kerbside.names import fresh
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_reliability_rides import back_at, came
from test_seat_trips import BinaryCity, online
from test_trips import BACK_MS, aboard

#: So that 1.57 km are no whole number of them.
POINTS_PER_KM = 10


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else BinaryCity(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture(scope="module")
def hub():
    yield from running(reliability__points_per_km=POINTS_PER_KM, reliability__warn_at=1)


async def points(client):
    return (await client.call("reliability.get"))["points"]


async def ends(driver, passenger, ride, *places):
    """The taxi drives there, and the ride is over."""
    for place in places:
        await driver.drive(place, step=300)
        await driver.known()
    done = await driver.call("ride.end", ride=ride, key=f"{ride}-e")
    assert await driver.call("ride.end", ride=ride, key=f"{ride}-e") == done
    await passenger.until("ride.ended", ride=ride)


async def test_u11_whole_points_by_the_straight_line_for_each_ride_once(hub, cast):
    here = hub.block()
    passenger, driver, _, ride = await aboard(hub, cast, here)
    # A way round gives no more.
    await ends(driver, passenger, ride, here.a.centre.moved(north=900), here.b.centre)
    first = int(here.a.centre.distance(here.b.centre) / 1000 * POINTS_PER_KM)
    assert await points(passenger) == first == 15
    # Back to where it began: driven, and paid, but no distance.
    passenger.skip()
    ride = await passenger.request(here.b.centre)
    await driver.accept_next(ride)
    await driver.fix(here.b.centre)
    await driver.call("ride.aboard", ride=ride)
    hub.redis.hincrby(hub.key(f"ride:{ride}"), "requested_at", -BACK_MS)
    await ends(driver, passenger, ride, here.b.centre.moved(north=600), here.b.centre)
    assert await points(passenger) == first
    # Over in the minute in which it was asked for, it was no ride.
    passenger.skip()
    ride = await passenger.request(here.b.centre)
    await driver.accept_next(ride)
    await driver.fix(here.b.centre)
    await driver.call("ride.aboard", ride=ride)
    await ends(driver, passenger, ride, here.c.centre)
    assert await points(passenger) == first
    assert "points" not in await driver.call("reliability.get")


async def test_u11_points_stay_whatever_counts_and_is_set_back(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    passenger, driver, _, ride = await aboard(hub, cast, here)
    await ends(driver, passenger, ride, here.b.centre)
    assert await points(passenger) == 15
    await back_at(driver, here.a.stand)
    await driver.call("driver.unavailable")
    await driver.call("driver.available")
    late = await came(driver, passenger, here.a.centre)
    await passenger.call("ride.cancel", ride=late)
    assert (await passenger.until("reliability.warned", total=1))["points"] == 15
    whose = {"role": "passenger", "subject": passenger.subject}
    await office.call("reliability.reset", **whose, reason="The street was closed.")
    known = await passenger.call("reliability.get")
    assert (known["total"], known["points"]) == (0, 15)
    assert (await office.call("reliability.of", **whose))["points"] == 15
    # What a person does, day by day, a service reads with the scope alone.
    service = Asker(hub, "service", fresh("svc-"))
    assert "points" not in service.done("reliability.of", **whose)
    assert hub.redis.ttl(hub.key(f"reliability:passenger:{passenger.subject}")) >= 400 * 86_400


async def test_u11_points_are_for_rides_in_taxis(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    passenger = await cast.rider(hub)
    booking = await book(passenger, minibus, zone.centre, zone.centre.moved(north=-900))
    await minibus.until("seat.requested", booking=booking)
    await minibus.call("offer.seen", ride=booking)
    await minibus.call("seat.accept", booking=booking)
    for place, command in ((zone.centre, "seat.aboard"), (zone.centre.moved(north=-900), "seat.end")):
        await minibus.fix(place)
        await minibus.known()
        hub.redis.hincrby(hub.key(f"booking:{booking}"), "requested_at", -BACK_MS)
        await minibus.call(command, booking=booking)
    assert (await passenger.until("seat.ended", booking=booking))["receipt"]
    assert await points(passenger) == 0


async def test_q10_advice_where_to_wait_is_for_taxis(hub, cast):
    minibus, _, _ = await online(hub, cast)
    error = await minibus.refused("advice.get", "not_available")
    assert "minibus" in error["detail"] and not error["retry"]
