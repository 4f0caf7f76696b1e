"""Who is who: what a subject may be named, two roles with one name, and who is shown where somebody off duty is."""

import pytest

from conftest import community
from kerbside import bus as buses, feeds
from kerbside.bus import BinaryBusDriver, BusDriver
from kerbside.driver import Driver
from kerbside.minibus import trip
from kerbside.passenger import Passenger


@pytest.fixture(scope="module")
def town():
    yield from community(3)


@pytest.mark.parametrize("subject", ["victim3:stops", "a:b", ":", "topic:x"])
async def test_a_subject_can_not_hold_what_parts_our_keys(hub, subject):
    stranger = Passenger(hub, subject)
    await stranger.open()
    error = await stranger.refused("hello", "unauthenticated", token=stranger.token)
    assert "`sub`" in error["detail"]
    assert (await stranger.wait_closed())[0] == 4401


@pytest.mark.parametrize("kind", [BusDriver, BinaryBusDriver], ids=["json", "protobuf"])
async def test_a_driver_and_a_bus_driver_of_one_name_are_two_people(town, kind):
    line = next(town.lines)
    here = town.block()
    taxi = Driver(town, f"twin-{line.id}", here.a.stand)
    bus = kind(town, line, taxi.subject)
    await taxi.connect()
    greeting = await bus.connect()
    assert greeting["channels"] == [f"bus_driver:{taxi.subject}"]
    await taxi.fix()
    await taxi.call("driver.available", key="one")
    await taxi.expect("queue.joined")
    await bus.begin(key="one")
    await taxi.call("notify.set", mute=["route"])
    await taxi.expect("notify.changed", mute=["route"])
    await bus.call("tour.end", key="two")
    await bus.expect("tour.ended")
    assert [event["type"] for event in bus.events] == ["tour.ended"]
    assert [event["type"] for event in taxi.events] == ["queue.joined", "notify.changed"]
    assert "notify" not in bus.snapshot


async def test_where_an_off_duty_minibus_is_stays_with_those_it_concerns(hub, cast):
    here = hub.block()
    minibus = cast.minibus(hub, here.a.stand)
    passenger, stranger = await cast.rider(hub), cast.driver(hub, here.a.stand)
    operator = await cast.operator(hub)
    await stranger.connect()
    await minibus.go_online()
    way = {"start": here.a.stand.fields, "end": here.a.stand.moved(north=900).fields}
    await minibus.call("route.set", route=None, **way)
    everyone = [passenger, stranger, operator, minibus]
    for one in everyone:
        assert "position" in await one.call("vehicle.get", vehicle=minibus.subject), one.role
    await minibus.call("driver.unavailable")
    seen = [await one.call("vehicle.get", vehicle=minibus.subject) for one in everyone]
    assert [view["state"] for view in seen] == ["unavailable"] * 4
    assert ["position" in view for view in seen] == [False, False, True, True]
    assert not [key for view in seen[:2] for key in ("way",) if key in view] and seen[0]["route"] is None


async def test_who_has_a_booking_sees_its_minibus_although_it_is_off_duty(hub, cast):
    here = hub.block()
    minibus, passenger = cast.minibus(hub, here.a.stand), await cast.rider(hub)
    await minibus.go_online()
    await passenger.call("seat.book", vehicle=minibus.subject, **trip(here.a.stand, here.a.stand.moved(north=900)))
    await minibus.take()
    # As it is when the driver's link was lost for long; a driver with bookings does not go offline by itself.
    hub.redis.hset(hub.key(f"vehicle:{minibus.subject}"), "state", "unavailable")
    try:
        assert "position" in await passenger.call("vehicle.get", vehicle=minibus.subject)
        assert "position" not in await (await cast.rider(hub)).call("vehicle.get", vehicle=minibus.subject)
    finally:
        hub.redis.hset(hub.key(f"vehicle:{minibus.subject}"), "state", "available")


async def test_who_has_the_name_of_a_bus_is_no_driver(town):
    line = next(town.lines)
    bus, impostor = BusDriver(town, line), Driver(town, line.bus, town.block().a.stand)
    for _ in range(2):
        await impostor.open()
        error = await impostor.refused("hello", "forbidden", token=impostor.token)
        assert line.bus in error["detail"] and "`sub`" in error["detail"]
        assert (await impostor.wait_closed())[0] == 4403
        if bus.tour is None:
            await bus.begin()
    await bus.call("seats.set", taken=3)
    assert (await bus.call("tour.end"))["state"] == "ended"


async def test_who_was_here_before_its_name_was_a_bus_is_told_so(new_hub, cast):
    hub = new_hub(blocks=3).start()
    [line, _], text = buses.community(2)
    taxi = Driver(hub, line.bus, hub.block().a.stand)
    await taxi.go_available()
    buses.load(hub, text)
    await BusDriver(hub, line).begin()
    code, reason = await taxi.wait_closed()
    assert code == 4403 and "bus" in reason and "`sub`" in reason


@pytest.mark.parametrize("is_connected", [True, False], ids=["the app is open", "the app is closed"])
async def test_where_a_driver_is_off_duty_is_not_told_as_the_place_of_a_bus(new_hub, cast, is_connected):
    hub = new_hub(blocks=3, positions__tick_ms=50, **feeds.OFTEN).start()
    [line, _], text = buses.community(2)
    here = hub.block()
    taxi = Driver(hub, line.bus, here.a.stand)
    await taxi.go_available()
    await taxi.call("driver.unavailable")
    home = here.a.stand.moved(north=150)
    await taxi.fix(home)
    await taxi.known()
    if not is_connected:
        await taxi.close()
    watcher = await cast.rider(hub)
    pictures = [await watcher.follow(f"vehicle:{line.bus}"), await watcher.watch(home, 1000)]
    buses.load(hub, text)
    bus = BusDriver(hub, line)
    await bus.begin()
    await bus.call("seats.set", taken=1)
    # Who comes then is told no more than who has been there.
    late = await cast.rider(hub)
    pictures += [await late.follow(f"vehicle:{line.bus}"), await late.watch(home, 1000)]
    await bus.fix()
    for reader, picture in [(watcher, pictures[0]), (late, pictures[2])]:
        await reader.wait(lambda picture=picture: (line.bus in picture.ids) or None, "a place of the bus")
    for picture in pictures:
        for _, message in picture.messages:
            for row in message["data"]:
                assert row[1] == pytest.approx(bus.place.lat, abs=feeds.ROUNDING), f"{picture.channel}: {row}"
