"""How often the worker of a real hub takes memory, per position that comes in and per row that goes out.

Run by tools/allocations, which has built the counter: measure.py COUNTER. Prints lines "name number". One worker; what it takes
while nothing happens is taken off, so that the numbers are the path's own.
"""

import asyncio
import json
import os
import pathlib
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "client"))

from kerbside import city, hub as hubs
from kerbside.driver import Driver
from kerbside.passenger import Passenger

DRIVERS = 100
WATCHERS = 50
ROUNDS = 24
TICK_MS = 200
#: A little more than a tick: each position is in a batch of its own round.
ROUND_S = 0.4


class Counter:
    """The allocations of a process that has the counter preloaded."""

    def __init__(self, directory, pid):
        self.path = pathlib.Path(directory) / str(pid)

    def read(self):
        return struct.unpack("QQ", self.path.read_bytes()[:16])


class Reader:
    """Counts the rows and messages of a feed, and holds nothing against the contract: others do."""

    def __init__(self):
        self.rows = self.messages = 0

    def attach(self, client, channel):
        def take(raw):
            message = json.loads(raw)
            if message.get("ch") == channel:
                self.messages += 1
                self.rows += len(message["data"])

        client._take = take


async def rounds(drivers, count, speed=12.0):
    """Each driver moves and says so, once a round."""
    for _ in range(count):
        began = time.monotonic()
        for number, driver in enumerate(drivers):
            driver.place = driver.place.moved(north=speed * ROUND_S * (1 if driver.turns % 80 < 40 else -1))
            driver.turns += 1
            fix = {"cmd": "position", **driver.place.fields, "at": int(time.time() * 1000), "heading": 7.0 * (number % 50)}
            await driver.ws.send(json.dumps(fix))
        await asyncio.sleep(max(0.0, ROUND_S - (time.monotonic() - began)))


async def phase(counter, body):
    """(allocations, bytes, seconds) while `body` ran."""
    await asyncio.sleep(1)
    calls, size = counter.read()
    began = time.monotonic()
    await body
    await asyncio.sleep(2 * TICK_MS / 1000)
    end = counter.read()
    return end[0] - calls, end[1] - size, time.monotonic() - began


async def measure(hub, counter):
    drivers = []
    zone = hub.block().a
    for number in range(DRIVERS):
        start = zone.centre.moved(north=-300 + 50 * (number % 10), east=-300 + 60 * (number // 10))
        driver = Driver(hub, f"T{number + 100}", at=start)
        await driver.connect()
        driver.turns = 0
        driver._take = lambda raw: None
        drivers.append(driver)
    await rounds(drivers, 8)
    calls, _, seconds = await phase(counter, asyncio.sleep(8))
    idle = calls / seconds
    print(f"idle.second {idle:.0f}")

    calls, size, seconds = await phase(counter, rounds(drivers, ROUNDS))
    sent = DRIVERS * ROUNDS
    position = (calls - idle * seconds) / sent
    # The rest of a tick varies by some ten a second, so that a tenth is what can be told.
    print(f"position {max(0, position):.1f}")
    print(f"position.bytes {size / sent:.0f}")

    for driver in drivers:
        await driver.ws.send('{"cmd":"driver.available"}')
    for kind in ("zone", "near"):
        reader = Reader()
        watchers = []
        for number in range(WATCHERS):
            client = Passenger(hub, f"{kind}-{number}")
            await client.connect()
            if kind == "zone":
                await client.follow(f"zone:{zone.id}")
            else:
                await client.watch(zone.centre, 1500)
            reader.attach(client, f"zone:{zone.id}" if kind == "zone" else "near")
            watchers.append(client)
        await rounds(drivers, 8)
        calls, _, seconds = await phase(counter, asyncio.sleep(4))
        idle = calls / seconds
        reader.rows = reader.messages = 0
        calls, _, seconds = await phase(counter, rounds(drivers, ROUNDS))
        rest = calls - (idle * seconds)
        assert reader.rows > sent * WATCHERS / 2, f"{reader.rows} rows came of {sent * WATCHERS}"
        # All that a position costs when it is watched, by all 50, and what of it each row of a reader has.
        print(f"{kind}.position {rest / sent:.1f}")
        print(f"{kind}.row {(rest - position * sent) / reader.rows:.3f}")
        print(f"{kind}.message {(rest - position * sent) / reader.messages:.1f}")
        print(f"{kind}.rows-per-message {reader.rows / reader.messages:.0f}")
        for client in watchers:
            await client.close()


def main():
    with tempfile.TemporaryDirectory(prefix="kerbside-allocations-") as directory:
        os.environ["KB_ALLOCATIONS"] = directory
        os.environ["LD_PRELOAD"] = str(pathlib.Path(sys.argv[1]).absolute())
        speeds = {f"feeds.{kind}_ms": TICK_MS for kind in ("near", "zone")}
        hub = hubs.Hub(blocks=1, **{"server.workers": 1, "positions.tick_ms": TICK_MS, "log.level": "warning"} | speeds)
        # Whether it listens is told by the readiness page alone, as the log is quiet.
        hub.start(ready=False)
        try:
            hub.wait_until("ready", lambda: hub.http("/readyz").status == 200)
            [worker] = hub.workers()
            asyncio.run(measure(hub, Counter(directory, worker)))
        finally:
            os.environ.pop("LD_PRELOAD")
            hub.stop()


if __name__ == "__main__":
    assert city.SIDE > 0.01, "drivers stay within their zone"
    main()
