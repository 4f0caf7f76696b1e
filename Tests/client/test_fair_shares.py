"""One subject takes what one subject may, and an honest client beside it is served as before (C60, C65)."""

import asyncio
import contextlib
import json
import os
import signal
import statistics
import time

import pytest
from websockets.exceptions import ConnectionClosed

from conftest import running
from kerbside import patience
from kerbside.feeds import Picture
from kerbside.member import member

#: Below this, milliseconds say more of the machine than of the hub.
FLOOR_S = 0.1 * patience.SCALE


@pytest.fixture(scope="module")
def hub():
    """Rates as they are by default."""
    yield from running(server__commands_per_second=20, server__commands_burst=60, dispatch__free_cancels=3)


def at(point, east=0.0):
    return point.moved(east=east).fields


async def waits(client, vehicle, count=60):
    """How long one who speaks for many waits for its answers, each through Redis; the worst of a hundred, s."""
    taken = []
    for _ in range(count):
        began = time.monotonic()
        await client.call("vehicle.get", vehicle=vehicle)
        taken.append(time.monotonic() - began)
        await asyncio.sleep(0.01)
    return statistics.quantiles(taken, n=100)[98]


async def test_a_feed_that_is_left_and_taken_up_again_is_read_once(new_hub, cast):
    hub = new_hub(server__workers=1).start()
    operator = await cast.operator(hub)

    def readings():
        return hub.redis.info("commandstats").get("cmdstat_zscan", {"calls": 0})["calls"]

    for _ in range(20):
        await operator.follow("city")
        await operator.leave("city")
    assert readings() == 1


@pytest.mark.alone
@pytest.mark.parametrize(("role", "connections", "price"), [("passenger", 20, 80), ("service", 40, 130)])
async def test_circles_that_are_moved_all_the_time_hold_nobody_up(hub, cast, role, connections, price):
    here = hub.block()
    minibus, honest = cast.minibus(hub, here.a.stand), await cast.operator(hub)
    await minibus.go_online()
    quiet = await waits(honest, minibus.subject)
    one = await member(hub, role) if role == "service" else cast.passenger(hub)
    attackers = [one.twin() for _ in range(connections)]
    for attacker in attackers:
        await attacker.connect()
        await asyncio.sleep(6 / 20 if role == "passenger" else 0)  # a hello counts as six
        attacker.pictures["near"] = Picture("near")
    is_over = asyncio.Event()

    async def attack(attacker, number):
        step = 0
        with contextlib.suppress(ConnectionClosed):
            while not is_over.is_set():
                step += 1
                place = at(here.a.centre, 20_000 * ((step + number) % 50))
                await attacker.send({"cmd": "watch", **place, "radius": 5000})
                await asyncio.sleep(0.05)

    attacks = [asyncio.create_task(attack(attacker, n)) for n, attacker in enumerate(attackers)]
    began = time.monotonic()
    attacked = await waits(honest, minibus.subject)
    lasted = time.monotonic() - began
    is_over.set()
    await asyncio.gather(*attacks)
    assert attacked < 5 * max(quiet, FLOOR_S)
    left = [attacker for attacker in attackers if attacker.closed is None]
    assert len(left) <= (8 if role == "passenger" else connections)
    # A full circle is more than a second's worth of its subject's tokens; a passenger pays less where it watches already.
    moved, workers = sum(one.pictures["near"].snapshots for one in attackers), hub.settings["server.workers"]
    burst, rate = (60, 20) if role == "passenger" else (1000, 1000)
    assert moved <= workers * (burst + rate * (lasted + 1)) / price + workers
    for attacker in attackers:
        await attacker.close()


async def test_of_circles_that_come_too_fast_the_latest_counts(hub, cast):
    here = hub.block()
    passenger = await cast.rider(hub)
    passenger.pictures["near"] = Picture("near")
    replies = []
    for step in range(12):
        number = 5_000 + step
        replies.append(passenger.expect_reply(number, "watch"))
        await passenger.send({"id": number, "cmd": "watch", **at(here.a.centre, 30 * step), "radius": 500})
    await passenger.wait(lambda: all(reply.done() for reply in replies) or None, "12 replies")
    told = [reply.result()["ok"].get("replaced", False) for reply in replies]
    assert not told[0] and told[1:-1] == [True] * 10 and not told[-1]
    minibus = cast.minibus(hub, here.a.centre.moved(east=30 * 11 + 450))
    await minibus.go_online()
    await passenger.wait(lambda: minibus.subject in passenger.pictures["near"].ids or None, "the place of the last")
    # Cells that both circles have are followed on: their vehicles stand in the new snapshot at once.
    assert passenger.pictures["near"].snapshots == 2


async def test_a_circle_with_a_destination_pays_for_ways_no_more_than_can_be_paid_once_a_second(new_hub, cast):
    hub = new_hub(server__workers=1, server__commands_per_second=20, server__commands_burst=60).start()
    here = hub.block().a.centre
    # What 6,000 minibuses would leave there.
    pipe = hub.redis.pipeline()
    for number in range(6_000):
        way = {"start": here.fields, "end": here.moved(east=3_000 + number).fields}
        pipe.hset(hub.key("ways"), f"X{number}", json.dumps(way))
        pipe.hset(hub.key(f"vehicle:X{number}"), mapping={"state": "available", "kind": "minibus"})
    pipe.execute()
    keeper, passenger = await cast.rider(hub), await cast.rider(hub)
    for one in (keeper, passenger):
        one.pictures["near"] = Picture("near")
    await keeper.call("watch", **here.fields, radius=50, destination=here.moved(east=3_000).fields)
    await keeper.wait(lambda: keeper.pictures["near"].snapshots or None, "all ways are read")
    # Who moves the map once a second is not refused, nor what it asks besides.
    for step in range(10):
        moved = await passenger.call("watch", **at(here, step), radius=50, destination=here.moved(east=2_000 + step).fields)
        assert "replaced" not in moved
        await passenger.refused(
            "seat.book", "not_found", vehicle="nobody", pickup=here.fields, destination=here.moved(east=1_000).fields, passengers=1
        )
        await asyncio.sleep(1)
    before, began = passenger.pictures["near"].snapshots, time.monotonic()
    for step in range(60):
        await passenger.send({"cmd": "watch", **at(here, step), "radius": 50, "destination": here.moved(east=2_000 + step).fields})
        await asyncio.sleep(0.1)
    moved = passenger.pictures["near"].snapshots - before
    # A circle a second is what feeds.move_ms allows.
    assert 1 <= moved <= 2 + (time.monotonic() - began), moved
    await passenger.call("unwatch")


async def test_who_is_declined_again_and_again_leaves_the_minibus_to_others(hub, cast):
    here = hub.block()
    minibus, honest, stormy = cast.minibus(hub, here.a.stand), await cast.rider(hub), await cast.rider(hub)
    await minibus.go_online()
    wish = {"vehicle": minibus.subject, "pickup": here.a.centre.fields, "destination": here.a.centre.moved(east=1_000).fields}
    for _ in range(6):
        booking = (await stormy.call("seat.book", **wish, passengers=4))["booking"]
        await minibus.until("seat.requested", booking=booking)
        await minibus.call("seat.decline", booking=booking)
        await stormy.until("seat.declined", booking=booking)
    error = await stormy.refused("seat.book", "rate_limited", **wish, passengers=4)
    assert 0 < error["retry_after_ms"] <= 30_000 and "Ask again in" in error["detail"]
    booking = (await honest.call("seat.book", **wish, passengers=1))["booking"]
    await minibus.until("seat.requested", booking=booking)
    await minibus.call("seat.accept", booking=booking)
    await honest.until("seat.confirmed")


async def test_a_circle_that_waits_is_left_with_unwatch(hub, cast):
    here = hub.block()
    passenger = await cast.rider(hub)
    await passenger.watch(here.a.centre, 500)
    waiting = passenger.expect_reply(7, "watch")
    await passenger.send({"id": 7, "cmd": "watch", **at(here.a.centre, 900), "radius": 500})
    await passenger.call("unwatch")
    assert (await passenger.wait(lambda: waiting.done() or None, "the reply")) and waiting.result()["ok"]["replaced"]


async def test_connections_share_what_a_subject_may_and_so_does_the_next_one(new_hub, cast):
    hub = new_hub(server__workers=1, server__commands_per_second=1, server__commands_burst=40).start()
    driver, others = cast.driver(hub), await cast.rider(hub)
    phones = [driver, *(driver.twin() for _ in range(3))]
    for phone in phones:
        await phone.connect()
    again = driver.twin()
    await again.open()
    replies = await asyncio.gather(*(phones[n % 4].ask("offer.seen", ride="no-such-ride") for n in range(50)))
    errors = [reply["error"] for reply in replies]
    refused = [error for error in errors if error["code"] != "not_found"]  # no phone has sent more than half of what one may
    assert refused and {error["code"] for error in refused} == {"rate_limited"}
    assert all(1 <= error["retry_after_ms"] <= 1000 for error in refused)
    error = await again.refused("hello", "rate_limited", token=again.token)
    assert error["retry_after_ms"] > 0
    assert (await again.wait_closed())[0] == 4429
    await others.barrier()
    await asyncio.sleep(error["retry_after_ms"] / 1000 + 0.1)
    await again.connect()


async def test_a_full_history_is_paid_before_the_next_one_is_read(new_hub, cast):
    """A thousand entries take Redis milliseconds: a subject's connections that ask for them together pay one after the other."""
    hub = new_hub(server__workers=1, server__commands_per_second=20, server__commands_burst=60).start()
    passenger, others = cast.passenger(hub), await cast.rider(hub)
    pipe = hub.redis.pipeline()
    for number in range(1_000):
        data = json.dumps({"ride": f"r_{number}", "by": "passenger", "reason": "passenger"})
        fields = {"type": "ride.cancelled", "time": 1_000 + number, "data": data}
        pipe.xadd(hub.key(f"ch:{passenger.channel}"), fields, id=f"{1_000 + number}-0")
    pipe.execute()
    phones = [passenger, *(passenger.twin() for _ in range(7))]
    for phone in phones:
        await phone.open()
    resume = {passenger.channel: "0"}
    replies = await asyncio.gather(*(phone.ask("hello", token=phone.token, resume=resume) for phone in phones))
    refused = [reply["error"] for reply in replies if "error" in reply]
    assert len(refused) >= 5 and {error["code"] for error in refused} == {"rate_limited"}, replies
    told = next(phone for phone, reply in zip(phones, replies, strict=True) if "ok" in reply)
    await told.wait(lambda: len(told.events) >= 1_000 or None, "the whole history")
    await others.barrier()
    # Who waits as told has all of it.
    await asyncio.sleep(max(error["retry_after_ms"] for error in refused) / 1000 + 3)
    await (again := passenger.twin()).connect(resume)
    await again.wait(lambda: len(again.events) >= 1_000 or None, "the whole history")


async def test_the_ninth_connection_takes_the_place_of_the_oldest(hub, cast):
    passenger = cast.passenger(hub)
    phones = [passenger, *(passenger.twin() for _ in range(8))]
    for phone in phones:
        await phone.connect()
    assert (await phones[0].wait_closed())[0] == 4409
    await phones[3].close()
    await hub.until("that was noticed", lambda: hub.redis.zcard(hub.key(f"links:{passenger.channel}")) == 7)
    await passenger.connect()
    await asyncio.sleep(1)  # ten hellos count as sixty
    for phone in phones[:3] + phones[4:]:
        await phone.refused("ride.cancel", "not_found", ride="no-such-ride")


async def test_a_driver_whose_link_comes_and_goes_all_the_time_has_to_wait(new_hub, cast):
    hub = new_hub(server__commands_per_second=1000, server__commands_burst=1000).start()
    [driver] = await cast.queue(hub, hub.block().a.stand, 1)
    error, count = None, 0
    while error is None and count < 1000:
        await driver.cut()
        await driver.open()
        error = (await driver.ask("hello", token=driver.token)).get("error")
        count += 1
    assert error["code"] == "rate_limited" and 0 < error["retry_after_ms"] <= 60_000
    assert count >= 60 and (await driver.wait_closed())[0] == 4429
    links = [row["type"] for _, row in hub.redis.xrange(hub.key("events")) if row["type"] in ("driver.away", "driver.back")]
    assert links and len(links) <= 2 * count
    others = await cast.rider(hub)
    await others.barrier()


async def test_who_takes_requests_back_again_and_again_leaves_the_driver_to_others(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    honest, stormy = await cast.rider(hub), await cast.rider(hub)
    for _ in range(3):
        await stormy.request_after("ride.cancelled", here.a.centre) if stormy.events else await stormy.request(here.a.centre)
        await stormy.call("ride.cancel")
    error = await stormy.refused("ride.request", "rate_limited", **here.a.centre.fields, passengers=1)
    assert 0 < error["retry_after_ms"] <= 30_000
    await driver.settled()
    driver.skip()
    ride = await honest.request(here.a.centre)
    await driver.until("offer.made", ride=ride)
    await driver.call("offer.accept", ride=ride)
    await honest.until("ride.accepted")


async def test_refusals_fill_neither_redis_nor_the_log(hub, cast):
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await passenger.request(here.a.centre)
    keys, events = hub.redis.dbsize(), hub.redis.xlen(hub.key("events"))
    for n in range(5):
        await passenger.refused("ride.request", "already_requested", **here.a.centre.fields, passengers=1, key=f"k{n}")
    assert hub.redis.dbsize() <= keys and hub.redis.xlen(hub.key("events")) == events
    await passenger.call("ride.cancel")


async def test_a_full_redis_is_unavailable_and_recovers(new_hub, cast):
    hub = new_hub(server__workers=1).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    assert int(hub.redis.config_get("maxmemory")["maxmemory"]) > 0, "half of the machine's"

    def used():
        return int(hub.redis.info("memory")["used_memory"])

    def warned():
        # What it uses falls when what the start needed is let go.
        hub.redis.config_set("maxmemory", int(used() / 0.88))
        return "% of its memory" in hub.log and "%" in hub.http("/readyz").text

    await hub.until("the warning", warned)
    assert hub.http("/readyz").status == 200
    hub.redis.config_set("maxmemory", used() // 2)
    await passenger.refused("ride.request", "unavailable", **here.a.centre.fields, passengers=1)
    await hub.until("not ready", lambda: hub.http("/readyz").status == 503)
    assert "memory" in hub.http("/readyz").text
    # What takes things away is carried out all the same, and first after a pause: it says nothing of the rest.
    [worker] = hub.workers()
    for _ in range(3):
        os.kill(worker, signal.SIGSTOP)
        await asyncio.sleep(1.2)
        os.kill(worker, signal.SIGCONT)
        assert hub.http("/readyz").status == 503
        assert "Redis takes writes again" not in hub.log
    hub.redis.config_set("maxmemory", 0)
    await driver.accept(await passenger.request(here.a.centre))
    await hub.until("ready again", lambda: hub.http("/readyz").status == 200, patience.PROCESS)


async def test_events_of_topics_leave_the_last_tenth_of_redis_to_rides(new_hub, cast):
    hub = new_hub(server__workers=1).start()
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    passenger, operator = await cast.rider(hub), await member(hub, "operator")

    def alarmed():
        # Of so little memory a buffer that Redis gives back is more than a tenth.
        hub.redis.config_set("maxmemory", int(int(hub.redis.info("memory")["used_memory"]) / 0.95))
        return "at 100 % commands are refused" in hub.log

    await hub.until("the alarm", alarmed)
    error = (await operator.ask("publish", channel="topic:x", data={}))["error"]
    assert (error["code"], error["retry"]) == ("unavailable", True) and "kept for rides" in error["detail"]
    await passenger.request(here.a.centre)
    hub.redis.config_set("maxmemory", 0)
    await hub.until("room again", lambda: "as it should be" in hub.log)
    assert "ok" in await operator.ask("publish", channel="topic:x", data={})


async def test_topics_of_one_service_leave_redis_to_the_others(new_hub, cast):
    """One token fills topic after topic, over many connections: it is refused by its own measure, and nobody else is."""
    hub = new_hub(server__service_commands_per_second=100_000, redis__max_topic_mb_per_subject=8).start()
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    passenger, honest, reader = await cast.rider(hub), await member(hub, "service"), await member(hub)
    await reader.join("topic:honest")
    loud = await member(hub, "service")
    links = [loud, *(loud.twin() for _ in range(3))]
    for link in links[1:]:
        await link.connect()
    used = int(hub.redis.info("memory")["used_memory"])
    # At 90 % nobody's events were taken any more.
    hub.redis.config_set("maxmemory", used + 32 * 1024 * 1024)
    refused = []

    async def fill(link, number):
        # 15 MB each, if it may.
        for n in range(2_000):
            reply = await link.ask("publish", channel=f"topic:t{number}-{n % 100}", data={"x": "x" * 7_900})
            if "error" in reply:
                refused.append(reply["error"])
                return

    seqs = []
    fills = [asyncio.create_task(fill(link, number)) for number, link in enumerate(links)]
    while not all(one.done() for one in fills):
        seqs.append(await honest.publish("topic:honest", data={"n": len(seqs)}))
        await asyncio.sleep(0.02)
    await asyncio.gather(*fills)
    assert len(refused) == len(links)
    assert all(error["code"] == "rate_limited" and "redis.max_topic_mb_per_subject" in error["detail"] for error in refused)
    assert all(error["retry_after_ms"] > 80_000_000 for error in refused), "until its histories are gone"
    assert int(hub.redis.info("memory")["used_memory"]) - used < 12 * 1024 * 1024
    # Others go on, on its topics, too.
    seqs.append(await honest.publish("topic:honest"))
    await reader.has("topic:honest", seqs)
    await honest.publish("topic:t0-0", data={"x": "x" * 7_900})
    assert (await loud.ask("publish", channel="topic:one-more", data={}))["error"]["code"] == "rate_limited"
    await passenger.request(here.a.centre)
    # What it may is a setting.
    hub.write_config(redis__max_topic_mb_per_subject=9)
    await hub.reload()
    await loud.publish("topic:one-more")


@pytest.mark.parametrize(("rate", "burst"), [(20, 40), (3, 3)])
async def test_who_waits_as_told_gets_a_zone(new_hub, cast, rate, burst):
    """Its price is known after it was looked up: the wait is for all of it. A zone that costs more than a bucket is not closed."""
    hub = new_hub(blocks=2, server__commands_per_second=rate, server__commands_burst=burst).start()
    zone = "zone:" + hub.block().a.id
    passenger = cast.passenger(hub)
    await passenger.connect()
    while (await passenger.ask("vehicle.get", vehicle="nobody"))["error"]["code"] != "rate_limited":
        pass
    # The first wait is for the command, the second for the zone.
    for _ in range(2):
        if "error" not in (reply := await passenger.ask("subscribe", channel=zone)):
            return
        assert reply["error"]["code"] == "rate_limited"
        await asyncio.sleep(reply["error"]["retry_after_ms"] / 1000)
    await passenger.call("subscribe", channel=zone)
