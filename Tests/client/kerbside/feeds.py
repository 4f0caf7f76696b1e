"""Feeds as a user sees them: the picture of each channel, kept by the rules of the contract alone."""

import json
import time
from dataclasses import astuple, dataclass, replace

from . import contract

#: Rows carry five decimals of a degree.
ROUNDING = 6e-6

#: Settings of a hub whose feeds come every tick, so that tests need not wait.
OFTEN = {f"feeds__{kind}_ms": 50 for kind in ("near", "zone", "vehicle", "city")}


@dataclass(frozen=True)
class Vehicle:
    id: str
    lat: float
    lon: float
    heading: float | None
    state: str
    seats: int | None
    at: int
    freshness: str = "live"
    kind: str = "taxi"
    route: str | None = None


class Picture:
    """What is known of one channel."""

    def __init__(self, channel, coarse_ms=0):
        self.channel, self._coarse_ms = channel, coarse_ms
        #: id → Vehicle; None until the snapshot.
        self.vehicles = None
        #: (when it came, message), in order.
        self.messages = []
        self.snapshots = 0
        #: id → [(at, is short)] of all rows but a snapshot's.
        self.rows = {}
        #: id → its latest `at`, also after it has gone.
        self._latest = {}
        self._time = 0

    def apply(self, message):
        """The rows of the message, each as a full one."""
        self.messages.append((time.monotonic(), message))
        self._demand(message["time"] >= self._time, "time goes back", message)
        self._time = message["time"]
        if message["type"] == "snapshot":
            self.snapshots += 1
            self.vehicles = {}
        self._demand(self.vehicles is not None, "positions before the snapshot", message)
        for gone in message.get("gone", []):
            self._demand(gone in self.vehicles, f"{gone} is gone and was not there", message)
            del self.vehicles[gone]
        ids = [row[0] for row in message["data"]]
        self._demand(len(ids) == len(set(ids)), "a vehicle stands twice", message)
        for row in message["data"]:
            self._apply_row(row, message)
        return [list(astuple(self.vehicles[known])) for known in ids]

    def _apply_row(self, row, message):
        if is_short := len(row) == 5:
            known = self.vehicles.get(row[0])
            self._demand(known is not None, f"a short row of {row[0]}, of which nothing is known", message)
            vehicle = replace(known, lat=row[1], lon=row[2], heading=row[3], at=message["time"] - row[4])
            self._demand(vehicle.at > known.at, f"a short row of {row[0]} that is no news", message)
            self._demand(len(json.dumps(row, separators=(",", ":"))) < 40 or len(row[0]) > 6, "a long row", message)
        else:
            vehicle = Vehicle(*row)
            self._demand(
                vehicle != self.vehicles.get(row[0]), f"a row of {row[0]} that changes nothing: {row}", message
            )
        self._demand(vehicle.at >= self._latest.get(row[0], 0), f"the time of {row[0]} goes back", message)
        self._latest[row[0]] = vehicle.at
        self.vehicles[row[0]] = vehicle
        if message["type"] != "snapshot":
            self.rows.setdefault(row[0], []).append((vehicle.at, is_short))

    def _demand(self, condition, what, message):
        if not condition:
            raise contract.Breach(f"{self.channel}: {what}: {json.dumps(message)[:1000]}")

    @property
    def ids(self):
        return set(self.vehicles or ())

    def shows(self, driver, **attributes):
        """Whether the driver's car is where it was measured last, at that time, and as is said."""
        vehicle = (self.vehicles or {}).get(driver.subject)
        return (
            vehicle is not None
            and 0 <= driver.clock - vehicle.at <= self._coarse_ms
            and abs(vehicle.lat - driver.place.lat) < ROUNDING
            and abs(vehicle.lon - driver.place.lon) < ROUNDING
            and all(getattr(vehicle, name) == value for name, value in attributes.items())
        )


class Watching:
    """The part of an app that shows feeds; of a `Client`."""

    #: A row may tell a time that is so much earlier than that of the fix.
    coarse_ms = 0

    def is_last_of(self, driver, row):
        """Whether the row of a feed is the driver's last fix."""
        return 0 <= driver.clock - row[6] <= self.coarse_ms

    def forget_feeds(self):
        #: channel → Picture, of this connection.
        self.pictures, self._left = {}, set()

    def take_feed(self, message):
        channel = message["ch"]
        assert channel not in self._left, f"{channel} was left, and still comes: {message}"
        if channel not in self.pictures:
            # The taxi of one's ride comes without being asked for.
            assert channel.startswith("vehicle:") and self.role == "passenger", f"nobody asked for this: {message}"
            self.pictures[channel] = Picture(channel, self.coarse_ms)
        return self.pictures[channel].apply(message)

    async def watch(self, place, radius, **options):
        """The circle around `place`, with its snapshot."""
        return await self._begin("near", "watch", **place.fields, radius=radius, **options)

    async def follow(self, channel, **options):
        """`zone:…`, `vehicle:…` or `city`, with its snapshot."""
        return await self._begin(channel, "subscribe", channel=channel, **options)

    async def _begin(self, name, command, /, **fields):
        self._left.discard(name)
        picture = self.pictures.setdefault(name, Picture(name, self.coarse_ms))
        before = picture.snapshots
        reply = await self.call(command, **fields)
        assert reply["channel"] == name
        await self.wait(lambda: picture.snapshots > before or None, f"the snapshot of {name}")
        return picture

    async def leave(self, channel):
        """What comes on the channel from the reply on fails the test."""
        if channel == "near":
            reply = await self.call("unwatch")
        else:
            reply = await self.call("unsubscribe", channel=channel)
        assert reply == {"channel": channel}
        self._left.add(channel)
        return self.pictures.pop(channel, None)

    async def sees(self, picture, condition, what, within=None):
        """Until `condition(picture)` holds."""

        def story():
            return f"{what}; {picture.channel} shows {picture.vehicles}"

        try:
            return await self.wait(lambda: (picture.vehicles is not None and condition(picture)) or None, what, within)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{story()}") from None

    async def sees_all(self, picture, drivers, within=None, **attributes):
        """Until just these cars are shown, each where it is."""
        await self.sees(
            picture,
            lambda shown: (
                shown.ids == {driver.subject for driver in drivers}
                and all(shown.shows(driver, **attributes) for driver in drivers)
            ),
            f"just {sorted(f'{d.subject} at {d.place} {d.clock}' for d in drivers)} {attributes}",
            within,
        )


async def one_available(hub, cast):
    """A taxi on its stand, the zone around it, and a passenger."""
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    return driver, here.a, await cast.rider(hub)
