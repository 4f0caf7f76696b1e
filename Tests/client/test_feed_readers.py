"""A reader that stands still while a city moves: little memory, nobody else held up, and nothing lost."""

import asyncio
import itertools
import socket
import time

from kerbside import patience
from kerbside.feeds import OFTEN
from kerbside.flood import resident

# Seconds for which a reader stands still.
STILL = 60 if patience.SCALE == 1 else 10


async def small_socket(hub):
    """A connection whose kernel takes next to nothing for a program that does not read."""
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.setblocking(False)
    await asyncio.get_running_loop().sock_connect(link, ("127.0.0.1", hub.port))
    return link


async def traffic(drivers, zone):
    """All drive on, ten times a second, without waiting for any answer, until cancelled."""
    turn = 0
    while True:
        for number, driver in enumerate(drivers):
            driver.clock += 100
            # To and fro, 20 m/s.
            driver.place = zone.stand.moved(east=abs((turn + number) % 80 - 40) * 2, north=-(number % 20))
            await driver.send({"cmd": "position", **driver.place.fields, "at": driver.clock, "accuracy": 5})
        turn += 1
        await asyncio.sleep(0.1)


async def test_a_reader_that_stops_reading_costs_little_and_loses_nothing(new_hub, cast):
    hub = new_hub(**OFTEN, server__workers=1).start()
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 80)
    slow, quick = cast.passenger(hub), await cast.rider(hub)
    await slow.connect(sock=await small_socket(hub))
    pictures = {}
    for client in (slow, quick):
        pictures[client] = [await client.follow(f"zone:{here.a.id}"), await client.watch(here.a.stand, 1500)]
    driving = asyncio.create_task(traffic(drivers, here.a))
    await asyncio.sleep(1)  # memory that is needed anyway is there now
    [worker] = hub.workers()
    before = resident(worker)
    slow.ws.transport.pause_reading()
    stopped = time.monotonic()
    phone = slow.twin()
    await phone.connect()
    rides, peak = 0, 0
    while time.monotonic() < stopped + STILL:
        if rides < 20:
            rides += 1
            await phone.request(here.a.centre)
            await phone.call("ride.cancel")
            await phone.expect("ride.cancelled")
        peak = max(peak, resident(worker))
        await asyncio.sleep(0.2)
    assert slow.closed is None, "it is behind, and is not closed"
    # The sanitizer keeps what was freed for a while.
    assert peak - before < 6 << 20 or patience.SCALE > 1, f"{(peak - before) >> 10} KiB more for one reader that stands still"
    assert hub.metric("kerbside_feeds_conflated_total") > 20, "nothing was left out: it was never behind"
    times = [at for at, _ in pictures[quick][0].messages if at > stopped]
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    usual = sorted(gaps)[len(gaps) // 2]
    assert max(gaps) < max(20 * usual, patience.MESSAGE), f"another reader waited {max(gaps)} s, and otherwise {usual} s"

    due = {driver.subject: driver.clock for driver in drivers}
    took = len(pictures[slow][0].messages)
    slow.ws.transport.resume_reading()
    for picture in pictures[slow]:
        await slow.sees(
            picture,
            lambda shown: all(shown.vehicles[subject].at >= at for subject, at in due.items()),
            "what is so now",
        )
    driving.cancel()
    await asyncio.gather(driving, return_exceptions=True)
    for client in (slow, quick):
        for picture in pictures[client]:
            await client.sees_all(picture, drivers, state="available")
    assert len(pictures[slow][0].messages) - took < 80, "it was told all that it had missed"
    await slow.settled()
    assert [event["type"] for event in slow.events] == ["ride.searching", "ride.cancelled"] * rides


async def test_snapshots_asked_for_at_once_are_each_told_once_and_updates_follow(new_hub, cast):
    """A worker tells so much of them in a turn of its loop, and goes on in the next."""
    hub = new_hub(**OFTEN, server__workers=1).start()
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 3)
    operator, passenger = await cast.operator(hub), await cast.rider(hub)
    watchers = [operator] + [operator.twin() for _ in range(7)]
    for twin in watchers[1:]:
        await twin.connect()
    more = [[], ["busy"], ["unavailable"], ["busy", "unavailable"]]
    filters = [{"kind": kind, "state": ["available", *states]} for states in more for kind in (["taxi"], ["taxi", "bus"])]
    *pictures, mine = await asyncio.gather(
        *(twin.follow("city", filter=wanted) for twin, wanted in zip(watchers, filters, strict=True)),
        passenger.follow(f"zone:{here.a.id}"),
    )
    for driver in drivers:
        await driver.fix(here.a.stand.moved(east=30))
    for watcher, picture in zip([*watchers, passenger], [*pictures, mine], strict=True):
        await watcher.sees_all(picture, drivers, state="available")
        assert picture.snapshots == 1


async def test_a_connection_that_died_silently_is_given_up(new_hub, cast):
    """It reads nothing more and answers no ping: its feeds end with it."""
    hub = new_hub(**OFTEN, server__workers=1, server__ping_ms=300, server__dead_after_ms=1500).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    dead = cast.passenger(hub)
    await dead.connect(sock=await small_socket(hub))
    await dead.follow(f"zone:{here.a.id}")
    assert hub.redis.pubsub_channels(hub.key("feed:*"))
    dead.ws.transport.pause_reading()
    # They are kept for 10 s after their last reader.
    await hub.until(
        "its cells are left", lambda: not hub.redis.pubsub_channels(hub.key("feed:*")), 30 * patience.SCALE
    )
    dead.ws.transport.resume_reading()
    await dead.wait_closed(patience.PROCESS)
    await driver.fix()
