"""Real buses on their lines, replayed: what the replay says of itself, and its GTFS-Realtime feeds all the while."""

import asyncio
import calendar
import json
import os
import pathlib
import signal
import time

import pytest

from kerbside import patience, realtime
from kerbside.bus import Citizen
from kerbside.hub import BINARY, ROOT, environment, run

DATA = pathlib.Path(os.environ.get("KERBSIDE_TEST_DATA", ROOT.parent / "shared" / "data")) / "gtfs-rt-wmata"
FEED = DATA / "wmata_3routes_gtfs.zip"

pytestmark = [
    pytest.mark.skipif(not FEED.exists(), reason=f"no recorded buses at {DATA} (set KERBSIDE_TEST_DATA)"),
    pytest.mark.lengthy,
]

#: Hub seconds per second: feeds are made anew once a second at most, and readers know it a second later.
SPEED = 6
#: In the feed's time zone 11:19; two buses change trips then.
BEGIN = calendar.timegm((2026, 2, 16, 16, 19, 0))
FROM, LENGTH, MINUTES = "11:19", "4m", 4


class HubTime:
    """The hub's clock, as a client reckons it from a hello."""

    def __init__(self, told, at):
        self._told, self._at = told / 1000, at

    def now(self):
        return self._told + (time.monotonic() - self._at) * SPEED


@pytest.fixture(scope="module")
def timetable():
    return realtime.Timetable(FEED)


@pytest.fixture
def day(new_hub):
    """A hub on the day of the recording, some seconds before the buses come: until then hub and replay have to begin."""
    # Both read the timetable; how long that takes here tells how slow this machine is now.
    began = time.monotonic()
    run("import", "gtfs", FEED, "--check", "--days", "0")
    lead = 9 * patience.SCALE + 4 * (time.monotonic() - began)
    start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(BEGIN - lead * SPEED))
    return new_hub(
        clock__scale=SPEED,
        clock__start=start,
        # By the hub's clock: as long as the defaults are by ours.
        dispatch__offer_seen_timeout_ms=3000 * SPEED,
        dispatch__accept_grace_ms=500 * SPEED,
        log__level="info",
    ).start()


async def replay(hub):
    """The process of the replay; its result is JSON."""
    return await asyncio.create_subprocess_exec(
        BINARY, "replay", "--buses", DATA, "--config", hub.config, "--from", FROM, "--for", LENGTH,
        "--speed", str(SPEED), "--citizens", "30", "--requests", "15", "--riders", "40", "--minibus-seats", "14", "--json",
        env=environment(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def clock(hub):
    """Hub time, by a hello."""
    client = Citizen(hub, None)
    asked = time.monotonic()
    await client.connect()
    told = client.hello_reply["time"]
    await client.close()
    return HubTime(told, asked)


async def consistent(hub):
    """The three feeds of one time; None when there are none for two seconds."""
    for _ in range(10):
        try:
            if feeds := await asyncio.to_thread(realtime.read, hub):
                return feeds
        except OSError:
            pass  # The worker that was asked has just died.
        await asyncio.sleep(0.2)
    return None


async def test_a_replay_of_real_buses_is_clean_and_its_feeds_valid_while_a_worker_dies(timetable, day):
    hub_time = await clock(day)
    process = await replay(day)
    result = asyncio.create_task(process.communicate())
    readings, failed, killed = [], 0, None
    while not result.done():
        feeds = await consistent(day)
        if feeds is None:
            failed += bool(readings)
        else:
            readings.append((feeds, hub_time.now()))
        if killed is None and hub_time.now() > BEGIN + 30 * MINUTES:
            killed = day.workers()[0]
            os.kill(killed, signal.SIGKILL)
        # A worker that has not the newest has it within a second.
        await asyncio.sleep(1.1)
    out, err = await result
    report = json.loads(out)
    assert process.returncode == 0 and report["clean"], report["details"] or err.decode()[-4000:]
    assert not any(report["violations"].values()) and len(report["violations"]) == 14, report["violations"]
    assert report["checked"] and report["tours"] >= 18 and report["fixes"] > 100, report
    assert report["fixes_seen"] > 5 * report["fixes"] and report["requests"] >= 5, report
    assert report["bookings"] >= 5 and report["seats_confirmed"] >= 2 and report["booking_outcomes"], report
    assert killed is not None and report["reconnects"] > 5, "the worker that died had clients"
    check(readings, timetable)
    assert len(readings) >= 20 and not failed, f"{len(readings)} readings, and {failed} times there was none"


def check(readings, timetable):
    """0 errors, in each reading and from each to the next."""
    wrong, buses, before = [], set(), None
    for feeds, now in readings:
        wrong += realtime.errors(feeds, now, before, timetable)
        buses |= {entity.vehicle.vehicle.id for entity in feeds["vehicle-positions"].entity}
        before = feeds
    assert not wrong, f"{len(wrong)} errors: {sorted(set(wrong))[:20]}"
    assert len(buses) >= 15, f"{len(buses)} buses"
