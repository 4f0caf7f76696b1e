"""One person's alarms beyond six an hour: the last one is opened again."""

import os

import pytest

from kerbside.watcher import BinaryWatcher
from test_safety import BinaryDriver, BinaryPassenger, City


def binary():
    return City(BinaryDriver, BinaryPassenger, BinaryWatcher)


@pytest.mark.parametrize("kind", [City, binary], ids=["json", "protobuf"])
async def test_m13_an_alarm_that_was_opened_again_outlives_a_power_cut(new_hub, kind):
    cast = kind()
    hub = new_hub(server__workers=2, safety__ring_again_s=1, server__commands_per_second=1000, server__commands_burst=1000).start()
    office, rider, safe = await cast.watcher(hub), await cast.rider(hub), await cast.rider(hub)
    [written] = (hub.data / "appendonlydir").glob("*.incr.aof")
    size = written.stat().st_size
    last = {}
    for one in (rider, safe):
        for _ in range(6):
            last[one] = (await one.call("sos"))["sos"]
            await office.call("sos.close", sos=last[one], note="A mistake.")
        again = await one.call("sos")
        assert again | {"watching": 0} == {"sos": last[one], "state": "open", "cancelled": False, "watching": 0}
    cancelled = await safe.call("sos.cancel")
    assert cancelled | {"watching": 0} == {"sos": last[safe], "state": "open", "cancelled": True, "watching": 0}
    closed = await office.call("sos.close", sos=last[safe], note="Safe.")
    assert set(closed) == {"sos", "state", "audit"}
    await rider.call("sos", text="Still here.")  # answered when all that was said before is on the disk, too
    hub.kill()
    os.truncate(written, size)
    hub.start()
    office = await cast.back(hub)
    assert (await office.rung("sos.raised", last[rider]))["text"] == "Still here."
    assert [alarm["sos"] for alarm in (await office.call("sos.list"))["alarms"]] == [last[rider]]
