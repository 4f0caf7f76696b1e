"""A trip ends in two steps: what its meter says, and that its fare is written. Something dies between the two (M10, M11)."""

import asyncio
import os
import signal
import time

import pytest

from kerbside import patience
from kerbside.ledger import check_city
from test_trips import TARIFF, aboard

pytestmark = pytest.mark.alone


async def metered(hub, driver, ride):
    """The driver has ended its ride, with the key `end`: Redis has told what the meter says, and the worker, which stands still,
    has not read it. The worker's pid, and the reply to come."""
    worker = next(pid for pid, line in hub.processes().items() if f"--name {driver.worker} " in f"{line} ")
    with hub.redis.monitor() as commands:
        os.kill(hub.redis_pid(), signal.SIGSTOP)
        try:
            reply = driver.expect_reply(900_001, "ride.end")
            await driver.send({"id": 900_001, "cmd": "ride.end", "ride": ride, "key": "end"})
            # Refused by the worker alone, after it has seen to what came before; then it writes to Redis.
            await driver.refused("trip.rate", "bad_message", "stars", trip=ride, stars=9)
            await asyncio.sleep(0.2 * patience.PACE)
            os.kill(worker, signal.SIGSTOP)
        finally:
            os.kill(hub.redis_pid(), signal.SIGCONT)
        end = time.monotonic() + patience.PROCESS
        while "trip_meter" not in commands.next_command()["command"]:
            assert time.monotonic() < end, "the meter was not asked"
    # Answered after what Redis had to write then.
    assert hub.redis.ping() and hub.redis.hget(hub.key(f"ride:{ride}"), "state") == "aboard"
    return worker, reply


async def under_way(hub, cast):
    here = hub.block()
    passenger, driver, _, ride = await aboard(hub, cast, here, destination=here.b.centre.fields)
    await driver.drive(here.b.centre, step=200)
    await driver.known()
    return passenger, driver, ride


async def ended_once(hub, passenger, driver, ride):
    """Sent again with its key, over whichever worker: one trip, one fare, one receipt, told once."""
    end = await driver.steadily("ride.end", ride=ride, key="end")
    assert await driver.call("ride.end", ride=ride, key="end") == end
    if passenger.closed:
        await passenger.back()
    ended = await passenger.until("ride.ended", ride=ride)
    assert (ended["receipt"], ended["fare"]) == (end["receipt"], end["fare"])
    trip = await passenger.call("receipt.get", trip=ride)
    assert (trip["receipt"], trip["fare"]["amount"]) == (end["receipt"], end["fare"]["amount"])
    assert end["fare"]["amount"] == sum(part["amount"] for part in trip["fare"]["parts"])
    assert hub.redis.hvals(hub.key("receipts")) == ["1"]
    for client in (passenger, driver):
        assert [each["trip"] for each in (await client.call("trips.list"))["trips"]] == [ride]
        await client.settled()
    assert [event["type"] for event in passenger.events].count("ride.ended") == 1
    log = [row["type"] for _, row in hub.redis.xrange(hub.key("events"))]
    assert log.count("ride.ended") == 1
    check_city(hub)


async def test_m10_a_worker_is_killed_between_the_meter_and_the_fare(new_hub, cast):
    hub = new_hub(**TARIFF).start()
    passenger, driver, ride = await under_way(hub, cast)
    before = driver.worker
    worker, reply = await metered(hub, driver, ride)
    await hub.kill_workers(worker)
    await driver.wait_closed()
    assert not reply.done() and hub.redis.hget(hub.key(f"ride:{ride}"), "state") == "aboard"
    await driver.back()
    assert driver.worker != before
    await ended_once(hub, passenger, driver, ride)


async def test_m10_redis_is_killed_between_the_meter_and_the_fare(new_hub, cast):
    hub = new_hub(**TARIFF).start()
    passenger, driver, ride = await under_way(hub, cast)
    # Written through every second; then it may die.
    await asyncio.sleep(1.5)
    worker, reply = await metered(hub, driver, ride)
    os.kill(hub.redis_pid(), signal.SIGKILL)
    hub._redis = None
    os.kill(worker, signal.SIGCONT)
    answer = await asyncio.wait_for(reply, patience.PROCESS)
    assert answer["error"]["code"] == "unavailable" and answer["error"]["retry"] is True
    await ended_once(hub, passenger, driver, ride)
