"""GTFS-Realtime as an app would read it, by the standard's own bindings and the rules of its validator."""

import asyncio
import time

import pytest
from google.transit import gtfs_realtime_pb2 as gtfs

from conftest import community
from kerbside import bus as buses, patience, realtime
from kerbside.bus import BusDriver
from kerbside.realtime import FEEDS, fetch
from kerbside.stops import village


@pytest.fixture(scope="module")
def town():
    yield from community(12)


def read(hub):
    """All three, each held against the rules that hold for any feed; nothing when they were renewed in between."""
    feeds = realtime.read(hub)
    if feeds is None:
        return None
    assert not (wrong := realtime.errors(feeds, time.time())), wrong
    return feeds


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
        return (
            all_of_them <= set(vehicles)
            and vehicles[last.bus].occupancy_status == 5
            and all(vehicles[driver.line.bus].timestamp == driver.clock // 1000 for driver in drivers.values())
        )

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
    await town.until("off its route", lambda: town.redis.hget(town.key(f"tour:{lost.tour}"), "off") == "1")
    await ended.call("tour.end")
    feeds = await seen(town, "the ended tour is gone", lambda vehicles: ended.line.bus not in vehicles)
    assert ended.line.bus not in {entity.trip_update.vehicle.id for entity in feeds["trip-updates"].entity}

    def alerts():
        feeds = read(town)
        return feeds and [entity.alert for entity in feeds["alerts"].entity]

    [alert] = await town.until("the alert", alerts, 25 * patience.SCALE)
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
    await town.until(
        "the feeds are made", lambda: all(fetch(town, "alerts")[0] == 200 for _ in range(12)) or None, 25 * patience.SCALE)
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
        await asyncio.sleep(1.5 * patience.SCALE)
    assert all(len(stamps) > 1 for stamps in contents.values())


async def test_many_tours_are_read_by_pages_and_come_once_each(new_hub):
    hub = new_hub(server__workers=1).start()
    buses.load(hub, village()[1])
    for name, value in (("slowlog-log-slower-than", 0), ("slowlog-max-len", 100_000)):
        hub.redis.config_set(name, value)
    now = int(time.time() * 1000)
    for n in range(60):
        fields = {
            "state": "running", "bus": f"bus-{n}", "line": "no-line", "pattern": "", "trip": "", "stops": "[]", "next": 0,
            "taken": 0, "seats": 8, "lat": 46.0, "lon": 10.0, "at": now, "heard": now, "started_at": now, "last_at": now,
            "driver": f"driver-{n}",
        }
        hub.redis.hset(hub.key(f"tour:t{n}"), mapping=fields)
        hub.redis.zadd(hub.key("tours"), {f"t{n}": now})

    def published():
        feeds = realtime.read(hub)
        found = [entity.vehicle.vehicle.id for entity in feeds[FEEDS[0]].entity] if feeds else []
        return found if len(found) >= 60 else None

    found = await hub.until("the tours are published", published, 25 * patience.SCALE)
    assert sorted(found) == sorted(f"bus-{n}" for n in range(60))
    pages = [entry for entry in hub.redis.slowlog_get(100_000) if "realtime_tours" in str(entry["command"])]
    assert len(pages) >= 3, "25 at a time"


def good():
    """A bus on its trip, as it should be published at second 1,000,000,100."""
    feeds = {feed: gtfs.FeedMessage() for feed in FEEDS}
    for feed in feeds.values():
        feed.header.gtfs_realtime_version, feed.header.incrementality = "2.0", gtfs.FeedHeader.FULL_DATASET
        feed.header.timestamp = 1_000_000_100
    position, update = feeds["vehicle-positions"].entity.add(id="p:1"), feeds["trip-updates"].entity.add(id="t:1")
    position.vehicle.position.latitude, position.vehicle.position.longitude = 46.0, 10.0
    for part in (position.vehicle, update.trip_update):
        part.vehicle.id, part.timestamp = "B1", 1_000_000_090
        part.trip.trip_id, part.trip.start_date = "T1", "20010909"
    for index in range(3):
        stop = update.trip_update.stop_time_update.add(stop_id=f"S{index}")
        stop.arrival.time = 1_000_000_200 + index
    return feeds


def spoilt(feeds, path, value):
    """The feeds with one thing changed: `feed.entity.0.…`."""
    name, *steps = path.split("/")
    part = feeds[name]
    for step in steps[:-1]:
        part = part[int(step)] if step.isdigit() else getattr(part, step)
    setattr(part, steps[-1], value)
    return feeds


@pytest.mark.parametrize(
    "rule, path, value",
    [
        ("E038", "alerts/header/gtfs_realtime_version", "1.0"),
        ("E049", "alerts/header/incrementality", gtfs.FeedHeader.DIFFERENTIAL),
        ("E050", "alerts/header/timestamp", 1_000_000_120),
        ("W007", "alerts/header/timestamp", 1_000_000_060),
        ("E012", "vehicle-positions/entity/0/vehicle/timestamp", 1_000_000_101),
        ("95 s old", "vehicle-positions/entity/0/vehicle/timestamp", 1_000_000_005),
        ("E026", "vehicle-positions/entity/0/vehicle/position/latitude", 91.0),
        ("W002", "vehicle-positions/entity/0/vehicle/vehicle/id", ""),
        ("E047", "vehicle-positions/entity/0/vehicle/vehicle/id", "B2"),
        ("E021", "trip-updates/entity/0/trip_update/trip/start_date", "2001-09-09"),
        ("E022", "trip-updates/entity/0/trip_update/stop_time_update/1/arrival/time", 1_000_000_200),
        ("E037", "trip-updates/entity/0/trip_update/stop_time_update/1/stop_id", "S0"),
        ("E040", "trip-updates/entity/0/trip_update/stop_time_update/1/stop_id", ""),
    ],
)
def test_the_rules_notice_what_is_wrong(rule, path, value):
    now = 1_000_000_100
    assert not realtime.errors(good(), now, good())
    wrong = realtime.errors(spoilt(good(), path, value), now)
    assert wrong and any(rule in problem for problem in wrong), wrong


def test_the_rules_notice_what_changes_as_it_should_not():
    now, latest = 1_000_000_100, good()
    back = {name: gtfs.FeedMessage.FromString(feed.SerializeToString()) for name, feed in latest.items()}
    back["alerts"].header.timestamp -= 1
    assert [problem[:12] for problem in realtime.errors(back, now, latest)] == ["alerts: E018"]
    moved = spoilt(good(), "vehicle-positions/entity/0/vehicle/position/latitude", 46.1)
    assert any("E017" in problem for problem in realtime.errors(moved, now, latest))
    moved["vehicle-positions"].header.timestamp += 1
    moved["vehicle-positions"].entity[0].vehicle.timestamp += 1
    assert any("W004" in problem for problem in realtime.errors(moved, now + 1, latest))
