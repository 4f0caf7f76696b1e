"""A bus driver's app, the readers of a line, and a community with many small lines."""

import json
import time

from . import hub as hubs, patience
from .city import Point
from .client import Client
from .driver import Driver
from .names import fresh
from .protobuf import Binary

#: Metres from stop to stop, and how many there are.
SPACING, STOPS = 1000, 5



class Line:
    """A straight line to the east, one kilometre from stop to stop; a bus of its own with 8 seats."""

    def __init__(self, number, start):
        self.id, self.bus = f"L{number}", f"B{number}"
        self.stops = [f"{self.id}-{index}" for index in range(STOPS)]
        self._west = Point(46 + number * 0.02, 10.0)
        #: When its one run leaves the first stop, ms; two minutes from stop to stop.
        self.start = start

    @property
    def channel(self):
        return f"line:{self.id}"

    def at(self, metres, north=0):
        """The point so many metres along, and beside it."""
        return self._west.moved(east=metres, north=north)


def community(count=40):
    """The lines, and the YAML that `kerbside import yaml` reads. Each runs once, about now."""
    start = int(time.time()) // 60 * 60 - 240
    lines = [Line(number, start * 1000) for number in range(count)]
    day = time.strftime("%Y-%m-%d", time.gmtime(start))
    clock = start % 86_400
    text = {"time_zone": "Etc/UTC", "stops": {}, "lines": {}, "buses": {}}
    for line in lines:
        for index, stop in enumerate(line.stops):
            text["stops"][stop] = {"name": stop, **line.at(index * SPACING).fields}
        times = [clock + index * 120 for index in range(STOPS)]
        rows = [{stop: f"{t // 3600}:{t // 60 % 60:02}"} for stop, t in zip(line.stops, times, strict=True)]
        run = {"headsign": "East", "direction": 0, "days": "mon-sun", "from": day, "stops": rows}
        text["lines"][line.id] = {"name": line.id, "kind": "bus", "runs": [run]}
        text["buses"][line.bus] = {"seats": 8, "line": line.id}
    return lines, text


def load(hub, text):
    """Takes the community into use."""
    file = hub.directory / "lines.yaml"
    # JSON is YAML.
    file.write_text(json.dumps(text))
    done = hubs.run("import", "yaml", file, "--config", hub.config)
    assert done.returncode == 0, done.stdout + done.stderr


class BusDriver(Driver):
    role = "bus_driver"

    def __init__(self, hub, line, subject=None):
        super().__init__(hub, subject or fresh("D"), line.at(0))
        self.channel = f"bus_driver:{self.subject}"
        self.line, self.tour = line, None

    async def begin(self, **fields):
        """Connected, and on tour."""
        if self.ws is None:
            await self.connect()
        reply = await self.call("tour.start", bus=self.line.bus, line=self.line.id, **fields)
        self.tour = reply["tour"]
        return reply

    async def go(self, *metres, north=0, step=100):
        """Along the line to each of the places."""
        for place in metres:
            for point in self.place.towards(self.line.at(place, north), step):
                await self.fix(point)


async def tried(attempt):
    """What came of it, or None while the hub is away."""
    try:
        return await attempt()
    except Exception as error:
        if isinstance(error, (OSError, AssertionError)) or "websockets" in type(error).__module__:
            return None
        raise


class BinaryBusDriver(Binary, BusDriver):
    """The same in Protocol Buffers."""


class Citizen(Client):
    """Reads lines."""

    role = "passenger"

    def __init__(self, hub, line):
        super().__init__(hub, fresh("c"))
        self.line = line

    async def watch_line(self, **fields):
        """Connected, subscribed, and shown the line; the buses of the snapshot by tour."""
        if self.ws is None:
            await self.connect()
        self.begun = (await self.call("subscribe", channel=self.line.channel, **fields))["seq"]
        snapshot = await self.wait(self.shown, "the snapshot of the line")
        return {bus["tour"]: bus for bus in snapshot["buses"]}

    def shown(self):
        """The data of the last snapshot of the line."""
        found = [m for m in self.pushed if m["ch"] == self.line.channel and m["type"] == "snapshot"]
        return found[-1]["data"] if found else None

    def known(self):
        """tour → its bus, by the rules of the contract: a snapshot replaces all, a state one."""
        known = {}
        for message in self.pushed:
            if message["ch"] == self.line.channel and message["type"] == "snapshot":
                known = {bus["tour"]: bus for bus in message["data"]["buses"]}
            elif message["ch"] == self.line.channel and message["type"] == "bus":
                known[message["data"]["tour"]] = message["data"]
        return {tour: bus for tour, bus in known.items() if bus["state"] == "running"}

    async def knows(self, tour, where, what, within=patience.PROCESS):
        """Until what is known of the tour is such."""
        return await self.wait(lambda: (tour in self.known() and where(self.known()[tour])) or None, what, within)

    async def bus(self, where=lambda bus: True, within=None):
        """The next state of a bus of the line for which `where` holds."""
        return await self.state("bus", where, within)

    def changes(self):
        """All schedule.changed of the line, as data."""
        return [m["data"] for m in self.pushed if m["ch"] == self.line.channel and "seq" in m]

    async def change(self, reason, within=None):
        """The first schedule.changed for this reason."""
        return await self.wait(
            lambda: next((data for data in self.changes() if data["reason"] == reason), None), f"{reason} on the line",
            within)


class BinaryCitizen(Binary, Citizen):
    """The same in Protocol Buffers."""
