"""What an event on a topic costs who publishes it (C60, C65)."""

import asyncio

from kerbside.member import member


async def test_an_event_costs_by_its_readers(new_hub, topic):
    """Each of them is sent it: one token with many connections of its own had all others wait."""
    hub = new_hub(server__workers=1, server__service_commands_per_second=100).start()
    service = await member(hub, "service")
    readers = [await member(hub) for _ in range(125)]
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
    # A hundred more than are free: five times the price.
    assert 0 < taken[1] < taken[0] / 2
