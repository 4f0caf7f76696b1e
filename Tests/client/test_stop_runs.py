"""Stops on request and the runs of a line: what is asked for before one begins, while its bus waits, and when it has ended."""

import json
import re
import time

import pytest

from conftest import IN_BOTH
from kerbside.bus import BusDriver
from kerbside.stops import DAY, MINUTE, Rider, ids, known, on_tour, rider

pytestmark = pytest.mark.usefixtures("encoding")


@IN_BOTH
async def test_a_tour_that_ends_leaves_its_requests_to_the_next(town, line):
    driver, citizen = BusDriver(town, line), await rider(town, line)
    await driver.begin()
    asked, promised = await citizen.ask_for(2000, at=citizen.now(20)), await citizen.ask_for(3000, at=citizen.now(30))
    await driver.call("stop.accept", request=promised)
    await citizen.expect("stop.accepted")
    await driver.call("tour.end")
    # A promise without a bus is none: who waits is told now, and by its snapshot, too.
    for request in (asked, promised):
        told = await citizen.expect("stop.pending", request=request, reason="tour_ended", state="requested")
        assert "bus" not in told and told["answer_by"] == told["at"]
    twin = Rider(town, line)
    twin.subject, twin.token, twin.channel = citizen.subject, citizen.token, citizen.channel
    await twin.here()
    mine = await twin.wait(lambda: twin.snapshot, "the snapshot")
    assert [(r["state"], r.get("bus")) for r in mine["requests"]] == [("requested", None)] * 2
    successor = BusDriver(town, line)
    await successor.begin()
    await successor.expect("stop.requested", request=asked)
    told = await successor.expect("stop.requested", request=promised)
    assert ids(told["places"]) == [[asked], [promised]]
    for request in (asked, promised):
        told = await citizen.expect("stop.pending", request=request, bus=line.bus)
        assert "reason" not in told and abs(told["answer_by"] - citizen.now(30)) < MINUTE
    await successor.call("stop.accept", request=promised)
    await citizen.expect("stop.accepted", request=promised, bus=line.bus)


async def test_a_run_of_the_timetable_is_asked_for_while_nobody_drives(town, line):
    """Tomorrow's, by who drives it; but not a bus for now, nor at a time at which none runs."""
    citizen = await rider(town, line)
    now = await citizen.not_asked("no_driver", 2500)
    assert re.search(r"passes this place at \d{4}-\d\d-\d\d \d+:\d\d", now["detail"])
    tomorrow = (citizen.now() // DAY + 1) * DAY + 10 * 60 * MINUTE
    there = await citizen.call("stop.request", line=line.id, name="Ada", at=tomorrow, **line.at(2500).fields)
    assert there["state"] == "requested" and tomorrow < there["at"] == there["answer_by"] < tomorrow + 6 * MINUTE
    assert "bus" not in await citizen.expect("stop.pending", request=there["request"])
    between = await citizen.not_asked("no_driver", 2500, at=tomorrow + 30 * MINUTE)
    assert time.strftime("%Y-%m-%d 11:0", time.gmtime(tomorrow // 1000)) in between["detail"]
    # At no minute around midnight is a service day of the line over before the next has begun.
    for minutes in (-30, 30):
        await citizen.not_asked("no_driver", 2500, at=tomorrow + 14 * 60 * MINUTE + minutes * MINUTE)
    driver = await on_tour(town, line)
    await driver.nothing_more()
    await driver.call("tour.end")
    await citizen.nothing_more()
    assert (await citizen.call("stop.cancel", request=there["request"]))["state"] == "cancelled"


async def test_who_waits_for_a_run_of_later_is_told_to_nobody_before(town, line):
    citizen, driver, hour = await rider(town, line), BusDriver(town, line), 60 * MINUTE
    await driver.connect()
    later = (citizen.now() // hour + 4) * hour
    asked = await citizen.call("stop.request", line=line.id, name="Ada", at=later + 2 * MINUTE, **line.at(1000).fields)
    trips = json.loads(town.http(f"/v1/routes/{line.id}").text)["route"]["trips"]
    # By when they leave on the clock: some are of the day before, as that of 24:00.
    trip = {trip["start"] * 1000 % DAY: trip["id"] for trip in trips}
    error = await driver.refused("tour.start", "not_available", "trip", bus=line.bus, line=line.id, trip=trip[later % DAY])
    assert time.strftime("%Y-%m-%d %-H:%M on", time.gmtime((later - hour) // 1000)) in error["detail"]
    await driver.begin(trip=trip[(later - 3 * hour) % DAY])
    await driver.nothing_more()
    await driver.call("tour.end")
    await citizen.call("stop.cancel", request=asked["request"])


async def test_before_the_first_departure_it_is_asked_for(town):
    soon = next(town.lines["soon"])
    citizen = await rider(town, soon)
    asked = await citizen.call("stop.request", line=soon.id, name="Ada", **soon.at(500).fields)
    first = soon.start + 20 * MINUTE + 450_000
    assert abs(asked["at"] - first) < 20_000 and asked["answer_by"] == asked["at"]
    named = await rider(town, soon)
    later = await named.call("stop.request", line=soon.id, name="Ada", at=named.now(10), **soon.at(500).fields)
    assert later["at"] == asked["at"]
    driver = await on_tour(town, soon)
    assert {(await driver.expect("stop.requested"))["request"] for _ in range(2)} == {asked["request"], later["request"]}
    await driver.call("tour.end")


async def test_a_bus_that_waits_for_its_time_is_near_to_nobody(town):
    soon = next(town.lines["soon"])
    driver = await on_tour(town, soon)
    await driver.fix(soon.at(0))
    await known(driver, 0)
    passer, starter = await rider(town, soon), await rider(town, soon)
    requests = [await passer.ask_for(400, at=passer.now(20)), await starter.ask_for(stop=soon.stops[0], at=starter.now(20))]
    for request in requests:
        await driver.call("stop.accept", request=request)
    for metres in (10, 100, 5):
        await driver.go(metres)
    await passer.until("stop.accepted")
    await passer.nothing_more()
    await starter.until("stop.arrived", request=requests[1])
    await driver.go(200)
    await passer.until("stop.near", request=requests[0])
    await driver.go(400)
    await passer.until("stop.arrived", request=requests[0])
    await starter.nothing_more()


async def test_a_line_can_be_read_from_its_oldest_event_and_one_that_is_not_there_is_refused(town, line):
    driver = await on_tour(town, line)
    await driver.call("tour.end")
    citizen = await rider(town, line)
    assert (await citizen.call("subscribe", channel=line.channel, since="0"))["seq"] == "0-0"
    again = Rider(town, line)
    await again.open()
    await again.call("hello", token=again.token, resume={line.channel: "0-0", "line:nowhere": "0"})
    [error] = await again.wait(lambda: [m["error"] for m in again.pushed if "error" in m] or None, "the refusal")
    assert error["code"] == "not_found" and "nowhere" in error["detail"]
    again.pushed = [m for m in again.pushed if "error" not in m]
    for reader in (citizen, again):
        assert (await reader.change("ended"))["tour"] == driver.tour
        assert await reader.wait(reader.shown, "the snapshot") == {"line": line.id, "buses": []}
        assert not [m for m in reader.pushed if m["type"] == "gap"]
