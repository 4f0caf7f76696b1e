"""What people did, row by row in the tables of the records, against what they were told: in SQLite and in PostgreSQL, with two
workers, while the recorder and Redis are killed in the middle of each story."""

import shutil
import subprocess
import sys

import pytest

from conftest import running
from kerbside.bus import BusDriver
from kerbside.follower import PERSONAL, follower
from kerbside.hub import BINARY, ROOT, environment
from kerbside.minibus import book
from kerbside.recording import SETTINGS, recorded, recording, storm, watcher, when
from kerbside.stops import rider
from test_seat_request import going, wish
from test_seat_trips import aboard as seated, asked, online
from test_trips import BACK_MS, Service, aboard


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def hub(request):
    yield from recording(request.param, running)


@pytest.fixture
def line(hub):
    """A line that nobody else uses; its bus comes every hour."""
    return next(hub.lines)


async def receipt_of(passenger, trip):
    """The columns of a trip that say what its receipt says."""
    receipt = await passenger.call("receipt.get", trip=trip)
    card = {"plate": "plate", "driver_name": "name", "company": "company"}
    columns = {column: receipt.get("card", {}).get(name) for column, name in card.items()} | {
        "local_time": receipt.get("local"), "to_zone": receipt.get("to_zone"), "distance_m": receipt.get("distance_m"),
        "estimate": receipt.get("estimate", {}).get("amount"),
        "fare_parts": receipt["fare"].get("parts"),
    }
    return {column: value for column, value in columns.items() if value is not None}


# Taxis


async def test_a_ride_with_its_fare_its_payment_and_stars_of_both(hub, cast):
    here = hub.block()
    passenger, driver, _, ride = await aboard(hub, cast, here, 2, destination=here.b.centre.fields, payment="digital")
    await storm(hub)
    await driver.drive(here.b.centre, step=200)
    await driver.known()
    hub.redis.hincrby(hub.key(f"ride:{ride}"), "aboard_at", -BACK_MS)
    end = await driver.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)
    before = (await recorded(hub))["trips"][ride]
    assert before["payment_state"] == "pending" and "stars_of_driver" not in before
    service = await Service(hub).greet()
    await service.call("payment.report", trip=ride, state="paid", reference="pay_1")
    await passenger.call("trip.rate", trip=ride, stars=4, comment="Kind.")
    await driver.call("trip.rate", trip=ride, stars=5)
    pickup, goal = here.a.centre.fields, here.b.centre.fields
    receipt = await receipt_of(passenger, ride)
    assert {"fare_parts", "estimate", "local_time", "distance_m"} <= receipt.keys()
    assert (await recorded(hub))["trips"][ride] == receipt | {
        "id": ride, "passenger": passenger.subject, "driver": driver.subject, "zone": here.a.id, "passengers": 2, "aboard": 2,
        "from_lat": pickup["lat"], "from_lon": pickup["lon"], "to_lat": goal["lat"], "to_lon": goal["lon"],
        "requested_at": when(passenger, "ride.searching", ride=ride), "offered_at": when(driver, "offer.made", ride=ride),
        "accepted_at": when(passenger, "ride.accepted", ride=ride), "near_at": when(passenger, "ride.near", ride=ride),
        "arrived_at": when(passenger, "ride.arrived", ride=ride), "aboard_at": when(passenger, "ride.aboard", ride=ride),
        "ended_at": when(passenger, "ride.ended", ride=ride), "outcome": "ended", "offers": 1, "rounds": 0, "given_back": 0,
        "receipt": end["receipt"], "fare": end["fare"]["amount"], "currency": end["fare"]["currency"], "payment": "digital",
        "payment_state": "paid", "stars_of_driver": 4, "stars_of_passenger": 5, "payment_reference": "pay_1",
        "comment_on_driver": "Kind.",
    }


async def test_a_ride_that_is_declined_given_back_and_taken_back_by_the_office(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.until("offer.made", ride=ride)
    await first.call("offer.decline", ride=ride)
    await second.accept_next(ride)
    await storm(hub)
    await second.call("ride.cancel", ride=ride)
    await passenger.until("ride.accepted", ride=ride)
    await passenger.until("ride.searching", ride=ride)
    office = await watcher(hub)
    await office.call("office.cancel", ride=ride, reason="The road is closed.")
    ended = await passenger.until("ride.cancelled", ride=ride)
    assert ended["by"] == "operator"
    row = (await recorded(hub))["trips"][ride]
    assert row == {
        "id": ride, "passenger": passenger.subject, "zone": here.a.id, "passengers": 1, "from_lat": here.a.centre.fields["lat"],
        "from_lon": here.a.centre.fields["lon"], "requested_at": when(passenger, "ride.searching", ride=ride),
        "offered_at": when(first, "offer.made", ride=ride), "ended_at": when(passenger, "ride.cancelled", ride=ride),
        "outcome": "cancelled", "ended_by": "operator", "reason": "The road is closed.", "rounds": row["rounds"],
        "offers": sum(e["type"] == "offer.made" for client in (first, second) for e in client.events), "given_back": 1,
    }


async def test_who_waits_for_a_taxi_was_given_back_by_nobody(new_hub, cast):
    hub = new_hub(**SETTINGS).start()
    here = hub.block()
    passenger = await cast.rider(hub)
    ride = (await passenger.call("ride.request", **here.a.centre.fields, passengers=1, wait=True))["ride"]
    await passenger.until("ride.searching", ride=ride, reason="requested")
    await passenger.until("ride.searching", ride=ride, reason="waiting")
    driver = cast.driver(hub, here.a.stand)
    await driver.go_available()
    await driver.accept(ride)
    row = (await recorded(hub))["trips"][ride]
    assert (row["driver"], row["offers"], row["given_back"]) == (driver.subject, 1, 0)


# Seats


async def test_a_booking_with_its_fare_its_payment_and_stars_of_both(hub, cast):
    minibus, zone, route = await online(hub, cast)
    passenger, booking = await seated(hub, cast, minibus, zone, passengers=2, payment="digital")
    await storm(hub)
    end = await minibus.call("seat.end", booking=booking)
    await passenger.until("seat.ended", booking=booking)
    service = await Service(hub).greet()
    for state in ("failed", "paid"):
        await service.call("payment.report", trip=booking, state=state)
    await passenger.call("trip.rate", trip=booking, stars=4, route_stars=3)
    await minibus.call("trip.rate", trip=booking, stars=5)
    assert (await recorded(hub))["bookings"][booking] == await receipt_of(passenger, booking) | {
        "id": booking, "passenger": passenger.subject, "driver": minibus.subject, "passengers": 2, "aboard": 2, "route": route,
        "zone": zone.id,
        "requested_at": when(passenger, "seat.pending", booking=booking),
        "asked_at": when(minibus, "seat.requested", booking=booking),
        "confirmed_at": when(passenger, "seat.confirmed", booking=booking),
        "near_at": when(passenger, "seat.near", booking=booking), "arrived_at": when(passenger, "seat.arrived", booking=booking),
        "aboard_at": when(passenger, "seat.aboard", booking=booking), "ended_at": when(passenger, "seat.ended", booking=booking),
        "outcome": "ended", "receipt": end["receipt"], "fare": end["fare"]["amount"], "currency": "EUR", "payment": "digital",
        "payment_state": "paid", "stars_of_driver": 4, "stars_of_passenger": 5, "route_stars": 3,
    }


async def test_bookings_that_come_to_nothing_each_with_who_ended_it(hub, cast):
    minibus, zone, route = await online(hub, cast)
    people = [await cast.rider(hub) for _ in range(4)]
    bookings = []
    for number, passenger in enumerate(people):
        booking = await book(passenger, minibus, zone.centre, zone.centre.moved(north=-900), 1 + number)
        await asked(minibus, booking)
        bookings.append(booking)
        if number == 0:
            await minibus.call("seat.decline", booking=booking)
            await passenger.until("seat.declined", booking=booking)
        elif number < 3:
            await minibus.call("seat.accept", booking=booking)
            await passenger.until("seat.confirmed", booking=booking)
    await storm(hub)
    await people[1].call("seat.cancel")
    await minibus.call("seat.cancel", booking=bookings[2])
    # Not yet answered.
    await people[3].call("seat.cancel")
    for passenger in people[1:]:
        await passenger.until("seat.cancelled")
    known = (await recorded(hub))["bookings"]
    ends = [
        {"outcome": "declined", "reason": "declined"}, {"ended_by": "passenger", "reason": "passenger"},
        {"ended_by": "driver", "reason": "driver"}, {"ended_by": "passenger", "reason": "passenger"},
    ]  # fmt: skip
    for number, (passenger, booking, end) in enumerate(zip(people, bookings, ends, strict=True)):
        outcome = end.get("outcome", "cancelled")
        confirmed = {"confirmed_at": when(passenger, "seat.confirmed", booking=booking)} if number in (1, 2) else {}
        assert known[booking] == {
            "id": booking, "passenger": passenger.subject, "driver": minibus.subject, "passengers": 1 + number,
            "zone": zone.id, "requested_at": when(passenger, "seat.pending", booking=booking),
            "asked_at": when(minibus, "seat.requested", booking=booking),
            "ended_at": when(passenger, f"seat.{outcome}", booking=booking), "outcome": outcome, "route": route, **confirmed, **end,
        }
    assert minibus.books() == (0, 0, 0)


async def test_the_driver_of_a_booking_is_the_last_who_was_to_take_it(new_hub, cast):
    hub = new_hub(**SETTINGS).start()
    here = hub.block()
    near, far = await going(hub, cast, here, 300), await going(hub, cast, here, 900)
    other, passenger = await cast.rider(hub), await cast.rider(hub)
    # Its driver is asked already, and so not yet for the next.
    waits = (await other.call("seat.book", vehicle=far.subject, **wish(here)))["booking"]
    await far.asked(waits)
    booking = (await passenger.call("seat.request", **wish(here)))["booking"]
    await near.asked(booking)
    await near.call("seat.decline", booking=booking)
    await passenger.until("seat.searching", reason="requested")
    await passenger.until("seat.searching", reason="declined")
    await passenger.call("seat.cancel")
    await passenger.until("seat.cancelled", booking=booking)
    row = (await recorded(hub))["bookings"][booking]
    assert (row["driver"], row["outcome"], row["ended_by"]) == (far.subject, "cancelled", "passenger")


# Buses


async def test_requests_for_stops_and_the_tour_with_what_it_passed(hub, line):
    office = await follower(hub, "events:>", role="operator", scope=PERSONAL).begin()
    driver, citizen = BusDriver(hub, line), await rider(hub, line)
    tour = await driver.begin()
    at = citizen.now(10)
    served = await citizen.ask_for(2500, at=at, passengers=2)
    declined, cancelled, left = [await citizen.ask_for(stop=stop) for stop in (line.stops[2], line.stops[3], line.stops[4])]
    await driver.call("stop.decline", request=declined)
    for request in (served, cancelled, left):
        await driver.call("stop.accept", request=request)
    await driver.go(1200)
    await storm(hub)
    await driver.go(2490)
    await citizen.call("stop.cancel", request=cancelled)
    await citizen.wait(lambda: "stop.arrived" in [e["type"] for e in citizen.events] or None, "the bus")
    await driver.call("stop.complete", request=served)
    await driver.call("stop.next")
    await driver.call("tour.end")
    await driver.until("tour.ended")
    known = await recorded(hub)

    def told(kind, request):
        return when(citizen, f"stop.{kind}", request=request)

    def asked_for(request, place, **more):
        # Places of stops are kept to 0.1 m.
        lat, lon = (pytest.approx(value, abs=1e-6) if "stop" in more else value for value in place.fields.values())
        return {
            "id": request, "line": line.id, "citizen": citizen.subject, "passengers": 1, "lat": lat, "lon": lon, "reopened": 0,
            "requested_at": told("pending", request), "wanted_at": known["stop_requests"][request]["wanted_at"],
        } | more

    assert known["stop_requests"][served] == asked_for(
        served, line.at(2500), tour=tour["tour"], passengers=2, wanted_at=at, accepted_at=told("accepted", served),
        near_at=told("near", served), arrived_at=told("arrived", served), ended_at=told("completed", served), outcome="completed")
    assert known["stop_requests"][declined] == asked_for(
        declined, line.at(2000), stop=line.stops[2], tour=tour["tour"], ended_at=told("declined", declined), outcome="declined")
    assert known["stop_requests"][cancelled] == asked_for(
        cancelled, line.at(3000), stop=line.stops[3], tour=tour["tour"], accepted_at=told("accepted", cancelled),
        ended_at=told("cancelled", cancelled), outcome="cancelled")
    # Nobody drives any more: the next one is asked.
    assert known["stop_requests"][left] == asked_for(left, line.at(4000), stop=line.stops[4], reopened=1)
    assert known["tours"][tour["tour"]] == {
        "id": tour["tour"], "bus": line.bus, "line": line.id, "driver": driver.subject, "pattern": tour["pattern"],
        "trip": tour["trip"], "started_at": when(office, "tour.started", tour=tour["tour"]),
        "ended_at": when(driver, "tour.ended", tour=tour["tour"]), "reason": "driver",
    }
    passed = [m for m in office.got("events:>") if m["type"] == "stop.passed" and m["data"]["tour"] == tour["tour"]]
    rows = {
        (tour["tour"], m["data"]["index"]): {
            "tour": tour["tour"], "place": m["data"]["index"], "line": line.id, "stop": line.stops[m["data"]["index"]],
            "passed_at": m["time"], **({"delay_s": m["data"]["delay_s"]} if "delay_s" in m["data"] else {}),
        } for m in passed
    }  # fmt: skip
    assert sorted(place for _, place in rows) == [0, 1, 2, 3] and len(passed) == 4
    assert {key: row for key, row in known["passages"].items() if row["tour"] == tour["tour"]} == rows


def compared(hub):
    """By the tool."""
    settings = {"KERBSIDE_CITY_ID": hub.city, "KERBSIDE_STORE_URL": hub.settings.get("store.url", "")}
    command = [sys.executable, ROOT / "tools" / "compare-records", BINARY, hub.data]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment(**settings))


async def test_the_tool_finds_all_of_it_as_the_event_log_has_it(hub, cast):
    """As after a replay."""
    if shutil.which("redis-cli") is None:
        pytest.skip("no redis-cli is installed")
    minibus, zone, _ = await online(hub, cast)
    passenger, booking = await seated(hub, cast, minibus, zone, payment="digital")
    await minibus.call("seat.end", booking=booking)
    service = await Service(hub).greet()
    await service.call("payment.report", trip=booking, state="paid")
    await passenger.call("trip.rate", trip=booking, stars=5)
    known = await recorded(hub)
    result = compared(hub)
    counts = [len(known[table]) for table in ("trips", "bookings", "stop_requests")]
    assert counts[1] > 0 and result.stdout == (
        "records: {} trips, {} bookings, {} requests for stops, those of the event log\n".format(*counts)), result
    assert result.returncode == 0
