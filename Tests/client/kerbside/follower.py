"""A service that follows the city's events, and what writes them for it without a city."""

import json

from . import patience
from .client import order
from .member import BinaryMember, Member

PERSONAL = "events:personal"


def write(hub, count, start=0, zones=("14", "15"), pipe=500):
    """Events into the log as the functions write them: a search for each of the rides from `start` on. Their seqs."""
    seqs = []
    for begin in range(start, start + count, pipe):
        pipeline = hub.redis.pipeline(transaction=False)
        for n in range(begin, min(begin + pipe, start + count)):
            data = {"ride": f"r_{n}", "zone": zones[n % len(zones)], "round": n, "reason": "next_round"}
            add(pipeline, hub, "ride.searching", data)
        seqs += pipeline.execute()
    return seqs


def add(connection, hub, kind, data):
    return connection.xadd(hub.key("events"), {"type": kind, "time": 1795210210000, "data": json.dumps(data)})


def logged(hub, after="-"):
    """(seq, type) of what is in the log."""
    rows = hub.redis.xrange(hub.key("events"), after if after == "-" else f"({after}")
    return [(seq, row["type"]) for seq, row in rows]


class Following:
    """Follows one channel, and comes back to it."""

    def follows(self, channel):
        self.followed = channel
        return self

    async def begin(self, **fields):
        await self.connect()
        self.begun = (await self.call("subscribe", channel=self.followed, **fields))["seq"]
        return self

    @property
    def seen(self):
        return self.seqs(self.followed)

    async def come_back(self):
        return await self.back(self.followed)

    async def reads(self, seqs, within=patience.PROCESS):
        """Waits for the last of them, and insists on these, in order and once."""
        await self.wait(lambda: (self.seen[-1:] == seqs[-1:]) or None, f"{len(seqs)} events; {len(self.seen)} came", within)
        assert self.seen == list(seqs)
        assert self.seen == sorted(set(self.seen), key=order)


class Follower(Following, Member):
    pass


class BinaryFollower(Following, BinaryMember):
    pass


def follower(hub, channel, kind=Follower, role="service", scope=None):
    one = kind(hub, role)
    if scope:
        one.token = hub.token(role, one.subject, scope=scope)
    return one.follows(channel)
