"""Minibuses: seats are asked for, promised, taken and given back; each seat once."""

import asyncio

import pytest

from conftest import IN_BOTH, IN_JSON, running
from kerbside.feeds import OFTEN
from kerbside.minibus import Minibus, book, one_online, riding, trip

pytestmark = pytest.mark.usefixtures("encoding")

FARES = ["*: 2km=8.00 5km=12.00 10km=18.50", "R7: 1km=5.00 50km=9.00"]


@pytest.fixture(scope="module")
def hub():
    yield from running(**OFTEN, vehicles__fares=FARES, vehicles__currency="ZAR", eta__push_max_age_s=1)


# Online, offline, what is shown


async def test_online_is_seen_and_offline_is_not(hub, cast):
    minibus, zone = await one_online(hub, cast)
    passenger = await cast.rider(hub)
    near = await passenger.watch(zone.stand, 500, filter={"kind": ["minibus"]})
    await passenger.sees_all(near, [minibus], state="available", kind="minibus", seats=14)
    assert await minibus.call("driver.unavailable") == {"state": "unavailable"}
    await passenger.sees_all(near, [])
    await passenger.refused("seat.book", "not_available", vehicle=minibus.subject, **trip(zone.centre, zone.stand))
    await minibus.call("driver.available")
    await passenger.sees_all(near, [minibus], state="available", kind="minibus", seats=14)
    await minibus.nothing_more()


async def test_who_says_where_it_goes_sees_those_that_go_there(hub, cast):
    here = hub.block()
    zone = here.a
    [goes, comes, turns, silent] = [cast.minibus(hub, zone.stand.moved(east=20 * index)) for index in range(4)]
    taxi = cast.driver(hub, zone.stand.moved(north=40))
    for minibus in (goes, comes, turns, silent):
        await minibus.go_online()
    await taxi.go_available()
    far, start = zone.stand.moved(north=3000), zone.stand.moved(north=-2000)
    there, back = {"start": start.fields, "end": far.fields}, {"start": far.fields, "end": start.fields}
    await goes.call("route.set", route="R7", **there)
    await comes.call("route.set", route="R7", **back)
    await turns.call("route.set", route=None, **back)
    await silent.call("route.set", route="R7")
    passenger, other = await cast.rider(hub), await cast.rider(hub)
    wanted = {"filter": {"kind": ["minibus"]}, "destination": zone.stand.moved(north=2500).fields}
    near = await passenger.watch(zone.stand, 500, **wanted)
    await passenger.sees_all(near, [goes], route="R7")
    everything = await other.watch(zone.stand, 500, filter={"kind": ["minibus"]})
    await other.sees_all(everything, [goes, comes, turns, silent])
    # The way counts, not its name; who turns is shown at once.
    await turns.call("route.set", route=None, start=start.fields, via=[zone.stand.fields], end=far.fields)
    await passenger.sees_all(near, [goes, turns])
    await goes.call("route.set", route="R7", **back)
    await passenger.sees_all(near, [turns])
    await goes.call("route.set", route="R8", **there)
    await passenger.sees_all(near, [goes, turns])
    # Free seats count as well.
    await goes.call("seats.set", taken=14)
    near = await passenger.watch(zone.stand, 500, **(wanted | {"filter": {"kind": ["minibus"], "seats": 2}}))
    await passenger.sees_all(near, [turns])
    # The way back is another watch, and a taxi goes anywhere.
    near = await passenger.watch(zone.stand, 500, destination=start.fields, filter={"kind": ["taxi", "minibus"]})
    await passenger.sees_all(near, [comes, taxi])
    await other.sees_all(everything, [goes, comes, turns, silent])
    await passenger.refused("watch", "bad_message", "destination.lon", **zone.stand.fields, radius=500, destination={"lat": 1})


async def test_online_needs_a_position(hub, cast):
    minibus = cast.minibus(hub, hub.block().a.stand)
    await minibus.connect()
    await minibus.refused("driver.available", "no_position")


async def test_the_route_is_shown_and_changes_are_told_to_those_who_booked(hub, cast):
    minibus, zone = await one_online(hub, cast)
    stranger = await cast.rider(hub)
    near = await stranger.watch(zone.stand, 500, filter={"route": "R7"})
    assert await minibus.call("route.set", route="R7") == {"route": "R7"}
    await stranger.sees_all(near, [minibus], route="R7", kind="minibus")
    passenger, booking = await riding(hub, cast, minibus, zone)
    way = {"start": zone.stand.fields, "via": [zone.centre.fields], "end": zone.centre.moved(north=-1000).fields}
    assert await minibus.call("route.set", route="R8", **way) == {"route": "R8", "way": way}
    assert await passenger.expect("route.changed", booking=booking) == {
        "booking": booking, "vehicle": minibus.subject, "route": "R8", "way": way}
    await stranger.sees_all(near, [])
    # The same again is no news; a way alone is a route of its own.
    await minibus.call("route.set", route="R8", **way)
    reply = await minibus.call("route.set", route=None, start=way["start"], end=way["end"])
    assert reply["route"] == f"way:{minibus.subject}"
    await passenger.expect("route.changed", route=reply["route"])
    seen = await stranger.call("vehicle.get", vehicle=minibus.subject)
    assert seen["way"] == reply["way"] and seen["seats"] == 13 and seen["capacity"] == 14
    await stranger.nothing_more()
    await minibus.refused("route.set", "bad_message", route="R9", end=way["end"])


async def test_the_driver_counts_with_a_reason_and_watchers_see_it(hub, cast):
    minibus, zone = await one_online(hub, cast)
    passenger = await cast.rider(hub)
    near = await passenger.watch(zone.stand, 500)
    assert await minibus.call("seats.set", taken=5, reason="walk_on") == {"seats": 9}
    await minibus.expect("seats.changed", taken=5, seats=9, capacity=14, delta=5, reason="walk_on")
    await passenger.sees_all(near, [minibus], seats=9, kind="minibus")
    assert await minibus.call("seats.set", taken=2) == {"seats": 12}
    await minibus.expect("seats.changed", taken=2, delta=-3, reason="counted")
    await minibus.refused("seats.set", "bad_message", taken=15)
    assert minibus.books() == (2, 0, 0)
    assert (await hub.logged("seats.changed", driver=minibus.subject, reason="walk_on"))["delta"] == 5


# A booking


@IN_BOTH
async def test_book_confirm_near_arrived_aboard_end(hub, cast):
    minibus, zone = await one_online(hub, cast)
    watcher = await cast.rider(hub)
    near = await watcher.watch(zone.centre, 2000)
    passenger = await cast.rider(hub)
    booking = await book(passenger, minibus, zone.centre, zone.centre.moved(north=-900), 2)
    await watcher.sees_all(near, [minibus], seats=14, kind="minibus")
    request = await minibus.asked(booking, seen=False)
    assert request["passengers"] == 2 and "pickup" not in request, "the places are told on acceptance"
    assert request["fare"] == {"amount": 1600, "currency": "ZAR"}
    seen = await minibus.call("offer.seen", ride=booking)
    answer_ms = hub.settings["dispatch.offer_timeout_ms"]
    assert 0.9 * answer_ms < seen["expires_in_ms"] <= answer_ms
    assigned = await minibus.call("seat.accept", booking=booking)
    assert assigned["pickup"] == zone.centre.fields and assigned["passengers"] == 2
    await minibus.expect("seat.assigned", **assigned)
    await minibus.expect("seats.changed", taken=2, seats=12, delta=2, reason="booked", booking=booking)
    told = await passenger.expect("seat.confirmed", booking=booking, vehicle=minibus.subject)
    assert told["fare"] == {"amount": 1600, "currency": "ZAR"}
    assert told["position"]["at"] == minibus.clock and 60 < told["eta_s"] < 400
    await watcher.sees_all(near, [minibus], seats=12, kind="minibus")
    stops = await minibus.state("seat.stops")
    assert [(stop["booking"], stop["what"]) for stop in stops["stops"]] == [(booking, "pickup"), (booking, "drop_off")]

    await minibus.drive(zone.centre.moved(north=300))
    await passenger.expect("seat.near", booking=booking, confidence="high")
    await minibus.expect("seat.waiting", booking=booking, passengers=2)
    assert (await passenger.call("vehicle.get", vehicle=minibus.subject))["status"] == "picking_up"
    eta = await passenger.state("seat.eta", lambda data: data["distance_m"] < 400)
    assert eta["booking"] == booking and eta["vehicle"] == minibus.subject
    await minibus.drive(zone.centre)
    await passenger.expect("seat.arrived", booking=booking)
    await minibus.expect("seat.confirm_aboard", booking=booking)
    assert await minibus.call("seat.aboard", booking=booking) == {"booking": booking, "seats": 12}
    await passenger.expect("seat.aboard", booking=booking, passengers=2)
    await minibus.expect("seat.aboard", booking=booking, passengers=2)
    assert (await passenger.call("vehicle.get", vehicle=minibus.subject))["status"] == "en_route"
    # Dropped anywhere along the way.
    await minibus.drive(zone.centre.moved(north=-400))
    assert await minibus.call("seat.end", booking=booking) == {"booking": booking, "seats": 14}
    await passenger.expect("seat.ended", booking=booking)
    await minibus.expect("seat.ended", booking=booking)
    await minibus.expect("seats.changed", taken=0, delta=-2, reason="ended")
    await watcher.sees_all(near, [minibus], seats=14, kind="minibus")
    await passenger.nothing_more()
    await minibus.nothing_more()
    assert minibus.books() == (0, 0, 0)


async def test_the_eta_goes_by_the_distance_while_nothing_is_learned(hub, cast):
    minibus, zone = await one_online(hub, cast)
    passenger = await cast.rider(hub)
    booking = await book(passenger, minibus, zone.centre, zone.centre.moved(north=-900))
    await minibus.take(booking)
    told = await passenger.expect("seat.confirmed", booking=booking)
    # 400 m take 120 s, 1,000 m 230 s, and what lies between a power of the distance.
    metres = zone.stand.distance(zone.centre)
    assert 400 <= metres <= 1000
    assert abs(told["eta_s"] - 120 * (metres / 400) ** 0.71) <= 2


async def test_the_passenger_follows_its_minibus_and_no_other_passenger_is_told_of_its_booking(hub, cast):
    minibus, zone = await one_online(hub, cast)
    one, first = await riding(hub, cast, minibus, zone)
    two = await cast.rider(hub)
    second = await book(two, minibus, zone.centre.moved(east=300), zone.centre.moved(north=-900))
    await minibus.take(second)
    await two.expect("seat.confirmed", booking=second)
    await minibus.drive(zone.centre.moved(north=500))
    for passenger, booking in ((one, first), (two, second)):
        await passenger.state("positions", lambda rows: passenger.is_last_of(minibus, rows[-1]))
        await passenger.state("seat.eta")
        assert {row["data"]["booking"] for row in passenger.states["seat.eta"]} == {booking}
        assert all(event["data"]["booking"] == booking for event in passenger.events)


async def test_declined_frees_none_and_the_passenger_may_book_again(hub, cast):
    minibus, zone = await one_online(hub, cast)
    await minibus.call("seats.set", taken=3)
    await minibus.expect("seats.changed", taken=3)
    passenger = await cast.rider(hub)
    booking = await book(passenger, minibus, zone.centre, zone.stand, 4)
    await minibus.asked(booking)
    assert minibus.books() == (3, 4, 0)
    assert await minibus.call("seat.decline", booking=booking) == {"booking": booking}
    await passenger.expect("seat.declined", booking=booking, vehicle=minibus.subject, reason="declined")
    assert minibus.books() == (3, 0, 0)
    await minibus.refused("seat.accept", "offer_expired", booking=booking)
    again = await book(passenger, minibus, zone.centre, zone.stand, 11)
    await minibus.take(again)
    assert minibus.books() == (14, 0, 11)


async def test_a_passenger_has_one_open_booking_or_ride(hub, cast):
    minibus, zone = await one_online(hub, cast)
    await cast.queue(hub, zone.stand, 1)
    passenger = await cast.rider(hub)
    await book(passenger, minibus, zone.centre, zone.stand)
    fields = trip(zone.centre, zone.stand)
    await passenger.refused("seat.book", "already_requested", vehicle=minibus.subject, **fields)
    await passenger.refused("ride.request", "already_requested", **zone.centre.fields, passengers=1)
    await passenger.call("seat.cancel")
    await passenger.expect("seat.cancelled", by="passenger")
    await passenger.request(zone.centre)
    await passenger.refused("seat.book", "already_requested", vehicle=minibus.subject, **fields)


async def test_refusals(hub, cast):
    minibus, zone = await one_online(hub, cast, seats=6)
    [taxi] = await cast.queue(hub, zone.stand, 1)
    passenger = await cast.rider(hub)
    fields = trip(zone.centre, zone.stand)
    await passenger.refused("seat.book", "not_found", vehicle="nobody", **fields)
    await passenger.refused("seat.book", "not_found", vehicle=taxi.subject, **fields)
    await passenger.refused("seat.book", "too_many_passengers", vehicle=minibus.subject, **fields | {"passengers": 7})
    for field, value in (("pickup", None), ("destination", {"lat": 91, "lon": 0}), ("passengers", 0)):
        await passenger.refused("seat.book", "bad_message", vehicle=minibus.subject, **fields | {field: value})
    await passenger.refused("vehicle.get", "not_found", vehicle=taxi.subject)
    await minibus.refused("seat.book", "forbidden", vehicle=minibus.subject, **fields)
    await passenger.refused("seat.accept", "forbidden", booking="b_1")
    for command in ("seat.accept", "seat.decline", "seat.aboard", "seat.end", "seat.cancel"):
        await minibus.refused(command, "not_found", booking="b_nobodys")
    await passenger.refused("seat.cancel", "not_found")
    assert (await minibus.refused("seat.cancel", "bad_message"))["field"] == "booking"
    booking = await book(passenger, minibus, zone.centre, zone.stand)
    other = cast.minibus(hub, zone.stand)
    await other.go_online()
    await other.refused("seat.accept", "not_found", booking=booking)
    await other.refused("offer.seen", "not_found", ride=booking)
    stranger = await cast.rider(hub)
    await stranger.refused("seat.cancel", "not_found", booking=booking)
    await minibus.take(booking)
    await minibus.refused("seat.end", "not_available", booking=booking)
    await minibus.refused("driver.unavailable", "not_available")
    await minibus.call("seat.aboard", booking=booking)
    await passenger.refused("seat.cancel", "not_available")


@IN_JSON
async def test_what_protocol_buffers_can_not_say_is_refused(hub, cast):
    minibus, zone = await one_online(hub, cast)
    passenger = await cast.rider(hub)
    fields = trip(zone.centre, zone.stand) | {"passengers": "2"}
    await passenger.refused("seat.book", "bad_message", "passengers", vehicle=minibus.subject, **fields)
    await passenger.refused("watch", "bad_message", "destination", **zone.stand.fields, radius=500, destination=5)
    await minibus.refused("seats.set", "bad_message", "taken", taken=-1)
    assert minibus.books() == (0, 0, 0)


# Against the way that is announced


async def test_the_announced_way_decides_who_can_ride_and_what_it_costs(hub, cast):
    minibus, zone = await one_online(hub, cast)
    south = zone.stand.moved(north=-6000)
    await minibus.call("route.set", route="R7", start=zone.stand.fields, end=south.fields)
    passenger = await cast.rider(hub)

    async def refused(pickup, destination, word):
        fields = trip(pickup, destination)
        error = await passenger.refused("seat.book", "not_available", vehicle=minibus.subject, **fields)
        assert word in error["detail"]

    await refused(zone.stand.moved(east=1500), south, "pickup")
    await refused(zone.stand, south.moved(east=-2500), "destination")
    await refused(zone.stand.moved(north=-4000), zone.stand.moved(north=-1000), "other way")
    # On and off beside the way, anywhere along it; 9.00 beyond 1 km of R7.
    reply = await passenger.call(
        "seat.book", vehicle=minibus.subject,
        **trip(zone.stand.moved(north=-1000, east=300), zone.stand.moved(north=-2200, east=-200), 3))
    assert reply["fare"] == {"amount": 2700, "currency": "ZAR"}
    assert (await minibus.asked(reply["booking"]))["length_m"] == pytest.approx(1200, abs=2)


async def test_the_order_of_stops_follows_the_way(hub, cast):
    minibus, zone = await one_online(hub, cast)
    start = zone.stand
    await minibus.call("route.set", route=None, start=start.fields, end=start.moved(north=-8000).fields)
    bookings = []
    for pickup, drop in ((3000, 6000), (1000, 2000), (1500, 7000)):
        passenger = await cast.rider(hub)
        bookings.append(await book(passenger, minibus, start.moved(north=-pickup), start.moved(north=-drop)))
        await minibus.take(bookings[-1])
    a, b, c = bookings

    def order(state):
        return [(stop["booking"], stop["what"][0]) for stop in state["stops"]]

    expected = [(b, "p"), (c, "p"), (b, "d"), (a, "p"), (a, "d"), (c, "d")]
    await minibus.state("seat.stops", lambda state: order(state) == expected)
    await minibus.call("seat.aboard", booking=b)
    await minibus.state("seat.stops", lambda state: order(state) == expected[1:])
    await minibus.cut()
    await minibus.resume()
    await minibus.state("seat.stops", lambda state: order(state) == expected[1:])


# The last seats


async def test_two_after_the_last_seat(hub, cast):
    minibus, zone = await one_online(hub, cast)
    await minibus.call("seats.set", taken=13)
    await minibus.expect("seats.changed", taken=13)
    for _ in range(10):
        one, two = await cast.rider(hub), await cast.rider(hub)
        fields = trip(zone.centre, zone.stand)
        replies = await asyncio.gather(
            *(passenger.ask("seat.book", vehicle=minibus.subject, **fields) for passenger in (one, two)))
        codes = sorted(reply["error"]["code"] if "error" in reply else "ok" for reply in replies)
        assert codes == ["ok", "seats_full"]
        winner, reply = next((p, r["ok"]) for p, r in zip((one, two), replies, strict=True) if "ok" in r)
        await minibus.asked(reply["booking"], seen=False)
        await minibus.nothing_more()
        await winner.call("seat.cancel")
        await minibus.expect("seat.withdrawn", booking=reply["booking"], reason="cancelled")
        assert minibus.books() == (13, 0, 0)


async def test_a_party_gets_all_its_seats_or_none(hub, cast):
    minibus, zone = await one_online(hub, cast, seats=5)
    await riding(hub, cast, minibus, zone, 3)
    party = await cast.rider(hub)
    fields = trip(zone.centre, zone.stand, 3)
    await party.refused("seat.book", "seats_full", vehicle=minibus.subject, **fields)
    booking = await book(party, minibus, zone.centre, zone.stand, 2)
    await minibus.take(booking)
    assert minibus.books() == (5, 0, 5)
    assert (await party.call("vehicle.get", vehicle=minibus.subject))["status"] == "full"


async def test_full_and_those_who_wait_are_told(hub, cast):
    minibus, zone = await one_online(hub, cast, seats=6)
    waiting = [await cast.rider(hub) for _ in range(3)]
    bookings = [await book(passenger, minibus, zone.centre, zone.stand, 2) for passenger in waiting]
    await minibus.asked(bookings[0])
    # Three walk on: one party of two still fits, the first.
    assert await minibus.call("seats.set", taken=3, reason="walk_on") == {"seats": 3}
    await minibus.expect("seats.changed", taken=3)
    for passenger, booking in list(zip(waiting, bookings, strict=True))[1:]:
        await passenger.expect("seat.declined", booking=booking, reason="full")
    assert minibus.books() == (3, 2, 0)
    assert await minibus.call("seats.set", taken=6, reason="walk_on") == {"seats": 0}
    await waiting[0].expect("seat.declined", booking=bookings[0], reason="full")
    await minibus.expect("seats.changed", taken=6)
    await minibus.expect("seat.withdrawn", booking=bookings[0], reason="full")
    await minibus.refused("seat.accept", "offer_expired", booking=bookings[0])
    assert minibus.books() == (6, 0, 0)
    late = await cast.rider(hub)
    await late.refused("seat.book", "seats_full", vehicle=minibus.subject, **trip(zone.centre, zone.stand))


async def test_the_drivers_count_and_the_bookings(hub, cast):
    minibus, zone = await one_online(hub, cast, seats=10)
    _aboard, first = await riding(hub, cast, minibus, zone, 3)
    await minibus.call("seat.aboard", booking=first)
    await minibus.until("seat.aboard")
    _promised, second = await riding(hub, cast, minibus, zone, 2)
    # What is promised can't be given away; who is aboard may have left unnoticed.
    await minibus.refused("seats.set", "not_available", taken=1)
    assert await minibus.call("seats.set", taken=3, reason="got_off") == {"seats": 7}
    assert minibus.books() == (3, 0, 3)
    # Its end gives back only what still counted.
    assert (await minibus.call("seat.end", booking=first))["seats"] == 8
    assert minibus.books() == (2, 0, 2)
    # Fewer came than were booked, and a third who had not been.
    assert (await minibus.call("seat.aboard", booking=second, passengers=1))["seats"] == 9
    assert minibus.books() == (1, 0, 1)


async def test_a_waiting_taxi_whose_token_is_for_a_minibus_now_waits_no_more(hub, cast):
    zone = hub.block().a
    changed, behind = await cast.queue(hub, zone.stand, 2)
    minibus = Minibus(hub, changed.subject, zone.stand)
    assert (await minibus.connect())["seq"]
    left = await changed.until("queue.left", zone=zone.id)
    assert left["reason"] == "unavailable"
    await behind.state("queue.rank", lambda d: (d["rank"], d["size"]) == (1, 1))
    await minibus.go_online()
