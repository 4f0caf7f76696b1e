"""GTFS-Realtime by the rules of MobilityData's validator (E…: an error, W…: a warning), as far as they can apply to buses.

Times are Unix seconds. What a feed says of its age is held against hub time, which a replay may scale.
"""

import csv
import io
import itertools
import math
import re
import urllib.error
import urllib.request
import zipfile

from google.transit import gtfs_realtime_pb2 as gtfs

from . import patience

FEEDS = ("vehicle-positions", "trip-updates", "alerts")

#: Good practice: nothing is older, and refreshed at least so often.
OLDEST, REFRESH = 90, 35
#: Metres that a bus may be from its trip's shape, unless an alert tells of a detour.
OFF_SHAPE = 200
#: m/s
TOP_SPEED = 45


def fetch(hub, feed, **headers):
    """Status, headers and body of one of the three."""
    request = urllib.request.Request(f"http://127.0.0.1:{hub.port}/gtfs-rt/{feed}.pb", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=patience.MESSAGE) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers, answer.read()


def read(hub):
    """name → message of all three; None when they were renewed in between, or are not ready."""
    found = {}
    for feed in FEEDS:
        status, headers, body = fetch(hub, feed)
        if status == 503:
            return None
        assert status == 200 and headers["Content-Type"] == "application/x-protobuf" and headers["Last-Modified"]
        found[feed] = gtfs.FeedMessage.FromString(body)
    return found if len({message.header.timestamp for message in found.values()}) == 1 else None


class Timetable:
    """What a GTFS feed (.zip) says of its trips: what the rules compare with."""

    def __init__(self, path):
        archive = zipfile.ZipFile(path)

        def rows(name):
            return csv.DictReader(io.TextIOWrapper(archive.open(name), "utf-8-sig"))

        self.routes = {row["route_id"] for row in rows("routes.txt")}
        self.stops = {row["stop_id"] for row in rows("stops.txt")}
        self.trips = {row["trip_id"]: row for row in rows("trips.txt")}
        self._shapes, self._visits = {}, {}
        for row in rows("shapes.txt"):
            point = int(row["shape_pt_sequence"]), float(row["shape_pt_lat"]), float(row["shape_pt_lon"])
            self._shapes.setdefault(row["shape_id"], []).append(point)
        for row in rows("stop_times.txt"):
            self._visits.setdefault(row["trip_id"], []).append((int(row["stop_sequence"]), row["stop_id"]))
        for rows in (*self._shapes.values(), *self._visits.values()):
            rows.sort()

    def visits(self, trip):
        """The stop ids of a trip in their order."""
        return [stop for _, stop in self._visits[trip]]

    def sequence(self, trip):
        """stop_sequence → stop id."""
        return dict(self._visits[trip])

    def metres_off(self, trip, lat, lon):
        """From a place to the trip's shape; 0 where it has none."""
        points = self._shapes.get(self.trips[trip].get("shape_id"), [])
        if len(points) < 2:
            return 0
        east, north = 111_195 * math.cos(math.radians(lat)), 111_195
        flat = [((b - lon) * east, (a - lat) * north) for _, a, b in points]
        return min(_to_leg(*start, *end) for start, end in itertools.pairwise(flat))


def _to_leg(x0, y0, x1, y1):
    """From the origin to the line between two points."""
    dx, dy = x1 - x0, y1 - y0
    whole = dx * dx + dy * dy
    share = max(0, min(1, -(x0 * dx + y0 * dy) / whole)) if whole else 0
    return math.hypot(x0 + share * dx, y0 + share * dy)


def metres(one, other):
    """Between two positions."""
    east = (other.longitude - one.longitude) * 111_195 * math.cos(math.radians(one.latitude))
    return math.hypot(east, (other.latitude - one.latitude) * 111_195)


def errors(feeds, now, before=None, timetable=None):
    """What is wrong with the three feeds of one reading, and with what they have become since the reading before."""
    positions, updates, alerts = (feeds[name] for name in FEEDS)
    found = []
    for name, feed in feeds.items():
        found += [f"{name}: {problem}" for problem in _whole(feed, now)]
        if before is not None:
            found += [f"{name}: {problem}" for problem in _sequence(before[name], feed)]
    detours = {
        about.trip.trip_id
        for entity in alerts.entity
        if entity.alert.effect == gtfs.Alert.DETOUR
        for about in entity.alert.informed_entity
    }
    for entity in positions.entity:
        found += [f"{entity.id}: {problem}" for problem in _position(entity.vehicle, now, detours, timetable)]
    for entity in updates.entity:
        found += [f"{entity.id}: {problem}" for problem in _update(entity.trip_update, now, timetable)]
    for entity in alerts.entity:
        found += [f"{entity.id}: {problem}" for problem in _alert(entity.alert, timetable)]
    found += _pairs([entity.vehicle for entity in positions.entity], [e.trip_update for e in updates.entity])
    if before is not None:
        found += _drives(before[FEEDS[0]], positions)
    return found


def _whole(feed, now):
    header = feed.header
    if header.gtfs_realtime_version != "2.0":
        yield f"E038: version {header.gtfs_realtime_version}"
    if not header.HasField("incrementality") or header.incrementality != gtfs.FeedHeader.FULL_DATASET:
        yield "E049: not FULL_DATASET"
    if not 1_000_000_000 < header.timestamp < 10_000_000_000:
        yield f"E048, E001: timestamp {header.timestamp}"
    if header.timestamp > now + 2:
        yield f"E050: the feed is {header.timestamp - now:.0f} s ahead"
    if now - header.timestamp > REFRESH:
        yield f"W007, W008: the feed is {now - header.timestamp:.0f} s old"
    ids = [entity.id for entity in feed.entity]
    if len(set(ids)) != len(ids) or not all(ids):
        yield "E052: an entity is there twice, or has no id"
    if any(entity.is_deleted for entity in feed.entity):
        yield "E039: is_deleted in a FULL_DATASET"
    for entity in feed.entity:
        stamp = entity.vehicle.timestamp or entity.trip_update.timestamp
        if stamp > header.timestamp:
            yield f"E012: {entity.id} is {stamp - header.timestamp} s newer than the feed"


def _sequence(before, feed):
    last, stamp = before.header.timestamp, feed.header.timestamp
    if stamp < last:
        yield f"E018: the timestamp went back by {last - stamp} s"
    if stamp == last and feed.SerializeToString(deterministic=True) != before.SerializeToString(deterministic=True):
        yield f"E017: the content has changed, the timestamp {stamp} has not"
    if stamp - last > REFRESH:
        yield f"W007: {stamp - last} s from one refresh to the next"


def _age(stamp, now):
    if not stamp:
        yield "W001: no timestamp"
    elif stamp > now + 2:
        yield f"E050: {stamp - now:.0f} s ahead"
    elif now - stamp > OLDEST:
        yield f"{now - stamp:.0f} s old"


def _position(vehicle, now, detours, timetable):
    yield from _age(vehicle.timestamp, now)
    place = vehicle.position
    if not (-90 <= place.latitude <= 90 and -180 <= place.longitude <= 180) or place.latitude == place.longitude == 0:
        yield f"E026: at {place.latitude}, {place.longitude}"
    if place.HasField("bearing") and not 0 <= place.bearing <= 360:
        yield f"E027: bearing {place.bearing}"
    if place.HasField("speed") and not 0 <= place.speed <= TOP_SPEED:
        yield f"W004: {place.speed} m/s"
    if not vehicle.vehicle.id:
        yield "W002: no vehicle.id"
    if not vehicle.HasField("trip"):
        return
    yield from _trip(vehicle.trip, timetable)
    trip = vehicle.trip.trip_id
    if timetable and trip in timetable.trips:
        off = timetable.metres_off(trip, place.latitude, place.longitude)
        if off > OFF_SHAPE and trip not in detours:
            yield f"E029: {off:.0f} m from the shape of its trip {trip}"
        if vehicle.stop_id and vehicle.stop_id not in timetable.visits(trip):
            yield f"E011: stop {vehicle.stop_id} is none of its trip {trip}"
        number = vehicle.current_stop_sequence
        if vehicle.HasField("current_stop_sequence") and timetable.sequence(trip).get(number) != vehicle.stop_id:
            yield f"E051: {number} of trip {trip} is not {vehicle.stop_id}"


def _trip(trip, timetable):
    if not trip.trip_id:
        yield "W006: no trip_id"
    if trip.start_date and not re.fullmatch(r"\d{8}", trip.start_date):
        yield f"E021: start_date {trip.start_date}"
    if trip.start_time and not re.fullmatch(r"\d{2}:[0-5]\d:[0-5]\d", trip.start_time):
        yield f"E020: start_time {trip.start_time}"
    if timetable is None:
        return
    if (known := timetable.trips.get(trip.trip_id)) is None:
        yield f"E003: trip {trip.trip_id} is not in the timetable"
        return
    if trip.route_id not in timetable.routes:
        yield f"E004: route {trip.route_id} is not in the timetable"
    if trip.route_id != known["route_id"]:
        yield f"E035: trip {trip.trip_id} is of route {known['route_id']}, not {trip.route_id}"
    if trip.HasField("direction_id") and known.get("direction_id") not in ("", None, str(trip.direction_id)):
        yield f"E024: direction {trip.direction_id} of trip {trip.trip_id}"


def _update(update, now, timetable):
    yield from _age(update.timestamp, now)
    yield from _trip(update.trip, timetable)
    stops = update.stop_time_update
    if not stops:
        yield "E041: no stop_time_update"
    if not all(stop.stop_id or stop.HasField("stop_sequence") for stop in stops):
        yield "E040: neither stop_id nor stop_sequence"
    if any(a.stop_id == b.stop_id and a.stop_id for a, b in itertools.pairwise(stops)):
        yield "E037: one stop twice in a row"
    numbers = [stop.stop_sequence for stop in stops if stop.HasField("stop_sequence")]
    if any(a >= b for a, b in itertools.pairwise(numbers)):
        yield "E002, E036: stop_sequence does not rise"
    last = 0
    for stop in stops:
        events = [event for name in ("arrival", "departure") if stop.HasField(name) for event in [getattr(stop, name)]]
        if stop.schedule_relationship == gtfs.TripUpdate.StopTimeUpdate.NO_DATA:
            if events:
                yield f"E042: times at {stop.stop_id} without data"
            continue
        if not events:
            yield f"E043: no times at {stop.stop_id}"
        for event in events:
            if not event.HasField("time") and not event.HasField("delay"):
                yield f"E044: neither time nor delay at {stop.stop_id}"
        times = [event.time for event in events if event.HasField("time")]
        if times != sorted(times):
            yield f"E025: departs from {stop.stop_id} before it arrives"
        if times and times[0] <= last:
            yield f"E022: {stop.stop_id} is not later than the stop before"
        last = times[-1] if times else last
    if timetable and update.trip.trip_id in timetable.trips:
        # In the order of the trip, none of another.
        ahead, known = iter(timetable.visits(update.trip.trip_id)), timetable.sequence(update.trip.trip_id)
        for stop in stops:
            if stop.HasField("stop_sequence") and known.get(stop.stop_sequence) != stop.stop_id:
                yield f"E045, E051: {stop.stop_sequence} of trip {update.trip.trip_id} is not {stop.stop_id}"
            if stop.stop_id not in ahead:
                yield f"E045, E051: stop {stop.stop_id} does not come there on trip {update.trip.trip_id}"
                break


def _alert(alert, timetable):
    if not alert.informed_entity:
        yield "E032: an alert about nothing"
    if not alert.header_text.translation:
        yield "an alert without a text"
    for about in alert.informed_entity:
        if timetable and about.route_id and about.route_id not in timetable.routes:
            yield f"E004: route {about.route_id} is not in the timetable"
        if about.HasField("trip"):
            yield from _trip(about.trip, timetable)
            if about.route_id and about.trip.route_id and about.route_id != about.trip.route_id:
                yield "E030: the alert's route is not that of its trip"


def _pairs(vehicles, updates):
    """Both feeds name the same vehicle for the same trip, and each vehicle once."""
    for what, ids in (("vehicle", [v.vehicle.id for v in vehicles]), ("trip", [u.trip.trip_id for u in updates])):
        for one in {one for one in ids if ids.count(one) > 1}:
            yield f"E052: {what} {one} is there twice"
    driven = {vehicle.trip.trip_id: vehicle.vehicle.id for vehicle in vehicles if vehicle.HasField("trip")}
    for update in updates:
        trip, other = update.trip.trip_id, driven.get(update.trip.trip_id)
        if other != update.vehicle.id:
            yield f"E047: trip {trip} is of vehicle {update.vehicle.id}, and in the positions of {other}"


def _drives(before, positions):
    """No bus is faster than buses are, and none goes back in time."""
    known = {entity.vehicle.vehicle.id: entity.vehicle for entity in before.entity}
    for entity in positions.entity:
        vehicle, last = entity.vehicle, known.get(entity.vehicle.vehicle.id)
        if last is None:
            continue
        seconds = vehicle.timestamp - last.timestamp
        way = metres(last.position, vehicle.position)
        if seconds < 0 or (seconds == 0 and way > 1):
            yield f"{entity.id}: its position is {-seconds} s older than before, and {way:.0f} m away"
        # Times are whole seconds.
        elif way > TOP_SPEED * (seconds + 1):
            yield f"{entity.id}: W004: {way:.0f} m in {seconds} s"
