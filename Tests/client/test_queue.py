"""Zones and their queues: first come, first served, and a place is not lost by accident."""

import asyncio

import pytest

from conftest import IN_BOTH, running
from kerbside import patience

pytestmark = pytest.mark.usefixtures("encoding")

GRACE_MS = int(1500 * patience.PACE)


@pytest.fixture(scope="module")
def hub():
    yield from running(blocks=60, dispatch__away_grace_ms=GRACE_MS)


@pytest.fixture(scope="module")
def hasty_hub():
    """Places are lost at once, and for good."""
    yield from running(dispatch__away_grace_ms=100, dispatch__recovery_ms=100)


async def asked_next(hub, cast, zone):
    """Who is first in line, found out by asking: the passenger takes the request back."""
    passenger = await cast.rider(hub)
    ride = await passenger.request(zone.centre)
    made = await hub.logged("offer.made", ride=ride)
    await passenger.call("ride.cancel", ride=ride)
    return made["driver"]


async def test_first_come_first_served(hub, cast):
    here = hub.block()
    drivers = [cast.driver(hub, here.a.stand.moved(east=-20 * n)) for n in range(4)]
    for rank, driver in enumerate(drivers, 1):
        place = await driver.go_available()
        assert place == {"state": "available", "zone": here.a.id, "rank": rank, "size": rank}
    for driver in drivers:
        passenger = await cast.rider(hub)
        await driver.accept(await passenger.request(here.a.centre))


async def test_the_nearest_is_not_preferred(hub, cast):
    here = hub.block()
    [far] = await cast.queue(hub, here.a.stand, 1)
    [near] = await cast.queue(hub, here.a.centre, 1)
    assert await asked_next(hub, cast, here.a) == far.subject
    await near.nothing_more()


async def test_available_needs_a_position_inside_a_zone(hub, cast):
    here = hub.block()
    driver = cast.driver(hub, here.outside)
    await driver.connect()
    await driver.refused("driver.available", "no_position")
    await driver.fix()
    await driver.refused("driver.available", "outside_zones")
    await driver.nothing_more()
    await driver.drive(here.a.stand, step=200)
    assert (await driver.call("driver.available"))["zone"] == here.a.id


async def test_a_phone_whose_clock_is_behind_is_as_good(new_hub, cast):
    """The device's clock orders its fixes; how fresh they are is told by the hub's own."""
    hub = new_hub(positions__max_age_ms=7_200_000).start()
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    driver.clock -= 3_600_000
    place = await driver.go_available()
    assert place["zone"] == here.a.id
    passenger = await cast.rider(hub)
    await driver.accept(await passenger.request(here.a.centre))
    await driver.drive(here.a.centre)
    await driver.barrier()
    await passenger.until("ride.near")
    await passenger.until("ride.arrived")


async def test_available_twice_is_one_place(hub, cast):
    here = hub.block()
    first, _second = await cast.queue(hub, here.a.stand, 2)
    assert await first.call("driver.available") == {"state": "available", "zone": here.a.id, "rank": 1, "size": 2}
    await first.nothing_more()


async def test_unavailable_leaves_the_queue(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    assert await first.call("driver.unavailable") == {"state": "unavailable"}
    await first.expect("queue.left", zone=here.a.id, reason="unavailable")
    assert await first.call("driver.unavailable") == {"state": "unavailable"}
    await first.nothing_more()
    assert await asked_next(hub, cast, here.a) == second.subject
    place = await first.call("driver.available")
    assert (place["rank"], place["size"]) == (2, 2), "on purpose is on purpose: at the bottom"


async def test_a_queue_is_joined_six_times_in_a_minute_and_left_at_any_time(hub, cast):
    here = hub.block()
    [waiting] = await cast.queue(hub, here.a.stand, 1)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    for _ in range(5):
        await driver.call("driver.unavailable")
        assert (await driver.call("driver.available"))["rank"] == 2
    for _ in range(3):
        assert await driver.call("driver.unavailable") == {"state": "unavailable"}
        error = await driver.refused("driver.available", "rate_limited")
        assert error["retry"] is True and 0 < error["retry_after_ms"] <= 60_000
    assert await asked_next(hub, cast, here.a) == waiting.subject
    await waiting.state("queue.rank", lambda d: d["size"] == 1)
    assert hub.redis.zcard(hub.key(f"queue:{here.a.id}")) == 1


@IN_BOTH
async def test_ranks_are_pushed_when_they_change_with_the_reason(hub, cast):
    here = hub.block()
    first, second, third = await cast.queue(hub, here.a.stand, 3)
    await second.state("queue.rank", lambda d: d["size"] == 3)
    await first.call("driver.unavailable")
    told = await second.state("queue.rank", lambda d: d["rank"] == 1)
    assert told == {"zone": here.a.id, "rank": 1, "size": 2, "reason": "unavailable"}
    told = await third.state("queue.rank", lambda d: d["rank"] == 2)
    assert (told["size"], told["reason"]) == (2, "unavailable")
    passenger = await cast.rider(hub)
    await second.accept(await passenger.request(here.a.centre))
    told = await third.state("queue.rank", lambda d: d["rank"] == 1)
    assert (told["size"], told["reason"]) == (1, "accepted")


async def test_a_rank_that_comes_while_its_driver_catches_up_is_told_afterwards(new_hub, cast):
    """A driver's device catches up when another one of the same driver leaves; the queue is just being read then."""
    tick_ms = 400
    hub = new_hub(server__workers=1, positions__tick_ms=tick_ms, redis__command_timeout_ms=20_000).start()
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    other = second.twin()
    await other.connect()
    await cast.queue(hub, here.a.stand, 1)
    await second.state("queue.rank", lambda d: d["size"] == 3)
    # A queue is read once a tick: this change with the next one, which waits for Redis, and so does what the device asks then.
    await first.call("driver.unavailable")
    await first.expect("queue.left", zone=here.a.id)
    hub.redis.execute_command("CLIENT", "PAUSE", 4 * tick_ms, "ALL")
    await asyncio.sleep(2 * tick_ms / 1000)
    await other.cut()
    await second.state("queue.rank", lambda d: d["rank"] == 1)


async def test_the_rank_of_a_waiting_driver_never_grows(hub, cast):
    """Others come and go; nobody who does nothing falls back."""
    here = hub.block()
    waiting, *others = await cast.queue(hub, here.a.stand, 4)
    last = (await cast.queue(hub, here.a.stand, 1))[0]
    for driver in others:
        await driver.call("driver.unavailable")
        await driver.expect("queue.left")
    for driver in others:
        await driver.call("driver.available")
    await last.state("queue.rank", lambda d: d == d | {"rank": 2, "size": 5})
    ranks = [message["data"]["rank"] for message in last.states["queue.rank"]]
    assert ranks == sorted(ranks, reverse=True)
    assert all(message["data"]["rank"] == 1 for message in waiting.states.get("queue.rank", []))


async def test_another_zone_takes_three_fixes_and_then_the_bottom(hub, cast):
    here = hub.block()
    [waiting] = await cast.queue(hub, here.b.stand, 1)
    [driver, behind] = await cast.queue(hub, here.a.stand, 2)
    await driver.fix(here.b.centre)
    await driver.fix(here.b.centre.moved(north=30))
    await driver.barrier()
    await driver.nothing_more()
    await driver.fix(here.b.centre.moved(north=60))
    await driver.expect("queue.left", zone=here.a.id, reason="moved")
    await driver.expect("queue.joined", zone=here.b.id, rank=2, size=2, reason="moved")
    await behind.state("queue.rank", lambda d: d["rank"] == 1 and d["size"] == 1)
    assert await asked_next(hub, cast, here.b) == waiting.subject


def corner(here):
    """60 m inside zone a, at its corner with b and with the country outside."""
    return type(here.a.centre)(here.a.south, here.b.west).moved(north=60, east=-60)


async def test_one_bad_fix_never_costs_the_place(hub, cast):
    here = hub.block()
    stand = corner(here)
    first, _second = await cast.queue(hub, stand, 2)
    for _ in range(4):
        for bad in (stand.moved(east=200), stand.moved(north=-200), stand.moved(north=-200, east=200)):
            await first.fix(bad)
            await first.fix(stand)
    await first.barrier()
    await first.nothing_more()
    assert await asked_next(hub, cast, here.a) == first.subject


async def test_two_bad_fixes_in_a_row_do_not_either(hub, cast):
    here = hub.block()
    stand = corner(here)
    first, _second = await cast.queue(hub, stand, 2)
    for _ in range(3):
        await first.fix(stand.moved(east=200))
        await first.fix(stand.moved(north=-200))
        await first.fix(stand)
    await first.barrier()
    await first.nothing_more()
    assert await asked_next(hub, cast, here.a) == first.subject


async def test_a_jump_of_the_receiver_is_not_believed(hub, cast):
    here = hub.block()
    first, _second = await cast.queue(hub, here.a.stand, 2)
    for _ in range(3):
        await first.fix(here.c.centre.moved(east=20_000), after_ms=1000)
        await first.fix(here.a.stand, after_ms=1000)
    await first.barrier()
    await first.nothing_more()
    assert await asked_next(hub, cast, here.a) == first.subject


async def test_outside_by_less_than_the_accuracy_moves_nobody(hub, cast):
    here = hub.block()
    edge = type(here.a.centre)(here.a.centre.lat, here.b.west)
    driver = cast.driver(hub, edge.moved(east=-30))
    await driver.go_available()
    for n in range(20):
        await driver.fix(edge.moved(east=(-30, 15, 25, -10)[n % 4]), accuracy=30)
    for _ in range(6):
        await driver.fix(edge.moved(east=25), accuracy=30)
    await driver.barrier()
    await driver.nothing_more()


async def test_inaccurate_fixes_move_nobody(hub, cast):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    await driver.go_available()
    for n in range(5):
        await driver.fix(here.b.centre.moved(north=10 * n), accuracy=90)
    await driver.barrier()
    await driver.nothing_more()


async def test_outside_all_zones_and_back_gets_the_old_place(hub, cast):
    here = hub.block()
    stand = corner(here)
    first, second = await cast.queue(hub, stand, 2)
    for n in range(3):
        await first.fix(stand.moved(north=-200, east=-10 * n))
    await first.expect("queue.left", zone=here.a.id, reason="outside_zones")
    assert await asked_next(hub, cast, here.a) == second.subject
    for n in range(3):
        await first.fix(stand.moved(east=-10 * n))
    await first.expect("queue.joined", zone=here.a.id, rank=1, size=2, reason="recovered")
    assert await asked_next(hub, cast, here.a) == first.subject


async def test_away_keeps_the_place_but_is_skipped(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    await first.cut()
    await hub.logged("driver.away", driver=first.subject)
    assert await asked_next(hub, cast, here.a) == second.subject
    await first.resume()
    await first.nothing_more()
    assert await first.call("driver.available") == {"state": "available", "zone": here.a.id, "rank": 1, "size": 2}
    assert await asked_next(hub, cast, here.a) == first.subject


async def test_away_for_longer_loses_the_place_and_gets_it_back(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    await first.cut()
    await hub.logged("queue.left", driver=first.subject, reason="connection_lost")
    await second.state("queue.rank", lambda d: d["rank"] == 1 and d["size"] == 1)
    await first.resume()
    await first.expect("queue.left", zone=here.a.id, reason="connection_lost")
    await first.expect("queue.joined", zone=here.a.id, rank=1, size=2, reason="recovered")
    assert await asked_next(hub, cast, here.a) == first.subject


async def test_after_the_recovery_time_the_place_is_gone(hasty_hub, cast):
    hub = hasty_hub
    here = hub.block()
    first, _second = await cast.queue(hub, here.a.stand, 2)
    await first.cut()
    left = await hub.logged("queue.left", driver=first.subject, reason="connection_lost")
    assert left["zone"] == here.a.id
    expiry = int(hub.redis.hget(hub.key(f"vehicle:{first.subject}"), "lost_until"))
    await hub.until("the recovery time over", lambda: hub.redis.time()[0] * 1000 > expiry + 1000)
    await first.resume()
    await first.expect("queue.left", reason="connection_lost")
    await first.nothing_more()
    await first.fix()
    place = await first.call("driver.available")
    assert (place["rank"], place["size"]) == (2, 2)


async def test_going_unavailable_forgets_the_place(hub, cast):
    here = hub.block()
    first, _second = await cast.queue(hub, here.a.stand, 2)
    await first.call("driver.unavailable")
    await first.cut()
    await first.resume()
    await first.expect("queue.left", reason="unavailable")
    await first.nothing_more()
    assert (await first.call("driver.available"))["rank"] == 2


async def test_a_silent_driver_is_not_asked(new_hub, cast):
    hub = new_hub(dispatch__away_grace_ms=100, dispatch__stale_after_ms=1000).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    away = await hub.logged("driver.away", driver=driver.subject)
    assert away["reason"] == "stale"
    passenger = await cast.rider(hub)
    await passenger.refused("ride.request", "zone_empty", **here.a.centre.fields, passengers=1)
    await hub.logged("queue.left", driver=driver.subject, reason="stale")
    await driver.expect("queue.left", zone=here.a.id, reason="stale")
    await driver.fix()
    await driver.expect("queue.joined", zone=here.a.id, rank=1, reason="recovered")
    await driver.accept(await passenger.request(here.a.centre))


async def test_all_away_is_an_empty_zone(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    await driver.cut()
    await hub.logged("driver.away", driver=driver.subject)
    passenger = await cast.rider(hub)
    error = await passenger.refused("ride.request", "zone_empty", **here.a.centre.fields, passengers=1)
    assert error["retry"] is True


async def test_a_waiting_request_is_offered_to_a_driver_who_comes(hub, cast):
    here = hub.block()
    [first] = await cast.queue(hub, here.a.stand, 1)
    one, two = await cast.rider(hub), await cast.rider(hub)
    await first.accept(await one.request(here.a.centre))
    # Nobody is free, but the request came while one was: `first` is on its way out of the queue.
    await two.refused("ride.request", "zone_empty", **here.a.centre.fields, passengers=1)
    [_second, _third] = await cast.queue(hub, here.a.stand, 2)
    three, four, five = [await cast.rider(hub) for _ in range(3)]
    await three.request(here.a.centre)
    await four.request(here.a.centre)
    ride = await five.request(here.a.centre)
    await five.nothing_more()
    [fourth] = await cast.queue(hub, here.a.stand, 1)
    await fourth.offered(ride)


async def test_borders_and_corners_belong_to_one_zone(hub, cast):
    here = hub.block()
    edge = here.a.centre.lat, here.b.west
    corner = here.a.south, here.b.west
    zones = set()
    for lat, lon in (edge, corner):
        driver = cast.driver(hub, type(here.a.centre)(lat, lon))
        await driver.connect()
        await driver.fix()
        reply = await driver.ask("driver.available")
        assert reply.get("ok", {}).get("zone") in (here.a.id, here.b.id, None), reply
        zones.add(reply.get("ok", {}).get("zone"))
    assert zones & {here.a.id, here.b.id}, "a border between two zones lies inside the city"
