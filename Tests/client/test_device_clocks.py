"""Buses whose devices' clocks are not the hub's: the hub's own decides what happened when."""

import asyncio
import json
import time

import pytest

from kerbside import bus as buses, figures
from kerbside.bus import BusDriver
from kerbside.stops import on_tour, rider

#: Hub time runs so many times as fast.
FAST = 40


async def test_a_device_can_not_make_up_how_long_its_bus_has_stood(town, line):
    driver, citizen = await on_tour(town, line), await rider(town, line)
    request = await citizen.ask_for(1000)
    await driver.call("stop.accept", request=request)
    await driver.go(1000)
    await driver.fix(after_ms=60_000)
    await driver.fix(after_ms=60_000)
    error = await driver.refused("stop.noshow", "not_available", request=request)
    await citizen.until("stop.arrived", request=request)
    # The bus must have stood there for 30 s, by default.
    assert 0 < error["retry_after_ms"] <= 30_000
    await citizen.nothing_more()


@pytest.mark.parametrize("behind", [0, 3_000_000])
async def test_a_batch_after_a_tunnel_is_placed_where_it_was_measured(new_hub, behind):
    """Each of the stops was left when the device says, its clock put right: minutes before its fixes came."""
    hub = new_hub(clock__scale=FAST).start()
    start = int(time.time()) // 60 * 60
    [line], text = figures.timetable(0, 10, 20, 30, 40, now=start)
    buses.load(hub, text)
    driver = BusDriver(hub, line)
    await driver.connect()
    answered = time.monotonic()

    def now():
        return driver.hello_reply["time"] + int((time.monotonic() - answered) * 1000 * FAST)

    async def fix(metres, at):
        assert await driver.call("position", **line.at(metres).fields, at=at - behind, accuracy=5) == {}

    await driver.begin()
    await fix(0, now())
    entered = now()
    await fix(0, entered)
    lag = (now() - entered) / 1000
    await asyncio.sleep(200 / FAST)
    # 100 m in 8 s, all told when it is out again.
    for metres in range(100, 2001, 100):
        await fix(metres, entered + metres * 80)
    assert now() - entered > 200_000

    def passed():
        rows = [json.loads(row["data"]) for _, row in hub.redis.xrange(hub.key("events")) if row["type"] == "stop.passed"]
        return {row["index"]: row["delay_s"] for row in rows} if len(rows) == 2 else None

    delays = await hub.until("two stops passed", passed)
    for index in range(2):
        # Some metres behind it a stop has been left.
        left = entered / 1000 + 80 * index - (start + 600 * index)
        assert left - 5 <= delays[index] <= left + lag + 10
