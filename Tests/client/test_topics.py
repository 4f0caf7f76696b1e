"""Shared event channels: what is published reaches every reader, once and in order."""

import asyncio
import itertools
import time

import pytest

from kerbside import patience
from kerbside.client import order
from kerbside.member import BinaryMember, Member, member, operator_and_reader

ROLES = ["driver", "passenger", "bus_driver", "operator", "service"]


async def test_delivered_to_all_roles_in_order_and_once(hub, topic):
    readers = [await member(hub, role) for role in ROLES]
    for reader in readers:
        reply = await reader.call("subscribe", channel=topic)
        assert reply["channel"] == topic
    operator, service = await member(hub, "operator"), await member(hub, "service")
    seqs = []
    for n in range(20):
        publisher = (operator, service)[n % 2]
        seqs.append(await publisher.publish(topic, type="roadworks", data={"n": n, "where": ["A", "é"], "none": []}))
    for reader in readers:
        await reader.has(topic, seqs)
        assert [event["data"]["n"] for event in reader.got(topic)] == list(range(20))
        assert all(event["type"] == "roadworks" and event["data"]["none"] == [] for event in reader.got(topic))
        assert not reader.gaps(topic)
    assert not operator.got(topic), "who publishes does not read"
    await operator.publish(topic)
    await readers[0].wait(lambda: len(readers[0].got(topic)) == 21 or None, "the last")
    assert readers[0].got(topic)[-1]["type"] == "message"


@pytest.mark.parametrize("role", ["driver", "passenger", "bus_driver"])
async def test_others_may_not_publish(hub, topic, role):
    one = await member(hub, role)
    await one.join(topic)
    await one.refused("publish", "forbidden", channel=topic, data={})
    await one.barrier()
    assert not one.got(topic)


async def test_a_key_makes_it_once(hub, topic):
    operator, reader = await operator_and_reader(hub, topic)
    replies = await asyncio.gather(*(operator.publish(topic, key="once", data={"n": n}) for n in range(20)))
    assert len(set(replies)) == 1
    again = await member(hub, "operator")
    other = await again.publish(topic, key="once")
    assert other != replies[0], "a key is its sender's own"
    await reader.has(topic, [replies[0], other])
    assert reader.got(topic)[0]["data"] == {"n": 0}


async def test_what_is_no_topic_is_refused(hub):
    operator, reader = await member(hub, "operator"), await member(hub)
    for channel in ("topic:", "topic:" + "x" * 65, "topic:a b", "topic:a:b", "topic:a/b"):
        if " " not in channel:
            await operator.refused("publish", "bad_message", "channel", channel=channel, data={})
            await reader.refused("subscribe", "bad_message", "channel", channel=channel)
    for channel in ("zone:1", "driver:T1", "city", "near"):
        await operator.refused("publish", "bad_message", "channel", channel=channel, data={})
    for kind in ("gap", "snapshot", "positions", "opened", "", "a b", "x" * 65, "a\nb", 7):
        await operator.refused("publish", "bad_message", "type", channel="topic:a", type=kind, data={})
    for data in ([], "x", None, 1):
        await operator.refused("publish", "bad_message", "data", channel="topic:a", data=data)
    await operator.refused("publish", "bad_message", "data", channel="topic:a", data={"x": "y" * 8200})
    await operator.refused("publish", "bad_message", "data", channel="topic:a")
    await operator.publish("topic:" + "x" * 64, data={"x": "y" * 8100})


async def test_sixteen_at_once(hub, topic):
    operator, reader = await operator_and_reader(hub, topic)
    for n in range(15):
        await reader.join(f"{topic}-{n}")
    await reader.refused("subscribe", "bad_message", "channel", channel=f"{topic}-15")
    await reader.join(topic)  # has it already
    await reader.call("unsubscribe", channel=f"{topic}-3")
    await reader.join(f"{topic}-15")
    for name in (topic, f"{topic}-0", f"{topic}-15"):
        await reader.has(name, [await operator.publish(name)])
    await operator.publish(f"{topic}-3")
    await reader.call("unsubscribe", channel=f"{topic}-0")  # room for the barrier's
    await reader.barrier()
    assert not reader.got(f"{topic}-3")


async def test_a_subscription_begins_now(hub, topic):
    operator = await member(hub, "operator")
    seqs = await operator.publish_many(topic, 5)
    reader = await member(hub)
    assert await reader.join(topic) == seqs[-1]
    assert await reader.join(topic) == seqs[-1], "twice is once"
    seqs = await operator.publish_many(topic, 5)
    await reader.has(topic, seqs)
    assert await reader.join(topic) == seqs[-1]
    assert await reader.call("unsubscribe", channel=topic) == {"channel": topic}
    await operator.publish(topic)
    await reader.barrier()
    assert reader.seqs(topic) == seqs
    assert await reader.call("unsubscribe", channel=topic) == {"channel": topic}, "what is not read may be left"


async def test_reading_names_keeps_nothing(hub, topic):
    """Anybody may read any name: what nobody has published in leaves no trace."""
    reader = await member(hub)
    for n in range(30):
        await reader.join(f"{topic}-{n}")
        await reader.call("unsubscribe", channel=f"{topic}-{n}")
    await reader.connect(resume={f"{topic}-{n}": "1-1" for n in range(15)})
    await reader.barrier()
    assert not list(hub.redis.scan_iter(hub.key(f"ch:{topic}-*")))


async def test_what_is_first_published_while_its_reader_is_away_is_not_missed(hub, topic):
    operator, reader = await operator_and_reader(hub, topic)
    begun = reader.begun
    await reader.cut()
    seqs = await operator.publish_many(topic, 5)
    await reader.connect(resume={topic: begun})
    await reader.has(topic, seqs)
    assert not reader.gaps(topic)
    late = await member(hub)
    await late.call("subscribe", channel=topic, since=begun)
    await late.has(topic, seqs)
    assert not late.gaps(topic)


async def test_nobody_is_told_what_it_does_not_read(hub, topic):
    operator, reader = await operator_and_reader(hub, topic)
    other = await member(hub)
    await other.join(topic + "x")
    await reader.has(topic, await operator.publish_many(topic, 3))
    await other.barrier()
    assert not other.got(topic) and not other.got(topic + "x")


@pytest.mark.parametrize("how", ["hello", "since"])
@pytest.mark.parametrize("role", ["passenger", "operator"])
async def test_resumes_after_a_cut(hub, topic, how, role):
    operator, reader = await member(hub, "operator"), await member(hub, role)
    begun = await reader.join(topic)
    await reader.cut()
    # Nothing was ever published: the place from the reply is one to resume from.
    await back(reader, topic, begun, how)
    seqs = await operator.publish_many(topic, 10)
    await reader.has(topic, seqs)
    for _ in range(3):
        await reader.cut()
        seqs += await operator.publish_many(topic, 7)
        going_on = asyncio.create_task(operator.publish_many(topic, 50))
        await back(reader, topic, reader.seqs(topic)[-1], how)
        seqs += await going_on
        await reader.has(topic, seqs)
    assert not reader.gaps(topic)


async def back(reader, topic, seq, how):
    if how == "hello":
        reply = await reader.connect(resume={topic: seq})
        assert topic in reply["channels"] and reply["seq"][topic] == seq
    else:
        await reader.connect()
        assert await reader.call("subscribe", channel=topic, since=seq) == {"channel": topic, "seq": seq}


async def test_from_any_earlier_event_all_that_followed(hub, topic):
    operator, reader = await operator_and_reader(hub, topic)
    seqs = await operator.publish_many(topic, 600)
    for index in (0, 1, 299, 597, 598, 599):
        late = await member(hub)
        await late.join(topic, since=seqs[index])
        await late.has(topic, seqs[index + 1 :])
    # Again, on a connection that reads it already.
    await reader.has(topic, seqs)
    del reader.pushed[:]
    await reader.join(topic, since=seqs[590])
    await reader.has(topic, seqs[591:])


@pytest.mark.parametrize("how", ["hello", "since"])
async def test_what_is_no_longer_kept_is_a_gap(hub, topic, how):
    operator, reader = await operator_and_reader(hub, topic)
    seqs = await operator.publish_many(topic, 5)
    await reader.has(topic, seqs)
    await reader.cut()
    seqs = await operator.publish_many(topic, 5)
    hub.redis.xtrim(hub.key(f"ch:{topic}"), maxlen=2, approximate=False)
    del reader.pushed[:]
    if how == "hello":
        reply = await reader.connect(resume={topic: reader.begun})
        assert topic in reply["channels"]
    else:
        await reader.connect()
        assert await reader.join(topic, since=reader.begun) == seqs[-1]
    await reader.wait(lambda: reader.gaps(topic) or None, "the gap")
    new = await operator.publish_many(topic, 5)
    await reader.has(topic, new)
    assert reader.pushed.index(reader.gaps(topic)[0]) < reader.pushed.index(reader.got(topic)[0])
    assert len(reader.gaps(topic)) == 1


@pytest.mark.parametrize("seq", ["9999999999999-0", "nonsense", "1-2-3", "*", "$", "(1-1", "x" * 64])
async def test_a_seq_that_was_never_given_is_a_gap(hub, topic, seq):
    operator = await member(hub, "operator")
    await operator.publish(topic)
    for how in ("hello", "since"):
        reader = await member(hub, resume={topic: seq} if how == "hello" else None)
        if how == "since":
            await reader.join(topic, since=seq)
        await reader.wait(lambda: reader.gaps(topic) or None, "the gap")
        await reader.has(topic, [await operator.publish(topic)])


@pytest.mark.parametrize("how", ["hello", "since"])
@pytest.mark.parametrize("seq", ["0", "0-0"])
async def test_the_oldest_kept_is_a_place_to_begin(hub, topic, how, seq):
    operator = await member(hub, "operator")

    async def begin():
        reader = await member(hub, resume={topic: seq} if how == "hello" else None)
        if how == "hello":
            assert reader.hello_reply["seq"][topic] == "0-0"
        else:
            assert await reader.join(topic, since=seq) == "0-0"
        return reader

    early = await begin()
    seqs = await operator.publish_many(topic, 300)
    await early.has(topic, seqs)
    late = await begin()
    await late.has(topic, seqs)
    hub.redis.xtrim(hub.key(f"ch:{topic}"), maxlen=7, approximate=False)
    last = await begin()
    await last.has(topic, seqs[-7:])
    seqs += await operator.publish_many(topic, 3)
    await last.has(topic, seqs[-10:])
    assert not [reader for reader in (early, late, last) if reader.gaps(topic)]


@pytest.mark.parametrize("kind", [Member, BinaryMember], ids=["json", "protobuf"])
async def test_a_topic_named_as_an_event_of_the_hub_is_refused(hub, kind):
    operator, reader = kind(hub, "operator"), kind(hub)
    await operator.connect()
    await reader.connect()
    for channel in ("topic:ride.accepted", "topic:stop.requested", "topic:seats.changed", "topic:tour.x.y"):
        for one, command, fields in ((operator, "publish", {"data": {}}), (operator, "subscribe", {}), (reader, "subscribe", {})):
            error = await one.refused(command, "bad_message", "channel", channel=channel, **fields)
            assert "kerbside tail" in error["detail"]
    await reader.connect(resume={"topic:ride.accepted": "0", "topic:rides": "0"})
    assert [c for c in reader.hello_reply["channels"] if c.startswith("topic:")] == ["topic:rides"]
    [error] = await reader.wait(lambda: [m["error"] for m in reader.pushed if "error" in m] or None, "the refusal")
    assert (error["code"], error["field"]) == ("bad_message", "resume") and "topic:ride.accepted" in error["detail"]


@pytest.mark.parametrize("kind", [Member, BinaryMember], ids=["json", "protobuf"])
async def test_private_topics_are_for_operators_and_services(hub, topic, kind):
    channel = topic.replace("topic:", "topic:private.")
    readers = []
    for role in ROLES:
        one = kind(hub, role)
        await one.connect()
        if role in ("operator", "service"):
            await one.join(channel)
            readers.append(one)
        else:
            for name in (channel, "topic:private"):
                error = await one.refused("subscribe", "forbidden", "channel", channel=name)
                await one.refused("publish", "forbidden", channel=name, data={})
            assert "operators and services" in error["detail"]
            await one.connect(resume={channel: "0", topic: "0"})
            assert channel not in one.hello_reply["channels"] + list(one.hello_reply["seq"])
            assert topic in one.hello_reply["channels"]
            refused = await one.wait(lambda one=one: [m["error"] for m in one.pushed if "error" in m] or None, "it")
            assert [(error["code"], error["field"]) for error in refused] == [("forbidden", "resume")]
            readers.append(one)
    seqs = [await one.publish(channel) for one in readers if one.role in ("operator", "service")]
    for one in readers:
        if one.role in ("operator", "service"):
            await one.has(channel, seqs)
            await one.connect(resume={channel: seqs[0]})
            assert one.hello_reply["seq"][channel] == seqs[0]
            await one.wait(lambda one=one: one.seqs(channel)[len(seqs):] or None, "what followed")
            assert one.seqs(channel) == [*seqs, seqs[1]]
        else:
            await one.barrier()
            assert not one.got(channel) and not one.gaps(channel)


async def test_readers_of_two_workers(hub, topic):
    readers = [await member(hub) for _ in range(4)]
    while len({reader.worker for reader in readers}) < 2:
        readers.append(await member(hub))
    for reader in readers:
        await reader.join(topic)
    operators = [await member(hub, "operator") for _ in range(3)]
    many = await asyncio.gather(*(operator.publish_many(topic, 100) for operator in operators))
    seqs = [row[0] for row in hub.history(topic)]
    assert sorted(seqs) == sorted(itertools.chain(*many))
    for reader in readers:
        await reader.has(topic, seqs)


async def test_a_thousand_in_a_burst(hub, topic):
    operator, reader = await operator_and_reader(hub, topic)
    await reader.has(topic, await operator.publish_many(topic, 1000))
    assert [event["data"]["n"] for event in reader.got(topic)] == list(range(1000))


async def test_those_who_come_while_it_is_told_miss_nothing_from_then_on(hub, topic):
    operator, reader = await operator_and_reader(hub, topic)
    late = [await member(hub) for _ in range(12)]

    async def come(one, again):
        await one.join(topic)
        if again:
            await one.call("unsubscribe", channel=topic)
            await one.join(topic, since=one.begun)

    seqs = []
    for turn, one in enumerate(late):
        more, _ = await asyncio.gather(operator.publish_many(topic, 60), come(one, turn % 3 == 2))
        seqs += more
    seqs += await operator.publish_many(topic, 10)
    await reader.has(topic, seqs)
    for turn, one in enumerate(late):
        await one.last(topic, seqs[-1])
        expected = [seq for seq in seqs if order(seq) > order(one.begun)]
        if turn % 3 == 2:  # read the beginning twice
            assert one.seqs(topic)[-len(expected) :] == expected
        else:
            assert one.seqs(topic) == expected


async def test_operators_and_services_may_send_more(new_hub, topic):
    hub = new_hub(server__commands_per_second=20, server__commands_burst=60).start()
    operator, reader = await operator_and_reader(hub, topic)
    begun = time.monotonic()
    # Each counts as three of its thousand.
    seqs = await operator.publish_many(topic, 300)
    await reader.has(topic, seqs)
    seqs += await operator.publish_many(topic, max(1, int((time.monotonic() - begun) * 150)))
    await reader.has(topic, seqs)
    for _ in range(110):
        await reader.send({"cmd": "unsubscribe", "channel": "topic:other"})
    await reader.wait(lambda: [m for m in reader.pushed if m.get("error", {}).get("code") == "rate_limited"] or None,
                      "a limit for others")


async def test_operators_and_services_have_a_limit(new_hub, topic):
    hub = new_hub(server__service_commands_per_second=30).start()
    service = await member(hub, "service")
    refused = []
    while not refused:  # a machine that takes a second for these is asked again
        replies = await asyncio.gather(*(service.ask("publish", channel=topic, data={}) for _ in range(12)))
        refused = [reply["error"]["code"] for reply in replies if "error" in reply]
        assert len(refused) <= 4, "thirty at once are within the limit: the greeting counts as six, each of these as three"
    assert set(refused) == {"rate_limited"}


async def test_many_histories_at_once_come_whole_and_are_paid_for(new_hub):
    """3 MB of six topics: more than may wait for a connection, and more than a reader's commands cost."""
    hub = new_hub(
        server__commands_per_second=20, server__commands_burst=60, server__service_commands_per_second=10_000).start()
    service = await member(hub, "service")
    channels = [f"topic:long-{n}" for n in range(6)]
    seqs = {}
    for channel in channels:
        seqs[channel] = await asyncio.gather(
            *(service.publish(channel, data={"x": "y" * 8_000}) for _ in range(60)))
    reader = await member(hub, resume=dict.fromkeys(channels, "0"))
    for channel in channels:
        await reader.has(channel, seqs[channel], within=4 * patience.PROCESS)
    assert reader.closed is None
    # 16 KiB are one command. It has read for more than it had, and waits until that is paid.
    error = await reader.refused("subscribe", "rate_limited", channel="topic:other")
    assert error["retry_after_ms"] > 0
