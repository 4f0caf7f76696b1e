"""A driver's link is half open, or the driver is gone: who waits is told the truth, and may choose."""

import asyncio

import pytest

from conftest import running
from kerbside import patience
from kerbside.minibus import book

pytestmark = pytest.mark.usefixtures("encoding")

GRACE_MS, LOST_MS = int(300 * patience.PACE), int(900 * patience.PACE)


@pytest.fixture(scope="module")
def hub():
    yield from running(eta__push_max_age_s=1)


@pytest.fixture(scope="module")
def impatient():
    """Here a driver counts as lost soon."""
    yield from running(dispatch__away_grace_ms=GRACE_MS, dispatch__driver_lost_ms=LOST_MS)


async def on_the_way(hub, cast, metres=1000):
    """A driver so far north of its pickup, with a ride: (driver, passenger, ride, pickup)."""
    here = hub.block()
    pickup = here.a.centre
    [driver] = await cast.queue(hub, pickup.moved(north=metres), 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(pickup)
    await driver.accept(ride)
    await passenger.expect("ride.accepted", ride=ride)
    return driver, passenger, ride, pickup


def etas(passenger):
    return [state["data"] for state in passenger.states.get("ride.eta", [])]


async def test_c63_a_half_open_link_tells_no_eta(hub, cast):
    driver, passenger, _ride, pickup = await on_the_way(hub, cast)
    await driver.fix()
    await passenger.state("ride.eta")
    # The phone has another link now; the old one says nothing any more, and is not closed.
    phone = await driver.twin().connect_to(other_than=driver.worker)
    for north in (950, 850, 750, 600, 400):
        await phone.fix(pickup.moved(north=north))
        # Each worker would tell its own twice in this time.
        for _ in range(2):
            await passenger.state("ride.eta", lambda d: abs(d["distance_m"] - north) < 30)
    told = etas(passenger)
    assert [d["at"] for d in told] == sorted(d["at"] for d in told), told
    assert [d["distance_m"] for d in told] == sorted((d["distance_m"] for d in told), reverse=True), told
    await passenger.until("ride.near")
    assert driver.closed is None


async def test_c63_of_two_phones_the_one_that_sends_speaks(hub, cast):
    driver, passenger, _ride, pickup = await on_the_way(hub, cast)
    other = await driver.twin().connect_to(other_than=driver.worker)
    await other.fix(pickup.moved(north=950))
    await passenger.state("ride.eta", lambda d: abs(d["distance_m"] - 950) < 30)
    # The other one is put away, and the first is used again: nothing is said by hello.
    driver.clock = other.clock
    await driver.drive(pickup.moved(north=900), pickup.moved(north=30), step=100)
    await passenger.until("ride.near")
    await driver.fix(pickup)
    await passenger.until("ride.arrived")
    told = etas(passenger)
    assert [d["at"] for d in told] == sorted(d["at"] for d in told), told


async def test_c33_the_passenger_of_a_lost_driver_is_told_and_told_when_it_is_back(impatient, cast):
    driver, passenger, ride, _pickup = await on_the_way(impatient, cast)
    await passenger.refused("ride.search", "not_available")
    await driver.cut()
    lost = await passenger.expect("ride.driver_lost", ride=ride, taxi=driver.subject)
    assert lost["until"] - lost["since"] == 1_800_000
    # Who comes back finds it, too.
    await passenger.cut()
    await passenger.connect()
    assert passenger.snapshot["ride"]["driver_lost"] == {"since": lost["since"], "until": lost["until"]}
    await driver.resume()
    await passenger.until("ride.driver_back", ride=ride, taxi=driver.subject)
    await passenger.refused("ride.search", "not_available", ride=ride)
    await driver.call("ride.aboard", ride=ride)
    await passenger.expect("ride.aboard", ride=ride)


async def test_c33_a_passenger_who_waits_no_longer_is_searched_for_again(impatient, cast):
    driver, passenger, ride, _pickup = await on_the_way(impatient, cast)
    await driver.cut()
    await passenger.expect("ride.driver_lost", ride=ride)
    [next_driver] = await cast.queue(impatient, driver.place, 1)
    for _ in range(2):
        assert await passenger.call("ride.search", key=f"{ride}-s") == {"ride": ride, "state": "searching"}
    await passenger.expect("ride.searching", ride=ride, round=1, reason="driver_lost")
    await next_driver.accept(ride)
    await passenger.expect("ride.accepted", ride=ride, taxi=next_driver.subject)
    # The one that was lost finds how it stands.
    await driver.resume()
    await driver.expect("ride.cancelled", ride=ride, by="passenger", reason="driver_lost")
    await driver.refused("ride.aboard", "not_found", ride=ride)
    await driver.fix()
    assert (await driver.call("driver.available"))["state"] == "available"
    await passenger.nothing_more()


async def test_c33_back_and_search_at_once_have_one_winner(impatient, cast):
    async def back(driver):
        await driver.resume()
        return await driver.ask("ride.aboard")

    for _ in range(4):
        driver, passenger, ride, _pickup = await on_the_way(impatient, cast)
        [other] = await cast.queue(impatient, driver.place, 1)
        await driver.cut()
        await passenger.expect("ride.driver_lost", ride=ride)
        aboard, searched = await asyncio.gather(back(driver), passenger.ask("ride.search"))
        assert ("ok" in aboard) != ("ok" in searched), (aboard, searched)
        await passenger.settled()
        types = [event["type"] for event in passenger.unseen]
        if "ok" in searched:
            assert types == ["ride.searching"]
            await other.offered(ride)
        else:
            assert types == ["ride.driver_back", "ride.aboard"]
            await other.nothing_more()
        await passenger.ask("ride.cancel")
        await other.call("driver.unavailable")


async def test_c64_who_has_a_seat_is_told_that_the_driver_is_lost(impatient, cast):
    zone = impatient.block().a
    minibus = cast.minibus(impatient, zone.stand)
    await minibus.go_online()
    passenger = await cast.rider(impatient)
    booking = await book(passenger, minibus, zone.centre, zone.stand)
    await minibus.take(booking)
    await passenger.expect("seat.confirmed", booking=booking)
    await minibus.cut()
    lost = await passenger.expect("seat.driver_lost", booking=booking, vehicle=minibus.subject)
    await passenger.cut()
    await passenger.connect()
    assert passenger.snapshot["booking"]["driver_lost"] == {"since": lost["since"], "until": lost["until"]}
    await minibus.resume()
    await passenger.until("seat.driver_back", booking=booking, vehicle=minibus.subject)
