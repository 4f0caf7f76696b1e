"""Bookings of seats become trips (M10, M11); routes are improved from what people think and ask for (M19). Over two workers."""

import datetime
import json

import pytest

from conftest import running
from kerbside import figures
from kerbside.asker import Asker
from kerbside.minibus import Minibus, book, trip
from kerbside.names import fresh
from kerbside.protobuf import Binary
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_trips import Service

#: Nobody takes anybody anywhere within a minute: what was asked for is dated back by so much.
BACK_MS = 600_000
CASH, DIGITAL = ({"method": "cash", "state": "paid"}, {"method": "digital", "state": "pending"})


class BinaryMinibus(Binary, Minibus):
    pass


class BinaryCity(City):
    def minibus(self, hub, at, seats=14):
        return BinaryMinibus(hub, fresh("M"), at, seats)


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else BinaryCity(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture(scope="module")
def hub():
    yield from running(server__workers=2, vehicles__fares=["*: 2km=5.00 10km=12.00"])


async def online(hub, cast, seats=14):
    """A minibus on a route of its own, and the zone around it."""
    here = hub.block()
    minibus = cast.minibus(hub, here.a.stand, seats)
    await minibus.go_online()
    route = fresh("R")
    assert (await minibus.call("route.set", route=route))["route"] == route
    return minibus, here.a, route


async def asked(minibus, booking):
    """The request as the driver sees it, which its app shows."""
    request = await minibus.until("seat.requested", booking=booking)
    await minibus.call("offer.seen", ride=booking)
    return request


async def aboard(hub, cast, minibus, zone, passengers=1, **fields):
    """A passenger who has asked for seats long ago and is aboard; its booking."""
    passenger = await cast.rider(hub)
    booking = await book(passenger, minibus, zone.centre, zone.centre.moved(north=-900), passengers, **fields)
    request = await asked(minibus, booking)
    assigned = await minibus.call("seat.accept", booking=booking)
    assert request.get("payment") == assigned.get("payment") == fields.get("payment")
    assert "passenger" not in assigned and "contact" not in assigned
    await minibus.fix(zone.centre)
    await minibus.known()
    await minibus.call("seat.aboard", booking=booking)
    await minibus.fix(zone.centre.moved(north=-700))
    await minibus.known()
    hub.redis.hincrby(hub.key(f"booking:{booking}"), "requested_at", -BACK_MS)
    hub.redis.hincrby(hub.key(f"booking:{booking}"), "aboard_at", -BACK_MS)
    return passenger, booking


def hours(hub, route):
    """The figures of a route, added up."""
    rows = figures.ask_seats(hub, route=route).json["hours"]
    assert {row["route"] for row in rows} <= {route}
    return {name: sum(row[name] for row in rows) for name in ("requested", "accepted", "declined", "unmet", "ended", "ratings")}


def is_in(place, lat, lon):
    """Whether a place is in the cell with this middle."""
    return abs(lat - place.lat) < 0.0023 and abs(lon - place.lon) < 0.0033


async def added_up(hub):
    """What was noted so far is counted."""
    await hub.until("added up", lambda: not hub.redis.exists(hub.key("seats_over")))


def people(hub, place):
    """How many asked for seats from there in vain; 0: it is not told."""
    ways = figures.ask_seats(hub).json["unserved"]
    return sum(way["people"] for way in ways if is_in(place, way["from"]["lat"], way["from"]["lon"]))


def made_past(hub):
    """Who asked in vain on the latest day did so two days earlier."""
    key = max(hub.redis.scan_iter(hub.key("vain:*")))
    date = datetime.date.fromisoformat(key.rpartition(":")[2]) - datetime.timedelta(days=2)
    hub.redis.rename(key, hub.key(f"vain:{date}"))


def logged(hub, kind, passenger):
    """What the log has of it."""
    rows = [json.loads(row["data"]) for _, row in hub.redis.xrange(hub.key("events")) if row["type"] == kind]
    return [data for data in rows if data.get("passenger") == passenger.subject]


async def test_m10_a_booking_from_its_wish_to_its_receipt(hub, cast):
    minibus, zone, route = await online(hub, cast)
    passenger, booking = await aboard(hub, cast, minibus, zone, passengers=2)
    end = await minibus.call("seat.end", booking=booking, key="end")
    assert await minibus.call("seat.end", booking=booking, key="end") == end
    await minibus.refused("seat.end", "not_available", booking=booking)
    assert end["payment"] == CASH and end["fare"] == {"amount": 1000, "currency": "EUR"} and end["seats"] == 14
    for client in (passenger, minibus):
        assert (await client.until("seat.ended", booking=booking))["receipt"] == end["receipt"]
    known = await passenger.call("receipt.get", trip=booking)
    assert (known["kind"], known["route"], known["receipt"]) == ("minibus", route, end["receipt"])
    assert known["passengers"] == 2 and 600 <= known["duration_s"] <= 630 and 900 <= known["distance_m"] <= 1400
    assert "from_zone" not in known and "passenger" not in known
    assert await minibus.call("receipt.get", trip=booking) == known
    office = await cast.operator(hub)
    assert (await office.call("receipt.get", trip=booking))["passenger"] == passenger.subject
    await (await cast.rider(hub)).refused("receipt.get", "not_found", trip=booking)
    for client in (passenger, minibus):
        assert [one["trip"] for one in (await client.call("trips.list"))["trips"]] == [booking]

    asker = Asker(hub, "passenger", passenger.subject)
    assert asker.read(f"/v1/receipts/{booking}") == known
    assert [one["trip"] for one in asker.read("/v1/trips")["trips"]] == [booking]
    page = hub.http(f"/v1/receipts/{booking}", headers={"Authorization": f"Bearer {asker.token}", "Accept": "text/html"})
    assert page.status == 200 and end["receipt"] in page.text and "Minibus" in page.text and route in page.text
    table = hub.http("/v1/trips.csv", headers={"Authorization": f"Bearer {asker.token}"}).text.splitlines()
    assert table[1].startswith(f"{end['receipt']},{booking},") and table[1].endswith(f",10.00,EUR,cash,paid,minibus,{route}")


async def test_m11_a_digital_payment_of_a_booking(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    passenger, cash = await aboard(hub, cast, minibus, zone)
    error = await minibus.refused("seat.end", "not_available", booking=cash, payment="digital")
    assert "cash" in error["detail"]
    await minibus.refused("seat.end", "bad_message", "payment", booking=cash, payment="card")
    assert (await minibus.call("seat.end", booking=cash, payment="cash"))["payment"] == CASH
    passenger, booking = await aboard(hub, cast, minibus, zone, payment="digital")
    end = await minibus.call("seat.end", booking=booking)
    assert end["payment"] == DIGITAL
    service, stranger = await Service(hub).greet(), await Service(hub, scope=None).greet()
    await stranger.refused("payment.report", "forbidden", trip=booking, state="paid")
    told = await service.call("payment.report", trip=booking, state="paid", reference="pay_7", key="p")
    assert await service.call("payment.report", trip=booking, state="paid", reference="pay_7", key="p") == told
    for client in (passenger, minibus):
        await client.until("payment.changed", trip=booking, payment={"method": "digital", "state": "paid"})
    await service.refused("payment.report", "not_available", trip=booking, state="paid", reference="other")
    await service.refused("payment.report", "not_available", trip=cash, state="refunded")
    assert (await passenger.call("receipt.get", trip=booking))["payment"]["reference"] == "pay_7"
    for client in (service, stranger):
        client.hello_reply = None  # no channel of its own to settle


async def test_m11_who_asks_for_any_minibus_says_how_it_pays(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    place = zone.stand.moved(north=100)
    await minibus.call("route.set", start=place.fields, end=zone.centre.moved(north=-3000).fields)
    passenger = await cast.rider(hub)
    wish = trip(zone.centre, zone.centre.moved(north=-900)) | {"payment": "digital"}
    booking = (await passenger.call("seat.request", **wish))["booking"]
    assert (await asked(minibus, booking))["payment"] == "digital"
    assert (await minibus.call("seat.accept", booking=booking))["payment"] == "digital"
    await passenger.until("seat.confirmed", booking=booking)
    await passenger.refused("seat.request", "bad_message", "payment", **wish | {"payment": "gold"})


async def test_m10_both_sides_rate_a_booking_once(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    passenger, booking = await aboard(hub, cast, minibus, zone)
    await passenger.refused("trip.rate", "not_found", trip=booking, stars=5)
    await minibus.call("seat.end", booking=booking)
    given = await passenger.call("trip.rate", trip=booking, stars=4, comment="Kind.", key="r")
    assert await passenger.call("trip.rate", trip=booking, stars=4, comment="Kind.", key="r") == given
    assert given == {"trip": booking, "stars": 4}
    await passenger.refused("trip.rate", "not_available", trip=booking, stars=5)
    await minibus.call("trip.rate", trip=booking, stars=5)
    await (await cast.rider(hub)).refused("trip.rate", "not_found", trip=booking, stars=1)
    office = await cast.operator(hub)
    for role, subject, mean in (("driver", minibus.subject, 4), ("passenger", passenger.subject, 5)):
        told = await office.call("ratings.get", role=role, subject=subject)
        assert (told["count"], told["mean"]) == (1, mean)


async def test_m10_a_booking_that_takes_nobody_anywhere_is_no_trip(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    passenger, booking = await aboard(hub, cast, minibus, zone)
    hub.redis.hincrby(hub.key(f"booking:{booking}"), "requested_at", BACK_MS)
    assert await minibus.call("seat.end", booking=booking) == {"booking": booking, "seats": 14}
    ended = await passenger.until("seat.ended", booking=booking)
    assert "receipt" not in ended and "payment" not in ended
    await passenger.refused("receipt.get", "not_found", trip=booking)
    assert (await passenger.call("trips.list"))["trips"] == []


async def test_m10_who_was_paid_of_a_booking_that_the_office_ends_a_service_says(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    passenger, booking = await aboard(hub, cast, minibus, zone)
    office = await cast.operator(hub)
    await office.call("office.end", booking=booking, reason="The phone is broken.")
    ended = await passenger.until("seat.ended", booking=booking)
    assert ended["payment"] == {"method": "cash", "state": "pending"} and ended["fare"]["amount"] == 500
    asker = Asker(hub, "service", "books")
    asker.token = hub.token("service", "books", scope="payments")
    asker.done("payment.report", trip=booking, state="paid")
    await passenger.until("payment.changed", trip=booking, payment=CASH)


async def test_m19_a_route_is_rated_and_operators_see_what_is_thought_of_it(hub, cast):
    minibus, zone, route = await online(hub, cast)
    for stars in (5, 2):
        passenger, booking = await aboard(hub, cast, minibus, zone)
        await minibus.call("seat.end", booking=booking)
        for wrong in (0, 6):
            await passenger.refused("trip.rate", "bad_message", "route_stars", trip=booking, stars=5, route_stars=wrong)
        await minibus.refused("trip.rate", "not_available", trip=booking, stars=5, route_stars=5)
        asker = Asker(hub, "passenger", passenger.subject)
        given = asker.done("trip.rate", key="r", trip=booking, stars=5, route_stars=stars)
        assert given == {"trip": booking, "stars": 5, "route_stars": stars}
        assert asker.done("trip.rate", key="r", trip=booking, stars=5, route_stars=stars) == given
        assert (await passenger.call("receipt.get", trip=booking))["route_stars"] == stars
        assert "route_stars" not in await minibus.call("receipt.get", trip=booking)
    await added_up(hub)
    assert hours(hub, route) == {"requested": 2, "accepted": 2, "declined": 0, "unmet": 0, "ended": 2, "ratings": 2}
    for role in ("operator", "service"):
        told = figures.ask_seats(hub, role=role, route=route).json
        assert told["routes"] == [{"route": route, "ratings": 2, "mean_stars": 3.5}] and "unserved" not in told
    rows = figures.table(hub.http(
        f"/v1/stats/seats.csv?route={route}", headers={"Authorization": f"Bearer {hub.token('operator', 'o1')}"}))
    assert sum(int(row["ended"]) for row in rows) == 2 and {row["route"] for row in rows} == {route}
    assert figures.ask_seats(hub, route="nobody-drives-it").json["hours"] == []
    assert figures.ask_seats(hub, zone="1").status == 400
    assert figures.ask_seats(hub, role=None).status == 401
    for role in ("driver", "passenger", "bus_driver"):
        assert figures.ask_seats(hub, role=role).status == 403


@pytest.mark.usefixtures("one_hour")
async def test_m19_what_was_asked_for_in_vain_is_logged_and_counted(hub, cast):
    minibus, zone, route = await online(hub, cast, seats=4)
    wish = trip(zone.centre, zone.centre.moved(north=-900))
    # One is declined, one finds no seat, and one asks where nobody goes; each as often as it likes.
    declined = await cast.rider(hub)
    booking = await book(declined, minibus, zone.centre, zone.centre.moved(north=-900))
    await asked(minibus, booking)
    await minibus.call("seat.decline", booking=booking)
    await declined.until("seat.declined", booking=booking, reason="declined")
    [event] = logged(hub, "seat.declined", declined)
    assert event["route"] == route and event["from_cell"] != event["to_cell"]
    full = await cast.rider(hub)
    await minibus.call("seats.set", taken=4)
    for key in "abc":
        await full.refused("seat.book", "seats_full", vehicle=minibus.subject, key=key, **wish)
    nobody = await cast.rider(hub)
    asker = Asker(hub, "passenger", nobody.subject)
    for _ in range(3):
        asker.refused("seat.request", "not_available", **wish)
    [event] = logged(hub, "seat.unmet", full)
    assert (event["reason"], event["route"], event["passengers"]) == ("seats_full", route, 1)
    [event] = logged(hub, "seat.unmet", nobody)
    assert event["reason"] == "not_available" and "route" not in event
    lat, lon = map(float, event["from_cell"].split(","))
    assert is_in(zone.centre, lat, lon)
    await added_up(hub)
    assert people(hub, zone.centre) == 0, "the day is not over"
    made_past(hub)
    assert people(hub, zone.centre) == 3
    await (await cast.rider(hub)).refused("seat.request", "not_available", **wish)
    await added_up(hub)
    assert people(hub, zone.centre) == 3, "one who asks on another day would be told by the difference"
    told = hours(hub, route)
    assert (told["requested"], told["declined"], told["unmet"], told["accepted"]) == (2, 1, 1, 0)


@pytest.mark.usefixtures("one_hour")
async def test_m19_where_fewer_than_three_people_asked_nothing_is_told(hub, cast):
    minibus, zone, route = await online(hub, cast, seats=4)
    await minibus.call("seats.set", taken=4)
    wish = trip(zone.centre, zone.centre.moved(north=-900))
    for _ in range(2):
        rider = await cast.rider(hub)
        await rider.refused("seat.book", "seats_full", vehicle=minibus.subject, **wish)
        hub.redis.delete(hub.key(f"unmet:{rider.subject}"))
        await rider.refused("seat.book", "seats_full", vehicle=minibus.subject, **wish)
    await added_up(hub)
    assert hours(hub, route)["unmet"] == 4
    made_past(hub)
    assert people(hub, zone.centre) == 0, "four requests, but of two people"
