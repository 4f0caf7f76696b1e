"""Who is taken for gone: nobody that was not asked (C59), and nobody for a time in which the hub itself stood still."""

import asyncio
import os
import signal

import pytest

from kerbside import patience
from kerbside.minibus import book

#: Longer than server.offer_dead_after_ms, shorter than server.ping_ms: so long nobody asks, and a parked car is silent.
SILENCE = 7.5


async def _silent_taxi(hub, cast, heard_after):
    """A driver that has nothing to say for a while, then is asked; so long its first word takes on its link."""
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    await asyncio.sleep(SILENCE)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.offered(ride, seen=False)
    await asyncio.sleep(heard_after)
    await driver.call("offer.seen", ride=ride)
    assert (await driver.call("offer.accept", ride=ride))["ride"] == ride
    await driver.expect("ride.assigned", ride=ride)
    await passenger.expect("ride.accepted", ride=ride, taxi=driver.subject)
    assert driver.closed is None


async def _silent_minibus(hub, cast, heard_after):
    here = hub.block()
    minibus, passenger = cast.minibus(hub, here.a.stand), await cast.rider(hub)
    await minibus.go_online()
    await asyncio.sleep(SILENCE)
    booking = await book(passenger, minibus, here.a.centre, here.b.centre)
    await minibus.asked(booking, seen=False)
    await asyncio.sleep(heard_after)
    await minibus.call("offer.seen", ride=booking)
    await minibus.call("seat.accept", booking=booking)
    await passenger.until("seat.confirmed", booking=booking)
    assert minibus.closed is None


async def test_an_offer_does_not_cut_a_driver_that_was_silent(new_hub, cast):
    """With the default times of links; the offers wait longer."""
    hub = new_hub(dispatch__offer_seen_timeout_ms=60_000).start()
    async with asyncio.TaskGroup() as together:
        for heard_after in (0.3, 1, 2):
            together.create_task(_silent_taxi(hub, cast, heard_after))
            together.create_task(_silent_minibus(hub, cast, heard_after))


async def test_the_other_phone_is_not_cut_when_it_takes_over_the_offer(new_hub, cast):
    """The first phone is lost with the offer open; the hub reads anew how things stand, for one that was silent for long."""
    hub = new_hub(
        dispatch__offer_seen_timeout_ms=60_000,
        server__offer_ping_ms=int(600 * patience.PACE),
        server__offer_dead_after_ms=int(1500 * patience.PACE),
    ).start()
    here = hub.block()
    phone = cast.driver(hub, here.a.stand)
    await phone.go_available()
    tablet = phone.twin()
    await tablet.connect()
    await asyncio.sleep(2 * patience.PACE)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await tablet.offered(ride, seen=False)
    await phone.cut()
    await asyncio.sleep(2 * patience.PACE)
    await tablet.call("offer.accept", ride=ride)
    await passenger.expect("ride.accepted", ride=ride)
    assert tablet.closed is None


@pytest.fixture
def impatient_hub(new_hub):
    """One worker, which gives up whoever is silent for a moment."""
    return new_hub(
        server__workers=1,
        server__ping_ms=int(500 * patience.PACE),
        server__dead_after_ms=int(1200 * patience.PACE),
        server__hello_timeout_ms=int(2000 * patience.PACE),
    ).start()


async def stand_still(hub):
    """The worker, for longer than anybody may be silent."""
    [worker] = hub.workers()
    os.kill(worker, signal.SIGSTOP)
    try:
        await asyncio.sleep(4 * patience.PACE)
    finally:
        os.kill(worker, signal.SIGCONT)


async def test_a_worker_that_stood_still_gives_nobody_up(impatient_hub, cast):
    hub = impatient_hub
    drivers = [cast.driver(hub) for _ in range(5)]
    for driver in drivers:
        await driver.connect()
    await stand_still(hub)
    # Some pings later.
    await asyncio.sleep(2 * patience.PACE)
    for driver in drivers:
        await driver.barrier()
    assert "driver.away" not in {row["type"] for _, row in hub.redis.xrange(hub.key("events"))}
    # Who is gone is still found out.
    drivers[0].ws.transport.pause_reading()
    await hub.logged("driver.away", driver=drivers[0].subject, reason="connection_lost")


async def test_a_hello_that_comes_while_the_worker_stands_still_is_in_time(impatient_hub, cast):
    passenger = cast.passenger(impatient_hub)
    await passenger.open()
    _, reply = await asyncio.gather(stand_still(impatient_hub), passenger.hello())
    assert reply["subject"] == passenger.subject
    await passenger.barrier()
