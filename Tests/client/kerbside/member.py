"""Anybody who reads or writes the shared event channels."""

import asyncio

from . import patience
from .client import Client
from .names import fresh
from .protobuf import Binary


class Member(Client):
    """Anybody: reads topics, and may publish. Its own channel, if the role has one, is left out of account."""

    def __init__(self, hub, role="passenger"):
        self.role = role
        super().__init__(hub, fresh("m"))

    async def hello(self, resume=None):
        fields = {"token": self.token}
        if resume:
            fields["resume"] = resume
        self.hello_reply = await self.call("hello", **fields)
        return self.hello_reply

    async def barrier(self):
        """What Redis told this worker before is on its way."""
        channel = f"topic:barrier-{self.subject}"
        await self.call("subscribe", channel=channel)
        await self.call("unsubscribe", channel=channel)

    def got(self, channel):
        """Events of a topic in the order of arrival."""
        return [m for m in self.pushed if m.get("ch") == channel and "seq" in m]

    def seqs(self, channel):
        return [event["seq"] for event in self.got(channel)]

    def gaps(self, channel):
        return [m for m in self.pushed if m.get("ch") == channel and m["type"] == "gap"]

    async def has(self, channel, seqs, within=patience.PROCESS):
        """Waits for as many events, and insists on exactly these."""
        seqs = list(seqs)
        await self.wait(
            lambda: len(self.got(channel)) >= len(seqs) or None,
            f"{len(seqs)} events on {channel}; {len(self.got(channel))} came", within)
        assert self.seqs(channel) == seqs

    async def last(self, channel, seq, within=patience.PROCESS):
        """Waits for the event with this seq."""
        await self.wait(lambda: seq in self.seqs(channel)[-1:] or None, f"{seq} on {channel}", within)

    async def publish(self, channel, **fields):
        fields = {"data": {}} | fields
        return (await self.call("publish", channel=channel, **fields))["seq"]

    async def publish_many(self, channel, count, start=0):
        """As fast as they can be sent; the seqs in the order of sending."""
        return await asyncio.gather(*(self.publish(channel, data={"n": start + n}) for n in range(count)))

    async def back(self, channel):
        """The app's own behaviour: try again until it works, resuming from the last event seen."""
        seq = self.seqs(channel)[-1] if self.got(channel) else self.begun
        while True:
            try:
                return await self.connect(resume={channel: seq})
            except Exception:
                if self.breach:
                    raise
                await asyncio.sleep(0.05)

    async def join(self, channel, **fields):
        self.begun = (await self.call("subscribe", channel=channel, **fields))["seq"]
        return self.begun


class BinaryMember(Binary, Member):
    """The same in Protocol Buffers."""


async def member(hub, role="passenger", **options):
    """One that is connected."""
    one = Member(hub, role)
    await one.connect(**options)
    return one


async def operator_and_reader(hub, topic):
    """Both connected, the second subscribed to the topic."""
    operator, reader = await member(hub, "operator"), await member(hub)
    await reader.join(topic)
    return operator, reader
