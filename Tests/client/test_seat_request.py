"""Seats in any minibus that goes there (M17)."""

import asyncio
import os
import signal

import pytest

from conftest import Cast, running
from kerbside.driver import Driver
from kerbside.minibus import trip
from kerbside.passenger import Passenger
from kerbside.protobuf import Binary


class BinaryPassenger(Binary, Passenger):
    pass


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return Cast() if request.param == "json" else Cast(Driver, BinaryPassenger)


@pytest.fixture(scope="module")
def hub():
    yield from running(server__workers=2, vehicles__fares=['*: 2km=5.00 10km=12.00 100km=170'])


async def going(hub, cast, here, metres, seats=4, back=False, other_than=None):
    """A minibus that is online so far north of the pickup and goes south by it; `back`: north."""
    place = here.a.centre.moved(north=metres)
    minibus = cast.minibus(hub, place, seats)
    await minibus.connect_to(other_than=other_than)
    await minibus.go_online()
    ends = [place.moved(north=100).fields, place.moved(north=-3000).fields]
    start, end = reversed(ends) if back else ends
    await minibus.call("route.set", start=start, end=end)
    return minibus


def wish(here, passengers=1):
    return trip(here.a.centre, here.a.centre.moved(north=-900), passengers)


async def test_m17_the_nearest_that_goes_there_is_asked_then_the_next(hub, cast):
    here = hub.block()
    near = await going(hub, cast, here, 300)
    far = await going(hub, cast, here, 900, other_than=near.worker)
    wrong = await going(hub, cast, here, 100, back=True)
    rider = await cast.rider(hub)
    reply = await rider.call("seat.request", **wish(here), key="k")
    assert reply["state"] == "searching"
    assert await rider.call("seat.request", **wish(here), key="k") == reply
    booking = reply["booking"]
    await rider.expect("seat.searching", booking=booking, reason="requested")
    await near.asked(booking)
    await near.call("seat.decline", booking=booking)
    await rider.expect("seat.searching", booking=booking, reason="declined")
    await far.take(booking)
    await rider.expect("seat.confirmed", booking=booking, vehicle=far.subject)
    await wrong.nothing_more()
    assert far.books() == (1, 0, 1) and near.books() == (0, 0, 0)


async def test_c27_when_nobody_takes_it_that_is_said_with_advice(hub, cast):
    here = hub.block()
    only = await going(hub, cast, here, 300)
    rider = await cast.rider(hub)
    booking = (await rider.call("seat.request", **wish(here)))["booking"]
    await rider.expect("seat.searching", booking=booking, reason="requested")
    await only.asked(booking)
    await only.call("seat.decline", booking=booking)
    failed = await rider.expect("seat.failed", booking=booking, reason="no_driver")
    assert "ride.request" in failed["detail"]


async def test_m17_with_none_that_goes_there_or_has_room_it_is_refused(hub, cast):
    here = hub.block()
    await going(hub, cast, here, 300, back=True)
    rider = await cast.rider(hub)
    await rider.refused("seat.request", "not_available", **wish(here))
    await going(hub, cast, here, 300, seats=2)
    await rider.refused("seat.request", "seats_full", **wish(here, passengers=3))


async def test_c60_nobody_pays_for_the_loops_that_a_minibus_announces(hub, cast):
    here = hub.block()
    looping, straight = await going(hub, cast, here, 300), await going(hub, cast, here, 400)
    place = here.a.centre
    loops = [place.moved(north=-400, east=9000 * side).fields for side in (1, -1, 1)]
    ends = {"start": place.moved(north=400).fields, "end": place.moved(north=-2700).fields}
    await looping.call("route.set", **ends, via=[place.moved(north=-300).fields, *loops, place.moved(north=-600).fields])
    rider = await cast.rider(hub)
    booking = (await rider.call("seat.request", **wish(here)))["booking"]
    assert (await rider.expect("seat.searching", booking=booking))["fare"]["amount"] == 500
    await straight.asked(booking)
    await straight.call("seat.decline", booking=booking)
    assert (await rider.expect("seat.searching", booking=booking, reason="declined"))["fare"]["amount"] == 1200
    await looping.asked(booking)


async def test_m17_it_is_taken_back_while_it_is_searched(hub, cast):
    here = hub.block()
    only = await going(hub, cast, here, 300)
    rider = await cast.rider(hub)
    booking = (await rider.call("seat.request", **wish(here)))["booking"]
    await rider.until("seat.searching")
    await only.asked(booking)
    await rider.call("seat.cancel")
    await rider.expect("seat.cancelled", booking=booking, by="passenger")
    await only.until("seat.withdrawn", booking=booking)
    assert only.books() == (0, 0, 0)


async def test_m17_workers_and_redis_die_and_the_next_is_asked_all_the_same(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    here = hub.block()
    near = await going(hub, cast, here, 300)
    far = await going(hub, cast, here, 900)
    rider = await cast.rider(hub)
    booking = (await rider.call("seat.request", **wish(here)))["booking"]
    await rider.until("seat.searching")
    await near.asked(booking)
    await hub.kill_workers(*hub.workers())
    os.kill(hub.redis_pid(), signal.SIGKILL)
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)
    hub._redis = None
    await far.back()
    await near.back()
    await rider.back()
    await near.steadily("seat.decline", booking=booking, key="d")
    await far.until("seat.requested", booking=booking)
    await far.steadily("offer.seen", ride=booking, key="s")
    await far.steadily("seat.accept", booking=booking, key="a")
    await rider.until("seat.confirmed", booking=booking, vehicle=far.subject)


async def test_c60_each_search_is_paid_for_as_it_begins(new_hub):
    """All minibuses near are read for a search: a dozen in one go would all be under way before any was paid for."""
    hub, cast = new_hub(server__workers=1, server__commands_per_second=20, server__commands_burst=60), Cast()
    hub.start()
    here = hub.block()
    await asyncio.gather(*(going(hub, cast, here, 300 + n) for n in range(64)))
    # Where nothing is near a search costs little, and says nothing of the next one.
    far = {"pickup": here.a.stand.moved(north=60_000).fields}
    for before in ({}, far):
        first = await cast.rider(hub)
        await first.ask("seat.request", **wish(here) | before)
        rider = await cast.rider(hub)
        replies = await asyncio.gather(*(rider.ask("seat.request", **wish(here), key=f"k{n}") for n in range(12)))
        codes = [reply["error"]["code"] for reply in replies if "error" in reply]
        # Two are under way at once.
        assert codes.count("rate_limited") >= 9, codes
