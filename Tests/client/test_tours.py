"""Bus drivers and their tours, and what the readers of a line see of them."""

import asyncio
import json
import os
import signal
import time

import pytest

from conftest import community
from kerbside import bus as buses, patience
from kerbside.bus import BinaryBusDriver, BinaryCitizen, BusDriver, Citizen
from kerbside.member import member


@pytest.fixture(scope="module")
def town():
    yield from community()


@pytest.fixture
def line(town):
    """A line that nobody else uses."""
    return next(town.lines)


def at(driver, taken=None):
    """Whether a bus's state has the last fix of its driver."""

    def holds(bus):
        is_there = bus.get("position", {}).get("at") == driver.clock
        return is_there and taken in (None, bus["seats"]["taken"])

    return holds


@pytest.mark.parametrize("kinds", [(BusDriver, Citizen), (BinaryBusDriver, BinaryCitizen)], ids=["json", "protobuf"])
async def test_a_tour_from_its_start_to_its_end(town, line, kinds):
    driver, citizen = kinds[0](town, line), kinds[1](town, line)
    assert await citizen.watch_line() == {}
    tour = await driver.begin()
    assert tour["next_stop"] == {"index": 0, "stop": line.stops[0]}
    assert tour["seats"] == {"total": 8, "taken": 0, "free": 8, "band": "100-50"}
    assert "position" not in tour and tour["trip"]
    assert (await citizen.bus())["tour"] == tour["tour"]
    for index in range(1, buses.STOPS):
        await driver.go(index * buses.SPACING - 400)
        seen = await citizen.bus(at(driver))
        assert seen["next_stop"] == {"index": index, "stop": line.stops[index]} and not seen["off_route"]
        place = driver.place.fields
        assert abs(seen["position"]["lat"] - place["lat"]) < 1e-6 and abs(seen["position"]["lon"] - place["lon"]) < 1e-6
        coming = [eta["stop"] for eta in seen["etas"]]
        assert coming == line.stops[index:]
        assert [eta["at"] for eta in seen["etas"]] == sorted(eta["at"] for eta in seen["etas"])
        assert all(eta["early"] <= eta["at"] <= eta["late"] for eta in seen["etas"])
        assert "delay_s" in seen
    assert (await driver.state("tour", lambda data: data["next_stop"]["index"] == 4))["tour"] == tour["tour"]
    assert await driver.call("tour.end") == {"tour": tour["tour"], "state": "ended"}
    await driver.expect("tour.ended", tour=tour["tour"], reason="driver")
    assert (await citizen.bus(lambda bus: bus["state"] == "ended"))["tour"] == tour["tour"]
    assert (await citizen.change("ended"))["bus"] == line.bus
    assert await Citizen(town, line).watch_line() == {}
    await driver.refused("position", "not_available", **driver.place.fields, at=driver.clock + 1)


async def test_what_there_is_not_is_refused_by_name(town, line):
    driver = BusDriver(town, line)
    await driver.connect()
    assert driver.snapshot == {} or await driver.wait(lambda: driver.snapshot is not None or None, "the snapshot")
    known = {"bus": line.bus, "line": line.id}
    for field, value in (("bus", "no-bus"), ("line", "no-line"), ("pattern", "p"), ("trip", "t")):
        error = await driver.refused("tour.start", "not_found", field, **(known | {field: value}))
        assert value in error["detail"] or field in error["detail"]
    await driver.refused("tour.start", "bad_message", "bus", line=line.id)
    await driver.refused("tour.start", "bad_message", "line", bus=line.bus, line="")
    for command in ("tour.end", "stop.next", "stop.previous"):
        await driver.refused(command, "not_found")
    await driver.refused("seats.set", "not_found", taken=1)
    await driver.refused("stop.next", "bad_message", "skip", skip="yes")
    citizen = Citizen(town, line)
    await citizen.connect()
    error = await citizen.refused("subscribe", "not_found", "channel", channel="line:nowhere")
    assert "nowhere" in error["detail"]


async def test_a_bus_has_one_driver_at_a_time(town, line):
    first, second = BusDriver(town, line), BusDriver(town, line)
    await first.begin()
    await second.connect()
    error = await second.refused("tour.start", "not_available", bus=line.bus, line=line.id)
    assert "somebody else" in error["detail"] and line.id in error["detail"]
    assert first.subject not in error["detail"] and first.tour not in error["detail"], "who it is concerns nobody"
    await second.refused("tour.end", "not_found", tour=first.tour)
    again = await first.begin()
    assert again["tour"] == first.tour, "the same start again is the same tour"
    other = next(town.lines)
    error = await first.refused("tour.start", "not_available", bus=other.bus, line=other.id)
    assert first.tour in error["detail"]
    await first.call("tour.end")
    await second.begin()
    both = await asyncio.gather(*(BusDriver(town, other).begin() for _ in range(8)), return_exceptions=True)
    assert len([reply for reply in both if isinstance(reply, dict)]) == 1, "of eight at once one gets the bus"
    await second.call("tour.end")


async def test_seats_are_counted_within_the_bus_and_shown_in_bands(town, line):
    driver, citizen = BusDriver(town, line), Citizen(town, line)
    await driver.begin()
    await citizen.watch_line()
    for taken, band in ((1, "100-50"), (4, "100-50"), (5, "49-25"), (6, "49-25"), (7, "24-0"), (8, "24-0"), (0, "100-50")):
        assert await driver.call("seats.set", taken=taken) == {"seats": 8 - taken}
        seats = (await citizen.bus(lambda bus: bus["seats"]["taken"] == taken))["seats"]
        assert seats == {"total": 8, "taken": taken, "free": 8 - taken, "band": band}
    for taken in (9, 99):
        assert "from 0 to 8" in (await driver.refused("seats.set", "bad_message", taken=taken))["detail"]
    await driver.refused("seats.set", "bad_message", "taken", taken=-1)
    assert (await Citizen(town, line).watch_line())[driver.tour]["seats"]["taken"] == 0
    await driver.call("tour.end")


async def test_the_driver_steps_through_the_stops(town, line):
    driver, citizen = BusDriver(town, line), Citizen(town, line)
    await driver.begin()
    await citizen.watch_line()
    await driver.refused("stop.previous", "not_available")
    first = await driver.call("stop.next", key="once")
    assert first["next_stop"]["index"] == 1
    assert await driver.call("stop.next", key="once") == first
    assert (await driver.call("stop.next", skip=True))["next_stop"]["index"] == 2
    assert (await citizen.change("skipped"))["stop"] == line.stops[1]
    assert (await driver.call("stop.previous"))["next_stop"]["index"] == 1
    await citizen.bus(lambda bus: bus["next_stop"]["index"] == 1)
    for _ in range(buses.STOPS - 2):
        await driver.call("stop.next")
    assert "next_stop" not in await driver.call("stop.next")
    await driver.refused("stop.next", "not_available")
    await citizen.change("restored")
    assert [(change["reason"], change["index"]) for change in citizen.changes()] == [("skipped", 1), ("restored", 1)]
    await driver.call("tour.end")


async def test_a_driver_who_comes_back_finds_the_tour_as_it_was(town, line):
    driver, citizen = BusDriver(town, line), Citizen(town, line)
    await driver.begin()
    await citizen.watch_line()
    await driver.go(1600)
    await driver.call("seats.set", taken=3)
    await citizen.bus(at(driver, taken=3))
    await driver.cut()
    reply = await driver.connect()
    assert driver.channel in reply["channels"]
    tour = (await driver.wait(lambda: driver.snapshot, "the snapshot"))["tour"]
    assert tour["tour"] == driver.tour and tour["next_stop"]["index"] == 2 and tour["seats"]["taken"] == 3
    # Begun anew, the app knows nothing but its name.
    await driver.go(2600)
    seen = await citizen.bus(at(driver))
    assert seen["next_stop"]["index"] == 3 and not seen["off_route"]
    assert not [data for data in citizen.changes() if data["reason"] not in ("late", "early")]
    other = driver.twin()
    assert (await other.begin())["tour"] == driver.tour, "another device of the same driver"
    await other.call("stop.next")
    assert (await driver.state("tour", lambda data: data["next_stop"]["index"] == 4))["tour"] == driver.tour
    await driver.call("tour.end")
    await other.until("tour.ended")
    await other.refused("position", "not_available", **other.place.fields, at=other.clock)


async def test_a_step_while_the_subscription_is_away_reaches_the_drivers_other_device(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    other = driver.twin()
    await other.begin()
    town.redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    assert (await other.call("stop.next"))["next_stop"]["index"] == 1

    def told():
        tours = [m["data"] for m in driver.pushed if m["type"] == "tour"] + [(driver.snapshot or {}).get("tour")]
        return any(tour and tour["next_stop"]["index"] == 1 for tour in tours) or None

    await driver.wait(told, "the next stop")
    await driver.call("tour.end")


async def test_what_was_done_while_offline_takes_effect_once(town, line):
    driver, citizen = BusDriver(town, line), Citizen(town, line)
    await driver.begin()
    await citizen.watch_line()
    await driver.go(600)
    await driver.cut()
    kept = []
    for metres in range(700, 2701, 100):
        driver.clock += 3400
        kept.append({**line.at(metres).fields, "at": driver.clock, "accuracy": 5})
    for _ in range(3):
        # On whichever worker; the link is lost again before the app knows that all has come.
        await driver.connect()
        for fix in kept:
            await driver.call("position", **fix)
        assert await driver.call("seats.set", taken=3, key="kept") == {"seats": 5}
        await driver.cut()
    await citizen.knows(driver.tour, at(driver, taken=3), "where the bus is")
    seen = citizen.known()[driver.tour]
    assert seen["next_stop"]["index"] == 3 and not seen["off_route"]
    log = [json.loads(row["data"]) for _, row in town.redis.xrange(town.key("events")) if row["type"] == "stop.passed"]
    assert [entry["index"] for entry in log if entry["tour"] == driver.tour] == [0, 1, 2]
    await driver.connect()
    await driver.call("tour.end")


async def test_off_its_route_after_two_fixes_and_what_it_leaves_out_is_told(town, line):
    driver, citizen = BusDriver(town, line), Citizen(town, line)
    await driver.begin()
    await citizen.watch_line()
    await driver.go(1500)
    await driver.fix(line.at(1600, north=100))
    assert not (await citizen.bus(at(driver)))["off_route"]
    await driver.fix(line.at(1700, north=100))
    assert (await citizen.bus(at(driver)))["off_route"]
    await driver.go(2400, north=300)
    await driver.go(2500)
    seen = await citizen.bus(at(driver))
    assert not seen["off_route"] and seen["next_stop"]["index"] == 3
    assert (await citizen.change("skipped"))["stop"] == line.stops[2]
    await driver.call("tour.end")


@pytest.mark.parametrize("behind", [0, 250_000])
async def test_late_is_told_when_it_changes_by_the_hubs_clock(town, line, behind):
    """At least four minutes after its time. A device whose clock is behind makes its bus no more punctual."""
    driver, citizen = BusDriver(town, line), Citizen(town, line)
    await driver.begin()
    await citizen.watch_line()
    driver.clock = int(time.time() * 1000) - behind - 20_000
    began = time.time() - line.start / 1000
    await driver.go(100, 500)
    late = await citizen.change("late")
    # Where it is by 500 m it is to be within a minute.
    assert began - 65 <= late["delay_s"] <= time.time() - line.start / 1000
    assert abs(late["delay_s"] - 60 * late["minutes"]) <= 30
    await driver.call("tour.end")


@pytest.fixture
def alone():
    """A town of one worker: what it asks Redis for is answered in that order."""
    yield from community(server__workers=1, redis__command_timeout_ms=20_000)


async def test_a_state_that_comes_while_its_reader_catches_up_is_told_afterwards(alone):
    """Redis has told how the tour stands; the rest of what was missed is still being read."""
    driver = BusDriver(alone, next(alone.lines))
    await driver.begin()
    twin = driver.twin()
    await twin.connect()
    await driver.cut()
    # More than Redis gives with its answer.
    notice = {"type": "notice", "time": "1", "data": json.dumps({"notice": "n_1", "text": "Ice on the bridge."})}
    for _ in range(100):
        alone.redis.xadd(alone.key(f"ch:{driver.channel}"), notice)
    alone.redis.execute_command("CLIENT", "PAUSE", 1000, "ALL")
    back = asyncio.create_task(driver.resume())
    await asyncio.sleep(0.3)
    await asyncio.gather(back, twin.call("stop.next"))

    def told():
        own = [m for m in driver.pushed if m["ch"] == driver.channel and m["type"] in ("snapshot", "tour")]
        tour = own[-1]["data"] if own else {}
        return tour.get("tour", tour) if own and own[-1]["type"] == "snapshot" else tour

    await driver.wait(lambda: told().get("next_stop", {}).get("index") == 1 or None, "the next stop")
    # The notices were only written down: who was there is not told of them.
    await driver.settled()
    await twin.close()


async def test_events_of_a_line_are_resumed(town, line):
    driver, citizen = BusDriver(town, line), Citizen(town, line)
    await driver.begin()
    await citizen.watch_line()
    await citizen.cut()
    await driver.call("stop.next", skip=True)
    await driver.call("stop.next", skip=True)
    reply = await citizen.connect(resume={line.channel: citizen.begun})
    assert line.channel in reply["channels"]
    await citizen.wait(lambda: len(citizen.changes()) == 2 or None, "both events")
    assert [data["index"] for data in citizen.changes()] == [0, 1]
    await citizen.wait(
        lambda: citizen.shown()["buses"][0]["next_stop"]["index"] == 2 or None, "the snapshot of this connection")
    late = Citizen(town, line)
    await late.connect()
    await late.call("subscribe", channel=line.channel, since="1-1")
    await late.wait(late.shown, "the snapshot after the gap")
    kinds = [m["type"] for m in late.pushed if m["ch"] == line.channel]
    assert kinds[:2] == ["gap", "snapshot"]
    await citizen.call("unsubscribe", channel=line.channel)
    before = len(citizen.states.get("bus", []))
    await driver.call("seats.set", taken=1)
    await late.bus(lambda bus: bus["seats"]["taken"] == 1)
    await citizen.call("unsubscribe", channel=line.channel)
    assert len(citizen.states.get("bus", [])) == before
    await driver.call("tour.end")


async def test_a_bus_is_a_vehicle_on_maps(town, line):
    driver, citizen = BusDriver(town, line), Citizen(town, line)
    await driver.begin()
    await driver.fix()
    await driver.call("seats.set", taken=3)
    await citizen.connect()
    near = await citizen.watch(line.at(0), 500, filter={"kind": ["bus"], "route": line.id})
    await citizen.sees(near, lambda shown: line.bus in shown.ids, "the bus on the map")
    vehicle = near.vehicles[line.bus]
    assert (vehicle.state, vehicle.seats, vehicle.kind, vehicle.route) == ("available", 5, "bus", line.id)
    await driver.call("seats.set", taken=8)
    await citizen.sees(near, lambda shown: shown.vehicles[line.bus].seats == 0, "no seat")
    await driver.call("tour.end")
    await citizen.sees(near, lambda shown: line.bus not in shown.ids, "the bus gone")


async def test_who_may_do_what(town, line):
    driver, citizen, operator = BusDriver(town, line), Citizen(town, line), await member(town, "operator")
    await driver.begin()
    await citizen.connect()
    for command in ("tour.start", "tour.end", "stop.next", "stop.previous"):
        await citizen.refused(command, "forbidden", bus=line.bus, line=line.id)
    await operator.refused("tour.start", "forbidden", bus=line.bus, line=line.id)
    await operator.refused("tour.end", "bad_message", "tour")
    await operator.refused("publish", "bad_message", "channel", channel=line.channel, data={})
    await driver.refused("driver.available", "forbidden")
    assert (await operator.call("tour.end", tour=driver.tour))["state"] == "ended"
    await driver.expect("tour.ended", tour=driver.tour, reason="operator")
    for role in ("driver", "bus_driver", "operator", "service"):
        reader = await member(town, role)
        assert (await reader.call("subscribe", channel=line.channel))["channel"] == line.channel


async def test_every_reader_gets_every_seat(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    readers = [Citizen(town, line) for _ in range(40)]
    await asyncio.gather(*(reader.watch_line() for reader in readers))
    for taken in (3, 8, 0):
        await driver.call("seats.set", taken=taken)
        await asyncio.gather(*(reader.bus(lambda bus: bus["seats"]["taken"] == taken) for reader in readers))
    await driver.call("tour.end")


async def test_readers_are_told_the_newest_state_of_a_bus_once_a_tick(new_hub):
    hub = new_hub(positions__tick_ms=500, server__workers=1).start()
    [line, _], text = buses.community(2)
    buses.load(hub, text)
    driver, citizen = BusDriver(hub, line), Citizen(hub, line)
    await driver.begin()
    await citizen.watch_line()
    before, began = len(citizen.states.get("bus", [])), time.monotonic()
    # As often as a driver may correct the count of a bus with eight seats.
    for number in range(48):
        await driver.call("seats.set", taken=number % 2)
        await asyncio.sleep(0.02)
    await driver.call("seats.set", taken=5)
    await citizen.knows(driver.tour, lambda bus: bus["seats"]["taken"] == 5, "the last")
    ticks = (time.monotonic() - began) / 0.5
    assert 2 <= len(citizen.states["bus"]) - before <= ticks + 3
    # The first of a tick does not wait for it.
    await asyncio.sleep(1.2)
    await driver.call("tour.end")
    await citizen.wait(lambda: citizen.known() == {} or None, "no bus")


async def test_a_tour_outlives_the_workers_and_redis(new_hub):
    hub = new_hub()
    hub.start()
    [line, _], text = buses.community(2)
    buses.load(hub, text)
    driver, citizen = BusDriver(hub, line), Citizen(hub, line)
    await driver.begin()
    await citizen.watch_line()
    await driver.go(1500)
    await driver.call("seats.set", taken=2)
    await citizen.bus(at(driver, taken=2))
    for pid in hub.workers():
        os.kill(pid, signal.SIGKILL)
    await driver.wait_closed()
    await citizen.wait_closed()
    await driver.back()
    await driver.go(1900)
    await hub.until("back", lambda: buses.tried(lambda: citizen.connect(resume={line.channel: citizen.begun})))
    await citizen.knows(driver.tour, at(driver, taken=2), "the bus as it was, and moving")
    # Written through every second; then it may die.
    await asyncio.sleep(1.5)
    os.kill(hub.redis_pid(), signal.SIGKILL)
    await hub.until("the tour again", lambda: buses.tried(lambda: driver.call("stop.next", key="after")))
    await driver.fix(line.at(2100))
    await citizen.knows(driver.tour, at(driver, taken=2), "the bus moving again")
    assert citizen.known()[driver.tour]["next_stop"]["index"] == 3
    await driver.call("tour.end")
    await citizen.change("ended", patience.PROCESS)
    await citizen.wait(lambda: citizen.known() == {} or None, "no bus")
