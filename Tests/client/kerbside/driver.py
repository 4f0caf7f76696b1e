"""A driver's app with its car."""

import asyncio
import time

from .client import Client


class Driver(Client):
    role = "driver"

    #: Metres per second between two fixes, unless a test says when they were measured.
    SPEED = 35.0

    def __init__(self, hub, subject, at=None, token=None):
        super().__init__(hub, subject, token)
        self.place = at
        # Fixes are sent as fast as they are answered: their clock starts a while ago, and never falls further back.
        self.clock, self._measured = int(time.time() * 1000) - 260_000, time.monotonic()
        self._has_sent = False

    async def fix(self, place=None, after_ms=None, accuracy=5, **fields):
        """Measures and sends a position, by default as long after the last one as the way takes. The reply."""
        place = place or self.place
        if not self._has_sent:
            # The app was running before: by two fixes the hub knows by how much the device's clock is behind.
            self._has_sent = True
            self._tick()
            await self.call("position", **place.fields, at=self.clock, accuracy=accuracy)
        if after_ms is None:
            after_ms = 500 + int(place.distance(self.place) / self.SPEED * 1000)
        self._tick(after_ms)
        self.place = place
        return await self.call("position", **place.fields, at=self.clock, accuracy=accuracy, **fields)

    def _tick(self, after_ms=0):
        """Its clock goes on by so much, or by what has passed if that is more."""
        now = time.monotonic()
        self.clock += max(after_ms, int((now - self._measured) * 1000))
        self._measured = now

    async def drive(self, *places, step=60):
        """Along a straight line to each of the places, with a fix every `step` metres."""
        for place in places:
            for point in self.place.towards(place, step):
                await self.fix(point)

    async def go_available(self):
        """Connect, first fix, into the queue. The reply of `driver.available`."""
        if self.ws is None:
            await self.connect()
        await self.fix()
        place = await self.call("driver.available")
        await self.expect("queue.joined", zone=place["zone"], reason="available")
        await self.known()
        return place

    async def known(self):
        """The last fix has gone into Redis with its tick's batch: whoever dies now, it is known."""
        key = self.hub.key(f"vehicle:{self.subject}")
        await self.hub.until("the fix in Redis", lambda: self.hub.redis.hget(key, "at") == str(self.clock))

    async def offered(self, ride=None, seen=True):
        """The next event is an offer; shows it, as the app does by itself."""
        offer = await self.expect("offer.made", **({"ride": ride} if ride else {}))
        if seen:
            await self.call("offer.seen", ride=offer["ride"])
        return offer

    async def accept(self, ride=None):
        """Waits for the offer, takes it, and is told where to go."""
        offer = await self.offered(ride)
        reply = await self.call("offer.accept", ride=offer["ride"])
        await self.expect("ride.assigned", **reply)
        return reply

    async def accept_next(self, ride):
        """As `accept`, whatever else came before the offer."""
        await self.until("offer.made", ride=ride)
        await self.call("offer.seen", ride=ride)
        reply = await self.call("offer.accept", ride=ride)
        await self.expect("ride.assigned", **reply)

    async def barrier(self):
        """Everything that this connection sent before has had its effect in Redis."""
        await self.refused("offer.seen", "not_found", ride="no-such-ride")


class PunctualDriver(Driver):
    """Its device's clock is the hub's, be that another time than now or faster, and it drives no faster than it can."""

    SPEED = 20.0

    async def hello(self, resume=None):
        reply = await super().hello(resume)
        self._told, self._told_at = reply["time"], time.monotonic()
        return reply

    @property
    def scale(self):
        return self.hub.settings.get("clock.scale", 1)

    @property
    def now(self):
        """Hub time, ms; or a little less, as the reply to hello was on its way."""
        return int(self._told + (time.monotonic() - self._told_at) * 1000 * self.scale)

    async def fix(self, place=None, accuracy=5, **fields):
        place = place or self.place
        await asyncio.sleep(place.distance(self.place) / self.SPEED / self.scale)
        self.place, self.clock = place, self.now
        return await self.call("position", **place.fields, at=self.clock, accuracy=accuracy, **fields)

    async def known(self):
        """The hub may put the time of a fix right by its own clock: any is waited for."""
        key = self.hub.key(f"vehicle:{self.subject}")
        await self.hub.until("a fix in Redis", lambda: self.hub.redis.hget(key, "at"))
