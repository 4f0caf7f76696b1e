"""Whom else it concerns that something counts, or somebody is paused (R12, U11): who telephones, who has reserved, the office."""

import pytest

from conftest import running
from kerbside.minibus import one_online, riding, trip
from test_callers import caller, desk
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_reliability_rides import DAY, STRICT, back_at, came, counted, taken, told
from test_reservations import MINUTE, come, now


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture(scope="module")
def hub():
    yield from running(**STRICT)


async def test_r12_b18_what_counts_of_who_telephones_counts_for_the_number_and_not_for_the_desk(hub, cast):
    here = hub.block()
    [driver], (office, heard) = await cast.queue(hub, here.a.stand, 1), await desk(cast, hub)
    (ada, ada_is), (bob, bob_is) = caller(), caller("Bob")
    wish = {**here.a.centre.fields, "passengers": 1}
    for nth in (1, 2, 3):
        ride = (await office.call("ride.request", **wish, on_behalf_of=ada))["ride"]
        await driver.accept_next(ride)
        await driver.fix(here.a.centre)
        await driver.until("ride.confirm_aboard", ride=ride)
        await driver.known()
        if nth == 2:
            await office.call("ride.cancel", on_behalf_of=ada)
        else:
            await driver.call("ride.noshow", ride=ride)
        await back_at(driver, here.a.stand)
    known = await office.call("reliability.of", role="passenger", subject=ada_is)
    assert (known["no_shows"], known["late_cancels"], known["total"], known["deposit"]) == (2, 1, 3, True)
    assert (await heard.told(ada_is, "reliability.warned"))["number"] == ada["number"]
    assert (await heard.told(ada_is, "reliability.paused"))["number"] == ada["number"]
    error = await office.refused("ride.request", "forbidden", **wish, on_behalf_of=ada)
    assert error["retry_after_ms"] <= DAY
    await office.refused("seat.request", "forbidden", **trip(here.a.centre, here.b.centre), on_behalf_of=ada)
    # The desk goes on for others, and takes it back for her.
    assert (await office.call("reliability.of", role="passenger", subject=bob_is))["total"] == 0
    ride = (await office.call("ride.request", **wish, on_behalf_of=bob))["ride"]
    await office.call("ride.cancel", on_behalf_of=bob)
    await office.call("reliability.reset", role="passenger", subject=ada_is, reason="She had called in time.")
    ride = (await office.call("ride.request", **wish, on_behalf_of=ada))["ride"]
    await office.call("office.cancel", ride=ride, reason="The test is over.")


async def test_r12_what_the_office_cancels_or_takes_back_counts_against_nobody(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    [driver, _other], rider = await cast.queue(hub, here.a.stand, 2), await cast.rider(hub)
    ride = await came(driver, rider, here.a.centre)
    await office.call("office.cancel", ride=ride, reason="A burst pipe in that street.")
    await rider.until("ride.cancelled", ride=ride, by="operator")
    await back_at(driver, here.a.stand)
    ride = await came(driver, rider, here.a.centre)
    await office.call("office.reassign", ride=ride, reason="Its tyre is flat.")
    await driver.until("ride.cancelled", ride=ride, by="operator")
    assert await counted(rider) == (0, {"no_shows": 0, "late_cancels": 0})
    assert await counted(driver) == (0, {"give_backs": 0})
    for one in (rider, driver):
        await told(one, 0)


async def test_r12_v2_who_is_paused_has_no_taxi_looked_for_and_is_told_and_who_is_set_back_has(new_hub, cast):
    hub = new_hub(**STRICT, reservations__min_ahead_min=20).start()
    here, office = hub.block(), await cast.operator(hub)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    riders = [await cast.rider(hub) for _ in range(2)]
    at = now(hub) + 25 * MINUTE
    reserved = []
    for rider in riders:
        made = await rider.call("reservation.make", **trip(here.a.centre, here.b.centre), at=at)
        reserved.append(made["reservation"])
        for _ in range(3):
            await rider.call("ride.cancel", ride=await came(driver, rider, here.a.centre))
            await back_at(driver, here.a.stand)
        assert (await rider.call("reliability.get"))["paused_until"]
        # What was reserved before stays, and can be taken back as any other.
        assert [one["reservation"] for one in (await rider.call("reservation.list"))["reservations"]] == reserved[-1:]
        rider.skip()
    await office.call("reliability.reset", role="passenger", subject=riders[1].subject, reason="He was at the other door.")
    await come(hub, at - 9 * MINUTE)
    failed = await riders[0].until("reservation.failed", reservation=reserved[0], code="forbidden")
    assert "You are paused until" in failed["detail"]
    searching = await riders[1].until("reservation.searching", reservation=reserved[1], reason="begun")
    assert searching["ride"]


@pytest.fixture(scope="module")
def hasty():
    """Who is away is soon given up."""
    yield from running(dispatch__away_grace_ms=200, dispatch__recovery_ms=700)


async def lost(hub, driver, passenger):
    """What counts of a driver whose link is lost for good, and of its passenger."""
    office = await City().operator(hub)
    known = await office.call("reliability.of", role="driver", subject=driver.subject)
    assert await counted(passenger) == (0, {"no_shows": 0, "late_cancels": 0})
    return known["give_backs"]


async def test_r12_a_taxi_that_is_lost_with_its_ride_has_given_it_back(hasty):
    cast, here = City(), hasty.block()
    [driver], passenger = await cast.queue(hasty, here.a.stand, 1), await cast.rider(hasty)
    ride = await taken(driver, passenger, here.a.centre)
    await driver.cut()
    await passenger.until("ride.searching", ride=ride, reason="driver_lost")
    assert await lost(hasty, driver, passenger) == 1


async def test_r12_a_minibus_that_is_lost_with_seats_that_it_promised_has_given_them_back(hasty):
    cast = City()
    minibus, zone = await one_online(hasty, cast)
    passenger, booking = await riding(hasty, cast, minibus, zone)
    await minibus.cut()
    await passenger.until("seat.cancelled", booking=booking, by="driver", reason="driver_lost")
    assert await lost(hasty, minibus, passenger) == 1
