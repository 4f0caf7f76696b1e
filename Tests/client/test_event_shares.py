"""What one follower of the city's events may cost the others."""

import asyncio

from kerbside.member import Member, member


async def test_who_asks_for_names_that_do_not_exist_pays_for_what_is_near(new_hub):
    hub = new_hub(server__service_commands_per_second=100).start()
    one = await member(hub, "service")
    replies = await asyncio.gather(*(one.ask("subscribe", channel=f"events:ride.{'n' * (n + 1)}") for n in range(40)))
    codes = [reply["error"]["code"] for reply in replies]
    assert codes[0] == "not_found" and codes[-1] == "rate_limited", codes


async def test_one_service_follows_so_many_channels_over_all_its_connections(new_hub):
    hub = new_hub(server__workers=1).start()
    first = Member(hub, "service")
    links = [first]
    for _ in range(16):
        link = Member(hub, "service")
        link.subject, link.token = first.subject, first.token
        links.append(link)
    for number, link in enumerate(links):
        await link.connect()
        for n in range(16 if number < 16 else 0):
            await link.call("subscribe", channel=f"events:ride.*?zone={number}-{n}")
    error = await links[16].refused("subscribe", "bad_message", "channel", channel="events:>")
    assert "256" in error["detail"]
    await first.close()
    await links[16].call("subscribe", channel="events:>")
