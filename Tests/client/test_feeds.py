"""Feeds: who watches sees what there is to see for it, all of it, at once, and nothing else."""

import asyncio
import itertools
import time

import pytest

from conftest import running
from kerbside import patience
from kerbside.feeds import OFTEN, one_available


@pytest.fixture(scope="module")
def hub():
    yield from running(**OFTEN)


# What there is


async def test_a_snapshot_comes_first_and_has_all_there_is(hub, cast):
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 3)
    passenger, operator = await cast.rider(hub), await cast.operator(hub)
    for picture in (
        await passenger.follow(f"zone:{here.a.id}"),
        await passenger.watch(here.a.stand, 300),
        await operator.follow(f"zone:{here.a.id}"),
        await operator.watch(here.a.stand, 300),
    ):
        assert picture.snapshots == 1 and picture.ids == {driver.subject for driver in drivers}
        assert all(picture.shows(driver, state="available", kind="taxi", freshness="live") for driver in drivers)
    city = await operator.follow("city")
    assert all(city.shows(driver, state="available") for driver in drivers)
    for driver in drivers:
        assert (await passenger.follow(f"vehicle:{driver.subject}")).shows(driver)
    assert (await passenger.follow(f"zone:{here.b.id}")).vehicles == {}, "an empty zone has an empty snapshot"
    assert (await passenger.follow("vehicle:T-unheard-of")).vehicles == {}


async def test_a_moving_vehicle_comes_in_short_rows_with_its_exact_time(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    pictures = [
        await passenger.follow(f"zone:{zone.id}"),
        await passenger.watch(zone.stand, 1000),
        await passenger.follow(f"vehicle:{driver.subject}"),
    ]
    times = []
    for place in zone.stand.towards(zone.stand.moved(east=300), 30):
        await driver.fix(place, heading=90)
        times.append(driver.clock)
        for picture in pictures:
            await passenger.sees_all(picture, [driver], state="available", heading=90)
    for picture in pictures:
        rows = picture.rows[driver.subject]
        assert [at for at, _ in rows] == times, "each fix once, at its own time"
        full = sum(not is_short for _, is_short in rows)
        assert full <= 1, f"{full} of {len(rows)} rows of {picture.channel} are full; only where the cell changes"


@pytest.mark.parametrize("how", ["unavailable", "busy", "offline", "elsewhere"])
async def test_who_can_not_be_had_any_more_is_gone(new_hub, cast, how):
    hub = new_hub(**OFTEN, dispatch__away_grace_ms=300).start()
    driver, zone, passenger = await one_available(hub, cast)
    pictures = [await passenger.follow(f"zone:{zone.id}"), await passenger.watch(zone.stand, 300)]
    if how != "elsewhere":
        pictures.append(await passenger.follow(f"vehicle:{driver.subject}"))
    for picture in pictures:
        assert picture.shows(driver, state="available")
    if how == "unavailable":
        await driver.call("driver.unavailable")
    elif how == "busy":
        other = await cast.rider(hub)
        await other.request(zone.centre)
        await driver.accept()
    elif how == "offline":
        await driver.cut()
    else:
        await driver.drive(zone.centre.moved(east=1600))
    for picture in pictures:
        await passenger.sees_all(picture, [])
        assert picture.messages[-1][1].get("gone") == [driver.subject]
    if how == "unavailable":
        await driver.call("driver.available")
        for picture in pictures:
            await passenger.sees_all(picture, [driver], state="available")


async def test_an_operator_sees_states_change(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    operator = await cast.operator(hub)
    pictures = [await operator.follow("city"), await operator.follow(f"zone:{zone.id}")]

    async def seen(state):
        for picture in pictures:
            await operator.sees(picture, lambda shown: shown.shows(driver, state=state), f"{driver.subject} {state}")

    await seen("available")
    await passenger.request(zone.centre)
    await driver.accept()
    await seen("busy")
    await driver.call("ride.aboard")
    await driver.fix(zone.centre)
    await seen("busy")
    await driver.call("ride.end")
    await seen("available")
    await driver.call("driver.unavailable")
    await seen("unavailable")


# Around a place


async def test_re_centring_moves_the_circle(hub, cast):
    here = hub.block()
    [west] = await cast.queue(hub, here.a.centre, 1)
    [east] = await cast.queue(hub, here.c.centre, 1)
    passenger = await cast.rider(hub)
    near = await passenger.watch(here.a.centre, 400)
    await passenger.sees_all(near, [west])
    await passenger.watch(here.c.centre, 400)
    await passenger.sees_all(near, [east])
    assert near.snapshots == 2
    # What moves where nobody looks any more is not told.
    rows = len(near.rows.get(west.subject, []))
    await west.fix(here.a.centre.moved(east=30))
    await east.fix(here.c.centre.moved(east=30))
    await passenger.sees_all(near, [east])
    assert len(near.rows.get(west.subject, [])) == rows
    await passenger.watch(here.b.centre, 2500)
    await passenger.sees_all(near, [west, east])
    await passenger.watch(here.b.centre, 2500, filter={"state": ["busy"]})
    await passenger.sees_all(near, [])


async def test_a_circle_shows_all_within_and_little_more(hub, cast):
    here = hub.block()
    places = [here.b.centre.moved(north=n, east=e) for n, e in ((0, 90), (290, 0), (-200, 200), (0, 1000), (-900, 0))]
    drivers = [(await cast.queue(hub, place, 1))[0] for place in places]
    passenger = await cast.rider(hub)
    near = await passenger.watch(here.b.centre, 300)
    await passenger.sees_all(near, drivers[:3])
    reply = await passenger.call("watch", **here.b.centre.fields, radius=300)
    assert 4 <= reply["cells"] <= 9, "cells of some 400 m"


@pytest.mark.parametrize("radius", [49, 5001, -1, "100", None])
async def test_a_radius_out_of_range_is_refused(hub, cast, radius):
    passenger = await cast.rider(hub)
    await passenger.refused("watch", "bad_message", "radius", lat=45, lon=9, radius=radius)


async def test_the_smallest_and_the_largest_circle(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    near = await passenger.watch(zone.stand, 50)
    await passenger.sees_all(near, [driver])
    await passenger.watch(zone.stand, 5000)
    assert near.shows(driver)


# Filters, seats, routes


async def test_seats_and_routes_are_seen_as_they_change(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    picture = await passenger.follow(f"zone:{zone.id}")
    for taken in (3, 0, 4):
        assert await driver.call("seats.set", taken=taken) == {"seats": 4 - taken}
        await passenger.sees_all(picture, [driver], seats=4 - taken)
    for route in ("R7", None, "line-9:b"):
        assert await driver.call("route.set", route=route) == {"route": route}
        await passenger.sees_all(picture, [driver], route=route, seats=0)
    await driver.refused("seats.set", "bad_message", taken=5)
    await driver.refused("seats.set", "bad_message", "taken", taken=-1)
    await driver.refused("route.set", "bad_message", "route", route="")
    await driver.refused("route.set", "bad_message", "route")
    await passenger.refused("seats.set", "forbidden", taken=1)
    await passenger.refused("route.set", "forbidden", route="R7")
    # Known from the start to who comes later, and again after the driver comes back.
    await driver.cut()
    await driver.resume()
    await driver.fix()
    later = await cast.rider(hub)
    shown = await later.follow(f"zone:{zone.id}")
    await later.sees_all(shown, [driver], seats=0, route="line-9:b")


async def test_seats_set_takes_effect_once(hub, cast):
    driver, _, _ = await one_available(hub, cast)
    assert await driver.call("seats.set", taken=1, key="one") == {"seats": 3}
    assert await driver.call("seats.set", taken=2, key="two") == {"seats": 2}
    assert await driver.call("seats.set", taken=1, key="one") == {"seats": 3}, "the reply that it got"
    assert hub.redis.hget(hub.key(f"vehicle:{driver.subject}"), "seats") == "2"


async def test_a_filter_lets_through_what_matches_all_of_it(hub, cast):
    here = hub.block()
    free, full, silent = await cast.queue(hub, here.a.stand, 3)
    passenger, operator = await cast.rider(hub), await cast.operator(hub)
    await free.call("seats.set", taken=1)
    await free.call("route.set", route="R7")
    await full.call("seats.set", taken=4)
    await full.call("route.set", route="R8")
    await silent.call("driver.unavailable")
    channel = f"zone:{here.a.id}"
    for wanted, watcher, drivers in [
        ({}, passenger, [free, full]),
        ({"seats": 1}, passenger, [free]),
        ({"seats": 3}, passenger, [free]),
        ({"seats": 4}, passenger, []),
        ({"route": "R7"}, passenger, [free]),
        ({"route": "R8", "seats": 1}, passenger, []),
        ({"kind": ["taxi"]}, passenger, [free, full]),
        ({"kind": ["bus", "minibus"]}, passenger, []),
        ({"state": ["unavailable", "busy"]}, passenger, []),
        ({}, operator, [free, full, silent]),
        ({"state": ["unavailable"]}, operator, [silent]),
        ({"state": ["available", "unavailable"], "kind": ["taxi", "bus"]}, operator, [free, full, silent]),
    ]:
        picture = await watcher.follow(channel, filter=wanted)
        assert picture.ids == {driver.subject for driver in drivers}, wanted


async def test_what_comes_to_match_appears_and_what_ceases_to_is_gone(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    operator = await cast.operator(hub)
    await driver.call("seats.set", taken=0)
    seats = await passenger.follow(f"zone:{zone.id}", filter={"seats": 2})
    route = await passenger.watch(zone.stand, 500, filter={"route": "R7"})
    busy = await operator.follow(f"vehicle:{driver.subject}", filter={"state": ["busy"]})
    await passenger.sees_all(seats, [driver])
    await passenger.sees_all(route, [])
    await driver.call("seats.set", taken=3)
    await passenger.sees_all(seats, [])
    await driver.fix(zone.stand.moved(east=20))
    await driver.call("route.set", route="R7")
    await passenger.sees_all(route, [driver], seats=1)
    await driver.call("seats.set", taken=2)
    await passenger.sees_all(seats, [driver], seats=2)
    await driver.call("route.set", route=None)
    await passenger.sees_all(route, [])
    assert busy.vehicles == {}
    other = await cast.rider(hub)
    await other.request(zone.centre)
    await driver.accept()
    await operator.sees_all(busy, [driver], state="busy")
    await passenger.sees_all(seats, [])


@pytest.mark.parametrize(
    "field, options",
    {
        "filter.kind": {"filter": {"kind": ["tram"]}},
        "filter.state": {"filter": {"state": []}},
        "filter.seats": {"filter": {"seats": 0}},
        "filter.route": {"filter": {"route": 7}},
        "filter": {"filter": "taxi"},
        "max_rate": {"max_rate": 21},
    }.items(),
)
async def test_a_wrong_option_is_named(hub, cast, field, options):
    passenger = await cast.rider(hub)
    await passenger.refused("subscribe", "bad_message", field, channel=f"zone:{hub.block().a.id}", **options)


# How often


async def test_max_rate_is_kept_and_no_final_state_is_lost(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    thin = await passenger.follow(f"zone:{zone.id}", max_rate=2)
    thick = await passenger.watch(zone.stand, 1000)
    began, moves = time.monotonic(), 0
    while time.monotonic() < began + 2.5:
        await driver.fix(zone.stand.moved(east=20 * (moves % 2), north=moves % 7), after_ms=1000)
        moves += 1
        await asyncio.sleep(0.03)
    for picture in (thin, thick):
        await passenger.sees_all(picture, [driver])
    came = [message["time"] for _, message in thin.messages if message["type"] == "positions"]
    assert 3 <= len(came) <= 2 * (time.monotonic() - began) + 1, f"{len(came)} messages for {moves} moves"
    # By the hub's ticks half a second apart; a late tick is nearer to the next one.
    assert all(later - earlier > 300 for earlier, later in itertools.pairwise(came))
    assert len(thick.messages) > 3 * len(thin.messages)


async def test_nothing_is_sent_while_nothing_changes(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    pictures = [await passenger.follow(f"zone:{zone.id}"), await passenger.watch(zone.stand, 1000)]
    await asyncio.sleep(0.5)
    assert all(len(picture.messages) == 1 for picture in pictures)
    assert await driver.fix() == {}  # it stands, and says so
    await passenger.sees_all(pictures[0], [driver])


async def test_the_silent_turn_stale_and_are_gone_then(new_hub, cast):
    hub = new_hub(**OFTEN, feeds__stale_after_ms=1500, feeds__gone_after_ms=4000).start()
    driver, zone, passenger = await one_available(hub, cast)
    operator = await cast.operator(hub)
    pictures = [
        (passenger, await passenger.follow(f"zone:{zone.id}")),
        (passenger, await passenger.watch(zone.stand, 500)),
        (operator, await operator.follow("city")),
        (operator, await operator.follow(f"vehicle:{driver.subject}")),
    ]
    began = time.monotonic()
    for freshness in ("live", "stale", "live"):
        if freshness == "live":
            await driver.fix()
            began = time.monotonic()
        for watcher, picture in pictures:
            await watcher.sees_all(picture, [driver], freshness=freshness)
        assert freshness == "live" or time.monotonic() - began > 1.0
    for watcher, picture in pictures:
        await watcher.sees_all(picture, [], within=10 * patience.SCALE)
    assert time.monotonic() - began > 3.5
    # Who comes now does not see it either.
    later = await cast.rider(hub)
    assert (await later.follow(f"zone:{zone.id}")).vehicles == {}
    assert (await later.follow(f"vehicle:{driver.subject}")).vehicles == {}
    await driver.fix(zone.stand.moved(east=20))
    for watcher, picture in pictures:
        await watcher.sees_all(picture, [driver], freshness="live")


async def test_freshness_follows_the_hubs_own_clock(new_hub, cast):
    """A hundred times as fast, with the defaults: 90 s and 600 s of hub time."""
    hub = new_hub(**OFTEN, clock__scale=100).start()
    driver, _zone, _ = await one_available(hub, cast)
    operator = await cast.operator(hub)
    city = await operator.follow("city")
    await driver.fix()
    began = time.monotonic()
    await operator.sees_all(city, [driver], freshness="live")
    await operator.sees_all(city, [driver], freshness="stale")
    assert time.monotonic() - began > 0.5
    await operator.sees_all(city, [], within=12 * patience.SCALE)
    assert time.monotonic() - began > 5
