"""Feeds between workers, and around the death of everything that they come through: no stale vehicle afterwards."""

import asyncio
import os
import random
import signal
import time

import pytest
from websockets.exceptions import ConnectionClosed

from conftest import running
from kerbside import patience, truth
from kerbside.feeds import OFTEN, one_available


@pytest.fixture(scope="module")
def hub():
    yield from running(**OFTEN)


async def apart(hub, cast, here, count):
    """Drivers on one worker, and a passenger on each of the two: (drivers, here, there)."""
    first = cast.driver(hub, here.a.stand)
    await first.go_available()
    worker = first.worker
    drivers = [first]
    for _ in range(count - 1):
        drivers.append(await cast.driver(hub, here.a.stand).connect_to(worker))
        await drivers[-1].go_available()
    beside = await cast.passenger(hub).connect_to(worker)
    away = await cast.passenger(hub).connect_to(other_than=worker)
    return drivers, beside, away


async def steadily(client):
    """The app's own behaviour: try again until it works, then resume."""
    while client.closed is not None or client.hello_reply is None:
        try:
            if client.start is not None and client.role != "operator":
                await client.resume()
            else:
                await client.connect()
        except Exception:  # whatever a dying hub does to a connection
            if client.breach:
                raise
            await asyncio.sleep(0.05)


async def is_there(client):
    try:
        await (await client.ws.ping())
    except ConnectionClosed:
        await client.wait_closed()
        return False
    return True


async def step(rng, driver, zone):
    place = zone.stand.moved(east=rng.uniform(-300, 300), north=rng.uniform(-300, 100))
    await driver.fix(place, heading=rng.randrange(360))


async def test_each_position_once_and_in_order_on_both_workers(hub, cast):
    here = hub.block()
    drivers, beside, away = await apart(hub, cast, here, 3)
    watched = []
    for passenger in (beside, away):
        watched.append((passenger, await passenger.follow(f"zone:{here.a.id}")))
        watched.append((passenger, await passenger.watch(here.a.stand, 800)))
        watched.append((passenger, await passenger.follow(f"vehicle:{drivers[0].subject}")))
    times = {driver.subject: [] for driver in drivers}
    for n in range(15):
        for driver in drivers:
            await driver.fix(here.a.stand.moved(east=25 * n, north=-20 * n))
            times[driver.subject].append(driver.clock)
        for passenger, picture in watched:
            single = picture.channel.startswith("vehicle:")
            await passenger.sees_all(picture, drivers[:1] if single else drivers, state="available")
    for _, picture in watched:
        for subject, rows in picture.rows.items():
            assert [at for at, _ in rows] == times[subject], f"{picture.channel} of {subject}"


async def test_the_order_holds_when_fixes_come_faster_than_ticks(hub, cast):
    here = hub.block()
    drivers, beside, away = await apart(hub, cast, here, 3)
    pictures = [(watcher, await watcher.follow(f"zone:{here.a.id}")) for watcher in (beside, away)]
    rng = random.Random(1)
    sent = {driver.subject: set() for driver in drivers}
    for _ in range(150):
        for driver in drivers:
            await driver.fix(driver.place.moved(east=rng.uniform(-10, 10), north=rng.uniform(-10, 10)))
            sent[driver.subject].add(driver.clock)
    for watcher, picture in pictures:
        await watcher.sees_all(picture, drivers)
        for subject, rows in picture.rows.items():
            times = [at for at, _ in rows]
            assert times == sorted(set(times)) and set(times) <= sent[subject]


async def test_states_and_seats_reach_the_other_worker(hub, cast):
    here = hub.block()
    [driver], _, away = await apart(hub, cast, here, 1)
    picture = await away.follow(f"zone:{here.a.id}")
    await driver.call("seats.set", taken=2)
    await away.sees_all(picture, [driver], seats=2)
    await driver.call("driver.unavailable")
    await away.sees_all(picture, [])
    await driver.call("driver.available")
    await away.sees_all(picture, [driver], seats=2)


async def watchers(hub, cast, here, drivers):
    """One of each kind: [(client, picture, wanted)]."""
    operator, passenger = await cast.operator(hub), await cast.rider(hub)
    everybody = lambda vehicle: True  # noqa: E731
    return [
        (operator, await operator.follow("city"), everybody),
        (operator, await operator.follow(f"zone:{here.a.id}"), everybody),
        (passenger, await passenger.follow(f"zone:{here.a.id}"), truth.available),
        (passenger, await passenger.watch(here.a.stand, 2000), truth.available),
        (
            passenger,
            await passenger.follow(f"vehicle:{drivers[0].subject}"),
            lambda vehicle: vehicle.id == drivers[0].subject and truth.available(vehicle),
        ),
    ]


async def all_agree(watching, hub, drivers):
    for driver in drivers:
        await driver.known()
    for client, picture, wanted in watching:
        await truth.agrees(client, picture, hub, drivers, wanted)


async def test_no_stale_vehicle_after_the_subscription_was_killed(new_hub, cast):
    """Whatever is published while the workers' subscription is away is read when it is back."""
    hub = new_hub(**OFTEN).start()
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 8)
    watching = await watchers(hub, cast, here, drivers)
    rng = random.Random(2)
    for turn in range(5):
        for driver in drivers:
            await step(rng, driver, here.a)
        assert hub.redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub") >= 1
        # Told into the void, once; nothing comes after it.
        for driver in drivers:
            await step(rng, driver, here.a)
        await drivers[turn].call("driver.unavailable")
        await drivers[-1].call("seats.set", taken=turn % 5)
        await drivers[-2].call("route.set", route=f"R{turn}")
        await all_agree(watching, hub, drivers)
    assert not any(client.closed for client, _, _ in watching)
    # And it goes on.
    await drivers[-1].fix(here.a.stand)
    await all_agree(watching, hub, drivers)


async def test_who_crosses_cells_while_the_subscription_is_away_is_not_seen_twice(new_hub, cast):
    hub = new_hub(**OFTEN).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.centre, 1)
    passenger = await cast.rider(hub)
    west = await passenger.watch(here.a.centre, 100)
    zone = await passenger.follow(f"zone:{here.a.id}")
    other = await cast.rider(hub)
    east = await other.watch(here.a.centre.moved(east=600), 100)
    await passenger.sees_all(west, [driver])
    await other.sees_all(east, [])
    hub.redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    await driver.fix(here.a.centre.moved(east=600))
    for client, picture, expected in ((passenger, west, []), (passenger, zone, [driver]), (other, east, [driver])):
        await client.sees_all(picture, expected)


async def test_the_taxi_of_a_ride_that_ends_while_the_subscription_is_away_leaves_the_map(new_hub, cast):
    hub = new_hub(**OFTEN).start()
    driver, zone, passenger = await one_available(hub, cast)
    ride = await passenger.request(zone.centre)
    await driver.accept(ride)
    taxi = await passenger.wait(lambda: passenger.pictures.get(f"vehicle:{driver.subject}"), "the taxi")
    await driver.call("ride.aboard")
    await passenger.sees_all(taxi, [driver], state="busy")
    hub.redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    await driver.call("ride.end")
    await passenger.until("ride.ended", ride=ride)
    await passenger.sees_all(taxi, [])


async def test_a_worker_dies_and_the_pictures_are_right_again(new_hub, cast):
    hub = new_hub(**OFTEN).start()
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 6)
    watching = await watchers(hub, cast, here, drivers)
    clients = [*drivers, *{client for client, _, _ in watching}]
    rng = random.Random(3)
    for victim in hub.workers():
        for driver in drivers:
            await step(rng, driver, here.a)
        await hub.kill_workers(victim)
        lost = [client for client in clients if not await is_there(client)]
        await asyncio.gather(*map(steadily, lost))
        renewed = []
        for client, picture, wanted in watching:
            if client in lost:
                is_near = picture.channel == "near"
                again = await (client.watch(here.a.stand, 2000) if is_near else client.follow(picture.channel))
                renewed.append((client, again, wanted))
            else:
                renewed.append((client, picture, wanted))
        watching = renewed
        for driver in drivers:
            await step(rng, driver, here.a)
        await all_agree(watching, hub, drivers)


async def test_redis_dies_and_the_pictures_are_right_again(new_hub, cast):
    hub = new_hub(**OFTEN).start()
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 6)
    watching = await watchers(hub, cast, here, drivers)
    rng = random.Random(4)
    for _ in range(2):
        old = hub.redis_pid()
        os.kill(old, signal.SIGKILL)
        hub._redis = None
        for driver in drivers:
            await step(rng, driver, here.a)
        await hub.until("another Redis", lambda: hub.redis_pid() not in (None, old) and hub.redis.ping())
        await hub.until("ready", lambda: hub.http("/readyz").status == 200)
        for driver in drivers:
            await step(rng, driver, here.a)
        await all_agree(watching, hub, drivers)
        assert not any(client.closed for client, _, _ in watching), "watchers stay connected"


async def test_a_random_walk_of_fifty_is_the_truth_for_each_watcher(new_hub, cast):
    hub = new_hub(**OFTEN).start()
    rng = random.Random(5)
    here = hub.block()
    zones = (here.a, here.b, here.c)
    drivers = [cast.driver(hub, rng.choice(zones).centre.moved(north=rng.uniform(-900, 900))) for _ in range(50)]
    for driver in drivers:
        await driver.go_available()
    operator, screen = await cast.operator(hub), await cast.operator(hub, "service")
    passengers = [await cast.rider(hub) for _ in range(4)]

    def inside(zone, vehicle):
        south, west = zone.south, zone.west
        return south < vehicle.lat < zone.north_east.lat and west < vehicle.lon < zone.north_east.lon

    def around(place, radius, vehicle):
        distance = place.distance(type(place)(vehicle.lat, vehicle.lon))
        # What it touches are cells of some 400 m: to their far corner is 566 m.
        return True if distance < radius else False if distance > radius + 620 else None

    centre = here.b.centre
    watching = [
        (operator, await operator.follow("city"), lambda v: True),
        (screen, await screen.follow("city", filter={"route": "R1"}, max_rate=4), lambda v: v.route == "R1"),
        (
            operator,
            await operator.follow(f"zone:{here.b.id}", filter={"state": ["busy", "unavailable"]}),
            lambda v: inside(here.b, v) and v.state != "available",
        ),
        (
            passengers[0],
            await passengers[0].follow(f"zone:{here.a.id}"),
            lambda v: inside(here.a, v) and v.state == "available",
        ),
        (
            passengers[1],
            await passengers[1].follow(f"zone:{here.b.id}", filter={"seats": 2}, max_rate=2),
            lambda v: inside(here.b, v) and v.state == "available" and (v.seats or 0) >= 2,
        ),
        (
            passengers[2],
            await passengers[2].watch(centre, 700),
            lambda v: around(centre, 700, v) if v.state == "available" else False,
        ),
        (
            passengers[3],
            await passengers[3].follow(f"vehicle:{drivers[0].subject}"),
            lambda v: v.id == drivers[0].subject and v.state == "available",
        ),
    ]

    async def act(driver):
        chance = rng.random()
        if chance < 0.85 and driver.clock < time.time() * 1000 - 30_000:
            place = driver.place.moved(north=rng.uniform(-250, 250), east=rng.uniform(-250, 250))
            if any(zone.south < place.lat < zone.north_east.lat for zone in zones) and (
                here.a.west < place.lon < here.c.north_east.lon
            ):
                await driver.fix(place, heading=rng.randrange(360))
        elif chance < 0.90:
            await driver.ask(rng.choice(["driver.available", "driver.unavailable"]))
        elif chance < 0.95:
            await driver.call("seats.set", taken=rng.randrange(5))
        else:
            await driver.call("route.set", route=rng.choice(["R1", "R2", None]))

    def walked():
        return sum(len(rows) for rows in watching[0][1].rows.values())

    end = time.monotonic() + 8 * patience.PACE
    while time.monotonic() < end or walked() <= 500:
        assert time.monotonic() < end + patience.PROCESS, f"only {walked()} rows of the whole city"
        await asyncio.gather(*(act(driver) for driver in rng.sample(drivers, 10)))
        if rng.random() < 0.02:
            await passengers[2].watch(centre, rng.choice([300, 1000, 2000]))
    await passengers[2].watch(centre, 700)
    for driver in drivers:
        await driver.fix()
        await driver.known()
    for client, picture, wanted in watching:
        await truth.agrees(client, picture, hub, drivers, wanted)


async def test_positions_hardly_grow_redis_log_and_survive_its_death(new_hub, cast):
    """Of a vehicle that stays in its cell one in ten seconds is logged; the workers send the last ones again."""
    hub = new_hub(positions__tick_ms=50, **OFTEN).start()
    driver, zone, passenger = await one_available(hub, cast)
    parked = (await cast.queue(hub, zone.stand.moved(east=3), 1))[0]
    picture = await passenger.follow(f"zone:{zone.id}")
    await passenger.sees_all(picture, [driver, parked])

    def logged():
        return sum(path.read_bytes().count(b"\r\nlat\r\n") for path in hub.data.rglob("*.aof"))

    await hub.until("the first positions in the log", lambda: logged() >= 2)
    before, began = logged(), time.monotonic()
    for step in range(60):
        await driver.fix(zone.stand.moved(north=step % 2))
        await passenger.sees_all(picture, [driver, parked])
    assert logged() - before <= 4 + (time.monotonic() - began) / 5

    late = await cast.rider(hub)
    old = hub.redis_pid()
    os.kill(old, signal.SIGKILL)
    await hub.until("Redis again", lambda: hub.redis_pid() not in (None, old))
    seen = await late.follow(f"zone:{zone.id}")
    await late.sees_all(seen, [driver, parked])
    await passenger.sees_all(picture, [driver, parked])
