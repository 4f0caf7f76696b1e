"""GTFS-Realtime as an app would read it, by the standard's own bindings and the rules of its validator."""

import asyncio
import time
import urllib.error
import urllib.request

import pytest
from google.transit import gtfs_realtime_pb2 as gtfs

from conftest import running
from kerbside import bus as buses
from kerbside import patience
from kerbside.bus import BusDriver

FEEDS = ("vehicle-positions", "trip-updates", "alerts")


@pytest.fixture(scope="module")
def town():
    lines, text = buses.community(12)
    for hub in running():
        buses.load(hub, text)
        hub.lines = iter(lines)
        yield hub


def fetch(hub, feed, **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{hub.port}/gtfs-rt/{feed}.pb", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers, answer.read()


def read(hub):
    """All three, each held against the rules that hold for any feed; nothing when they were renewed in between."""
    found = {}
    for feed in FEEDS:
        status, headers, body = fetch(hub, feed)
        assert status == 200 and headers["Content-Type"] == "application/x-protobuf" and headers["Last-Modified"]
        message = found[feed] = gtfs.FeedMessage.FromString(body)
        assert message.header.gtfs_realtime_version == "2.0"
        assert message.header.incrementality == gtfs.FeedHeader.FULL_DATASET
        assert -2 <= time.time() - message.header.timestamp <= 35, "W007, W008: a refresh within 35 s"
        ids = [entity.id for entity in message.entity]
        assert len(set(ids)) == len(ids), "E052"
    if len({message.header.timestamp for message in found.values()}) > 1:
        return None
    check_pairs(found["vehicle-positions"], found["trip-updates"])
    return found


def check_pairs(positions, updates):
    stamp = positions.header.timestamp
    vehicles = [entity.vehicle for entity in positions.entity]
    ids = [vehicle.vehicle.id for vehicle in vehicles]
    assert len(set(ids)) == len(ids) and all(ids), "E052: a vehicle is there once"
    for vehicle in vehicles:
        assert stamp - 90 <= vehicle.timestamp <= stamp, "E050, and nothing older than 90 s"
        assert -90 <= vehicle.position.latitude <= 90 and -180 <= vehicle.position.longitude <= 180, "E026"
    driven = {vehicle.trip.trip_id: vehicle.vehicle.id for vehicle in vehicles if vehicle.HasField("trip")}
    for entity in updates.entity:
        update = entity.trip_update
        assert driven[update.trip.trip_id] == update.vehicle.id, "E047: both feeds name the same vehicle"
        assert stamp - 90 <= update.timestamp <= updates.header.timestamp, "E050"
        assert len(update.trip.start_date) == 8 and update.trip.start_date.isdigit(), "E021"
        times = [stop.arrival.time for stop in update.stop_time_update]
        assert times and all(a < b for a, b in zip(times, times[1:])), "E022, E041"
        assert all(stop.stop_id for stop in update.stop_time_update), "E040"


async def seen(hub, what, holds):
    """The feeds as soon as they are so: they are made anew every 10 s."""

    def look():
        if any(fetch(hub, feed)[0] == 503 for feed in FEEDS * 4):
            return None
        feeds = read(hub)
        return feeds if feeds and holds({entity.vehicle.vehicle.id: entity.vehicle for entity in feeds[FEEDS[0]].entity}) else None

    return await hub.until(what, look, 25 * patience.SCALE)


async def test_what_buses_do_is_in_the_feeds(town):
    counts = {None: 7, 0: 0, 3: 1, 4: 2, 7: 2, 8: 5}  # seats taken of 8 -> OccupancyStatus
    drivers = {}
    for taken in counts:
        driver = drivers[taken] = BusDriver(town, next(town.lines))
        await driver.begin()
        # Apps of tests begin some minutes ago; what is that old is not published.
        driver.clock = int(time.time() * 1000) - 65_000
        await driver.go(600)
        if taken is not None:
            await driver.call("seats.set", taken=taken)
    all_of_them = {driver.line.bus for driver in drivers.values()}
    last = drivers[8].line

    def counted(vehicles):
        return all_of_them <= set(vehicles) and vehicles[last.bus].occupancy_status == 5

    feeds = await seen(town, "every bus with its seats", counted)
    vehicles = {entity.vehicle.vehicle.id: entity.vehicle for entity in feeds["vehicle-positions"].entity}
    updates = {entity.trip_update.vehicle.id: entity.trip_update for entity in feeds["trip-updates"].entity}
    for taken, status in counts.items():
        driver = drivers[taken]
        vehicle, update = vehicles[driver.line.bus], updates[driver.line.bus]
        assert vehicle.occupancy_status == status, f"{taken} of 8 taken"
        assert vehicle.HasField("occupancy_percentage") == (taken is not None)
        assert taken is None or vehicle.occupancy_percentage == 100 * taken // 8
        place = driver.place.fields
        assert abs(vehicle.position.latitude - place["lat"]) < 1e-4, "E029: where it is"
        assert abs(vehicle.position.longitude - place["lon"]) < 1e-4
        assert vehicle.timestamp == driver.clock // 1000
        assert vehicle.trip.route_id == driver.line.id and vehicle.stop_id == driver.line.stops[1]
        assert vehicle.trip == update.trip
        assert update.trip.start_date == time.strftime("%Y%m%d", time.gmtime(driver.line.start / 1000))
        assert [stop.stop_id for stop in update.stop_time_update] == driver.line.stops[1:]
        assert [stop.stop_sequence for stop in update.stop_time_update] == [2, 3, 4, 5], "E002, E051"
        assert vehicle.current_stop_sequence == 2
    assert not feeds["alerts"].entity

    lost, ended = drivers[0], drivers[3]
    await lost.go(650, north=300)
    await lost.fix(lost.line.at(700, 300))
    await ended.call("tour.end")
    feeds = await seen(town, "the ended tour is gone", lambda vehicles: ended.line.bus not in vehicles)
    assert ended.line.bus not in {entity.trip_update.vehicle.id for entity in feeds["trip-updates"].entity}
    [alert] = [entity.alert for entity in feeds["alerts"].entity]
    assert alert.effect == gtfs.Alert.DETOUR and alert.informed_entity[0].route_id == lost.line.id
    assert lost.line.bus in alert.header_text.translation[0].text


async def test_a_reader_that_has_the_feed_is_told_so(town):
    await town.until("the feeds are made", lambda: fetch(town, "alerts")[0] == 200 or None, 25 * patience.SCALE)
    for feed in FEEDS:
        status, headers, _ = fetch(town, feed)
        assert status == 200
        status, _, body = fetch(town, feed, **{"If-Modified-Since": headers["Last-Modified"]})
        assert status in (200, 304) and (status == 200 or not body)
        then = "Mon, 01 Jan 2024 00:00:00 GMT"
        assert fetch(town, feed, **{"If-Modified-Since": then})[0] == 200
    status, _, body = fetch(town, "nothing")
    assert status == 404 and b"Not found" in body


async def test_whichever_worker_answers_time_goes_forward(town):
    """E017, E018: two workers, one feed: a time never comes again with another content, nor an earlier one."""
    await town.until("the feeds are made", lambda: fetch(town, "alerts")[0] == 200 or None, 25 * patience.SCALE)
    contents = {feed: {} for feed in FEEDS}
    # Made anew every 10 s, by a worker that looks once a second.
    end, at_last = time.monotonic() + 12, time.monotonic() + 25 * patience.SCALE
    last = dict.fromkeys(FEEDS, 0)
    while time.monotonic() < end or (
            time.monotonic() < at_last and not all(len(stamps) > 1 for stamps in contents.values())):
        for feed in FEEDS:
            status, _, body = fetch(town, feed)
            stamp = gtfs.FeedMessage.FromString(body).header.timestamp
            assert status == 200 and stamp >= last[feed], "E018"
            assert contents[feed].setdefault(stamp, body) == body, "E017"
            last[feed] = stamp
        # A worker that has not the newest has it within a second: who asks every second or less often sees no earlier one.
        await asyncio.sleep(1.5)
    assert all(len(stamps) > 1 for stamps in contents.values())
