"""What one follower of the city's events may cost the others."""

import asyncio
import time

from kerbside.follower import follower, write
from kerbside.member import Member, member


async def test_who_asks_for_names_that_do_not_exist_pays_for_what_is_near(new_hub):
    hub = new_hub(server__service_commands_per_second=100).start()
    one = await member(hub, "service")
    replies = await asyncio.gather(*(one.ask("subscribe", channel=f"events:ride.{'n' * (n + 1)}") for n in range(40)))
    codes = [reply["error"]["code"] for reply in replies]
    assert codes[0] == "not_found" and codes[-1] == "rate_limited", codes


async def test_one_service_follows_so_many_channels_over_all_its_connections(new_hub):
    hub = new_hub(server__workers=1, server__service_commands_per_second=10_000).start()
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


async def test_c60_who_subscribes_and_leaves_again_and_again_has_no_connection_made_each_time(new_hub):
    hub = new_hub(server__workers=1).start()
    one = await follower(hub, "events:>").begin()

    def made():
        return hub.redis.info("stats")["total_connections_received"]

    before = made()
    for _ in range(50):
        await one.call("unsubscribe", channel="events:>")
        await one.call("subscribe", channel="events:>")
    assert made() - before < 25
    await one.reads(write(hub, 3))


async def test_c60_each_channel_of_events_that_a_hello_resumes_costs_five(new_hub):
    """The city's whole log is looked into for each. Who waits as told is served."""
    rate, hellos, channels = 20, 2, 3
    hub = new_hub(server__workers=1, server__service_commands_per_second=rate).start()
    frugal, one = await member(hub, "service"), await member(hub, "service")
    # Without events a hello costs six: as many are had at once.
    for _ in range(hellos):
        await frugal.connect()
    resume = {f"events:ride.*?zone={number}": "0-1" for number in range(channels)}
    price, refusals, begun = 6 + 5 * channels, 0, time.monotonic()
    for _ in range(hellos):
        await one.open()
        while "error" in (reply := await one.ask("hello", token=one.token, resume=resume)):
            refusals += 1
            error = reply["error"]
            assert error["code"] == "rate_limited" and error["retry_after_ms"] <= price * 1000 / rate, error
            assert (await one.wait_closed())[0] == 4429
            await asyncio.sleep(error["retry_after_ms"] / 1000)
            await one.open()
        assert set(resume) <= set(reply["ok"]["channels"])
    # At the beginning it had what comes in a second, and all else came meanwhile.
    assert refusals and time.monotonic() - begun >= (hellos * price - rate) / rate
