"""Lines that are driven on request only (GTFS-Flex): asked for a stop inside an area, within its hours, booked in time."""

import json
import re
import time

import pytest

from conftest import IN_BOTH
from kerbside import bus as buses
from kerbside.bus import BusDriver
from kerbside.gtfs import feed
from kerbside.hub import Hub, run
from kerbside.stops import rider

pytestmark = pytest.mark.usefixtures("encoding")

#: What each line is: its hours, from so many minutes before now to so many after, and its booking rule; and how many there are.
KINDS = {"always": (None, "", 8), "booked": (None, "ahead", 1), "closed": ((600, 660), "", 1)}
#: Of no kind are there more: each line has a place of its own.
MOST = 8


def _clock(seconds):
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def valley():
    """Lines by kind, each with an area of its own around its place; and the feed of all."""
    now = int(time.time()) // 60 * 60
    day = time.strftime("%Y%m%d", time.gmtime(now - 86_400)), time.strftime("%Y%m%d", time.gmtime(now + 5 * 86_400))
    lines, areas, rows = {}, [], {"routes": [], "trips": [], "calls": []}
    for place, kind in enumerate(KINDS):
        hours, rule, count = KINDS[kind]
        lines[kind] = [buses.Line(place * MOST + number, now * 1000) for number in range(count)]
        # Hours that begin at the end of the day reach into the next.
        opens, closes = [0, 86_400] if hours is None else [now % 86_400 + minutes * 60 for minutes in hours]
        for line in lines[kind]:
            line.id = f"F{line.id}"
            south, west = line.at(0, north=-900), line.at(-900, north=-900)
            north, east = line.at(0, north=900), line.at(5000)
            ring = [[east.lon if e else west.lon, north.lat if n else south.lat] for e, n in
                    ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))]
            areas.append({"type": "Feature", "id": f"a{line.id}", "properties": {},
                          "geometry": {"type": "Polygon", "coordinates": [ring]}})
            rows["routes"].append(f"{line.id},A,{line.id},,715")
            rows["trips"].append(f"{line.id},all,t{line.id}")
            for sequence in (1, 2):
                rows["calls"].append(f"t{line.id},a{line.id},{sequence},{_clock(opens)},{_clock(closes)},2,2,{rule}")
    text = {name: "\n".join(found) + "\n" for name, found in rows.items()}
    return lines, feed(
        agency_txt="agency_id,agency_name,agency_url,agency_timezone\nA,Valley,https://example.org,Etc/UTC\n",
        stops_txt="stop_id,stop_name,stop_lat,stop_lon\nx,X,46.5,10.5\n",
        routes_txt="route_id,agency_id,route_short_name,route_long_name,route_type\n" + text["routes"],
        calendar_txt=("service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
                      f"all,1,1,1,1,1,1,1,{day[0]},{day[1]}\n"),
        calendar_dates_txt=None, frequencies_txt=None,
        trips_txt="route_id,service_id,trip_id\n" + text["trips"],
        stop_times_txt=("trip_id,location_id,stop_sequence,start_pickup_drop_off_window,end_pickup_drop_off_window,"
                        "pickup_type,drop_off_type,pickup_booking_rule_id\n" + text["calls"]),
        booking_rules_txt=("booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_duration_max\n"
                           "ahead,1,60,300\n"),
        **{"locations.geojson": json.dumps({"type": "FeatureCollection", "features": areas})})


@pytest.fixture(scope="module")
def town():
    hub = Hub()
    try:
        hub.start()
        lines, zipped = valley()
        file = hub.directory / "flex.zip"
        file.write_bytes(zipped)
        done = run("import", "gtfs", file, "--config", hub.config)
        assert done.returncode == 0, done.stdout + done.stderr
        for line in (line for found in lines.values() for line in found):
            for number in (1, 2):
                run("lines", "set-bus", f"{line.bus}-{number}", "--seats", "8", "--config", hub.config, check=True)
        hub.lines = {kind: iter(found) for kind, found in lines.items()}
        yield hub
        hub.stop()
    finally:
        hub.kill()
        hub.remove()


async def on_tour(hub, line, number=1):
    """A driver with one of the line's buses; a line without a way has a tour without one."""
    line.bus = line.bus.partition("-")[0] + f"-{number}"
    driver = BusDriver(hub, line)
    reply = await driver.begin()
    assert "pattern" not in reply and "next_stop" not in reply and reply["etas"] == []
    return driver


@IN_BOTH
async def test_asked_in_its_area_accepted_near_arrived_completed(town):
    line = next(town.lines["always"])
    citizen = await rider(town, line)
    await citizen.not_asked("no_driver", 2500)
    driver = await on_tour(town, line)
    assert await citizen.watch_line()
    request = await citizen.ask_for(2500, at=citizen.now(10), passengers=2, help=["wheelchair"])
    told = await driver.expect("stop.requested", request=request, quiet=False)
    assert told["places"][0]["requests"][0]["help"] == ["wheelchair"]
    await driver.call("stop.accept", request=request)
    await citizen.expect("stop.accepted", request=request, bus=line.bus)
    await driver.go(1900)
    await citizen.bus(lambda bus: "position" in bus)
    await citizen.nothing_more()
    await driver.go(2300)
    await citizen.expect("stop.near", request=request)
    await driver.go(2500)
    await citizen.expect("stop.arrived", request=request)
    await driver.refused("stop.next", "not_available")
    await driver.call("stop.complete", request=request)
    await citizen.expect("stop.completed", request=request)
    await driver.call("tour.end")


@IN_BOTH
async def test_asked_before_anybody_drives(town):
    line = next(town.lines["always"])
    citizen = await rider(town, line)
    # Too soon for whoever may come to answer in time.
    await citizen.not_asked("no_driver", 2500, at=citizen.now(25))
    wanted = {"line": line.id, "name": "Ada", "at": citizen.now(90), "passengers": 2} | line.at(2500).fields
    reply = await citizen.call("stop.request", **wanted, back={"at": citizen.now(200), **line.at(4000).fields})
    assert reply["state"] == "requested" and reply["answer_by"] == reply["at"] == wanted["at"]
    there, back = reply["request"], reply["back"]
    for request, minutes in ((there, 90), (back, 200)):
        told = await citizen.expect("stop.pending", request=request)
        assert "bus" not in told and told["answer_by"] == told["at"] and abs(told["at"] - citizen.now(minutes)) < 60_000
    assert (await citizen.call("stop.request", **wanted))["request"] == there, "asked twice is asked once"
    await citizen.cut()
    driver = await on_tour(town, line)
    assert {(await driver.expect("stop.requested"))["request"] for _ in range(2)} == {there, back}
    await citizen.resume()
    for _ in range(2):
        told = await citizen.expect("stop.pending", bus=line.bus)
        assert abs(told["answer_by"] - citizen.now(30)) < 60_000
    await driver.call("stop.accept", request=there)
    await citizen.expect("stop.accepted", request=there, bus=line.bus)
    await citizen.call("stop.cancel", request=back)
    await driver.until("stop.withdrawn", request=back)
    # The promise ends with the tour: the next driver is asked, as on any line.
    await driver.call("tour.end")
    assert "bus" not in await citizen.until("stop.pending", request=there, reason="tour_ended")
    other = await on_tour(town, line, 2)
    await other.expect("stop.requested", request=there)


async def test_outside_its_area_or_hours_is_refused(town):
    line, closed = next(town.lines["always"]), next(town.lines["closed"])
    await on_tour(town, line)
    citizen = await rider(town, line)
    assert "none of the areas" in (await citizen.not_asked("off_route", 5200))["detail"]
    await citizen.not_asked("seats_full", 2500, passengers=9)
    await on_tour(town, closed)
    other = await rider(town, closed)
    assert "from" in (await other.not_asked("outside_hours", 2500))["detail"]
    await other.ask_for(2500, at=other.now(630))
    await other.nothing_more()


async def test_booked_neither_too_late_nor_too_early(town):
    line = next(town.lines["booked"])
    driver = await on_tour(town, line)
    citizen = await rider(town, line)
    late = await citizen.not_asked("not_bookable", 2500, at=citizen.now(55))
    assert re.search(r"must be asked by \d{4}-\d\d-\d\d \d{1,2}:\d\d", late["detail"]) and late["retry"] is False
    await citizen.not_asked("not_bookable", 2500)
    early = await citizen.not_asked("not_bookable", 2500, at=citizen.now(310))
    assert re.search(r"from \d{4}-\d\d-\d\d \d{1,2}:\d\d on", early["detail"])
    there = await citizen.ask_for(2500, at=citizen.now(90), back={"at": citizen.now(200), **line.at(4000).fields})
    await citizen.until("stop.pending")
    assert "back.at" in (await citizen.not_asked(
        "not_bookable", 1500, at=citizen.now(90), back={"at": citizen.now(400), **line.at(4000).fields}))["detail"]
    await driver.expect("stop.requested", request=there)


async def test_the_bus_with_the_most_free_seats_is_asked_and_another_takes_over(town):
    line = next(town.lines["always"])
    full, free = await on_tour(town, line, 1), await on_tour(town, line, 2)
    await full.call("seats.set", taken=7)
    citizen = await rider(town, line)
    request = await citizen.ask_for(2500, at=citizen.now(20))
    await free.expect("stop.requested", request=request)
    await free.call("stop.accept", request=request)
    await free.call("tour.end")
    told = await full.expect("stop.requested", request=request)
    assert told["places"][0]["requests"][0]["state"] == "requested"
    # Nobody is left: the next to drive the line is asked.
    await full.call("tour.end")
    last = await on_tour(town, line, 1)
    await last.expect("stop.requested", request=request)
