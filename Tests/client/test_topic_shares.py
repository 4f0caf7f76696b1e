"""Who reads a topic from its beginning again and again holds up nobody who has only missed its end."""

import asyncio

from kerbside.member import member

RESTARTS_S = 0.45


async def test_c60_who_missed_three_events_has_them_while_others_begin_anew(new_hub, topic):
    hub = new_hub(server__workers=1, server__service_commands_per_second=100_000).start()
    service = await member(hub, "service")
    seqs = []
    for _ in range(16):
        seqs += await asyncio.gather(*(service.publish(topic, data={"x": "x" * 4_000}) for _ in range(60)))
    others = [await member(hub, "service") for _ in range(2)]

    async def begin_anew(one, after):
        await asyncio.sleep(after)
        while True:
            await one.ask("subscribe", channel=topic, since="0")
            await asyncio.sleep(RESTARTS_S)

    tasks = [asyncio.create_task(begin_anew(one, n * RESTARTS_S / 2)) for n, one in enumerate(others)]
    try:
        await asyncio.sleep(2 * RESTARTS_S)
        # Of two channels that a hello resumes the second is read when there is time.
        reader = await member(hub, resume={topic + "-other": "0", topic: seqs[-4]})
        await reader.has(topic, seqs[-3:])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
