"""Stops on request: a citizen asks the bus of a line to stop, its driver answers, both are told what comes of it."""

import asyncio
import os
import re
import signal
import time

import pytest

from conftest import IN_BOTH, IN_JSON
from kerbside import bus as buses, patience
from kerbside.bus import BusDriver
from kerbside.stops import DAY, MINUTE, Rider, ids, nobody_came, on_tour, rider, serve
from test_reservations import come

pytestmark = pytest.mark.usefixtures("encoding")


@pytest.fixture(scope="module")
def town():
    yield from serve(stops__wait_ms=1000)


@pytest.fixture
def hasty():
    """A town in which a minute takes a fifth of a second."""
    yield from serve(clock__scale=300)


@pytest.fixture
def brisk():
    """A town in which a minute takes a second and a half."""
    yield from serve(clock__scale=40, stops__reminder_ms=20 * MINUTE)


@IN_BOTH
async def test_asked_accepted_near_arrived_completed(town, line):
    driver, citizen = BusDriver(town, line), Rider(town, line)
    await driver.begin()
    await driver.go(100)
    await citizen.here()
    at = citizen.now(10)
    person = {"name": "Zoë O'Hara", "number": "+49 30 901820", "address": "Mühlenweg 1", "help": ["wheelchair", "baggage"]}
    reply = await citizen.call(
        "stop.request", line=line.id, **line.at(2500, north=15).fields, at=at, passengers=2, key="k1", **person)
    request = reply["request"]
    assert reply["state"] == "requested" and reply["at"] == at
    assert abs(reply["answer_by"] - citizen.now(30)) < MINUTE
    await citizen.expect("stop.pending", request=request, bus=line.bus, answer_by=reply["answer_by"])
    told = await driver.expect("stop.requested", request=request, quiet=False, answer_by=reply["answer_by"])
    [place] = told["places"]
    [shown] = place["requests"]
    assert place["passengers"] == 2 and place["at"] == at and shown["state"] == "requested"
    assert {name: shown[name] for name in person} == person
    assert await driver.call("stop.accept", request=request) == {"requests": [request], "state": "accepted"}
    await citizen.expect("stop.accepted", request=request, bus=line.bus, state="accepted")
    told = await driver.expect("stop.list", request=request, reason="accepted")
    assert told["places"][0]["requests"][0]["state"] == "accepted"
    await driver.go(1900)
    await citizen.nothing_more()
    await driver.go(2400)
    near = await citizen.expect("stop.near", request=request)
    assert near["distance_m"] <= 500
    await driver.go(2600, 2450)  # past it between two fixes, and back
    assert (await citizen.expect("stop.arrived", request=request))["distance_m"] <= 20
    await driver.call("stop.complete", request=request)
    await citizen.expect("stop.completed", request=request, state="completed")
    assert not (await driver.expect("stop.list", reason="completed")).get("places")
    await driver.go(2500)
    await citizen.nothing_more()
    events = str(town.redis.xrange(town.key("events")))
    assert "O'Hara" not in events and "901820" not in events, "only the driver knows who it is"


@IN_JSON
async def test_refused_with_the_reason(town, line):
    citizen = await rider(town, line)
    await citizen.not_asked("no_driver", 2500)
    driver = await on_tour(town, line)
    assert "nowhere" in (await citizen.not_asked("not_found", 2500, line="nowhere"))["detail"]
    await citizen.not_asked("not_found", stop="no-such-stop")
    await citizen.not_asked("off_route", stop=next(town.lines["hourly"]).stops[1])
    far = await citizen.refused("stop.request", "off_route", line=line.id, name="Ada", **line.at(2500, north=400).fields)
    assert "400 m" in far["detail"] and "300 m" in far["detail"]
    await citizen.not_asked("seats_full", 2500, passengers=9)
    await driver.call("seats.set", taken=7)
    assert "1 free" in (await citizen.not_asked("seats_full", 2500, passengers=2))["detail"]
    for field, value in (("name", ""), ("name", None), ("name", "x" * 81), ("name", "a\nb"), ("number", 7), ("passengers", 0),
                         ("passengers", 100), ("help", "wheelchair"), ("help", ["a b"]), ("help", ["x"] * 9), ("at", "soon"),
                         ("address", "x" * 201), ("stop", 7), ("back", []), ("lat", 91), ("line", "")):
        await citizen.not_asked("bad_message", 2500, field, **{field: value})
    for back in ({}, {"at": 1}, {"at": 1, "stop": "no stop"}, {"at": 1, "lat": 1}):
        assert "back." in (await citizen.not_asked("bad_message", 2500, back=back))["field"]
    await citizen.not_asked("bad_message", 2500, at=citizen.now(-2))
    await citizen.not_asked("bad_message", 2500, at=citizen.now(8 * 24 * 60))
    await driver.refused("stop.accept", "bad_message", "all", request="s_nothing", all=1)
    await citizen.nothing_more()
    assert not [event for event in driver.events if event["type"].startswith("stop.")]
    await driver.call("tour.end")


async def test_outside_working_hours(one_hour, town):
    closed = next(town.lines["closed"])
    await on_tour(town, closed)
    citizen = await rider(town, closed)
    # Its run is ten hours from when the town began: from two in the afternoon on that is tomorrow.
    begin, later = closed.start + 600 * MINUTE, citizen.now(72 * 60)
    error = await citizen.not_asked("outside_hours", 2500)
    assert ("does not run on that day" if begin // DAY > citizen.now() // DAY else "from") in error["detail"]
    # No time was given, so none is at fault; what can be asked is said.
    assert "field" not in error and error["detail"].startswith("No time was given")
    assert time.strftime("%Y-%m-%d %-H:%M", time.gmtime(begin // 1000 + 2_250)) in error["detail"].partition("next bus")[2]
    error = await citizen.not_asked("outside_hours", 2500, "at", at=later)
    assert time.strftime("%Y-%m-%d %-H:%M", time.gmtime(later // 1000)) in error["detail"]
    await citizen.ask_for(2500, at=citizen.now(10 * 60 + 30))


async def test_behind_the_bus_on_its_last_round(one_hour, town, line):
    last = next(town.lines["last"])
    await on_tour(town, last, 2000)
    citizen = await rider(town, last)
    await citizen.not_asked("stop_passed", 1500)
    await citizen.not_asked("stop_passed", 2100)
    await citizen.not_asked("stop_passed", stop=last.stops[1])
    await citizen.ask_for(2200)
    await citizen.ask_for(stop=last.stops[4])
    # Where the bus comes again it is another round: at three minutes past the hour, as the timetable has it.
    bus = await on_tour(town, line, 2000)
    stranger = await rider(town, line)
    now = stranger.now()
    again = (now // 3_600_000 + 1) * 3_600_000 + 180_000
    assert await stranger.ask_for(1500)
    told = [e for e in stranger.events if e["type"] == "stop.pending"][-1]["data"]
    assert told["at"] == again and "eta" not in told, "the present round says nothing of the next"
    named = await rider(town, line)
    if again - now > 31 * MINUTE:
        detail = (await named.not_asked("stop_passed", 1500, at=named.now()))["detail"]
        assert time.strftime("%-H:%M", time.gmtime(again // 1000)) in detail
    elif again - now < 29 * MINUTE:
        reply = await named.call("stop.request", line=line.id, name="Ada", at=now, **line.at(1500).fields)
        assert reply["at"] == again
    await bus.call("tour.end")
    await on_tour(town, line, 2000)
    other = await rider(town, line)
    await other.ask_for(1500, at=other.now(90))


async def test_a_retry_is_never_a_second_request(town, line):
    driver, citizen = await on_tour(town, line), await rider(town, line)
    at = citizen.now(30)
    found = {await citizen.ask_for(2500, at=at, key="once") for _ in range(3)}
    found |= set(await asyncio.gather(*(citizen.ask_for(2500, at=at, key="once") for _ in range(20))))
    twin = citizen.twin()
    await twin.here()
    found.add(await twin.ask_for(2500, at=at, key="once"))
    # Without its key, too: the same place at the same time.
    reply = await citizen.call("stop.request", line=line.id, name="Ada", at=at, **line.at(2510).fields)
    found.add(reply["request"])
    assert len(found) == 1
    await citizen.not_asked("already_requested", 2500, at=at, passengers=2)
    await driver.expect("stop.requested")
    await driver.nothing_more()


async def test_the_list_is_ordered_and_near_places_are_one(town, line):
    driver = await on_tour(town, line)
    first, second, third = [await rider(town, line) for _ in range(3)]
    late = await first.ask_for(3000, at=first.now(40), passengers=2)
    early = await second.ask_for(3500, at=second.now(20))
    same = await third.ask_for(3040, at=third.now(42))
    for _ in range(2):
        await driver.expect("stop.requested")
    told = await driver.expect("stop.requested", request=same, quiet=True)
    assert ids(told["places"]) == [[early], [late, same]]
    assert [place["passengers"] for place in told["places"]] == [1, 3]
    reply = await driver.call("stop.accept", request=same, all=True)
    assert sorted(reply["requests"]) == sorted([late, same])
    for citizen in (first, third):
        await citizen.expect("stop.accepted")
    assert [r["state"] for p in (await driver.expect("stop.list"))["places"] for r in p["requests"]] == [
        "requested", "accepted", "accepted"]


async def test_declined_and_cancelled(town, line):
    driver, citizen = await on_tour(town, line), await rider(town, line)
    stranger = await rider(town, line)
    first, second = await citizen.ask_for(2000), await citizen.ask_for(3000)
    await driver.call("stop.decline", request=first)
    await citizen.expect("stop.declined", request=first)
    await driver.call("stop.accept", request=second)
    await citizen.expect("stop.accepted", request=second)
    await stranger.refused("stop.cancel", "not_found", request=second)
    for _ in range(2):
        assert await citizen.call("stop.cancel", request=second) == {"request": second, "state": "cancelled"}
    await citizen.expect("stop.cancelled", request=second)
    assert not (await driver.until("stop.withdrawn", request=second, reason="cancelled")).get("places")
    await citizen.refused("stop.cancel", "not_available", request=first)
    await driver.refused("stop.accept", "not_available", request=second)
    await citizen.nothing_more()


async def test_nobody_came_only_once_the_bus_has_stood_there(town, line):
    driver, citizen = await on_tour(town, line), await rider(town, line)
    request = await citizen.ask_for(1000)
    await driver.refused("stop.noshow", "not_available", request=request)
    await driver.call("stop.accept", request=request)
    await driver.refused("stop.noshow", "not_available", request=request)
    await driver.go(1000)
    await driver.fix(after_ms=5000)
    await nobody_came(driver, request)
    await citizen.until("stop.arrived", request=request)
    await citizen.expect("stop.noshow", request=request)
    await citizen.nothing_more()


async def test_where_the_bus_has_been_counts_before_what_its_driver_says(town, line):
    """The last fix and the driver's word come together, with no tick between them."""
    driver, citizen = await on_tour(town, line), await rider(town, line)
    request = await citizen.ask_for(1000)
    await driver.call("stop.accept", request=request)
    await driver.go(900)
    await citizen.until("stop.near", request=request)
    await driver.go(1000)
    await driver.call("stop.complete", request=request)
    assert (await citizen.expect("stop.arrived", request=request))["distance_m"] <= 20
    await citizen.expect("stop.completed", request=request)
    await citizen.nothing_more()
    # Nor must it wait for a tick to have stood there.
    request = await citizen.ask_for(2000)
    await driver.call("stop.accept", request=request)
    await driver.go(2000)
    await driver.fix(after_ms=5000)
    await driver.ask("stop.noshow", request=request)
    assert town.redis.hget(town.key(f"stop:{request}"), "stood_from")
    await nobody_came(driver, request)
    await citizen.until("stop.arrived", request=request)
    await citizen.expect("stop.noshow", request=request)


async def test_the_way_back_is_a_second_request(town, line):
    driver, citizen = await on_tour(town, line), await rider(town, line)
    back = {"at": citizen.now(180), "stop": line.stops[4], "passengers": 3}
    reply = await citizen.call(
        "stop.request", line=line.id, name="Ada", stop=line.stops[1], at=citizen.now(20), passengers=2, back=back)
    there = await citizen.expect("stop.pending", request=reply["request"], stop=line.stops[1], passengers=2)
    returning = await citizen.expect("stop.pending", request=reply["back"], stop=line.stops[4], passengers=3)
    assert (there["back"], returning["back"]) == (returning["request"], there["request"])
    await driver.expect("stop.requested", request=there["request"])
    await driver.expect("stop.requested", request=returning["request"])
    await driver.call("stop.accept", request=returning["request"])
    await citizen.expect("stop.accepted", request=returning["request"])
    await driver.call("stop.decline", request=there["request"])
    await citizen.expect("stop.declined", request=there["request"])
    # Both or none.
    back["at"] = citizen.now(10)
    await citizen.not_asked("bad_message", 2000, at=citizen.now(20), back=back)
    await citizen.not_asked("seats_full", 2000, back={**line.at(3000).fields, "at": citizen.now(300), "passengers": 9})
    await citizen.nothing_more()


async def test_who_was_away_is_told_and_finds_the_list(town, line):
    driver, citizen = await on_tour(town, line), await rider(town, line)
    first, second = await citizen.ask_for(2000, at=citizen.now(20)), await citizen.ask_for(3000, at=citizen.now(30))
    await citizen.cut()
    await driver.call("stop.accept", request=first)
    await citizen.resume()
    await citizen.expect("stop.accepted", request=first)
    await driver.cut()
    await citizen.call("stop.cancel", request=first)
    await driver.resume()
    assert "places" not in await driver.until("stop.withdrawn", request=first), "the history does not keep the list"
    await driver.wait(
        lambda: ids(driver.snapshot.get("places", [])) == [[second]] or None, "the snapshot with the list as it is")
    again = citizen.twin()
    await again.here()
    mine = await again.wait(lambda: again.snapshot, "the snapshot")
    assert [(r["request"], r["state"], r["bus"]) for r in mine["requests"]] == [(second, "requested", line.bus)]
    other = driver.twin()
    await other.connect()
    await other.wait(lambda: other.snapshot, "the snapshot")
    assert ids(other.snapshot["places"]) == [[second]]


async def test_each_role_does_what_is_its_own(town, line, cast):
    driver, citizen = await on_tour(town, line), await rider(town, line)
    request = await citizen.ask_for(2000)
    for answer in ("accept", "decline", "complete", "noshow"):
        await citizen.refused(f"stop.{answer}", "forbidden", request=request)
    await driver.refused("stop.request", "forbidden", line=line.id, name="Ada", **line.at(2000).fields)
    await driver.refused("stop.cancel", "forbidden", request=request)
    taxi, operator = cast.driver(town, line.at(0)), await cast.operator(town)
    await taxi.connect()
    for one in (taxi, operator):
        await one.refused("stop.accept", "forbidden", request=request)
        await one.refused("stop.request", "forbidden", line=line.id, name="Ada", **line.at(2000).fields)
    other = await on_tour(town, next(town.lines["hourly"]))
    await other.refused("stop.accept", "not_found", request=request)
    await driver.refused("stop.accept", "not_found", request="s_nothing")
    await driver.refused("stop.accept", "bad_message", "request")


async def test_the_time_of_arrival_is_told_and_follows_what_others_ask(town, line):
    """Everybody whom the bus is to fetch hears of what one more stop costs."""
    driver = await on_tour(town, line, 300)
    first, second, reader = await rider(town, line), await rider(town, line), Rider(town, line)
    await reader.watch_line()
    reply = await first.call("stop.request", line=line.id, name="Ada", at=first.now(5), **line.at(3500).fields)
    request, eta = reply["request"], reply["eta"]
    assert eta["early"] <= eta["at"] <= eta["late"] and eta["at"] > first.now()
    assert eta["clock"] == time.strftime("%-H:%M", time.gmtime(eta["at"] // 1000))
    assert (await first.expect("stop.pending", request=request))["eta"] == eta
    await driver.call("stop.accept", request=request)
    told = (await first.expect("stop.accepted", request=request))["eta"]
    before = await reader.bus(lambda bus: bus["etas"][-1]["index"] == 4)
    other = await second.ask_for(1500, at=second.now(2))
    await driver.call("stop.accept", request=other)
    later = await first.state("stop.eta", lambda state: state["eta"]["at"] > told["at"])
    assert later["request"] == request and later["bus"] == line.bus
    assert 20_000 <= later["eta"]["at"] - told["at"] <= 40_000
    after = await reader.bus(lambda bus: bus["etas"][-1]["at"] > before["etas"][-1]["at"])
    assert all(re.fullmatch(r"[0-9]{1,2}:[0-9]{2}", stop["clock"]) for stop in after["etas"])
    await second.call("stop.cancel", request=other)
    await first.state("stop.eta", lambda state: state["eta"]["at"] <= told["at"] + 15_000)
    twin = first.twin()
    await twin.here()
    mine = await twin.wait(lambda: twin.snapshot, "the snapshot")
    assert mine["requests"][0]["eta"]["late"] > twin.now()


@pytest.mark.parametrize("away", ["the citizen", "the subscription"])
async def test_a_time_of_arrival_that_nobody_heard_is_told_afterwards(town, line, away):
    """It is told again only when it has changed: who was away would go by the old one."""
    driver, first, second = await on_tour(town, line, 300), await rider(town, line), await rider(town, line)
    request = await first.ask_for(3500, at=first.now(5))
    await driver.call("stop.accept", request=request)
    told = (await first.expect("stop.accepted", request=request))["eta"]["at"]
    other = await second.ask_for(1500, at=second.now(2))
    if away == "the citizen":
        await first.cut()
    else:
        town.redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    await driver.call("stop.accept", request=other)
    if away == "the citizen":
        await first.resume()

    def heard():
        rows = [state["data"] for state in first.states.get("stop.eta", [])] + first.snapshot.get("requests", [])
        return any(row["eta"]["at"] - told >= 15_000 for row in rows) or None

    await first.wait(heard, "the new time of arrival")


async def test_the_reminder_goes_by_the_earliest_arrival(brisk):
    """The bus is later than was wanted: nobody needs to go before it may come."""
    line = next(brisk.lines["last"])
    driver, citizen = await on_tour(brisk, line, 300), await rider(brisk, line)
    request = await citizen.ask_for(3500, at=citizen.now(10))
    await driver.fix(after_ms=1000)
    await driver.call("stop.accept", request=request)
    eta = (await citizen.expect("stop.accepted", request=request))["eta"]
    assert eta["early"] > citizen.now(22) and eta["at"] > eta["early"] + 4 * MINUTE
    await citizen.nothing_more()
    await come(brisk, eta["early"] - 22 * MINUTE)
    await citizen.until("stop.reminder", request=request, within=2 * patience.PROCESS)
    [event] = [e for e in citizen.events if e["type"] == "stop.reminder"]
    assert eta["early"] - 21 * MINUTE < event["time"] < eta["at"] - 20 * MINUTE


async def test_reminders_and_lapse_by_the_hubs_clock_although_a_worker_dies(hasty):
    line = next(hasty.lines["hourly"])
    driver, citizen = await on_tour(hasty, line), await rider(hasty, line)
    quick = await citizen.ask_for(2000, at=citizen.now(40))
    await driver.call("stop.accept", request=quick)
    await citizen.expect("stop.accepted", request=quick)
    slow = await citizen.ask_for(3000, at=citizen.now(90))
    asked_at = citizen.events[-1]["time"]
    os.kill(hasty.workers()[0], signal.SIGKILL)
    for one in (driver, citizen):
        if one.closed is not None or await _is_gone(one):
            await hasty.until("back", lambda one=one: buses.tried(one.resume))
    # Seconds of ours are many of its minutes: nothing comes too early, and on a machine that is busy late.
    reminder = await citizen.until("stop.reminder", request=quick, within=patience.PROCESS)
    event = next(e for e in citizen.events if e["type"] == "stop.reminder")
    assert event["time"] >= reminder["at"] - 15 * MINUTE
    await driver.until("stop.unanswered", request=slow, within=patience.PROCESS)
    event = next(e for e in driver.events if e["type"] == "stop.unanswered")
    assert event["time"] >= asked_at + 20 * MINUTE
    await citizen.expect("stop.expired", request=slow, reason="unanswered", within=patience.PROCESS)
    assert citizen.events[-1]["time"] >= asked_at + 30 * MINUTE
    await driver.until("stop.withdrawn", request=slow, reason="unanswered")


async def _is_gone(client):
    """Whether its worker was the one that died: it notices at once, or never."""
    try:
        await client.wait(lambda: client.closed, "the close", 0.3)
    except AssertionError:
        return client.closed is not None
    return True
