"""What an event on a topic costs who publishes it (C60, C65)."""

import asyncio
import time

import pytest

from kerbside.member import member


async def test_an_event_costs_by_its_readers(new_hub, topic):
    """Each of them is sent it: one token with many connections of its own had all others wait."""
    hub = new_hub(
        server__workers=1, server__service_commands_per_second=100, server__max_connections_per_address=0).start()
    service = await member(hub, "service")
    readers = [await member(hub) for _ in range(225)]
    for reader in readers:
        await reader.join(topic)
    taken = []
    for channel in ("topic:quiet", topic):
        replies = []
        while not any("error" in reply for reply in replies):
            replies += await asyncio.gather(*(service.ask("publish", channel=channel, data={}) for _ in range(60)))
        taken.append(sum("error" not in reply for reply in replies))
        assert {reply["error"]["code"] for reply in replies if "error" in reply} == {"rate_limited"}
        await asyncio.sleep(3)
    # Two hundred more than are free: eleven instead of three.
    assert 0 < taken[1] < taken[0] / 2


@pytest.mark.parametrize("count", [0, 12])
async def test_c60_an_event_is_paid_once_and_by_who_publishes_it(new_hub, topic, count):
    """As long as so few read that sending it to them costs nothing; at which worker they are makes no difference."""
    price, events = 3, 40
    rate = price * events
    hub = new_hub(
        server__service_commands_per_second=rate, server__commands_per_second=1, server__commands_burst=20).start()
    service = await member(hub, "service")
    readers = [await member(hub) for _ in range(count)]
    while readers and len({reader.worker for reader in readers}) < 2:
        readers.append(await member(hub))
    for reader in readers:
        await reader.join(topic)
    await asyncio.sleep(1.1)  # its hello has cost something; it may spend all again
    began = time.monotonic()
    replies = await asyncio.gather(*(service.ask("publish", channel=topic, data={"n": n}) for n in range(events * 3 // 2)))
    lasted = time.monotonic() - began
    seqs = [reply["ok"]["seq"] for reply in replies if "ok" in reply]
    assert {reply["error"]["code"] for reply in replies if "error" in reply} <= {"rate_limited"}
    # Three each: neither twice that, nor none.
    assert events <= len(seqs) <= events + events * lasted + 1, lasted
    for reader in readers:
        await reader.has(topic, seqs)
        # It has what it had before: some of its twenty, and what came would have taken forty.
        for _ in range(3):
            await reader.refused("vehicle.get", "not_found", vehicle="nobody")
