"""What is expected now and in the hour after (Q10), of requests that the hub has counted: of recorded cabs, at their hours."""

import collections
import contextlib
import csv
import datetime
import os
import pathlib

import pytest

from kerbside.asker import Asker
from kerbside.hub import ROOT
from kerbside.names import fresh
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_reservations import HOUR, MINUTE, come, now, on_time

DATA = pathlib.Path(os.environ.get("KERBSIDE_TEST_DATA", ROOT.parent / "shared" / "data")) / "taxi-sf-cabspotting"
CABS = DATA / "sf_cabs_2008-05-21.csv"
#: The city's clock there, and here: without lines it is UTC.
WEST = datetime.timedelta(hours=-7)
WEDNESDAY = datetime.date(2008, 5, 21)
#: One in so many pick-ups is asked for.
SHARE = 8
#: Metres a second, and how much longer streets are than the straight line: the defaults of `eta`.
SPEED, DETOUR = 25 / 3.6, 1.35
#: So many days count as much as what is known otherwise.
DOUBT = 2

pytestmark = pytest.mark.skipif(not CABS.exists(), reason=f"no recorded cabs at {DATA} (set KERBSIDE_TEST_DATA)")


def pick_ups():
    """hour of the recorded day → longitudes at which a cab was hired then."""
    hired, hours, count = {}, collections.defaultdict(list), 0
    with CABS.open() as file:
        for row in csv.DictReader(file):
            if (hired.get(row["cab"]), row["occupied"]) == ("0", "1"):
                count += 1
                time = datetime.datetime.fromtimestamp(int(row["ts"]), datetime.UTC) + WEST
                if time.date() == WEDNESDAY and count % SHARE == 0:
                    hours[time.hour].append(float(row["lon"]))
            hired[row["cab"]] = row["occupied"]
    return hours


def clock(day, hour=0):
    """That hour of the city's clock, ms."""
    return int(datetime.datetime.combine(day, datetime.time(), datetime.UTC).timestamp() * 1000) + hour * HOUR


def expected(asked, zone, at):
    """Requests in the hour that begins at `at`, by those that were asked for: day → zone → hour → how many."""
    moment = datetime.datetime.fromtimestamp(at / 1000, datetime.UTC)
    known = {day: zones for day, zones in asked.items() if day < moment.date()}
    city = [sum(hours[hour] for zones in known.values() for hours in zones.values()) for hour in range(24)]
    own = [[zones[zone][hour] for hour in range(24)] for zones in known.values()]
    same = [zones[zone][moment.hour] for day, zones in known.items() if day.weekday() == moment.weekday()]
    usual = sum(map(sum, own)) / len(known) * city[moment.hour] / sum(city)
    any_day = (sum(hours[moment.hour] for hours in own) + DOUBT * usual) / (len(known) + DOUBT)
    return (sum(same) + DOUBT * any_day) / (len(same) + DOUBT)


def outlook(asked, zone, at):
    """In the next 60 minutes, and in the 60 after them: each is a part of one hour and a part of the next."""
    begin, passed = at - at % HOUR, at % HOUR / HOUR
    first, second, third = (expected(asked, zone, begin + ahead * HOUR) for ahead in range(3))
    return first * (1 - passed) + second * passed, second * (1 - passed) + third * passed


def wait(rank, here, later):
    """Seconds until the last of so many has a ride; None: nobody can say."""
    if rank <= here:
        return 3600 * rank / here
    return 3600 + 3600 * (rank - here) / later if rank < here + later else None


async def advised(hub, driver, rank, asked, zones):
    """What a driver is told, and what is due, by zone: asked until both are the same, as what was known is told for ten seconds."""
    told, due = {}, {}

    async def are_same():
        answer = await driver.call("advice.get")
        rows = {row["zone"]: row for row in (answer["here"], *answer["zones"])}
        told.clear()
        due.clear()
        for zone in zones:
            soon, later = outlook(asked, zone.id, now(hub))
            row = rows.get(zone.id, {})
            told[zone.id] = [row.get("expected"), row.get("later"), row.get("wait_s")]
            is_here = zone is zones[0]
            seconds = wait(rank if is_here else 1, soon, later)
            if seconds and not is_here:
                seconds += driver.place.distance(zone.centre) * DETOUR / SPEED
            requests = (pytest.approx(count, abs=0.11) for count in (soon, later))
            due[zone.id] = [*requests, seconds and pytest.approx(seconds, abs=60)]
        return told == due

    with contextlib.suppress(AssertionError):
        await hub.until("as due", are_same)
    return told, due


async def test_q10_now_and_the_hour_after_are_what_was_asked_for_at_those_hours(new_hub):
    hub = new_hub(advice__every_min=0, clock__start="2008-05-20T23:00:00Z").start()
    here = hub.block()
    zones = (here.a, here.b, here.c)
    asked = {}

    async def ask(day, hour, longitudes):
        """They ask where no taxi is. And a ride is taken, which counts, and one is taken back before, which does not."""
        await come(hub, clock(day, hour) + 20 * MINUTE)
        counts = asked.setdefault(day, {zone.id: [0] * 24 for zone in zones})
        for longitude in longitudes:
            zone = zones[(longitude > -122.42) + (longitude > -122.405)]
            Asker(hub, "passenger", fresh("p")).refused("ride.request", "zone_empty", **zone.centre.fields, passengers=1)
            counts[zone.id][hour] += 1
        [driver] = await on_time(hub, City(), here)
        for is_taken in (False, True):
            rider = await City().rider(hub)
            ride = await rider.request(here.a.centre)
            if is_taken:
                await driver.accept_next(ride)
                counts[here.a.id][hour] += 1
            else:
                await driver.until("offer.made", ride=ride)
            await rider.call("ride.cancel", ride=ride)
            await driver.until("queue.joined" if is_taken else "offer.withdrawn")
        await driver.call("driver.unavailable")
        await hub.until("all is counted", lambda: not hub.redis.exists(hub.key("taxis_over")))

    recorded = pick_ups()
    for hour in (0, 1, 7, 8, 9, 23):
        await ask(WEDNESDAY, hour, recorded[hour])
    # A Thursday's morning, as busy as the night before.
    await ask(WEDNESDAY + datetime.timedelta(days=1), 8, recorded[1])

    for day, hour, minute in ((2, 6, 48), (6, 23, 42), (7, 7, 12)):
        await come(hub, clock(WEDNESDAY + datetime.timedelta(days=day), hour) + minute * MINUTE)
        drivers = [(await on_time(hub, cast, here))[0] for cast in (City(), City(BinaryDriver, BinaryPassenger, BinaryOperator))]
        for rank, driver in enumerate(drivers, 1):
            told, due = await advised(hub, driver, rank, asked, zones)
            assert told == due
        for driver in drivers:
            await driver.call("driver.unavailable")
