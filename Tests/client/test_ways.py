"""Who says where it wants to go sees the vehicles that will come by and then go there: not those that have passed, and on a
route only those of the right direction (M3, M4, C52)."""

import pytest

from conftest import running
from kerbside import bus as buses
from kerbside.bus import BusDriver
from kerbside.feeds import OFTEN

pytestmark = pytest.mark.usefixtures("encoding")

#: The lines that a minibus may announce: out to the north and back on the same street.
ROUTES = [f"R{number}" for number in range(6)]
LENGTH = 4000


def street(hub):
    """Where the routes begin: far from everything that other tests do."""
    return hub.block().a.stand.moved(north=-2000)


@pytest.fixture(scope="module")
def hub():
    for hub in running(**OFTEN):
        found, text = buses.community(4)
        hub.lines = iter(found)
        hub.streets = {}
        for route in ROUTES:
            hub.streets[route] = start = street(hub)
            runs = []
            for direction, places in enumerate(([0, 2000, LENGTH], [LENGTH, 2000, 0])):
                rows = []
                for number, north in enumerate(places):
                    stop = f"{route}-{north}"
                    text["stops"][stop] = {"name": stop, **start.moved(north=north).fields}
                    rows.append({stop: f"{12 + number}:00"})
                runs.append({"headsign": str(direction), "direction": direction, "days": "mon-sun",
                             "from": "2026-01-01", "stops": rows})
            text["lines"][route] = {"name": route, "kind": "minibus", "runs": runs}
        buses.load(hub, text)
        hub.routes = iter(ROUTES)
        yield hub


async def watching(hub, cast, place, destination, worker, **options):
    """A passenger on that worker, or on another one than that, who wants to go there; and what it is shown of minibuses and
    buses."""
    passenger = await cast.passenger(hub).connect_to(**worker)
    wanted = {"filter": {"kind": ["minibus", "bus"]}} | options
    if destination:
        wanted["destination"] = destination.fields
    return passenger, await passenger.watch(place, 4500, **wanted)


async def both(hub, cast, driver, place, destination):
    """Two who want to go there: one on the driver's worker, one on the other."""
    worker = driver.worker
    return [await watching(hub, cast, place, destination, how) for how in ({"worker": worker}, {"other_than": worker})]


async def all_see(watchers, *vehicles):
    for passenger, near in watchers:
        await passenger.sees_all(near, vehicles)


async def begin_at(hub, cast, place, **route):
    minibus = cast.minibus(hub, place)
    await minibus.go_online()
    await minibus.call("route.set", **({"route": None} | route))
    return minibus


async def test_who_has_passed_is_gone_until_it_begins_its_way_anew(hub, cast):
    start = street(hub)
    here, there, end = (start.moved(north=metres) for metres in (600, 1500, 1800))
    minibus = await begin_at(hub, cast, start, start=start.fields, end=end.fields)
    waiting = await both(hub, cast, minibus, here, there)
    farther = await both(hub, cast, minibus, start.moved(north=1100), there)
    everybody = await both(hub, cast, minibus, here, None)
    await minibus.drive(here)
    await all_see(waiting + farther + everybody, minibus)
    # It stands there a while, and is not measured twice in the same place.
    for east in (12, -9, 14, -3):
        await minibus.fix(here.moved(east=east, north=east), after_ms=3000)
    await all_see(waiting, minibus)
    await minibus.drive(start.moved(north=800))
    await all_see(waiting)
    await all_see(farther + everybody, minibus)
    # Who comes later is shown the same, on either worker.
    await all_see(await both(hub, cast, minibus, here, there))
    # The driver's worker is another one from now on.
    await minibus.connect_to(other_than=minibus.worker)
    await minibus.fix()
    await all_see(waiting + await both(hub, cast, minibus, here, there))
    await all_see(farther, minibus)
    await minibus.drive(end)
    await all_see(farther)
    # Back to where it begins, by another street.
    await minibus.drive(end.moved(east=800), start.moved(east=800), start)
    await minibus.drive(start.moved(north=150))
    await all_see(waiting + farther + everybody, minibus)


async def test_a_way_that_comes_by_twice(hub, cast):
    start = street(hub)
    here, far = start.moved(north=1000), start.moved(north=2000)
    # Out, back on the same street, and then to the east.
    aside = start.moved(east=1500)
    minibus = await begin_at(hub, cast, start, start=start.fields, via=[far.fields, start.fields], end=aside.fields)
    out, back = await both(hub, cast, minibus, here, far), await both(hub, cast, minibus, here, aside)
    await all_see(out + back, minibus)
    await minibus.drive(start.moved(north=1300))
    await all_see(out)
    await all_see(back, minibus)
    await minibus.drive(far, start.moved(north=1200))
    await all_see(back + await both(hub, cast, minibus, here, aside), minibus)
    await all_see(out + await both(hub, cast, minibus, here, far))
    # Another worker has to know on which of the two passes it is.
    await minibus.connect_to(other_than=minibus.worker)
    await minibus.drive(start.moved(north=1100))
    await all_see(back, minibus)
    await all_see(out)
    await minibus.drive(start.moved(north=700))
    await all_see(back + out + await both(hub, cast, minibus, here, aside))


async def test_a_route_counts_in_the_direction_in_which_it_is_driven(hub, cast):
    route = next(hub.routes)
    start = hub.streets[route]
    here, north, south = (start.moved(north=metres) for metres in (2000, 3500, 500))
    minibus = await begin_at(hub, cast, start.moved(north=1000), route=route)
    out, back = await both(hub, cast, minibus, here, north), await both(hub, cast, minibus, here, south)
    # Nobody can say yet which way it goes: to the north it will come by, from the north it has.
    await all_see(out, minibus)
    await all_see(back)
    await minibus.drive(start.moved(north=1500))
    await all_see(out + await both(hub, cast, minibus, here, north), minibus)
    await all_see(back + await both(hub, cast, minibus, here, south))
    await minibus.drive(start.moved(north=2300))
    await all_see(out + back)
    # At the terminus the next round begins, on the way back.
    await minibus.drive(start.moved(north=LENGTH))
    await all_see(back, minibus)
    await minibus.drive(start.moved(north=3000))
    await all_see(back + await both(hub, cast, minibus, here, south), minibus)
    await all_see(out)
    await minibus.connect_to(other_than=minibus.worker)
    await minibus.fix()
    await all_see(back + await both(hub, cast, minibus, here, south), minibus)
    await all_see(out + await both(hub, cast, minibus, here, north))


async def test_a_bus_on_tour_goes_one_way_from_the_start(hub, cast):
    line = next(hub.lines)
    driver = BusDriver(hub, line)
    await driver.begin()
    await driver.fix(line.at(0))
    bus = cast.driver(hub, line.at(0))
    bus.subject = line.bus
    here, east, west = line.at(1500), line.at(3500), line.at(200)
    there, back = await both(hub, cast, driver, here, east), await both(hub, cast, driver, here, west)

    async def shown(watchers, *vehicles):
        bus.place, bus.clock = driver.place, driver.clock
        await all_see(watchers, *vehicles)

    await shown(there, bus)
    await shown(back)
    await driver.go(1500)
    await shown(there, bus)
    await driver.go(1800)
    await shown(there + back)


async def test_who_goes_offline_has_no_way(hub, cast):
    start = street(hub)
    end = start.moved(north=3000)
    minibus = await begin_at(hub, cast, start, start=start.fields, end=end.fields)
    key = hub.key("ways")
    waiting = await both(hub, cast, minibus, start.moved(north=500), end)
    await all_see(waiting, minibus)
    assert hub.redis.hexists(key, minibus.subject)
    await minibus.call("driver.unavailable")
    await all_see(waiting)
    assert not hub.redis.hexists(key, minibus.subject)
    await minibus.call("driver.available")
    await all_see(waiting, minibus)
    # What a hub of an earlier version has left: ways that it never kept, and one of a vehicle that is gone.
    hub.redis.delete(key)
    hub.redis.hset(key, "gone", "{}")
    await minibus.connect()
    await minibus.fix()
    await all_see(waiting + await both(hub, cast, minibus, start.moved(north=500), end), minibus)
    for passenger, _ in waiting:
        await passenger.leave("near")
