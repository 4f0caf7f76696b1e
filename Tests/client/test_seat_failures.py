"""Minibuses: answers that do not come, drivers that are lost, commands that are sent twice."""

import pytest

from conftest import running
from kerbside.minibus import book, one_online, riding, trip

pytestmark = pytest.mark.usefixtures("encoding")


@pytest.fixture(scope="module")
def hub():
    yield from running()


async def test_no_answer_releases_the_seats_and_the_next_is_asked(new_hub, cast):
    hub = new_hub(dispatch__offer_timeout_ms=400, dispatch__accept_grace_ms=0).start()
    minibus, zone = await one_online(hub, cast)
    one, two = await cast.rider(hub), await cast.rider(hub)
    first = await book(one, minibus, zone.centre, zone.stand, 3)
    second = await book(two, minibus, zone.centre, zone.stand)
    await minibus.asked(first)
    await minibus.expect("seat.withdrawn", booking=first, reason="no_answer")
    await one.expect("seat.declined", booking=first, reason="no_answer")
    await minibus.take(second)
    assert minibus.books() == (1, 0, 1)


async def test_an_undelivered_request_waits_for_the_driver_until_the_hold_ends(new_hub, cast):
    hub = new_hub(dispatch__offer_seen_timeout_ms=200, dispatch__accept_grace_ms=0, vehicles__seat_hold_ms=3000).start()
    minibus, zone = await one_online(hub, cast)
    passenger = await cast.rider(hub)
    booking = await book(passenger, minibus, zone.centre, zone.stand)
    await minibus.asked(booking, seen=False)
    await minibus.expect("seat.withdrawn", booking=booking, reason="undelivered")
    stranger = await cast.rider(hub)
    await stranger.refused("seat.book", "not_available", vehicle=minibus.subject, **trip(zone.centre, zone.stand))
    # It shows that it lives, and is asked again; this time nothing helps.
    await minibus.fix()
    await minibus.expect("seat.requested", booking=booking)
    await passenger.expect("seat.declined", within=10, booking=booking, reason="no_answer")
    assert minibus.books() == (0, 0, 0)


async def test_going_offline_tells_those_who_wait(hub, cast):
    minibus, zone = await one_online(hub, cast)
    passenger = await cast.rider(hub)
    booking = await book(passenger, minibus, zone.centre, zone.stand)
    await minibus.asked(booking)
    await minibus.call("driver.unavailable")
    await passenger.expect("seat.declined", booking=booking, reason="offline")
    await minibus.expect("seat.withdrawn", booking=booking, reason="offline")
    assert minibus.books() == (0, 0, 0)


async def test_a_driver_that_is_lost_comes_back_online_with_its_bookings(new_hub, cast):
    hub = new_hub(dispatch__away_grace_ms=300).start()
    minibus, zone = await one_online(hub, cast)
    passenger, booking = await riding(hub, cast, minibus, zone)
    waiting = await cast.rider(hub)
    other = await book(waiting, minibus, zone.centre, zone.stand)
    await minibus.asked(other)
    await minibus.cut()
    await waiting.expect("seat.declined", booking=other, reason="offline")
    vehicle = hub.key(f"vehicle:{minibus.subject}")
    assert hub.redis.hget(vehicle, "state") == "unavailable"
    await minibus.resume()
    assert hub.redis.hget(vehicle, "state") == "available"
    await minibus.drive(zone.centre)
    await passenger.expect("seat.near", booking=booking)
    await passenger.expect("seat.arrived", booking=booking)
    await minibus.call("seat.aboard", booking=booking)
    await minibus.call("seat.end", booking=booking)
    assert minibus.books() == (0, 0, 0)


async def test_a_driver_that_does_not_come_back_is_lost_with_its_bookings(new_hub, cast):
    hub = new_hub(dispatch__away_grace_ms=200, dispatch__recovery_ms=700).start()
    minibus, zone = await one_online(hub, cast)
    passenger, booking = await riding(hub, cast, minibus, zone, 2)
    await minibus.cut()
    await passenger.expect("seat.cancelled", booking=booking, by="driver", reason="driver_lost")
    assert minibus.books() == (0, 0, 0)


# Cancelling, keys, cuts


@pytest.mark.parametrize("who", ["passenger", "driver"])
async def test_a_confirmed_booking_is_cancelled_and_its_seats_are_free(hub, cast, who):
    minibus, zone = await one_online(hub, cast)
    passenger, booking = await riding(hub, cast, minibus, zone, 3)
    canceller = passenger if who == "passenger" else minibus
    assert await canceller.call("seat.cancel", booking=booking) == {"booking": booking, "state": "cancelled"}
    for client in (passenger, minibus):
        await client.until("seat.cancelled", booking=booking, by=who, reason=who)
    assert minibus.books() == (0, 0, 0)


async def test_each_command_takes_effect_once(hub, cast):
    minibus, zone = await one_online(hub, cast)
    passenger, key = await cast.rider(hub), minibus.subject

    async def twice(client, command, **fields):
        reply = await client.call(command, **fields)
        assert await client.call(command, **fields) == reply
        await client.cut()
        await client.resume()
        assert await client.call(command, **fields) == reply
        return reply

    fields = trip(zone.centre, zone.stand, 2)
    booking = (await twice(passenger, "seat.book", vehicle=minibus.subject, key=f"{key}-1", **fields))["booking"]
    await twice(minibus, "seat.accept", booking=booking, key=f"{key}-2")
    await twice(minibus, "seat.aboard", booking=booking, key=f"{key}-3")
    await twice(minibus, "seats.set", taken=4, reason="walk_on", key=f"{key}-4")
    await twice(minibus, "seat.end", booking=booking, key=f"{key}-5")
    await minibus.settled()
    await passenger.settled()
    assert [event["type"] for event in passenger.events] == [
        "seat.pending", "seat.confirmed", "seat.aboard", "seat.ended"]
    assert [event["type"] for event in minibus.events] == [
        "seat.requested", "seat.assigned", "seats.changed", "seat.aboard", "seats.changed", "seat.ended", "seats.changed"]
    assert minibus.books() == (2, 0, 0)
    refusal = await passenger.refused(
        "seat.book", "seats_full", vehicle=minibus.subject, key=f"{key}-6", **fields | {"passengers": 13})
    assert refusal == await passenger.refused(
        "seat.book", "seats_full", vehicle=minibus.subject, key=f"{key}-6", **fields | {"passengers": 13})
    # What was refused has changed nothing, so its key may try again.
    await minibus.call("seats.set", taken=0)
    again = await passenger.call("seat.book", vehicle=minibus.subject, key=f"{key}-6", **fields | {"passengers": 13})
    assert again["state"] == "pending"


async def test_snapshots_tell_bookings(hub, cast):
    minibus, zone = await one_online(hub, cast)
    passenger, booking = await riding(hub, cast, minibus, zone, 2)
    waiting = await cast.rider(hub)
    other = await book(waiting, minibus, zone.centre, zone.stand)
    await minibus.asked(other, seen=False)
    await minibus.connect()
    snapshot = minibus.snapshot
    assert (snapshot["taken"], snapshot["seats"], snapshot["request"]["booking"]) == (2, 12, other)
    assert [b["booking"] for b in snapshot["bookings"]] == [booking]
    # The worker knows what was asked before, too: where the pickup is, and so how long it takes.
    await minibus.call("seat.accept", booking=other)
    assert (await waiting.expect("seat.confirmed", booking=other))["eta_s"] > 0
    await passenger.connect()
    shown = passenger.snapshot
    assert shown["booking"]["state"] == "confirmed" and shown["booking"]["vehicle"] == minibus.subject
    await minibus.drive(zone.centre.moved(north=300))
    await passenger.state("seat.eta", lambda data: data["booking"] == booking)


async def test_what_was_done_while_offline_takes_effect_once(hub, cast):
    """Positions, counts and a booking that were kept while the link was away, sent on return, and sent again."""
    minibus, zone = await one_online(hub, cast)
    passenger, key = await cast.rider(hub), minibus.subject
    await minibus.cut()
    fixes = []
    for place in zone.stand.towards(zone.centre, 200):
        minibus.clock += 10_000
        fixes.append({**place.fields, "at": minibus.clock, "accuracy": 5})
    minibus.place = zone.centre
    counts = [{"taken": taken, "reason": "walk_on", "key": f"{key}-{taken}"} for taken in (1, 2, 4)]
    wish = {"vehicle": minibus.subject, "key": f"{key}-wish", **trip(zone.centre, zone.stand, 2)}
    for _ in range(2):
        await minibus.resume()
        for fix in fixes:
            await minibus.call("position", **fix)
        for count in counts:
            await minibus.call("seats.set", **count)
        await passenger.cut()
        await passenger.resume()
        reply = await passenger.call("seat.book", **wish)
        await minibus.cut()
    await minibus.resume()
    await minibus.settled()
    assert [e["data"]["taken"] for e in minibus.events if e["type"] == "seats.changed"] == [1, 2, 4]
    assert [e["data"]["booking"] for e in minibus.events if e["type"] == "seat.requested"] == [reply["booking"]]
    await minibus.known()
    await passenger.expect("seat.pending", booking=reply["booking"])
    await passenger.nothing_more()
    assert minibus.books() == (4, 2, 0)
