"""Each person is told what it wants to be told, and when (M8). What it must know comes all the same, marked."""

import datetime
import time
import zoneinfo

import pytest

from conftest import IN_JSON, running
from kerbside import bus as buses
from kerbside.minibus import book, one_online, trip
from kerbside.stops import on_tour, rider, serve
from test_reservations import come, now

pytestmark = pytest.mark.usefixtures("encoding")


@pytest.fixture(scope="module")
def hub():
    yield from running(eta__push_max_age_s=1)


@pytest.fixture(scope="module")
def village():
    yield from serve()


def around_now(before, after, zone=None):
    """Quiet hours from so many minutes before to so many after this one, as a clock in that zone shows it."""
    minute = int(time.time() // 60)
    if zone:
        minute += int(datetime.datetime.now(zoneinfo.ZoneInfo(zone)).utcoffset().total_seconds() // 60)
    return {"from": (minute - before) % 1440, "to": (minute + after) % 1440}


async def ridden(minibus, passenger, zone):
    """A booking from its request to its end; the types of events that the passenger got, and those marked silent."""
    before = len(passenger.events)
    booking = await book(passenger, minibus, zone.centre, zone.centre.moved(north=-900))
    await minibus.until("seat.requested", booking=booking)
    await minibus.call("offer.seen", ride=booking)
    await minibus.call("seat.accept", booking=booking)
    await minibus.call("route.set", route="R8")
    await minibus.drive(zone.centre)
    await minibus.barrier()
    await minibus.call("seat.aboard", booking=booking)
    await minibus.call("seat.end", booking=booking)
    await minibus.call("route.set", route=None)
    await minibus.drive(zone.stand)
    await passenger.settled()
    events = passenger.events[before:]
    return [e["type"] for e in events], [e["type"] for e in events if e["data"].get("silent")]


ALL = ["seat.pending", "seat.confirmed", "route.changed", "seat.near", "seat.arrived", "seat.aboard", "seat.ended"]


@pytest.mark.parametrize(
    "mute, missing, silent",
    [
        ([], [], []),
        (["proximity"], ["seat.near"], ["seat.arrived"]),
        (["route"], ["route.changed"], []),
        (["answers", "requests"], [], ["seat.confirmed"]),
    ],
)
async def test_muted_kinds(hub, cast, mute, missing, silent):
    minibus, zone = await one_online(hub, cast)
    passenger = await cast.rider(hub)
    wishes = {"mute": mute} if mute else {}
    assert await passenger.call("notify.set", **wishes) == wishes
    if mute:  # no wishes, as before, are no news
        assert await passenger.expect("notify.changed") == wishes
    expected = [kind for kind in ALL if kind not in missing]
    assert await ridden(minibus, passenger, zone) == (expected, silent)


async def test_quiet_hours_and_after(hub, cast):
    passenger = await cast.rider(hub)
    for hours, is_quiet in ((around_now(5, 30), True), (around_now(-30, -1), False), (around_now(700, 700), True)):
        await passenger.call("notify.set", quiet=hours)
        # The route of one changes three times a minute, and this is twice.
        minibus, zone = await one_online(hub, cast)
        await passenger.expect("notify.changed", quiet=hours)
        kinds, silent = await ridden(minibus, passenger, zone)
        unsaid = {"seat.near", "route.changed"}
        assert kinds == [kind for kind in ALL if not (is_quiet and kind in unsaid)]
        # A vehicle that waits is never kept from its passenger, who would be charged for not coming.
        assert silent == (["seat.confirmed", "seat.arrived"] if is_quiet else [])
        passenger.skip()


async def test_quiet_hours_are_of_the_clock_that_is_named(hub, cast):
    passenger = await cast.rider(hub)
    # Nowhere do both show the same.
    far = "Pacific/Kiritimati"
    for hours, is_quiet in ((around_now(5, 30, far), True), (around_now(5, 30), False), (around_now(-30, -1, far), False)):
        quiet = hours | {"time_zone": far}
        assert await passenger.call("notify.set", quiet=quiet) == {"quiet": quiet}
        # The route of one changes three times a minute, and this is twice.
        minibus, zone = await one_online(hub, cast)
        await passenger.expect("notify.changed", quiet=quiet)
        _kinds, silent = await ridden(minibus, passenger, zone)
        assert silent == (["seat.confirmed", "seat.arrived"] if is_quiet else []), hours
        passenger.skip()
    # It is remembered, and told.
    await passenger.connect()
    assert passenger.snapshot["notify"] == {"quiet": quiet}


WINTER = 1_792_890_000
"""2026-10-25 1:00 UTC: clocks in Europe are put back by an hour."""


async def test_quiet_hours_follow_the_catalogs_clock_when_it_is_put_back(new_hub):
    start = datetime.datetime.fromtimestamp(WINTER - 120, datetime.UTC)
    hub = new_hub(clock__start=start.strftime("%Y-%m-%dT%H:%M:%SZ"), clock__scale=4).start()
    [line], text = buses.community(1)
    text["time_zone"] = "Europe/Berlin"
    [run] = text["lines"][line.id]["runs"]
    run["from"] = "2026-10-01"
    for index, row in enumerate(run["stops"]):
        row[next(iter(row))] = " ".join(f"{hour}:{index * 5:02}" for hour in range(24))
    buses.load(hub, text)
    driver = await on_tour(hub, line)
    citizens = [await rider(hub, line) for _ in range(3)]
    # In Berlin 2:59 and then 2:00 again, in London 1:59 and 1:00.
    quiet = {"from": 120, "to": 150}
    for citizen, zone in zip(citizens, ({}, {"time_zone": "Europe/London"}, {"time_zone": "Europe/Berlin"}), strict=True):
        await citizen.call("notify.set", quiet=quiet | zone)

    async def silent():
        found = []
        for citizen in citizens:
            request = await citizen.ask_for(2000, at=citizen.now(60))
            await driver.call("stop.decline", request=request)
            found.append((await citizen.until("stop.declined", request=request)).get("silent", False))
        return found

    assert await silent() == [False, False, False]
    assert now(hub) < WINTER * 1000
    await come(hub, WINTER * 1000 - 8_000)
    # By the hub's clock: what a client takes for it may be a moment ahead.
    await hub.until("winter", lambda: now(hub) > WINTER * 1000)
    assert await silent() == [True, False, True]
    await citizens[1].call("notify.set", quiet={"from": 60, "to": 90, "time_zone": "Europe/London"})
    assert await silent() == [True, True, True]


async def test_the_eta_is_not_told_to_who_does_not_want_it(hub, cast):
    minibus, zone = await one_online(hub, cast)
    quiet, loud = await cast.rider(hub), await cast.rider(hub)
    await quiet.call("notify.set", mute=["eta"])
    await quiet.expect("notify.changed")
    for passenger in (quiet, loud):
        booking = await book(passenger, minibus, zone.centre, zone.centre.moved(north=-900))
        await minibus.take(booking)
        await passenger.expect("seat.confirmed")
    await minibus.drive(zone.centre.moved(north=550))
    await loud.state("seat.eta")
    await quiet.state("positions", lambda rows: quiet.is_last_of(minibus, rows[-1]))
    assert "seat.eta" not in quiet.states
    # It is remembered, and can be taken back.
    await quiet.cut()
    await quiet.connect()
    assert quiet.snapshot["notify"] == {"mute": ["eta"]}
    await minibus.fix(after_ms=2000)
    await quiet.call("notify.set")
    await quiet.until("notify.changed")
    assert "seat.eta" not in quiet.states
    await minibus.fix(after_ms=2000)
    await quiet.state("seat.eta")


async def test_a_driver_is_asked_silently_and_taxis_passengers_have_wishes_too(hub, cast):
    here = hub.block()
    [taxi] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await taxi.call("notify.set", mute=["requests"])
    await taxi.expect("notify.changed")
    await passenger.call("notify.set", mute=["proximity", "answers"])
    await passenger.expect("notify.changed")
    ride = await passenger.request(here.a.centre)
    offer = await taxi.expect("offer.made", ride=ride, silent=True)
    await taxi.call("offer.accept", ride=offer["ride"])
    await passenger.expect("ride.accepted", ride=ride, silent=True)
    await taxi.drive(here.a.centre)
    await taxi.barrier()
    # Not `ride.near`, which only informs; but the taxi waits, and a passenger that is not told would be a no-show.
    await passenger.expect("ride.arrived", ride=ride, silent=True)
    await passenger.nothing_more()
    await taxi.call("ride.aboard")
    await passenger.expect("ride.aboard")


async def test_stops_on_request_are_asked_and_answered_silently(village):
    line = next(village.lines["hourly"])
    driver, citizen = await on_tour(village, line), await rider(village, line)
    await driver.call("notify.set", mute=["requests"])
    await driver.expect("notify.changed")
    await citizen.call("notify.set", mute=["proximity", "answers", "reminders"])
    await citizen.expect("notify.changed")
    refused, asked = await citizen.ask_for(3000), await citizen.ask_for(2000, at=citizen.now(1))
    for request in (refused, asked):
        await driver.until("stop.requested", request=request, silent=True)
    await driver.call("stop.decline", request=refused)
    await citizen.expect("stop.declined", request=refused, silent=True)
    await driver.call("stop.accept", request=asked)
    await citizen.expect("stop.accepted", request=asked, silent=True)
    await driver.go(1700, 1990)
    await village.until("the bus there", lambda: village.redis.hget(village.key(f"stop:{asked}"), "notified") == "20")
    await citizen.expect("stop.arrived", request=asked, silent=True)
    await citizen.nothing_more()
    await driver.cut()
    await driver.connect()
    mine = await driver.wait(lambda: (driver.snapshot or {}).get("notify"), "the wishes in the snapshot")
    assert mine == {"mute": ["requests"]}


async def test_the_eta_of_a_bus_is_not_told_to_who_does_not_want_it(village):
    line = next(village.lines["hourly"])
    driver = await on_tour(village, line, 300)
    quiet, loud, other = [await rider(village, line) for _ in range(3)]
    await quiet.call("notify.set", mute=["eta"])
    await quiet.expect("notify.changed")
    for citizen, metres in ((quiet, 3500), (loud, 3700)):
        request = await citizen.ask_for(metres, at=citizen.now(5))
        await driver.call("stop.accept", request=request)
        assert (await citizen.expect("stop.accepted", request=request))["eta"], "what was asked for is answered"
    request = await other.ask_for(1500, at=other.now(3))
    await driver.call("stop.accept", request=request)
    await loud.state("stop.eta")
    await quiet.settled()
    assert "stop.eta" not in quiet.states


@IN_JSON
async def test_what_is_no_wish_is_refused(hub, cast):
    passenger = await cast.rider(hub)
    for field, fields in (
        ("mute", {"mute": ["noise"]}),
        ("mute", {"mute": "eta"}),
        ("quiet", {"quiet": 5}),
        ("quiet.from", {"quiet": {"to": 4}}),
        ("quiet.to", {"quiet": {"from": 4, "to": 1440}}),
        ("quiet.time_zone", {"quiet": {"from": 4, "to": 5, "time_zone": 60}}),
        ("quiet.time_zone", {"quiet": {"from": 4, "to": 5, "time_zone": "Mars/Olympus"}}),
        ("quiet.time_zone", {"quiet": {"from": 4, "to": 5, "time_zone": "../../etc/localtime"}}),
        ("quiet.time_zone", {"quiet": {"from": 4, "to": 5, "time_zone": "right/Europe/Berlin"}}),
    ):
        await passenger.refused("notify.set", "bad_message", field, **fields)
    await (await cast.operator(hub)).refused("notify.set", "forbidden")
    assert await passenger.call("notify.set", mute=["eta"], key="once") == {"mute": ["eta"]}
    assert await passenger.call("notify.set", mute=[]) == {}, "an empty list clears"
    await passenger.call("notify.set", mute=["route"])
    assert await passenger.call("notify.set", mute=["eta"], key="once") == {"mute": ["eta"]}
    await passenger.connect()
    assert passenger.snapshot["notify"] == {"mute": ["route"]}


async def test_the_booking_that_is_declined_is_told_silently(hub, cast):
    minibus, zone = await one_online(hub, cast)
    passenger = await cast.rider(hub)
    await passenger.call("notify.set", mute=["answers"])
    await passenger.expect("notify.changed")
    reply = await passenger.call("seat.book", vehicle=minibus.subject, **trip(zone.centre, zone.stand))
    await minibus.asked(reply["booking"])
    await minibus.call("seat.decline", booking=reply["booking"])
    await passenger.until("seat.declined", booking=reply["booking"], silent=True)
