"""Something dies. Nothing is lost, nothing is doubled, and it comes back by itself."""

import asyncio
import os
import signal
import time

import pytest
from websockets.exceptions import ConnectionClosed

from kerbside import patience
from kerbside.hub import environment, is_alive, run
from kerbside.ledger import check_city

#: Nobody here says that an offer was seen, and what has died may be away for seconds: offers wait for it.
PATIENT = {"dispatch__offer_seen_timeout_ms": 60_000, "dispatch__offer_timeout_ms": 300_000}


async def test_a_worker_is_killed_and_its_clients_resume(new_hub, cast):
    hub = new_hub(**PATIENT).start()
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 6)
    passengers = [await cast.rider(hub) for _ in range(6)]
    rides = [await passenger.request(here.a.centre) for passenger in passengers[:3]]
    for driver, ride in zip(drivers[:2], rides[:2], strict=True):
        await driver.accept(ride)
    await drivers[2].offered(rides[2])

    victim, survivor = hub.workers()
    await hub.kill_workers(victim)
    everyone = [*drivers, *passengers]
    assert survivor in hub.workers()
    for client in everyone:
        try:
            await client.barrier()
        except (AssertionError, ConnectionClosed):  # it was the victim's
            await client.wait_closed()
    lost = [client for client in everyone if client.closed]
    assert all(client.closed[0] == 1006 for client in lost)
    await asyncio.gather(*(client.back() for client in lost))

    await drivers[2].call("offer.accept", ride=rides[2])
    await drivers[2].expect("ride.assigned", ride=rides[2])
    for driver, passenger, ride in zip(drivers[:3], passengers[:3], rides, strict=True):
        await passenger.expect("ride.accepted", ride=ride, taxi=driver.subject)
    # The queue is as it was: the next three are asked in their order.
    for driver, passenger in zip(drivers[3:], passengers[3:], strict=True):
        await driver.accept(await passenger.request(here.a.centre))
    for client in everyone:
        await client.settled()
    check_city(hub)


async def test_both_workers_are_killed_in_the_middle_of_an_offer(new_hub, cast):
    """Nobody is there to notice but the ones that are started anew: the offer still ends, and the next is asked."""
    hub = new_hub(dispatch__offer_timeout_ms=int(800 * patience.PACE), dispatch__accept_grace_ms=0).start()
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride)
    for pid in hub.workers():
        os.kill(pid, signal.SIGKILL)
    await first.wait_closed()
    await asyncio.gather(first.back(), second.back(), passenger.back())
    await first.until("offer.withdrawn", ride=ride)
    await second.accept(ride)
    await passenger.until("ride.accepted", taxi=second.subject)
    check_city(hub)


async def test_a_worker_is_killed_again_and_again(new_hub, cast):
    hub = new_hub(**PATIENT).start()
    here = hub.block()
    driver, passenger = cast.driver(hub, here.a.stand), await cast.rider(hub)
    await driver.go_available()
    for turn in range(4):
        key = f"{driver.subject}-{turn}"
        fields = {**here.a.centre.fields, "passengers": 1, "key": key}
        ride = (await passenger.steadily("ride.request", **fields))["ride"]
        # The one that was killed before may not be there again yet.
        await hub.until("both workers", lambda: len(hub.workers()) == 2)
        victim = hub.workers()[turn % 2]
        killing = asyncio.create_task(hub.kill_workers(victim))
        await driver_until(driver, "offer.made", ride=ride)
        await driver.steadily("offer.accept", ride=ride, key=key + "a")
        await driver.steadily("ride.aboard", ride=ride, key=key + "b")
        await driver.steadily("ride.end", ride=ride, key=key + "e")
        await killing
    for client in (driver, passenger):
        if client.closed:
            await client.back()
        await client.settled()
    assert [e["type"] for e in passenger.events] == ["ride.searching", "ride.accepted", "ride.aboard", "ride.ended"] * 4
    check_city(hub)


async def driver_until(driver, kind, **data):
    end = time.monotonic() + patience.PROCESS
    while not (found := [e for e in driver.unseen if e["type"] == kind and e["data"] == e["data"] | data]):
        assert time.monotonic() < end, f"{kind} {data} never came"
        if driver.closed:
            await driver.back()
        await asyncio.sleep(0.01)
    driver.skip()
    return found[0]["data"]


async def test_redis_is_killed_and_comes_back_with_everything(new_hub, cast):
    hub = new_hub().start()
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger, other = await cast.rider(hub), await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.accept(ride)
    await passenger.expect("ride.accepted", ride=ride)

    old = hub.redis_pid()
    os.kill(old, signal.SIGKILL)
    codes = set()
    end = time.monotonic() + patience.PROCESS
    fields = {**here.a.centre.fields, "passengers": 1, "key": "through-the-storm"}
    while True:
        reply = await other.ask("ride.request", **fields)
        if "ok" in reply:
            break
        codes.add(reply["error"]["code"])
        assert reply["error"]["code"] == "unavailable" and reply["error"]["retry"] is True, reply
        assert time.monotonic() < end, "Redis did not come back"
        await asyncio.sleep(0.005)
    assert codes == {"unavailable"}, "not one command met the gap"
    assert hub.redis_pid() not in (None, old)
    assert all(client.closed is None for client in (first, second, passenger, other)), "clients stay connected"
    hub._redis = None

    second_ride = reply["ok"]["ride"]
    await other.until("ride.searching", ride=second_ride)
    await second.accept(second_ride)
    await other.expect("ride.accepted", taxi=second.subject)
    await first.drive(here.a.centre)
    await passenger.expect("ride.near", ride=ride)
    await passenger.expect("ride.arrived", ride=ride)
    await first.expect("ride.confirm_aboard", ride=ride)
    await first.call("ride.aboard", ride=ride)
    await first.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)
    check_city(hub)


async def test_events_published_around_the_death_of_redis_arrive_once(new_hub, cast):
    hub = new_hub(**PATIENT).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    for turn in range(3):
        key = f"{passenger.subject}-{turn}"
        ride = (await passenger.steadily("ride.request", **here.a.centre.fields, passengers=1, key=key))["ride"]
        os.kill(hub.redis_pid(), signal.SIGKILL)
        await driver_until(driver, "offer.made", ride=ride)
        await driver.steadily("offer.accept", ride=ride, key=key + "a")
        await passenger.steadily("ride.cancel", ride=ride, key=key + "c")
        await driver_until(driver, "ride.cancelled", ride=ride)
        await hub.until("Redis again", lambda: hub.redis_pid() is not None)
    hub._redis = None
    await driver.settled()
    await passenger.settled()
    assert [e["type"] for e in passenger.events] == ["ride.searching", "ride.accepted", "ride.cancelled"] * 3
    check_city(hub)


async def test_readiness_tells_that_redis_hangs_and_commands_say_unavailable(new_hub, cast):
    hub = new_hub(redis__command_timeout_ms=int(300 * patience.PACE)).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    redis_pid = hub.redis_pid()
    os.kill(redis_pid, signal.SIGSTOP)
    try:
        error = await passenger.refused("ride.request", "unavailable", **here.a.centre.fields, passengers=1, key="k")
        assert error["retry"] is True
        await hub.until("not ready", lambda: hub.http("/readyz").status == 503)
        assert hub.http("/healthz").status == 200, "alive, though not ready"
    finally:
        os.kill(redis_pid, signal.SIGCONT)
    reply = await passenger.steadily("ride.request", **here.a.centre.fields, passengers=1, key="k")
    await driver.steadily("driver.available")  # its worker may be another, and be back later
    await driver.accept(reply["ride"])
    await passenger.until("ride.accepted")
    assert [e["type"] for e in passenger.events] == ["ride.searching", "ride.accepted"]
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)


def test_two_hubs_on_one_data_directory(new_hub):
    hub = new_hub().start()
    second = new_hub()
    second.write_config(data__dir=str(hub.data))
    result = run("serve", "--config", second.config)
    assert result.returncode != 0
    assert "data directory" in result.stderr and str(hub.data) in result.stderr
    assert hub.http("/readyz").status == 200


def test_a_port_that_is_taken_is_said_so(new_hub):
    hub = new_hub().start()
    second = new_hub()
    second.write_config(server__port=hub.port)
    result = run("serve", "--config", second.config)
    assert result.returncode != 0 and str(hub.port) in result.stderr


async def test_the_supervisor_is_killed_and_a_new_one_takes_over(new_hub, cast):
    hub = new_hub().start()
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    children = hub.processes()
    workers = hub.workers()
    hub.process.kill()
    await asyncio.to_thread(hub.process.wait)
    hub.process = None
    hub._redis = None
    for client in (first, second):
        assert (await client.wait_closed(patience.PROCESS))[0] in (1006, 1012)
    end = time.monotonic() + patience.PROCESS
    while any(map(is_alive, workers)):
        assert time.monotonic() < end, "workers outlive their supervisor"
        await asyncio.sleep(0.02)
    hub.start()
    await asyncio.gather(first.back(), second.back())
    assert await second.call("driver.available") == {"state": "available", "zone": here.a.id, "rank": 2, "size": 2}
    passenger = await cast.rider(hub)
    await first.accept(await passenger.request(here.a.centre))
    check_city(hub)
    old_redis = [pid for pid, line in children.items() if "redis-server" in line]
    assert not any(map(is_alive, old_redis)), "the Redis of the first hub is still there"


@pytest.mark.parametrize("has_parent", [True, False])
async def test_a_process_that_begins_after_its_parent_has_ended_ends_at_once(has_parent):
    # As the kernel tells a child only of an end that is still to come.
    parent = os.getpid() if has_parent else 1
    result = await asyncio.to_thread(
        run, "serve", "--end-with-parent", "--config", "/nonexistent.yaml",
        env=environment(KERBSIDE_PARENT=str(parent)))
    assert (result.returncode == -signal.SIGTERM) != has_parent
    assert ("/nonexistent.yaml" in result.stderr) == has_parent


async def test_redis_cannot_be_started_and_it_is_said_so(new_hub):
    hub = new_hub(redis__server="/nonexistent/redis-server")
    result = await asyncio.to_thread(run, "serve", "--config", hub.config)
    assert result.returncode != 0 and "/nonexistent/redis-server" in result.stderr


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "unix:///nonexistent/redis.sock"])
def test_an_external_redis_that_is_not_there_is_said_so(new_hub, url):
    hub = new_hub(redis__url=url)
    result = run("serve", "--config", hub.config)
    assert result.returncode != 0 and "redis" in result.stderr.lower()
