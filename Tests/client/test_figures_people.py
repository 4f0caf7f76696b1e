"""Figures tell how many, never who (B16, M19): what is written for them in Redis, what stays, what records and HTTP tell."""

import re

import pytest

from conftest import running
from kerbside import figures, tables
from kerbside.bus import BusDriver
from kerbside.minibus import book, trip
from kerbside.recording import recorded, recording
from kerbside.stops import rider

#: The keys of figures, by what they begin with, and the notes from which a sweep adds them up.
SUMS, NOTES = {"figures", "taxis", "seats", "vain"}, {"taxis_over", "seats_over"}
#: That somebody was counted, so as not to count it again; for how many seconds at most it is known.
COUNTED = {"asked-in-vain": 600, "unmet": 600, "refused": 600, "fetched": 3600}
VIEWS = {"taxi_figures": "zone", "seat_figures": "route", "stop_figures": "line", "line_figures": "line"}


@pytest.fixture(scope="module")
def hub():
    yield from recording("sqlite", running, stops__wait_ms=0)


class Overheard:
    """All that Redis is told to write while it lasts."""

    def __init__(self, hub):
        self._hub = hub
        self._link = hub.redis.connection_pool.get_connection()
        self._link.send_command("MONITOR")
        assert self._link.read_response() == "OK"

    def commands(self):
        """What came so far, as (the key without its city, the whole line); those that have none are left out."""
        self._hub.redis.echo("all-of-it")
        found = []
        while '"all-of-it"' not in (line := self._link.read_response()):
            key = re.match(r'\S+ \[[^\]]*\] "\w+" "' + re.escape(self._hub.key("")) + '([^"]*)"', line)
            if key:
                found.append((key[1], line))
        self._link.disconnect()
        return found


def family(key):
    return key.partition(":")[0]


async def taxis(hub, cast, here):
    """Rides that end, that are taken back, that fail, and one that nobody is there for; who took part, and who found nobody."""
    [driver] = await cast.queue(hub, here.a.stand, 1)
    ends, cancels, fails, refused = people = [await cast.rider(hub) for _ in range(4)]
    ride = await ends.request(here.a.centre, destination=here.b.centre.fields)
    await driver.accept_next(ride)
    await driver.fix(here.a.centre)
    await ends.until("ride.arrived", ride=ride)
    await driver.call("ride.aboard", ride=ride)
    await driver.call("ride.end", ride=ride)
    ride = await cancels.request(here.a.centre)
    await driver.accept_next(ride)
    await cancels.call("ride.cancel", ride=ride)
    ride = await fails.request(here.a.centre)
    await driver.until("offer.made", ride=ride)
    await driver.call("driver.unavailable")
    await fails.until("ride.failed", ride=ride)
    for _ in range(2):
        await refused.refused("ride.request", "zone_empty", **here.c.centre.fields, passengers=1)
    return [driver, *people], refused


async def seats(hub, cast, zone, line):
    """Bookings on the line that end, that are declined, and those for which there is no seat; who took part, and who found none."""
    minibus = cast.minibus(hub, zone.stand)
    await minibus.go_online()
    await minibus.call("route.set", route=line.id)
    ends, declined, full, nowhere = people = [await cast.rider(hub) for _ in range(4)]
    to = zone.centre.moved(north=-900)
    booking = await book(ends, minibus, zone.centre, to)
    await minibus.until("seat.requested", booking=booking)
    await minibus.call("seat.accept", booking=booking)
    await minibus.fix(zone.centre)
    await ends.until("seat.arrived", booking=booking)
    await minibus.call("seat.aboard", booking=booking)
    await minibus.call("seat.end", booking=booking)
    booking = await book(declined, minibus, zone.centre, to)
    await minibus.until("seat.requested", booking=booking)
    await minibus.call("seat.decline", booking=booking)
    await declined.until("seat.declined", booking=booking)
    await minibus.call("seats.set", taken=14)
    await full.refused("seat.book", "seats_full", vehicle=minibus.subject, **trip(zone.centre, to))
    await minibus.call("driver.unavailable")
    await nowhere.refused("seat.request", "not_available", **trip(zone.centre, to))
    return [minibus, *people], [full, nowhere]


async def stops(hub, line):
    """A request for a stop while nobody drives, and one that is served; who took part, the driver first."""
    driver, citizen = BusDriver(hub, line), await rider(hub, line)
    await citizen.not_asked("no_driver", 2500)
    await driver.begin()
    request = await citizen.ask_for(2000)
    await driver.call("stop.accept", request=request)
    await driver.call("stop.complete", request=request)
    await driver.call("stop.next")
    await driver.call("tour.end")
    return [driver, citizen]


def stored(hub):
    """Key without its city → all that is in it."""
    found, redis = {}, hub.redis
    reads = {"hash": redis.hgetall, "string": redis.get, "list": lambda key: redis.lrange(key, 0, -1)}
    for key in redis.scan_iter(hub.key("*"), count=1000):
        name = key.removeprefix(hub.key(""))
        if family(name) in SUMS | NOTES | COUNTED.keys():
            found[name] = str(reads[redis.type(key)](key))
    return found


async def test_b16_m19_figures_tell_how_many_and_never_who(hub, cast):
    here, line, overheard = hub.block(), next(hub.lines), Overheard(hub)
    in_taxis, found_nobody = await taxis(hub, cast, here)
    in_minibus, found_no_seat = await seats(hub, cast, here.a, line)
    on_line = await stops(hub, line)
    people = [one.subject for one in (*in_taxis, *in_minibus, *on_line)] + ["Ada"]

    def named(text):
        return [one for one in people if one in text]

    await hub.until("added up", lambda: not hub.redis.exists(*map(hub.key, NOTES)))
    # What was written on the way: only where people asked for seats in vain stands with who it was, until the next sweep.
    written = [(family(key), command) for key, command in overheard.commands() if family(key) in SUMS | NOTES]
    assert {kind for kind, _ in written} == SUMS | NOTES, "the test has made them all count"
    in_clear = [command for kind, command in written if named(command) and not (kind == "seats_over" and ' "v ' in command)]
    assert not in_clear, in_clear
    # What stays.
    known = stored(hub)
    sums = {key: text for key, text in known.items() if family(key) in SUMS}
    assert {family(key) for key in sums} == SUMS
    for key, text in sums.items():
        assert not named(key + text), (key, text)
        assert hub.redis.ttl(hub.key(key)) > 0, f"{key} is kept for good"
    # Only that somebody was counted names it, says nothing else, and goes by itself.
    once = {key: text for key, text in known.items() if family(key) in COUNTED}
    expected = {f"asked-in-vain:{found_nobody.subject}", *(f"unmet:{one.subject}" for one in found_no_seat)}
    assert {key for key in once if family(key) in ("asked-in-vain", "unmet")} == expected
    assert {family(key) for key in once} == COUNTED.keys()
    for key, text in once.items():
        assert len(named(key)) == 1 and not named(text), (key, text)
        assert 0 < hub.redis.ttl(hub.key(key)) <= COUNTED[family(key)], key
    # What is told of it, and what the records say.
    for path in ("", "/taxis", "/seats"):
        for kind in ("", ".csv"):
            told = figures.ask(hub, f"/v1/stats{path}{kind}").text
            assert told and not named(told), told
    await recorded(hub)
    for view, of in VIEWS.items():
        rows = tables.rows("", hub.data, hub.city, view)
        assert rows and not named(str(rows)), (view, rows)
        texts = {name: value for row in rows.values() for name, value in row.items() if isinstance(value, str)}
        assert texts.keys() <= {of, "stop"}, (view, texts)
