"""Whose a ride, a booking or a reservation is that one driver gave back and another took: of who drove, in the office's lists and
those of both, in either encoding and over HTTP (M10, R12, V2)."""

import pytest

from conftest import running
from kerbside import patience
from kerbside.asker import Asker
from kerbside.minibus import book
from kerbside.names import fresh
from kerbside.operator import Operator
from kerbside.recording import SETTINGS, recorded, recording
from test_office import BinaryOperator
from test_reservations import MINUTE, ahead, come, on_time
from test_seat_request import going, wish
from test_seat_trips import asked
from test_trips import BACK_MS

SOON = {"dispatch__away_grace_ms": int(300 * patience.PACE), "dispatch__driver_lost_ms": int(900 * patience.PACE)}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def hub(request):
    yield from recording(request.param, running, **SOON)


class Office:
    """An operator at a screen of each encoding and at a program that asks over HTTP."""

    def __init__(self, hub):
        self.screen, self.binary = Operator(hub, fresh("office-")), BinaryOperator(hub, fresh("office-"))
        self.desk = Asker(hub, "operator", fresh("desk-"))

    async def open(self):
        for one in (self.screen, self.binary):
            await one.connect()
        return self

    async def ask(self, command, **fields):
        """What all three are told."""
        reply = await self.screen.call(command, **fields)
        assert await self.binary.call(command, **fields) == reply == self.desk.done(command, **fields)
        return reply

    async def of(self, kind, driver):
        """id → row of all that are this driver's."""
        return {row["id"]: row for row in (await self.ask("records.list", of=kind, driver=driver.subject))["records"]}

    async def row(self, kind, passenger, where):
        """The one row of this passenger, as soon as it is such."""

        def found():
            rows = self.desk.done("records.list", of=kind, passenger=passenger.subject)["records"]
            return next(filter(where, rows), None)

        return await self.desk.hub.until(f"the row of {passenger.subject}", found)

    async def trips(self, role, client):
        """id → trip of this driver or passenger; as it sees them, too."""
        trips = (await self.ask("trips.list", role=role, subject=client.subject))["trips"]
        own = (await client.call("trips.list"))["trips"]
        assert [one["trip"] for one in own] == [one["trip"] for one in trips]
        return {one["trip"]: one for one in trips}


def last(client, kind, **data):
    """When it was told so, the last time, by the hub's clock, ms."""
    return [event["time"] for event in client.events if event["type"] == kind and event["data"].items() >= data.items()][-1]


async def gives_back(how, office, first, passenger, ride):
    """The first driver is off the ride."""
    if how == "driver":
        await first.call("ride.cancel", ride=ride)
    elif how == "passenger":
        await first.cut()
        await passenger.until("ride.driver_lost", ride=ride)
        await passenger.call("ride.search", ride=ride)
        await first.back()
    else:
        await office.screen.call("office.reassign", ride=ride, reason="A flat tyre.")
    await first.until("ride.cancelled", ride=ride)
    await first.call("driver.unavailable")


@pytest.mark.parametrize("how", ["driver", "passenger", "operator"])
async def test_r12_m10_a_ride_is_of_the_driver_who_drove_it(hub, cast, how):
    here, office = hub.block(), await Office(hub).open()
    [first] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.accept(ride)
    await first.drive(here.a.centre.moved(north=300))
    await passenger.until("ride.near", ride=ride)
    await office.row("rides", passenger, lambda row: "near_at" in row)
    assert set(await office.of("rides", first)) == {ride}
    [second] = await cast.queue(hub, here.a.stand, 1)
    await gives_back(how, office, first, passenger, ride)
    await second.until("offer.made", ride=ride)
    # Now it is nobody's.
    row = await office.row("rides", passenger, lambda row: row["given_back"] == 1)
    assert (await office.of("rides", first), await office.of("rides", second)) == ({}, {})
    assert row["id"] == ride and not {"driver", "accepted_at", "near_at", "outcome"} & set(row)
    await second.call("offer.seen", ride=ride)
    await second.call("offer.accept", ride=ride)
    await second.drive(here.a.centre, step=200)
    await passenger.until("ride.arrived", ride=ride)
    await second.call("ride.aboard", ride=ride)
    await second.drive(here.b.centre, step=200)
    await second.known()
    for field in ("requested_at", "aboard_at"):
        hub.redis.hincrby(hub.key(f"ride:{ride}"), field, -BACK_MS)
    end = await second.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)
    await recorded(hub)
    assert await office.of("rides", first) == {}
    row = (await office.of("rides", second))[ride]
    assert (row["driver"], row["passenger"], row["outcome"]) == (second.subject, passenger.subject, "ended")
    assert (row["given_back"], row["receipt"]) == (1, end["receipt"])
    assert row["accepted_at"] == last(passenger, "ride.accepted", taxi=second.subject)
    assert row["near_at"] == last(passenger, "ride.near", taxi=second.subject)
    assert row["arrived_at"] == last(passenger, "ride.arrived", taxi=second.subject)
    # And so it is with the trip that it has become.
    assert await office.trips("driver", first) == {}
    for role, client in (("driver", second), ("passenger", passenger)):
        assert {name: trip["receipt"] for name, trip in (await office.trips(role, client)).items()} == {ride: end["receipt"]}
    assert (await office.trips("passenger", passenger))[ride]["driver"] == second.subject
    await first.refused("receipt.get", "not_found", trip=ride)
    await first.refused("trip.rate", "not_found", trip=ride, stars=1)


async def test_r12_a_ride_that_was_given_back_and_ends_with_nobody_is_nobodys(hub, cast):
    here, office = hub.block(), await Office(hub).open()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.accept(ride)
    await first.call("ride.cancel", ride=ride)
    await second.until("offer.made", ride=ride)
    await passenger.call("ride.cancel", ride=ride)
    await passenger.until("ride.cancelled", ride=ride)
    await recorded(hub)
    for driver in (first, second):
        assert await office.of("rides", driver) == {}
    [row] = (await office.ask("records.list", of="rides", passenger=passenger.subject))["records"]
    assert (row["outcome"], row["ended_by"], row["given_back"]) == ("cancelled", "passenger", 1)
    assert "driver" not in row and "accepted_at" not in row


async def test_m10_m17_a_booking_is_of_the_minibus_that_took_it(hub, cast):
    here, office = hub.block(), await Office(hub).open()
    near, far = await going(hub, cast, here, 300), await going(hub, cast, here, 900)
    passenger = await cast.rider(hub)
    booking = (await passenger.call("seat.request", **wish(here)))["booking"]
    await near.asked(booking)
    await office.row("bookings", passenger, lambda row: row["driver"] == near.subject)
    assert set(await office.of("bookings", near)) == {booking}
    await near.call("seat.decline", booking=booking)
    await far.take(booking)
    await office.row("bookings", passenger, lambda row: "confirmed_at" in row)
    assert (set(await office.of("bookings", near)), set(await office.of("bookings", far))) == (set(), {booking})
    await far.drive(here.a.centre)
    await passenger.until("seat.arrived", booking=booking)
    await far.call("seat.aboard", booking=booking)
    await far.drive(here.a.centre.moved(north=-700), step=200)
    await far.known()
    for field in ("requested_at", "aboard_at"):
        hub.redis.hincrby(hub.key(f"booking:{booking}"), field, -BACK_MS)
    end = await far.call("seat.end", booking=booking)
    await recorded(hub)
    row = (await office.of("bookings", far))[booking]
    assert (row["outcome"], row["receipt"], row["driver"]) == ("ended", end["receipt"], far.subject)
    assert await office.of("bookings", near) == {}
    assert await office.trips("driver", near) == {}
    for role, client in (("driver", far), ("passenger", passenger)):
        assert set(await office.trips(role, client)) == {booking}
    await near.refused("receipt.get", "not_found", trip=booking)


async def test_m4_a_booking_that_its_driver_gives_back_stays_with_it_and_the_next_is_another_one(hub, cast):
    here, office = hub.block(), await Office(hub).open()
    one, other = (cast.minibus(hub, here.a.stand) for _ in range(2))
    passenger = await cast.rider(hub)
    for minibus in (one, other):
        await minibus.go_online()
    first = await book(passenger, one, here.a.centre, here.b.centre)
    await one.take(first)
    await one.call("seat.cancel", booking=first)
    await passenger.until("seat.cancelled", booking=first)
    second = await book(passenger, other, here.a.centre, here.b.centre)
    await asked(other, second)
    await other.call("seat.accept", booking=second)
    await recorded(hub)
    given = (await office.of("bookings", one))
    assert set(given) == {first} and (given[first]["outcome"], given[first]["ended_by"]) == ("cancelled", "driver")
    taken = await office.of("bookings", other)
    assert set(taken) == {second} and "outcome" not in taken[second]


@pytest.fixture
def later(new_hub):
    """A hub whose clock may be set forward."""
    return new_hub(server__workers=2, **SETTINGS).start()


async def assigned(hub, cast, passenger, here):
    """A reservation whose ride the first of two has accepted: its id, the two, the ride."""
    made = await ahead(passenger, hub, here)
    await come(hub, made["at"] - 11 * MINUTE)
    first, second = await on_time(hub, cast, here, 2)
    await come(hub, made["at"] - 10 * MINUTE)
    ride = (await passenger.until("reservation.searching", reservation=made["reservation"]))["ride"]
    await first.accept(ride)
    await passenger.until("reservation.assigned", taxi=first.subject)
    return made["reservation"], first, second, ride


async def test_v2_a_reservation_is_of_the_driver_who_took_it_in_the_end(later, cast):
    hub = later
    here, office, passenger = hub.block(), await Office(hub).open(), await cast.rider(hub)
    name, first, second, ride = await assigned(hub, cast, passenger, here)
    await recorded(hub)
    assert set(await office.of("reservations", first)) == {name}
    await first.call("ride.cancel", ride=ride)
    await second.accept_next(ride)
    await passenger.until("reservation.assigned", taxi=second.subject)
    await recorded(hub)
    assert (await office.of("reservations", first), await office.of("rides", first)) == ({}, {})
    row = (await office.of("reservations", second))[name]
    assert (row["driver"], row["ride"], row["assigned_at"]) == (
        second.subject, ride, last(passenger, "reservation.assigned", taxi=second.subject))
    assert set(await office.of("rides", second)) == {ride}


async def test_v2_a_reservation_that_was_given_back_and_taken_by_nobody_is_nobodys(later, cast):
    hub = later
    here, office, passenger = hub.block(), await Office(hub).open(), await cast.rider(hub)
    name, first, second, ride = await assigned(hub, cast, passenger, here)
    await first.call("ride.cancel", ride=ride)
    await second.until("offer.made", ride=ride)
    await passenger.call("ride.cancel", ride=ride)
    await passenger.until("reservation.cancelled", reservation=name)
    await recorded(hub)
    [row] = (await office.ask("records.list", of="reservations", passenger=passenger.subject))["records"]
    assert (row["id"], row["ride"], row["outcome"], row["ended_by"]) == (name, ride, "cancelled", "passenger")
    for driver in (first, second):
        assert (await office.of("rides", driver), await office.of("reservations", driver)) == ({}, {}), driver.subject
    assert "driver" not in row and "assigned_at" not in row
