"""Citizens who ask for stops, and a village whose lines run in different ways."""

import time

from . import bus as buses
from .bus import BinaryCitizen, BusDriver, Citizen
from .hub import Hub

MINUTE = 60_000
DAY = 24 * 60 * MINUTE

#: Seconds of the service day at which an hourly line begins its runs, one at each full hour of the clock. Requests are taken from
#: the first departure of a day to its last arrival, and the next bus is looked for on the day that is wanted and the day before: so
#: the runs of 0:00 and 2:00 are of the day before, at 24:00 and 26:00, when the day of that of 1:00 has begun.
HOURLY = [hour * 3600 for hour in (1, *range(3, 25), 26)]


def village():
    """Lines by kind, and the YAML of all. `hourly` run by day and night, `last` now and not again, `closed` and `soon` not now."""
    now = int(time.time()) // 60 * 60
    kinds = {"hourly": range(30), "last": range(30, 40), "closed": range(40, 42), "soon": range(42, 46)}
    text = {"time_zone": "Etc/UTC", "stops": {}, "lines": {}, "buses": {}}
    lines = {}
    for kind, numbers in kinds.items():
        lines[kind] = [buses.Line(number, now * 1000) for number in numbers]
        for line in lines[kind]:
            begin = {"hourly": 0, "last": now - 240, "closed": now + 36_000, "soon": now + 1200}[kind]
            starts = HOURLY if kind == "hourly" else [begin % 86_400]
            rows = []
            for index, stop in enumerate(line.stops):
                text["stops"][stop] = {"name": stop, **line.at(index * buses.SPACING).fields}
                # The last line's run takes an hour.
                times = [start + index * (120 if kind == "hourly" else 900) for start in starts]
                rows.append({stop: " ".join(f"{t // 3600}:{t // 60 % 60:02}" for t in times)})
            day = time.strftime("%Y-%m-%d", time.gmtime((begin or now) - 86_400 * (kind == "hourly")))
            run = {"headsign": "East", "direction": 0, "days": "mon-sun", "from": day, "stops": rows}
            if kind != "hourly":
                run["until"] = day
            text["lines"][line.id] = {"name": line.id, "kind": "bus", "runs": [run]}
            text["buses"][line.bus] = {"seats": 8, "line": line.id}
    return lines, text


def serve(**settings):
    hub = Hub(**settings)
    try:
        hub.start()
        lines, text = village()
        buses.load(hub, text)
        hub.lines = {kind: iter(found) for kind, found in lines.items()}
        yield hub
        hub.stop()
    finally:
        hub.kill()
        hub.remove()


class Asking:
    """A citizen who asks for stops."""

    async def here(self):
        if self.ws is None:
            await self.connect()
        return self

    def now(self, minutes=0):
        """Hub time, ms, so many minutes from now."""
        told = self.hello_reply["time"], self.asked_at
        scale = self.hub.settings.get("clock.scale", 1)
        return int(told[0] + (time.monotonic() - told[1]) * 1000 * scale + minutes * MINUTE)

    async def hello(self, resume=None):
        self.asked_at = time.monotonic()
        return await super().hello(resume)

    async def ask_for(self, metres=None, **fields):
        """The reply of a request for a place so many metres along the line."""
        place = {} if metres is None else self.line.at(metres).fields
        reply = await self.call("stop.request", **({"line": self.line.id, "name": "Ada"} | place | fields))
        if fields.get("key") is None:
            await self.until("stop.pending", request=reply["request"])
        return reply["request"]

    async def not_asked(self, code, metres=None, field=None, **fields):
        place = {} if metres is None else self.line.at(metres).fields
        return await self.refused("stop.request", code, field, **({"line": self.line.id, "name": "Ada"} | place | fields))


class Rider(Asking, Citizen):
    pass


class BinaryRider(Asking, BinaryCitizen):
    pass


async def rider(hub, line):
    return await Rider(hub, line).here()


async def on_tour(hub, line, at=0):
    """A driver on the line, so many metres along it."""
    driver = BusDriver(hub, line)
    await driver.begin()
    if at:
        await driver.go(at)
        await known(driver, at)
    return driver


async def known(driver, at):
    """The bus is known to be there."""
    key = driver.hub.key(f"tour:{driver.tour}")
    await driver.hub.until("the bus there", lambda: abs(float(driver.hub.redis.hget(key, "dist") or -1e9) - at) < 20)


async def nobody_came(driver, request):
    """Said until the bus has stood there for long enough."""

    async def is_taken():
        return "ok" in await driver.ask("stop.noshow", request=request)

    await driver.hub.until("the wait", is_taken)


def ids(places):
    return [[request["request"] for request in place["requests"]] for place in places]
