"""All that an operator does by hand, over HTTP alone, and what it does to people's connections (B18, M13, Q5, R12)."""

import asyncio
import time

import pytest

from kerbside import patience
from kerbside.asker import Asker
from kerbside.bus import BusDriver
from kerbside.http_desk import HttpDesk
from kerbside.minibus import book, trip
from kerbside.names import fresh
from kerbside.stops import on_tour, serve
from kerbside.watcher import Watcher
from test_callers import Desk as Phone, caller
from test_seat_request import going, wish

HOUR = 3_600_000


@pytest.fixture(scope="module")
def town():
    """A village with lines, on two workers, where alarms ring again and who is lost is lost soon."""
    soon = {"dispatch__away_grace_ms": int(300 * patience.PACE), "dispatch__driver_lost_ms": int(900 * patience.PACE)}
    yield from serve(server__workers=2, safety__ring_again_s=1, **soon)


@pytest.fixture
def desk(town):
    return HttpDesk(town)


async def office(town):
    """An operator's screen."""
    screen = Watcher(town, fresh("office-"))
    await screen.watch()
    return screen


def ride_of(desk, ride):
    """(state, who has it or is asked for it)."""
    told = desk.done("office.ride", ride=ride)
    return told["state"], told.get("driver", told.get("offered_to"))


async def test_q5_a_driver_is_taken_out_put_back_and_moved(town, cast, desk):
    zone = town.block().a
    first, second, third = await cast.queue(town, zone.stand, 3)
    assert desk.waiting(zone.id) == [first.subject, second.subject, third.subject]
    told = desk.done("office.driver", driver=second.subject)
    assert (told["state"], told["zone"], told["rank"], told["size"], told["connected"]) == ("available", zone.id, 2, 3, True)
    out = desk.act("office.remove", driver=second.subject, reason="The car is empty.")
    assert out.reply["state"] == "unavailable"
    await second.until("queue.left", zone=zone.id, reason="operator", text="The car is empty.")
    assert desk.waiting(zone.id) == [first.subject, third.subject]
    back = desk.act("office.put", driver=second.subject, reason="It was a mistake.")
    assert (back.reply["zone"], back.reply["rank"], back.reply["size"]) == (zone.id, 2, 3)
    await second.until("queue.joined", zone=zone.id, rank=2, reason="operator")
    out.repeat()
    moved = desk.act("office.put", driver=third.subject, rank=1, reason="It came first.")
    await third.until("queue.joined", zone=zone.id, rank=1, reason="operator")
    assert desk.waiting(zone.id) == [third.subject, first.subject, second.subject]
    # What is repeated brings nobody back who has gone since.
    for one in (second, third):
        await one.call("driver.unavailable")
    for act in (moved, back, out):
        act.repeat()
    assert desk.waiting(zone.id) == [first.subject]


async def test_r12_a_ride_is_offered_by_hand_given_to_another_cancelled_and_ended(town, cast, desk):
    here = town.block()
    first, second, third = await cast.queue(town, here.a.stand, 3)
    rider = await cast.rider(town)
    ride = await rider.request(here.a.centre, passengers=2)
    await first.offered(ride)
    assert ride_of(desk, ride) == ("offered", first.subject)
    chosen = desk.act("office.offer", ride=ride, driver=third.subject)
    assert (chosen.reply["driver"], chosen.reply["state"]) == (third.subject, "offered")
    await first.expect("offer.withdrawn", ride=ride)
    await third.accept(ride)
    await rider.until("ride.accepted", ride=ride, taxi=third.subject)
    chosen.repeat()
    assert ride_of(desk, ride) == ("accepted", third.subject)
    other = desk.act("office.reassign", ride=ride, driver=second.subject, reason="A flat tyre.")
    await third.until("ride.cancelled", ride=ride, by="operator", text="A flat tyre.")
    await rider.until("ride.searching", ride=ride, reason="operator")
    await second.accept(ride)
    await rider.until("ride.accepted", ride=ride, taxi=second.subject)
    for act in (other, chosen):
        act.repeat()
    assert ride_of(desk, ride) == ("accepted", second.subject)
    off = desk.act("office.cancel", ride=ride, reason="She has called.")
    for one in (rider, second):
        await one.until("ride.cancelled", ride=ride, by="operator", reason="operator", text="She has called.")
    assert desk.waiting(here.a.id) == [first.subject, second.subject, third.subject], "nobody loses its turn"
    ride = await rider.request(here.a.centre)
    await first.accept_next(ride)
    await first.call("ride.aboard", ride=ride)
    off.repeat()
    ended = desk.act("office.end", ride=ride, reason="The phone is broken.")
    await rider.until("ride.ended", ride=ride, reason="operator")
    await first.until("ride.cancelled", ride=ride, by="operator", text="The phone is broken.")
    await first.call("driver.available")
    ended.repeat()
    assert desk.done("office.driver", driver=first.subject)["state"] == "available"


async def test_bookings_are_cancelled_and_ended(town, cast, desk):
    here = town.block()
    minibus = cast.minibus(town, here.a.stand)
    await minibus.go_online()
    first, second = await cast.rider(town), await cast.rider(town)
    booked = {}
    for rider in (first, second):
        booked[rider] = await book(rider, minibus, here.a.centre, here.b.centre)
        await minibus.take(booked[rider])
        await rider.until("seat.confirmed", booking=booked[rider])
    off = desk.act("office.cancel", booking=booked[first], reason="She has called.")
    for one in (first, minibus):
        await one.until("seat.cancelled", booking=booked[first], by="operator", reason="operator", text="She has called.")
    assert minibus.books() == (1, 0, 1)
    await minibus.call("seat.aboard", booking=booked[second])
    over = desk.act("office.end", booking=booked[second], reason="She has got off.")
    assert "text" not in await second.until("seat.ended", booking=booked[second], reason="operator")
    await minibus.until("seat.ended", booking=booked[second], reason="operator", text="She has got off.")
    for act in (off, over):
        act.repeat()
    assert minibus.books() == (0, 0, 0)
    assert desk.done("vehicle.get", vehicle=minibus.subject)["seats"] == minibus.capacity


async def test_a_driver_is_blocked_and_let_in_again(town, cast, desk):
    zone = town.block().a
    [driver] = await cast.queue(town, zone.stand, 1)
    who = {"role": "driver", "subject": driver.subject}
    until = int(time.time() * 1000) + HOUR
    block = desk.act("office.block", **who, reason="Rude to passengers.", until=until)
    assert (block.reply["state"], block.reply["until"]) == ("unavailable", until)
    assert "Rude to passengers." in (await driver.until("queue.left", zone=zone.id, reason="operator"))["text"]
    assert "Rude to passengers." in (await driver.refused("driver.available", "forbidden"))["detail"]
    shown = desk.done("office.driver", driver=driver.subject)["blocked"]
    assert (shown["reason"], shown["by"], shown["until"]) == ("Rude to passengers.", desk.subject, until)
    end = desk.act("office.unblock", **who)
    block.repeat()
    assert (await driver.call("driver.available"))["rank"] == 1
    desk.act("office.block", **who, reason="Again.")
    end.repeat()
    await driver.refused("driver.available", "forbidden")


async def test_a_passenger_and_a_bus_driver_are_blocked_and_let_in_again(town, cast, desk):
    here, line = town.block(), next(town.lines["hourly"])
    await cast.queue(town, here.a.stand, 1)
    rider, driver = await cast.rider(town), BusDriver(town, line)
    await driver.connect()
    tries = {
        rider: ("ride.request", {**here.a.centre.fields, "passengers": 1}),
        driver: ("tour.start", {"bus": line.bus, "line": line.id}),
    }
    for one, (command, fields) in tries.items():
        block = desk.act("office.block", role=one.role, subject=one.subject, reason="Did not pay.")
        assert "Did not pay." in (await one.until("notice"))["text"]
        assert "Did not pay." in (await one.refused(command, "forbidden", **fields))["detail"]
        answer = Asker(town, one.role, one.subject)
        if one is rider:
            assert "Did not pay." in answer.refused(command, "forbidden", **fields).page["detail"]
        desk.act("office.unblock", role=one.role, subject=one.subject)
        block.repeat()
        await one.call(command, **fields)


async def test_a_session_is_ended_and_a_token_revoked(town, cast, desk):
    rider = await cast.rider(town)
    who = {"role": "passenger", "subject": rider.subject}
    end = desk.act("office.session_end", **who, reason="Left open at the counter.")
    code, reason = await rider.wait_closed()
    assert code == 4403 and "Left open at the counter." in reason
    await rider.resume()
    end.repeat()
    await rider.barrier()
    assert rider.closed is None
    revoked = desk.act("office.session_end", **who, reason="The phone was stolen.", revoke=True)
    assert revoked.reply["revoked"]
    code, reason = await rider.wait_closed()
    assert code == 4401 and "stolen" in reason
    thief = Asker(town, "passenger", rider.subject)
    thief.token = rider.token
    await town.until("both workers know", lambda: all(thief.request("/v1/requests").status == 401 for _ in range(8)))
    assert "revoked" in thief.request("/v1/requests").page["detail"]
    # A new token counts, and is not revoked by what is repeated.
    await asyncio.sleep(1.1)
    owner = type(rider)(town, rider.subject, town.token("passenger", rider.subject))
    await owner.connect()
    revoked.repeat()
    await owner.barrier()
    assert owner.closed is None


async def test_b18_a_taxi_for_who_telephones_and_another_when_its_driver_is_lost(town, cast, desk):
    here, phone = town.block(), Phone(await office(town))
    ada, ada_is = caller()
    first, second = await cast.queue(town, here.a.stand, 2)
    asked = desk.act("ride.request", **here.a.centre.fields, passengers=1, on_behalf_of=ada)
    ride = asked.reply["ride"]
    assert (await first.accept(ride))["contact"] == ada
    told = await phone.told(ada_is, "ride.accepted")
    assert (told["ride"], told["taxi"], told["name"], told["number"]) == (ride, first.subject, ada["name"], ada["number"])
    await first.cut()
    await phone.told(ada_is, "ride.driver_lost")
    searched = desk.act("ride.search", on_behalf_of=ada)
    assert searched.reply == {"ride": ride, "state": "searching"}
    await second.accept_next(ride)
    searched.repeat()
    assert ride_of(desk, ride) == ("accepted", second.subject)
    off = desk.act("ride.cancel", on_behalf_of=ada)
    assert off.reply == {"ride": ride, "state": "cancelled"}
    await second.until("ride.cancelled", ride=ride)
    await phone.told(ada_is, "ride.cancelled")
    asked.repeat()
    desk.refused("ride.cancel", "not_found", on_behalf_of=ada)


async def test_b18_a_reservation_for_who_telephones(town, desk):
    here, phone = town.block(), Phone(await office(town))
    ada, ada_is = caller()
    at = int(time.time() * 1000) + 3 * HOUR
    made = desk.act("reservation.make", **trip(here.a.centre, here.b.centre), at=at, on_behalf_of=ada)
    name = made.reply["reservation"]
    told = await phone.told(ada_is, "reservation.made")
    assert (told["name"], told["number"]) == (ada["name"], ada["number"])
    listed = desk.done("reservation.list", on_behalf_of=ada)["reservations"]
    assert [(one["reservation"], one["state"]) for one in listed] == [(name, "open")]
    off = desk.act("reservation.cancel", reservation=name, on_behalf_of=ada)
    assert off.reply == {"reservation": name, "state": "cancelled"}
    await phone.told(ada_is, "reservation.cancelled")
    made.repeat()
    assert desk.done("reservation.list", on_behalf_of=ada)["reservations"] == []


async def test_b18_seats_for_who_telephones(town, cast, desk):
    here, phone = town.block(), Phone(await office(town))
    (ada, ada_is), (bob, bob_is) = caller(), caller("Bob")
    minibus = await going(town, cast, here, 300)
    booked = desk.act("seat.book", vehicle=minibus.subject, **wish(here), on_behalf_of=ada)
    asked = desk.act("seat.request", **wish(here), on_behalf_of=bob)
    for act, (person, number), who in ((booked, ada.values(), ada_is), (asked, bob.values(), bob_is)):
        booking = act.reply["booking"]
        await minibus.until("seat.requested", booking=booking)
        contact = (await minibus.call("seat.accept", booking=booking))["contact"]
        assert contact == {"name": person, "number": number}
        told = await phone.told(who, "seat.confirmed")
        assert (told["booking"], told["vehicle"]) == (booking, minibus.subject)
    assert minibus.books() == (2, 0, 2)
    for act, person, who in ((booked, ada, ada_is), (asked, bob, bob_is)):
        off = desk.act("seat.cancel", on_behalf_of=person)
        assert off.reply == {"booking": act.reply["booking"], "state": "cancelled"}
        await minibus.until("seat.cancelled", booking=act.reply["booking"])
        await phone.told(who, "seat.cancelled")
        act.repeat()
        off.repeat()
    assert minibus.books() == (0, 0, 0)


async def test_b18_a_stop_for_who_telephones_and_the_tour_is_ended(town, desk):
    line, phone = next(town.lines["hourly"]), Phone(await office(town))
    ada, ada_is = caller()
    driver = await on_tour(town, line, 100)
    asked = desk.act("stop.request", line=line.id, stop=line.stops[2], name="Ada", on_behalf_of=ada)
    request = asked.reply["request"]
    [place] = (await driver.until("stop.requested", request=request))["places"]
    assert [(one["name"], one["number"]) for one in place["requests"]] == [("Ada", ada["number"])]
    await driver.call("stop.accept", request=request)
    assert (await phone.told(ada_is, "stop.accepted"))["request"] == request
    off = desk.act("stop.cancel", request=request, on_behalf_of=ada)
    assert off.reply == {"request": request, "state": "cancelled"}
    await driver.until("stop.withdrawn", request=request, reason="cancelled")
    asked.repeat()
    off.repeat()
    ended = desk.act("tour.end", tour=driver.tour)
    assert ended.reply == {"tour": driver.tour, "state": "ended"}
    await driver.until("tour.ended", tour=driver.tour)
    # The next tour of the bus is another one.
    other = BusDriver(town, line)
    second = (await other.begin())["tour"]
    ended.repeat()
    [bus] = desk.read(f"/v1/lines/{line.id}/buses")["buses"]
    assert bus["tour"] == second
    await other.call("tour.end")
