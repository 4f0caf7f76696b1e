"""Figures are what people were told, however they are read: over HTTP, by the command line, from views of the records (B16, M19).

The recorder and a worker are killed in the middle of a story."""

import asyncio
import datetime
import json

import pytest

from conftest import running
from kerbside import bus as buses, figures, tables
from kerbside.hub import run
from kerbside.minibus import book, trip
from kerbside.recording import recorded, recording, shaken
from kerbside.stops import nobody_came, on_tour, rider
from test_seat_trips import asked, online

pytestmark = pytest.mark.usefixtures("one_hour")

HOUR = 3_600_000


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def hub(request):
    yield from recording(request.param, running, dispatch__wait_ms=1_000, stops__wait_ms=500)


def view(hub, name, of):
    """hour → row of a view of the records, of one zone, route or line."""
    rows = tables.rows(hub.settings.get("store.url", ""), hub.data, hub.city, name)
    return {key[-1]: row for key, row in rows.items() if key[0] == of}


def hour_of(row):
    """When the hour of a row over HTTP begins, Unix ms; the city's clock is that of UTC."""
    day = datetime.datetime.fromisoformat(row["date"]).replace(tzinfo=datetime.UTC)
    return int(day.timestamp() * 1000) + row["hour"] * HOUR


async def counted(hub, read, requests, **of):
    """The rows over HTTP, as soon as so many requests are counted there; the same once more as the table has them."""

    def found():
        rows = read(hub, **of).json["hours"]
        return rows if sum(row["requested"] for row in rows) >= requests else None

    rows = await hub.until("counted", found)
    path = f"/v1/stats/{'taxis' if read is figures.ask_taxis else 'seats'}.csv"
    table = figures.table(figures.ask(hub, path, **of))
    numbers = {name for row in rows for name, value in row.items() if not isinstance(value, str)}
    assert [{name: float(text) if name in numbers else text for name, text in row.items() if text} for row in table] == rows
    # And by hand, of all days that are shown.
    flags = ["--taxis" if read is figures.ask_taxis else "--seats", *(word for name in of for word in (f"--{name}", of[name]))]
    assert json.loads(run("stats", "--config", hub.config, *flags, "--json", check=True).stdout)["hours"] == rows
    printed = run("stats", "--config", hub.config, *flags, check=True).stdout.splitlines()
    assert printed[1:] == [",".join(row.values()) for row in table]
    return rows


def times(client, kind, name, of):
    """When it was told so, by the hub's clock, ms."""
    return [event["time"] for event in client.events if event["type"] == kind and event["data"].get(name) == of]


def told_of_rides(rides):
    """What passengers were told of rides that are over: (counts, ms from request to acceptance, ms from there to the arrival).

    rides: ride → its passenger."""
    counts = dict.fromkeys(("requested", "accepted", "ended", "no_shows", "cancelled", "failed"), 0)
    accept, arrive = [], []
    for ride, passenger in rides.items():
        last = [event for event in passenger.events if event["data"].get("ride") == ride][-1]
        noshow = last["data"].get("reason") == "noshow"
        counts["requested"] += 1
        counts["no_shows" if noshow else last["type"].removeprefix("ride.")] += 1
        searching, accepted = (times(passenger, kind, "ride", ride) for kind in ("ride.searching", "ride.accepted"))
        # What was given back is accepted by nobody.
        if accepted and accepted[-1] >= searching[-1]:
            counts["accepted"] += 1
            accept.append(accepted[-1] - searching[0])
            arrive += [at - accepted[-1] for at in times(passenger, "ride.arrived", "ride", ride) if at >= accepted[-1]]
    return counts, accept, arrive


async def asks(hub, cast, here, rides):
    """A passenger, and its ride, which is one more of them."""
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    rides[ride] = passenger
    return passenger, ride


async def fetched(driver, passenger, ride, here):
    """The driver comes; its passenger is told."""
    await driver.accept_next(ride)
    await driver.drive(here.a.centre, step=200)
    await passenger.until("ride.arrived", ride=ride)
    await driver.known()


async def test_r12_b16_rides_are_counted_as_their_passengers_were_told(hub, cast):
    here, rides = hub.block(), {}
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger, ride = await asks(hub, cast, here, rides)
    await first.accept_next(ride)
    await shaken(hub, passenger, first, second)
    await first.drive(here.a.centre, step=200)
    await passenger.until("ride.arrived", ride=ride)
    await first.call("ride.aboard", ride=ride)
    await first.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)

    # Taken back while a driver is asked, and while one comes.
    passenger, ride = await asks(hub, cast, here, rides)
    await second.until("offer.made", ride=ride)
    await passenger.call("ride.cancel", ride=ride)
    await passenger.until("ride.cancelled", ride=ride)
    passenger, ride = await asks(hub, cast, here, rides)
    await second.accept_next(ride)
    await passenger.call("ride.cancel", ride=ride)
    await passenger.until("ride.cancelled", ride=ride, by="passenger")
    await second.until("ride.cancelled", ride=ride)

    # Nobody comes out.
    passenger, ride = await asks(hub, cast, here, rides)
    await fetched(second, passenger, ride, here)
    await second.call("ride.noshow", ride=ride)
    await passenger.until("ride.cancelled", ride=ride, by="driver", reason="noshow")

    # Given back when the taxi was there, and ended by another one.
    passenger, ride = await asks(hub, cast, here, rides)
    await fetched(second, passenger, ride, here)
    await second.call("ride.cancel", ride=ride)
    await fetched(first, passenger, ride, here)
    await first.call("ride.aboard", ride=ride)
    await shaken(hub, first, second, passenger)
    await first.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)

    # Given back, and taken back while another is asked: no driver took it.
    await second.call("driver.unavailable")
    passenger, ride = await asks(hub, cast, here, rides)
    await first.accept_next(ride)
    await second.call("driver.available")
    await first.call("ride.cancel", ride=ride)
    await second.until("offer.made", ride=ride)
    await passenger.call("ride.cancel", ride=ride)
    await passenger.until("ride.cancelled", ride=ride)

    # All who are there decline.
    passenger, ride = await asks(hub, cast, here, rides)

    async def declines(driver):
        while not passenger.closed and not times(passenger, "ride.failed", "ride", ride):
            if driver.unseen and (event := await driver.event())["type"] == "offer.made":
                await driver.ask("offer.decline", ride=event["data"]["ride"])
            await asyncio.sleep(0.01)

    await asyncio.gather(declines(first), declines(second))
    await passenger.until("ride.failed", ride=ride)

    counts, accept, arrive = told_of_rides(rides)
    assert counts == {"requested": 7, "accepted": 4, "ended": 2, "no_shows": 1, "cancelled": 3, "failed": 1}
    rows = await counted(hub, figures.ask_taxis, len(rides), zone=here.a.id)
    assert {name: sum(row[name] for row in rows) for name in counts} == counts, rows
    if len(rows) == 1:
        assert rows[0]["mean_accept_s"] == pytest.approx(sum(accept) / len(accept) / 1000, abs=0.051)
        assert rows[0]["mean_arrive_s"] == pytest.approx(sum(arrive) / len(arrive) / 1000, abs=0.051)
    await recorded(hub)
    kept = view(hub, "taxi_figures", here.a.id)
    names = {"requested": "requests", "no_shows": "noshows"}
    assert {hour: [row[names.get(name, name)] for name in counts] for hour, row in kept.items()} == {
        hour_of(row): [row[name] for name in counts] for row in rows}
    assert sum(row["accept_ms"] for row in kept.values()) == sum(accept)
    assert sum(row["arrive_ms"] for row in kept.values()) == sum(arrive)
    assert sum(row["arrived"] for row in kept.values()) == len(arrive) == 3


async def test_r14_b16_who_found_nobody_is_counted_once_and_who_waited_in_vain_has_a_record(hub, cast):
    here = hub.block()
    refused, waits = await cast.rider(hub), await cast.rider(hub)
    for _ in range(3):
        await refused.refused("ride.request", "zone_empty", **here.a.centre.fields, passengers=1)
    ride = (await waits.call("ride.request", **here.b.centre.fields, passengers=1, wait=True))["ride"]
    await waits.until("ride.failed", ride=ride, code="timeout")
    for zone in (here.a, here.b):
        rows = await counted(hub, figures.ask_taxis, 1, zone=zone.id)
        assert [(row["requested"], row["accepted"], row["failed"]) for row in rows] == [(1, 0, 1)]
    await recorded(hub)
    assert view(hub, "taxi_figures", here.a.id) == {}, "no ride was made of it"
    assert [(row["requests"], row["failed"]) for row in view(hub, "taxi_figures", here.b.id).values()] == [(1, 1)]


async def test_m19_bookings_are_counted_as_their_passengers_were_told(hub, cast):
    minibus, zone, route = await online(hub, cast, seats=4)
    bookings = []

    async def books(passengers=1):
        passenger = await cast.rider(hub)
        bookings.append((passenger, await book(passenger, minibus, zone.centre, zone.centre.moved(north=-900), passengers)))
        await asked(minibus, bookings[-1][1])
        return bookings[-1]

    passenger, booking = await books(2)
    await minibus.call("seat.decline", booking=booking)
    await passenger.until("seat.declined", booking=booking)
    passenger, booking = await books()
    await minibus.call("seat.accept", booking=booking)
    await passenger.until("seat.confirmed", booking=booking)
    await passenger.call("seat.cancel")
    await passenger.until("seat.cancelled", booking=booking)
    passenger, booking = await books()
    await passenger.call("seat.cancel")
    await passenger.until("seat.cancelled", booking=booking)
    passenger, booking = await books(3)
    await minibus.call("seat.accept", booking=booking)
    other = await cast.rider(hub)
    for _ in range(2):
        await other.refused(
            "seat.book", "seats_full", vehicle=minibus.subject, **trip(zone.centre, zone.centre.moved(north=-900), 2))
    await minibus.drive(zone.centre, step=200)
    await passenger.until("seat.arrived", booking=booking)
    await minibus.call("seat.aboard", booking=booking)
    await shaken(hub, passenger, minibus)
    await minibus.call("seat.end", booking=booking)
    await passenger.until("seat.ended", booking=booking)

    rows = await counted(hub, figures.ask_seats, 5, route=route)
    names = ("requested", "accepted", "declined", "unanswered", "unmet", "cancelled", "aboard", "ended")
    sums = {name: sum(row[name] for row in rows) for name in names}
    told = {kind: [one for one in bookings if times(one[0], f"seat.{kind}", "booking", one[1])] for kind in (
        "pending", "confirmed", "declined", "cancelled", "aboard", "arrived", "ended")}
    assert sums == {
        "requested": len(told["pending"]) + 1, "accepted": len(told["confirmed"]), "declined": len(told["declined"]),
        "unanswered": 0, "unmet": 1, "cancelled": len(told["cancelled"]), "aboard": len(told["aboard"]),
        "ended": len(told["ended"]),
    } == {
        "requested": 5, "accepted": 2, "declined": 1, "unanswered": 0, "unmet": 1, "cancelled": 2, "aboard": 1, "ended": 1,
    }  # fmt: skip
    await recorded(hub)
    kept = view(hub, "seat_figures", route)
    total = {name: sum(row[name] for row in kept.values()) for name in (
        "bookings", "passengers", "confirmed", "declined", "cancelled", "ended", "arrived", "arrive_ms")}
    assert total == {
        "bookings": 4, "passengers": 7, "confirmed": 2, "declined": 1, "cancelled": 2, "ended": 1, "arrived": 1,
        "arrive_ms": times(passenger, "seat.arrived", "booking", booking)[0] - times(
            passenger, "seat.confirmed", "booking", booking)[0],
    }  # fmt: skip


async def test_b16_stops_and_passages_are_counted_as_citizens_and_the_driver_were_told(hub):
    line = next(hub.lines)
    driver, citizen = await on_tour(hub, line, 100), await rider(hub, line)
    served, declined, cancelled = [await citizen.ask_for(stop=line.stops[place]) for place in (2, 3, 4)]
    await driver.call("stop.decline", request=declined)
    for request in (served, cancelled):
        await driver.call("stop.accept", request=request)
    await shaken(hub, driver, citizen)
    await citizen.call("stop.cancel", request=cancelled)
    await driver.go(1200, 1990)
    await citizen.wait(lambda: times(citizen, "stop.arrived", "request", served) or None, "the bus")
    await driver.call("stop.complete", request=served)
    await driver.call("stop.next")
    await driver.call("tour.end")
    await driver.until("tour.ended")
    known = await recorded(hub)
    day = await hub.until("counted", lambda: figures.of(hub, line))
    asked_for = day["requests"]
    wanted = {"requested": 3, "accepted": 2, "declined": 1, "completed": 1, "cancelled": 1, "no_show": 0, "expired": 0}
    assert {name: asked_for[name] for name in wanted} == wanted
    kept = view(hub, "stop_figures", line.id)
    in_all = {"requests": 3, "accepted": 2, "arrived": 1, "completed": 1, "cancelled": 1}
    assert {name: sum(row[name] for row in kept.values()) for name in in_all} == in_all
    passed = [row for row in known["passages"].values() if row["tour"] == driver.tour]
    rows = [
        row for key, row in tables.rows(hub.settings.get("store.url", ""), hub.data, hub.city, "line_figures").items()
        if key[0] == line.id
    ]
    sums = {name: sum(row[name] for row in rows) for name in ("passages", "timed", "delay_s")}
    delays = [row["delay_s"] for row in passed if "delay_s" in row]
    assert sums == {"passages": len(passed), "timed": len(delays), "delay_s": sum(delays)}
    punctuality = day["punctuality"]
    assert punctuality["passed"] == len(passed) >= 3
    assert punctuality["early"] + punctuality["on_time"] + punctuality["late"] == len(delays) > 0
    assert punctuality["mean_delay_s"] == pytest.approx(sum(delays) / len(delays), abs=0.1)
    # The command line says the same.
    printed = run("stats", "--config", hub.config, "--line", line.id, "--json", check=True)
    [shown] = json.loads(printed.stdout)["days"]
    assert shown == day


def told_of_stops(requests):
    """What citizens were told of requests for stops that are over, by the names of the figures. requests: request → its citizen."""
    counts = dict.fromkeys(("requested", "accepted", "declined", "completed", "cancelled", "no_show", "expired"), 0)
    names = {"stop.pending": "requested", "stop.noshow": "no_show"}
    for request, citizen in requests.items():
        for event in citizen.events:
            name = names.get(event["type"], event["type"].removeprefix("stop."))
            if name in counts and event["data"].get("request") == request:
                counts[name] += 1
    return counts


async def test_r12_b16_who_was_not_at_the_stop_is_counted_once_as_citizens_were_told(hub):
    """It is said while the hub dies and comes back, and said again by a driver who may have lost the answer."""
    line = next(hub.lines)
    driver = await on_tour(hub, line, 100)
    absent, present, late = citizens = [await rider(hub, line) for _ in range(3)]
    requests = {await citizen.ask_for(stop=line.stops[place]): citizen for place, citizen in enumerate(citizens, 2)}
    for request in requests:
        await driver.call("stop.accept", request=request)
    arrived = []
    for place, (request, citizen) in enumerate(requests.items(), 2):
        await driver.go(place * buses.SPACING)
        await citizen.wait(lambda: times(citizen, "stop.arrived", "request", request) or None, "the bus")
        arrived += times(citizen, "stop.arrived", "request", request)
        if citizen is present:
            await driver.call("stop.complete", request=request)
            continue
        if citizen is absent:
            await shaken(hub, driver, *citizens)
        await driver.fix(after_ms=5000)
        await nobody_came(driver, request)
        if citizen is late:
            await shaken(hub, driver, *citizens)
        # Once more it is refused or the same, and nothing more.
        await driver.ask("stop.noshow", request=request)
        await citizen.wait(lambda: times(citizen, "stop.noshow", "request", request) or None, "the word of it")
    await driver.call("tour.end")
    await driver.until("tour.ended")

    counts = told_of_stops(requests)
    assert counts == {"requested": 3, "accepted": 3, "declined": 0, "completed": 1, "cancelled": 0, "no_show": 2, "expired": 0}
    known = await recorded(hub)
    day = await hub.until("counted", lambda: figures.of(hub, line))
    assert {name: day["requests"][name] for name in counts} == counts
    assert day["fetched"] == 1, "nobody is fetched who was not there"
    printed = run("stats", "--config", hub.config, "--line", line.id, "--json", check=True)
    assert json.loads(printed.stdout)["days"] == [day]
    table = figures.table(figures.ask(hub, "/v1/stats.csv", line=line.id))
    assert sum(int(row["no_show"]) for row in table) == 2, table
    rows = {request: known["stop_requests"][request] for request in requests}
    assert [row["outcome"] for row in rows.values()] == ["noshow", "completed", "noshow"]
    assert [row["arrived_at"] for row in rows.values()] == arrived
    kept = view(hub, "stop_figures", line.id)
    in_all = {"requests": 3, "accepted": 3, "arrived": 3, "completed": 1, "cancelled": 0}
    assert {name: sum(row[name] for row in kept.values()) for name in in_all} == in_all
