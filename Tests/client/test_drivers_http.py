"""What takes a driver out of its queue, or gives a ride or seats to the next, where no WebSocket goes through (B17, C36, M4, R5).

A request of its own may not say it, as it goes by the driver's position and its connection; a stream, which is HTTP, may."""

import pytest

from conftest import Cast, running
from kerbside.asker import Asker
from kerbside.http_desk import TIMES, HttpDesk
from kerbside.minibus import Minibus, book
from kerbside.names import fresh
from kerbside.streams import Streamed, StreamedDriver, StreamedPassenger


class StreamedMinibus(Streamed, Minibus):
    pass


class Streaming(Cast):
    """Actors who have no WebSocket."""

    def __init__(self):
        super().__init__(StreamedDriver, StreamedPassenger)

    def minibus(self, hub, at, seats=14):
        return StreamedMinibus(hub, fresh("M"), at, seats)


@pytest.fixture(scope="module")
def hub():
    """Two workers; nobody is hurried."""
    yield from running(
        server__workers=2, vehicles__fares=["*: 2km=5.00 10km=12.00"],
        dispatch__offer_seen_timeout_ms=60_000, dispatch__offer_timeout_ms=300_000)


@pytest.fixture
def cast():
    return Streaming()


@pytest.fixture
def desk(hub):
    return HttpDesk(hub)


def by_itself(hub, driver):
    """The same driver, by requests that stand alone."""
    asker = Asker(hub, "driver", driver.subject)
    asker.token = driver.token
    return asker


def not_alone(asker, command, key, **fields):
    """Each worker says where it belongs, whatever the key."""
    for _ in range(TIMES):
        answer = asker.refused(command, "not_available", key, **fields)
        assert answer.status == 409 and "/v1/connect" in answer.page["detail"]


async def repeated(client, command, key, reply, **fields):
    """The first reply again and again, by whichever worker takes what the stream's client says."""
    for _ in range(TIMES):
        assert await client.call(command, key=key, **fields) == reply


def state_of(desk, ride):
    """(state, who is asked for it or has it)."""
    told = desk.done("office.ride", ride=ride)
    return told["state"], told.get("driver", told.get("offered_to"))


async def test_r5_b17_a_ride_that_is_declined_goes_to_the_next(hub, cast, desk):
    here = hub.block()
    first, second, third = await cast.queue(hub, here.a.stand, 3)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride)
    not_alone(by_itself(hub, first), "offer.decline", "d", ride=ride)
    await first.refused("offer.decline", "bad_message", field="ride")
    await third.refused("offer.decline", "not_found", ride=ride)
    assert state_of(desk, ride) == ("offered", first.subject)
    # The key has not been used up by what was refused.
    reply = await first.call("offer.decline", ride=ride, key="d")
    assert reply == {"ride": ride}
    await second.offered(ride)
    assert desk.waiting(here.a.id) == [second.subject, third.subject, first.subject]
    await repeated(first, "offer.decline", "d", reply, ride=ride)
    await first.refused("offer.decline", "offer_expired", ride=ride)
    await first.refused("driver.unavailable", "bad_message", key="d")
    assert state_of(desk, ride) == ("offered", second.subject)
    await second.call("offer.decline", ride=ride, key="d")
    await third.accept(ride)
    await passenger.until("ride.accepted", ride=ride, taxi=third.subject)
    await first.refused("offer.decline", "offer_taken", ride=ride)
    await repeated(first, "offer.decline", "d", reply, ride=ride)
    assert state_of(desk, ride) == ("accepted", third.subject)
    assert desk.waiting(here.a.id) == [first.subject, second.subject]


async def test_q5_c36_b17_who_leaves_is_out_of_its_queue_and_its_offer_goes_to_the_next(hub, cast, desk):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride)
    alone = by_itself(hub, first)
    not_alone(alone, "driver.unavailable", "u")
    not_alone(alone, "driver.available", "a")
    assert state_of(desk, ride) == ("offered", first.subject)
    assert desk.waiting(here.a.id) == [first.subject, second.subject]
    reply = await first.call("driver.unavailable", key="u")
    assert reply == {"state": "unavailable"}
    await first.expect("queue.left", zone=here.a.id, reason="unavailable")
    await first.expect("offer.withdrawn", ride=ride, reason="cancelled")
    assert (await second.state("queue.rank", lambda told: told["rank"] == 1))["size"] == 1
    await second.offered(ride)
    assert desk.waiting(here.a.id) == [second.subject]
    assert desk.done("office.driver", driver=first.subject)["state"] == "unavailable"
    # It is back: what is repeated takes it out no more.
    back = await first.call("driver.available", key="a")
    assert (back["zone"], back["rank"]) == (here.a.id, 2)
    await repeated(first, "driver.unavailable", "u", reply)
    assert desk.waiting(here.a.id) == [second.subject, first.subject]
    await second.expect("ride.assigned", **await second.call("offer.accept", ride=ride))
    error = await second.refused("driver.unavailable", "not_available", key="u")
    assert ride in error["detail"]
    assert state_of(desk, ride) == ("accepted", second.subject) and desk.waiting(here.a.id) == [first.subject]
    # What was refused did not use its key up.
    await passenger.call("ride.cancel", ride=ride)
    await second.until("ride.cancelled", ride=ride)
    assert desk.waiting(here.a.id) == [second.subject, first.subject]
    await second.call("driver.unavailable", key="u")
    assert desk.waiting(here.a.id) == [first.subject]


async def test_m4_b17_seats_that_are_declined_are_given_back_and_the_next_is_asked(hub, cast, desk):
    here = hub.block()
    minibus, other = cast.minibus(hub, here.a.stand, 4), cast.minibus(hub, here.a.stand, 4)
    for one in (minibus, other):
        await one.go_online()
    first, second = await cast.rider(hub), await cast.rider(hub)
    declined = await book(first, minibus, here.a.centre, here.b.centre, 3)
    await minibus.asked(declined)
    waits = await book(second, minibus, here.a.centre, here.b.centre, 1)
    assert minibus.books() == (0, 4, 0)
    not_alone(by_itself(hub, minibus), "seat.decline", "d", booking=declined)
    await minibus.refused("seat.decline", "bad_message", field="booking")
    await other.refused("seat.decline", "not_found", booking=declined)
    assert minibus.books() == (0, 4, 0)
    reply = await minibus.call("seat.decline", booking=declined, key="d")
    assert reply == {"booking": declined}
    await first.expect("seat.declined", booking=declined, vehicle=minibus.subject, reason="declined")
    await minibus.asked(waits)
    assert minibus.books() == (0, 1, 0)
    await repeated(minibus, "seat.decline", "d", reply, booking=declined)
    await minibus.refused("seat.decline", "offer_expired", booking=declined)
    await minibus.refused("offer.decline", "bad_message", ride=waits, key="d")
    assert minibus.books() == (0, 1, 0)
    # Who was declined may ask another one, and who waits is served.
    await minibus.call("seat.accept", booking=waits)
    await second.expect("seat.confirmed", booking=waits, vehicle=minibus.subject, passengers=1)
    again = await book(first, other, here.a.centre, here.b.centre, 3)
    await other.take(again)
    await repeated(minibus, "seat.decline", "d", reply, booking=declined)
    await minibus.refused("seat.decline", "offer_expired", booking=waits)
    error = await minibus.refused("driver.unavailable", "not_available", key="u")
    assert "bookings" in error["detail"]
    assert (minibus.books(), other.books()) == ((1, 0, 1), (3, 0, 3))
    assert desk.done("vehicle.get", vehicle=minibus.subject)["seats"] == 3


async def test_m1_b17_a_minibus_that_leaves_is_to_be_booked_no_more_and_says_so_to_who_waits(hub, cast, desk):
    here = hub.block()
    minibus = cast.minibus(hub, here.a.stand, 4)
    await minibus.go_online()
    first, second = await cast.rider(hub), await cast.rider(hub)
    asked = await book(first, minibus, here.a.centre, here.b.centre, 2)
    await minibus.asked(asked)
    waits = await book(second, minibus, here.a.centre, here.b.centre, 1)
    not_alone(by_itself(hub, minibus), "driver.unavailable", "u")
    assert minibus.books() == (0, 3, 0)
    reply = await minibus.call("driver.unavailable", key="u")
    await minibus.expect("seat.withdrawn", booking=asked, reason="offline")
    for passenger, booking in ((first, asked), (second, waits)):
        await passenger.expect("seat.declined", booking=booking, vehicle=minibus.subject)
        await passenger.refused("seat.cancel", "not_found")
    assert minibus.books() == (0, 0, 0)
    assert desk.done("office.driver", driver=minibus.subject)["state"] == "unavailable"
    await minibus.go_online()
    await repeated(minibus, "driver.unavailable", "u", reply)
    await minibus.take(await book(first, minibus, here.a.centre, here.b.centre, 2))
