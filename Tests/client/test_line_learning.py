"""What a line learns from its finished tours."""

import json
import time

import pytest

from conftest import community
from kerbside import bus as buses
from kerbside.bus import BusDriver, Citizen


@pytest.fixture(scope="module")
def town():
    yield from community(4)


async def forecast(town, line, ends=True):
    """Drives a tour much faster than the schedule; seconds from an early fix to the last stop, as forecast there."""
    driver, citizen = BusDriver(town, line), Citizen(town, line)
    await driver.begin()
    await citizen.watch_line()
    await driver.go(600)
    at, now = driver.clock, time.time()
    seen = await citizen.bus(lambda bus: bus.get("position", {}).get("at") == at)
    times = {eta["index"]: eta["at"] for eta in seen["etas"]}
    if ends:
        await driver.go((buses.STOPS - 1) * buses.SPACING)
        await driver.call("tour.end")
        await driver.close()
    await citizen.close()
    return times[buses.STOPS - 1] / 1000 - now


async def test_forecasts_go_by_the_schedule_until_three_tours_are_over(town):
    line = next(town.lines)
    first = await forecast(town, line)
    assert first > 350, "two minutes from stop to stop, says the schedule"
    for _ in range(2):
        await forecast(town, line)
    key = town.key(f"line:{line.id}:finished")
    assert await town.until("three finished tours", lambda: town.redis.llen(key) == 3)
    kept = json.loads(town.redis.lindex(key, 0))
    assert kept["stops"] == line.stops and len(kept["due"]) == 2 * buses.STOPS
    assert kept["reached"][0] is None and kept["reached"][1:] == sorted(kept["reached"][1:])
    learned = await forecast(town, line)
    assert learned < 100, "the buses took a moment"
    other = next(town.lines)
    assert await forecast(town, other, ends=False) > 350, "another line knows nothing of it"


async def test_who_comes_again_and_again_does_not_have_all_tours_read_each_time(town):
    line = next(town.lines)
    for _ in range(3):
        await forecast(town, line)
    driver = BusDriver(town, line)
    await driver.begin()

    def read():
        return town.redis.info("commandstats")["cmdstat_lrange"]["calls"]

    before = read()
    for _ in range(8):
        twin = BusDriver(town, line, driver.subject)
        await twin.connect()
        await twin.close()
    await driver.call("tour.end")
    assert read() - before <= town.settings["server.workers"], "each worker once"
