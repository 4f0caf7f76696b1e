"""Who may watch what, what ends with leaving, and how much may be watched."""

import asyncio

import pytest

from conftest import running
from kerbside.feeds import OFTEN, one_available
from kerbside.passenger import Passenger


@pytest.fixture(scope="module")
def hub():
    yield from running(**OFTEN)


async def test_each_role_watches_what_it_may(hub, cast):
    here = hub.block()
    driver, another = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    everything = ["near", f"zone:{here.a.id}", f"vehicle:{another.subject}", f"vehicle:{driver.subject}", "city"]

    async def may(client, allowed):
        for channel in everything:
            if channel == "near":
                command, fields = "watch", {**here.a.stand.fields, "radius": 500}
            else:
                command, fields = "subscribe", {"channel": channel}
            if channel in allowed:
                (picture := await client.watch(here.a.stand, 500)) if channel == "near" else (
                    picture := await client.follow(channel)
                )
                assert picture.ids
            else:
                await client.refused(command, "forbidden", **fields)

    await may(passenger, everything[:4])
    await may(driver, everything[3:4])
    await may(await cast.operator(hub), everything)
    await may(await cast.operator(hub, "service"), everything)
    await may(await cast.operator(hub, "bus_driver"), [])


async def test_unknown_channels_are_refused(hub, cast):
    operator = await cast.operator(hub)
    await operator.refused("subscribe", "not_found", "channel", channel="zone:no-such-zone")
    here = hub.block().a.id
    wrong = ["near", "city:", "city:1", ":city", "::city", "zone", "zone:", f":zone:{here}", f"zone::{here}", "passenger:p1"]
    wrong += ["driver:T1", "nothing:1", "vehicle:", ":vehicle:T1", "vehicle:*", "vehicle:{x}", "vehicle:" + "x" * 65]
    for channel in wrong:
        reply = await operator.ask("subscribe", channel=channel)
        assert reply["error"]["code"] in ("forbidden", "not_found", "bad_message"), (channel, reply)


async def test_ones_own_car_is_seen_in_every_state(hub, cast):
    driver, zone, _passenger = await one_available(hub, cast)
    own = await driver.follow(f"vehicle:{driver.subject}")
    assert own.shows(driver, state="available")
    await driver.call("driver.unavailable")
    await driver.sees_all(own, [driver], state="unavailable")
    await driver.fix(zone.stand.moved(east=25))
    await driver.sees_all(own, [driver], state="unavailable")


async def test_the_taxi_of_ones_ride_is_seen_until_the_ride_ends(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    other = await cast.rider(hub)
    channel = f"vehicle:{driver.subject}"
    watched = [await other.follow(channel), await other.follow(f"zone:{zone.id}"), await other.watch(zone.stand, 2000)]
    ride = await passenger.request(zone.centre)
    await driver.accept(ride)
    await passenger.wait(lambda: passenger.pictures.get(channel), "the taxi")
    own = passenger.pictures[channel]
    await passenger.sees_all(own, [driver], state="busy")
    for picture in watched:
        await other.sees_all(picture, [])
    for place in zone.stand.towards(zone.centre, 100):
        await driver.fix(place)
        await passenger.sees_all(own, [driver], state="busy")
    await driver.call("ride.aboard")
    await driver.fix(zone.centre.moved(east=50))
    await passenger.sees_all(own, [driver], state="busy")
    assert all(picture.vehicles == {} for picture in watched)
    await driver.call("ride.end")
    await passenger.until("ride.ended", ride=ride)
    seen = len(own.messages)
    for picture in watched:
        await other.sees_all(picture, [driver], state="available")
    await passenger.sees_all(own, [])
    await driver.fix(zone.centre.moved(east=100))
    await other.sees_all(watched[0], [driver])
    await passenger.barrier()
    assert len(own.messages) <= seen + 1, "the ride is over, and the taxi is still told to its passenger"


async def test_the_taxi_of_a_ride_that_is_cancelled_leaves_the_map(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    ride = await passenger.request(zone.centre)
    await driver.accept(ride)
    await passenger.wait(lambda: passenger.pictures.get(f"vehicle:{driver.subject}"), "the taxi")
    own = passenger.pictures[f"vehicle:{driver.subject}"]
    await passenger.sees_all(own, [driver], state="busy")
    await passenger.call("ride.cancel")
    await passenger.sees_all(own, [])


async def test_who_waits_for_a_vehicle_sees_it_as_soon_as_it_is_there(hub, cast):
    here = hub.block()
    driver, passenger, operator = cast.driver(hub, here.a.stand), await cast.rider(hub), await cast.operator(hub)
    pictures = [(who, await who.follow(f"vehicle:{driver.subject}")) for who in (passenger, operator)]
    assert all(picture.vehicles == {} for _, picture in pictures)
    await driver.go_available()
    for who, picture in pictures:
        await who.sees_all(picture, [driver], state="available")


async def test_a_taxi_that_was_watched_before_its_ride_is_watched_after_it(hub, cast):
    """And shows no more than any other: a car that nobody tells of any more would stay on the map."""
    driver, zone, passenger = await one_available(hub, cast)
    watched = await passenger.follow(f"vehicle:{driver.subject}")
    await passenger.request(zone.centre)
    await driver.accept()
    await passenger.sees_all(watched, [driver], state="busy")
    await driver.call("ride.aboard")
    await driver.call("ride.end")
    await passenger.sees_all(watched, [driver], state="available")
    await driver.call("driver.unavailable")
    await passenger.sees_all(watched, [])


async def test_nobody_sees_a_passenger(hub, cast):
    """No feed has a word of who asked for a ride, where, or where to."""
    driver, zone, passenger = await one_available(hub, cast)
    other, operator = await cast.rider(hub), await cast.operator(hub)
    for watcher in (other, operator):
        await watcher.follow(f"zone:{zone.id}")
        await watcher.watch(zone.stand, 3000)
        await watcher.follow(f"vehicle:{driver.subject}")
    city = await operator.follow("city")
    pickup, destination = zone.centre.moved(12.34, 123.4), zone.centre.moved(-432.1, 43.21)
    ride = await passenger.request(pickup, destination=destination.fields)
    await driver.accept(ride)
    await operator.sees(city, lambda shown: shown.shows(driver, state="busy"), "busy")
    await driver.drive(pickup.moved(east=30), step=200)
    await driver.call("ride.aboard")
    await operator.sees(city, lambda shown: shown.shows(driver), "the last fix")
    for watcher in (other, operator):
        told = str(watcher.pushed)
        for secret in (passenger.subject, ride, *pickup.fields.values(), *destination.fields.values()):
            assert str(secret) not in told, f"{secret} was told to {watcher.role}"


# Leaving


async def test_what_was_left_is_silent(hub, cast):
    driver, zone, passenger = await one_available(hub, cast)
    await passenger.follow(f"zone:{zone.id}")
    await passenger.watch(zone.stand, 500)
    kept = await passenger.follow(f"vehicle:{driver.subject}")
    await passenger.leave(f"zone:{zone.id}")
    await passenger.leave("near")
    for n in range(5):  # what comes on the channels that were left fails the test
        await driver.fix(zone.stand.moved(east=20 * n))
        await passenger.sees_all(kept, [driver])
    await passenger.leave("near")
    await passenger.leave(f"zone:{zone.id}")
    again = await passenger.follow(f"zone:{zone.id}")
    await passenger.sees_all(again, [driver])


async def test_sixteen_channels_and_no_more(hub, cast):
    passenger = await cast.rider(hub)
    here = hub.block()
    await passenger.watch(here.a.centre, 100)
    for n in range(15):
        await passenger.follow(f"vehicle:T-{n}")
    await passenger.refused("subscribe", "bad_message", "channel", channel=f"zone:{here.a.id}")
    await passenger.watch(here.a.centre, 200)  # not a new one
    await passenger.follow("vehicle:T-3")
    await passenger.leave("vehicle:T-3")
    await passenger.follow(f"zone:{here.a.id}")
    await passenger.refused("subscribe", "bad_message", "channel", channel=f"zone:{here.b.id}")


async def test_sixteen_vehicles_that_nobody_knows_and_no_more_for_a_person(new_hub, cast):
    """Whichever of its connections follows them; those that are there can always be followed."""
    hub = new_hub(blocks=2, server__workers=1, **OFTEN).start()
    driver, _, passenger = await one_available(hub, cast)
    another = Passenger(hub, passenger.subject)
    await another.connect()
    for n in range(16):
        await passenger.follow(f"vehicle:T-{n}")
    await another.refused("subscribe", "not_available", "channel", channel="vehicle:T-16")
    assert (await another.follow("vehicle:T-0")).vehicles == {}, "it is followed already"
    assert (await another.follow(f"vehicle:{driver.subject}")).shows(driver)
    stranger = await cast.rider(hub)
    assert (await stranger.follow("vehicle:T-16")).vehicles == {}
    await passenger.leave("vehicle:T-1")
    await another.follow("vehicle:T-17")
    await another.refused("subscribe", "not_available", "channel", channel="vehicle:T-18")


async def test_vehicles_that_have_not_been_read_count_too(new_hub, cast):
    """Asked for in one go, by connections of one person; and what is left or known counts no more."""
    hub = new_hub(blocks=2, server__workers=1, **OFTEN).start()
    driver, _, passenger = await one_available(hub, cast)
    others = [Passenger(hub, passenger.subject) for _ in range(3)]
    for one in others:
        await one.connect()

    async def follow(one, vehicle):
        return "error" not in await one.ask("subscribe", channel=f"vehicle:{vehicle}")

    for turn in range(2):
        asked = [(one, f"T-{turn}-{place}-{n}") for place, one in enumerate(others) for n in range(15)]
        answers = await asyncio.gather(*(follow(*what) for what in asked))
        assert sum(answers) == 16
        await others[2].follow(f"vehicle:{driver.subject}")
        await others[2].leave(f"vehicle:{driver.subject}")
        for (one, vehicle), is_followed in zip(asked, answers, strict=True):
            if is_followed:
                await one.leave(f"vehicle:{vehicle}")


async def test_watchers_that_die_are_forgotten(hub, cast):
    """Cells and vehicles that nobody watches any more are not followed in Redis."""

    def followed():
        return set(hub.redis.pubsub_channels(hub.key("feed:*")))

    here = hub.block()
    before = followed()
    passengers = [await cast.rider(hub) for _ in range(4)]
    for passenger in passengers:
        await passenger.watch(here.b.centre, 800)
        await passenger.follow(f"zone:{here.b.id}")
    assert followed() - before, "what was followed for others before may be left meanwhile"
    await passengers[0].close()
    await passengers[1].cut()
    for passenger in passengers[2:]:
        await passenger.leave("near")
        await passenger.leave(f"zone:{here.b.id}")
    await hub.until("the cells are left", lambda: followed() <= before)
