"""What GTFS-Realtime names, held against the GTFS feed that the lines were imported from."""

import datetime
import json
import time
import urllib.error
import urllib.request
import zoneinfo

from google.transit import gtfs_realtime_pb2 as gtfs

from kerbside import gtfs as static, hub as hubs, patience
from kerbside.bus import BusDriver, Line
from kerbside.stops import rider

#: Ids of the feed that can be none here: they become others, and are told as they were.
ROUTE, TRIP = "Linie 5/ä", "Fahrt 1"
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


class Ring(Line):
    """A triangle: its first stop is its last, too."""

    def __init__(self):
        super().__init__(0, 0)
        self.id, self.bus, self.stops = "Linie_5___", "ring", ["Süd 1", "b", "c", "Süd 1"]

    def place(self, index):
        return [self.at(0), self.at(1000), self.at(1000, north=800), self.at(0)][index]


class Shuttle(Line):
    """As often as it can: no clock tells when."""

    def __init__(self):
        super().__init__(1, 0)
        self.id, self.bus, self.stops = "plain", "shuttle", ["x", "y"]

    def place(self, index):
        return self.at(index * 2000)


def midnight(day):
    """What the times of a service day count from, Unix seconds: twelve hours before its noon, as clocks are changed by night."""
    return datetime.datetime.combine(day, datetime.time(12), BERLIN).timestamp() - 43_200


def service_day(at):
    """That of a moment: the day before, in the first hour of the day on which clocks are put back."""
    day = at.date()
    return day if midnight(day) <= at.timestamp() else day - datetime.timedelta(days=1)


def feed(begin):
    """The ring's trip begins then; its stops are numbered in tens."""
    day = service_day(begin)
    first = int(begin.timestamp() - midnight(day)) // 60

    def clock(minutes):
        total = first + minutes
        return f"{total // 60:02}:{total % 60:02}:00"

    stops = {stop: line.place(index).fields for line in (Ring(), Shuttle()) for index, stop in enumerate(line.stops)}
    days = [(day + datetime.timedelta(days=offset)).strftime("%Y%m%d") for offset in (-1, 1)]
    calls = "".join(
        f"{TRIP},{clock(6 * index)},{clock(6 * index)},{stop},{10 + 10 * index}\n" for index, stop in enumerate(Ring().stops))
    return static.feed(
        stops_txt="stop_id,stop_name,stop_lat,stop_lon\n" + "".join(
            f"{stop},{stop},{at['lat']},{at['lon']}\n" for stop, at in stops.items()),
        routes_txt=f"route_id,agency_id,route_short_name,route_long_name,route_type\n{ROUTE},A,5,Ring,3\nplain,A,6,Shuttle,3\n",
        calendar_txt="service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
        f"d,1,1,1,1,1,1,1,{days[0]},{days[1]}\n",
        calendar_dates_txt=None,
        trips_txt=f"route_id,service_id,trip_id\n{ROUTE},d,{TRIP}\nplain,d,often\n",
        frequencies_txt="trip_id,start_time,end_time,headway_secs,exact_times\noften,00:00:00,25:00:00,600,0\n",
        stop_times_txt="trip_id,arrival_time,departure_time,stop_id,stop_sequence\n" + calls
        + "often,00:00:00,00:00:00,x,0\noften,00:05:00,00:05:00,y,1\n",
    )


def published(hub, name):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{hub.port}/gtfs-rt/{name}.pb", timeout=patience.MESSAGE) as answer:
            return gtfs.FeedMessage.FromString(answer.read()).entity
    except urllib.error.HTTPError:
        return []


async def begun(hub, line):
    driver = BusDriver(hub, line)
    await driver.begin()
    # What is much older is not published.
    driver.clock = int(time.time() * 1000) - 65_000
    driver.place = line.place(0)
    for place in driver.place.towards(line.place(1), 100):
        await driver.fix(place)
        if place.distance(line.place(0)) > 500:
            break
    return driver


async def test_loops_frequencies_and_the_feeds_own_ids(new_hub):
    hub = new_hub()
    hub.start()
    begin = datetime.datetime.now(BERLIN) - datetime.timedelta(minutes=1)
    path = hub.directory / "feed.zip"
    path.write_bytes(feed(begin))
    done = hubs.run("import", "gtfs", path, "--config", hub.config)
    assert done.returncode == 0 and f'"{ROUTE}" becomes line Linie_5___' in done.stdout + done.stderr
    for bus in ("ring", "shuttle"):
        assert hubs.run("lines", "set-bus", bus, "--seats", "8", "--config", hub.config).returncode == 0
    drivers = [await begun(hub, line) for line in (Ring(), Shuttle())]

    def both():
        found = {e.vehicle.vehicle.id: e.vehicle for e in published(hub, "vehicle-positions")}
        updates = {e.trip_update.vehicle.id: e.trip_update for e in published(hub, "trip-updates")}
        return (found, updates) if set(found) == set(updates) == {"ring", "shuttle"} else None

    vehicles, updates = await hub.until("both buses", both, 25 * patience.SCALE)
    ring, shuttle = vehicles["ring"], vehicles["shuttle"]
    assert (ring.trip.route_id, ring.trip.trip_id) == (ROUTE, TRIP)
    assert ring.trip.start_date == service_day(begin).strftime("%Y%m%d") and not ring.trip.HasField("start_time")
    assert (ring.stop_id, ring.current_stop_sequence) == ("b", 20)
    told = [(stop.stop_sequence, stop.stop_id) for stop in updates["ring"].stop_time_update]
    assert told == [(20, "b"), (30, "c"), (40, "Süd 1")], "the stop where it began comes again"
    assert updates["ring"].trip == ring.trip

    # A citizen names the stop as the lists do.
    [south] = [stop for stop in json.loads(hub.http("/v1/stops").text)["stops"] if stop.get("stop_id") == "Süd 1"]
    citizen = await rider(hub, drivers[0].line)
    request = await citizen.ask_for(stop=south["id"], at=citizen.now(15))
    assert (await drivers[0].until("stop.requested", request=request))["places"][0]["stop"] == south["id"]

    assert (shuttle.trip.route_id, shuttle.trip.trip_id) == ("plain", "often")
    assert shuttle.trip.schedule_relationship == gtfs.TripDescriptor.UNSCHEDULED
    hours, minutes, seconds = map(int, shuttle.trip.start_time.split(":"))
    assert minutes % 10 == 0 and seconds == 0, "a run of every ten minutes"
    start = midnight(datetime.datetime.strptime(shuttle.trip.start_date, "%Y%m%d").date())
    assert abs(start + 3600 * hours + 60 * minutes - time.time()) < 660
    [call] = updates["shuttle"].stop_time_update
    assert (call.stop_sequence, call.stop_id) == (1, "y"), "numbered from 0"
    assert call.schedule_relationship == gtfs.TripUpdate.StopTimeUpdate.UNSCHEDULED
    for driver in drivers:
        await driver.call("tour.end")
