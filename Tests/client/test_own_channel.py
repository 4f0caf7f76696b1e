"""What was told on one's own channel, to who comes back."""

import asyncio

import pytest

from kerbside.member import BinaryMember, Member


@pytest.mark.parametrize("kind", [Member, BinaryMember], ids=["json", "protobuf"])
async def test_the_oldest_kept_of_ones_own_channel(hub, kind):
    """All that is kept, and then the snapshot, as what was before may not be kept any more."""
    first = kind(hub)
    await first.connect()
    for mute in ("eta", "route"):
        await first.call("notify.set", mute=[mute])
    again = first.twin()
    await again.connect(resume={first.channel: "0"})
    await again.wait(lambda: [m for m in again.pushed if m["type"] == "snapshot"] or None, "the snapshot")
    assert [m["type"] for m in again.pushed] == ["notify.changed", "notify.changed", "snapshot"]
    assert again.pushed[-1]["data"]["notify"] == {"mute": ["route"]}
    await first.call("notify.set", mute=["answers"])
    await again.wait(lambda: len(again.events) == 3 or None, "what comes then")


@pytest.mark.parametrize("seen", ["0", "first", "second"])
async def test_c5_many_events_of_ones_own_channel_come_whole_while_more_are_told(hub, seen):
    """A function gives the first 32, and the worker reads the others: around that number, and far beyond."""
    first = Member(hub)
    await first.connect()
    count = 0
    for count in (31, 33, 35, 300):
        while len(first.events) < count:
            told = len(first.events)
            await first.call("notify.set", mute=[("eta", "route")[told % 2]])
            await first.wait(lambda told=told: len(first.events) > told or None, "what is told")
        place = {"0": "0", "first": first.events[0]["seq"], "second": first.events[1]["seq"]}[seen]
        again = first.twin()
        more = asyncio.create_task(first.call("notify.set", mute=["answers"]))
        await again.connect(resume={first.channel: place})
        await more
        await first.wait(lambda count=count: len(first.events) > count or None, "what is told meanwhile")
        whole = [m["seq"] for m in first.events][{"0": 0, "first": 1, "second": 2}[seen] :]
        await again.wait(lambda again=again, whole=whole: len(again.events) >= len(whole) or None, "all of it")
        assert [m["seq"] for m in again.events] == whole
        assert not again.gaps(first.channel)
        await again.close()
