"""Shared event channels when something dies, or a reader is slow: nothing is lost, nothing comes twice."""

import asyncio
import os
import signal
import socket
import time

from kerbside import patience
from kerbside.member import Member, member, operator_and_reader


async def stream(operator, topic, count, pause=0.002):
    """Publishes steadily, each with a key, however often it must be sent. The seqs."""
    seqs = []
    for n in range(count):
        while True:
            if operator.closed:
                await operator.back(topic)
            try:
                reply = await operator.ask("publish", channel=topic, data={"n": n}, key=f"{operator.subject}-{n}")
            except Exception:
                if operator.breach:
                    raise
                await asyncio.sleep(0.01)
                continue
            if "ok" in reply:
                break
            assert reply["error"]["retry"], reply
            await asyncio.sleep(0.02)
        seqs.append(reply["ok"]["seq"])
        await asyncio.sleep(pause)
    return seqs


async def staying(reader, topic):
    """Comes back whenever it is cut off."""
    while True:
        if reader.closed:
            await reader.back(topic)
        await asyncio.sleep(0.01)


async def test_the_subscription_is_lost_again_and_again(hub, topic):
    operator = await member(hub, "operator")
    readers = [await member(hub) for _ in range(6)]
    for reader in readers:
        await reader.join(topic)
    publishing = asyncio.create_task(stream(operator, topic, 500))
    killed = 0
    while not publishing.done():
        killed += hub.redis.client_kill_filter(_type="pubsub")
        await asyncio.sleep(0.15)
    seqs = await publishing
    assert killed >= 4
    for reader in readers:
        await reader.has(topic, seqs)
        assert reader.closed is None and not reader.gaps(topic)


async def test_after_a_loss_a_topic_is_read_once_for_all(new_hub, topic):
    hub = new_hub(server__workers=1).start()
    operator = await member(hub, "operator")
    readers = [await member(hub, "service") for _ in range(50)]
    for reader in readers:
        await reader.join(topic)
    seqs = await operator.publish_many(topic, 10)
    for reader in readers:
        await reader.has(topic, seqs)
    hub.redis.config_resetstat()
    hub.redis.client_kill_filter(_type="pubsub")
    seqs += await operator.publish_many(topic, 10)
    for reader in readers:
        await reader.has(topic, seqs)
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)
    calls = hub.redis.info("commandstats").get("cmdstat_xrange", {"calls": 0})["calls"]
    # For each reading of the history one to look whether the place is there and one for the entries. It may be read again, as
    # the loss is noticed while it is read, and the city's records read their events; a reading for each of the 50 would be 100.
    assert calls < 50, calls


async def test_a_worker_is_killed(new_hub, topic):
    hub = new_hub().start()
    operator = await member(hub, "operator")
    operator.begun = "0-0"
    readers = [await member(hub) for _ in range(6)]
    for reader in readers:
        await reader.join(topic)
    keeping = [asyncio.create_task(staying(reader, topic)) for reader in readers]
    publishing = asyncio.create_task(stream(operator, topic, 400))
    for turn in range(2):
        await asyncio.sleep(0.3)
        await hub.kill_workers(hub.workers()[turn])
    seqs = await publishing
    await settle(readers, keeping, topic, seqs)


async def settle(readers, keeping, topic, seqs):
    """All have everything, once and in order, whether or not they were cut."""
    end = time.monotonic() + patience.PROCESS
    while any(reader.closed or reader.seqs(topic)[-1:] != seqs[-1:] for reader in readers):
        assert time.monotonic() < end, [len(reader.got(topic)) for reader in readers]
        await asyncio.sleep(0.02)
    for task in keeping:
        task.cancel()
    for reader in readers:
        assert reader.seqs(topic) == seqs
        assert not reader.gaps(topic)


async def test_redis_is_killed(new_hub, topic):
    hub = new_hub(redis__fsync="always").start()
    operator = await member(hub, "operator")
    operator.begun = "0-0"
    readers = [await member(hub) for _ in range(4)]
    for reader in readers:
        await reader.join(topic)
    keeping = [asyncio.create_task(staying(reader, topic)) for reader in readers]
    publishing = asyncio.create_task(stream(operator, topic, 300))
    for _ in range(2):
        await asyncio.sleep(0.4)
        old = hub.redis_pid()
        os.kill(old, signal.SIGKILL)
        await hub.until("Redis again", lambda: hub.redis_pid() not in (None, old))
    seqs = await publishing
    await settle(readers, keeping, topic, seqs)
    hub._redis = None
    await hub.until("all in the history", lambda: [row[0] for row in hub.history(topic)] == seqs)


async def test_the_history_is_lost_while_reading(hub, topic):
    """A reader that is cut from Redis just when its history goes is told so, once, and then goes on."""
    operator, reader = await operator_and_reader(hub, topic)
    await reader.has(topic, await operator.publish_many(topic, 5))
    del reader.pushed[:]
    hub.redis.delete(hub.key(f"ch:{topic}"))
    hub.redis.client_kill_filter(_type="pubsub")
    await reader.wait(lambda: reader.gaps(topic) or None, "the gap")
    await reader.has(topic, await operator.publish_many(topic, 5))
    assert len(reader.gaps(topic)) == 1
    # The other worker too: it refuses a hello meanwhile, and others use this hub.
    await hub.until("all workers subscribed", lambda: len(hub.redis.client_list(_type="pubsub")) == len(hub.workers()))


async def test_a_history_that_went_is_no_gap_for_those_who_saw_it_all(hub, topic):
    operator, reader = await operator_and_reader(hub, topic)
    await reader.has(topic, await operator.publish_many(topic, 5))
    hub.redis.delete(hub.key(f"ch:{topic}"))
    late = [await member(hub) for _ in range(6)]
    for one in late:
        await one.join(topic)
    del reader.pushed[:]
    seqs = await operator.publish_many(topic, 5)
    for one in (reader, *late):
        await one.has(topic, seqs)
        assert not one.gaps(topic)


async def test_who_reads_late_gets_everything(hub, topic):
    operator, reader = await operator_and_reader(hub, topic)
    reader.ws.transport.pause_reading()
    seqs = await operator.publish_many(topic, 1000)
    await asyncio.sleep(2)
    seqs += await operator.publish_many(topic, 500)
    reader.ws.transport.resume_reading()
    await reader.has(topic, seqs)
    assert reader.closed is None


async def test_who_reads_too_slowly_is_closed_and_loses_nothing(new_hub, topic):
    hub = new_hub(server__max_outbound_bytes=65_536, server__service_commands_per_second=10_000).start()
    operator, quick = await operator_and_reader(hub, topic)
    reader = Member(hub)
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.setblocking(False)
    await asyncio.get_running_loop().sock_connect(slow, ("127.0.0.1", hub.port))
    await reader.connect(sock=slow)
    await reader.join(topic)
    reader.ws.transport.pause_reading()

    async def publish(count):
        """Not faster than a reader can take it: 64 KiB may wait for one."""
        seqs = []
        for n in range(count):
            seqs.append(await operator.publish(topic, data={"n": n, "text": "x" * 8000}))
            await quick.has(topic, quick_seqs + seqs)
        return seqs

    quick_seqs = []
    quick_seqs += await publish(150)
    await hub.until("given up as a slow consumer", lambda: hub.metric("kerbside_connections_closed_total", 'code="4420"'))
    reader.ws.transport.resume_reading()
    code, _ = await reader.wait_closed(patience.PROCESS)
    assert code in (4420, 1006), "1006 where the hub could not get the close through"
    quick_seqs += await publish(150)
    # 2 MB of history through the same narrow door, in pieces that it takes.
    assert len(reader.got(topic)) < 250
    await reader.back(topic)
    await reader.has(topic, quick_seqs)
    assert not reader.gaps(topic) and reader.closed is None
    quick_seqs += await publish(5)
    await reader.has(topic, quick_seqs)
    assert [event["data"]["n"] for event in quick.got(topic)] == [*range(150), *range(150), *range(5)]
