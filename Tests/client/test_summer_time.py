"""Figures of taxis across changes to and from summer time, in cities whose clocks are changed by night or at midnight."""

import collections
import datetime
import json
import zoneinfo

import pytest

from kerbside import bus as buses, figures, patience
from kerbside.driver import PunctualDriver
from kerbside.names import fresh

#: Hub time runs so many times as fast, and begins so many seconds before the change: enough to ask for some rides.
FAST, BEFORE = 4, 24 * patience.SCALE


@pytest.mark.parametrize(("zone", "change", "hours"), [
    # There is no 2:30.
    ("Europe/Rome", "2027-03-28T01:00:00Z", {("2027-03-28", 1): 2, ("2027-03-28", 3): 1}),
    # 2:30 comes twice, and there is one row of its hour.
    ("Europe/Rome", "2026-10-25T01:00:00Z", {("2026-10-25", 2): 3}),
    # A day without its first hour, and one that ends twice.
    ("Asia/Beirut", "2027-03-27T22:00:00Z", {("2027-03-27", 23): 2, ("2027-03-28", 1): 1}),
    ("Asia/Beirut", "2026-10-24T21:00:00Z", {("2026-10-24", 23): 3}),
], ids=["spring", "autumn", "spring at midnight", "autumn at midnight"])
async def test_c41_a_ride_counts_in_the_hour_that_the_citys_clock_showed_when_it_was_asked_for(new_hub, cast, zone, change, hours):
    moment, clock = datetime.datetime.fromisoformat(change), zoneinfo.ZoneInfo(zone)
    start = moment - datetime.timedelta(seconds=BEFORE)
    hub = new_hub(clock__start=start.strftime("%Y-%m-%dT%H:%M:%SZ"), clock__scale=FAST).start()
    [_], text = buses.community(1)
    text["time_zone"] = zone
    buses.load(hub, text)

    def is_east(at):
        """The hub knows how far its city's clock is from UTC's at that time."""
        return hub.redis.hget(hub.key("settings"), "utc_offset_s") == str(int(at.astimezone(clock).utcoffset().total_seconds()))

    def logged():
        return [
            (datetime.datetime.fromtimestamp(int(row["time"]) / 1000, datetime.UTC), row["type"], json.loads(row["data"]))
            for _, row in hub.redis.xrange(hub.key("events"))]

    def asked(ride):
        return next(at for at, kind, data in logged() if kind == "ride.requested" and data["ride"] == ride)

    await hub.until("its clock", lambda: is_east(start))
    here = hub.block().a
    first, second = PunctualDriver(hub, fresh("T"), here.stand), PunctualDriver(hub, fresh("T"), here.stand)
    await first.go_available()
    one, two, three = [await cast.rider(hub) for _ in range(3)]
    # Before the change: one ride that is over before it, too, and one that is not.
    short = await one.request(here.centre)
    await first.accept(short)
    await one.call("ride.cancel", ride=short)
    await one.until("ride.cancelled")
    long = await two.request(here.centre)
    await first.accept_next(long)
    await first.call("ride.aboard", ride=long)
    await second.go_available()
    assert asked(long) < moment, "this machine is too slow"
    await hub.until("the change", lambda: is_east(moment), BEFORE + patience.PROCESS)
    await first.call("ride.end", ride=long)
    late = await three.request(here.centre)
    await second.offered(late)
    await three.call("ride.cancel", ride=late)
    assert asked(late) >= moment
    by_hand = collections.Counter((str(at.date()), at.hour) for at in (asked(r).astimezone(clock) for r in (short, long, late)))
    assert by_hand == hours
    days = sorted(date for date, _ in hours)

    def rows():
        answer = figures.ask_taxis(hub, from_=days[0], to=days[-1])
        found = answer.json["hours"]
        return found if sum(row["requested"] for row in found) >= 3 else None

    found = await hub.until("the figures", rows)
    assert {(row["date"], row["hour"]): row["requested"] for row in found} == hours, found
    assert [sum(row[what] for row in found) for what in ("accepted", "ended", "cancelled")] == [2, 1, 2], found
