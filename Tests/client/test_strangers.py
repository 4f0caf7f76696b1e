"""Who has not said hello: nobody answers for what it costs (C60)."""

import asyncio
import json


async def test_a_stranger_is_read_a_few_times_and_then_refused(hub, cast):
    stranger = cast.passenger(hub)
    await stranger.open()
    # At once: with each eighth of a second one more is read.
    replies = await asyncio.gather(*(stranger.ask("unwatch") for _ in range(24)))
    codes = [reply["error"]["code"] for reply in replies]
    assert codes[:6] == ["unauthenticated"] * 6 and "rate_limited" in codes, codes
    # Who comes with a token pays for its own commands from then on.
    honest = cast.passenger(hub)
    await honest.connect()
    for _ in range(16):
        assert "ok" in await honest.ask("unwatch")


async def test_a_stranger_sends_no_more_than_a_hello_takes(hub, cast):
    stranger = cast.passenger(hub)
    await stranger.open()
    await stranger.send(json.dumps({"id": 1, "cmd": "hello", "token": "x" * 20_000}))
    assert (await stranger.wait_closed())[0] == 1009


async def test_what_a_stranger_says_has_its_size_as_price(new_hub, cast):
    """16 KiB are four units of the ten that it has, whatever is in them."""
    hub = new_hub(blocks=2, server__commands_per_second=1, server__commands_burst=40).start()
    stranger = cast.passenger(hub)
    await stranger.open()
    replies = await asyncio.gather(*(stranger.ask("unwatch", x="x" * 16_000) for _ in range(4)))
    codes = [reply["error"]["code"] for reply in replies]
    assert codes[:2] == ["unauthenticated"] * 2 and "rate_limited" in codes[2:], codes


def test_an_answer_quotes_the_beginning_of_a_path(hub):
    for path in ("/", "/v1/", "/v1/realtime/"):
        answer = hub.http(path + '"' * 15_000)
        assert answer.status == 404 and len(answer.text) < 500, (path, len(answer.text))
