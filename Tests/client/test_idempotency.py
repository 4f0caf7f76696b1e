"""The same command sent again with the same key: the same reply, one effect."""

import asyncio

import pytest

from conftest import IN_BOTH
from kerbside.client import Client

pytestmark = pytest.mark.usefixtures("encoding")


async def twice(client: Client, command, **fields):
    """The reply to a command that is sent twice, the second time over a new connection; both must be the same."""
    reply = await client.call(command, **fields)
    assert await client.call(command, **fields) == reply
    await client.cut()
    await client.resume()
    assert await client.call(command, **fields) == reply
    return reply


@IN_BOTH
async def test_each_command_of_a_ride_takes_effect_once(hub, cast):
    here = hub.block()
    driver, passenger = cast.driver(hub, here.a.stand), await cast.rider(hub)
    await driver.connect()
    await driver.fix()
    key = driver.subject
    await twice(driver, "driver.available", key=f"{key}-1")
    ride = (await twice(passenger, "ride.request", **here.a.centre.fields, passengers=1, key=f"{key}-2"))["ride"]
    await twice(driver, "offer.accept", ride=ride, key=f"{key}-3")
    await twice(driver, "ride.aboard", ride=ride, passengers=1, key=f"{key}-4")
    await twice(driver, "ride.end", ride=ride, key=f"{key}-5")
    await twice(driver, "driver.unavailable", key=f"{key}-6")
    await driver.settled()
    await passenger.settled()
    assert [event["type"] for event in driver.events] == [
        "queue.joined",
        "offer.made",
        "ride.assigned",
        "queue.joined",
        "queue.left",
    ]
    assert [event["type"] for event in passenger.events] == [
        "ride.searching",
        "ride.accepted",
        "ride.aboard",
        "ride.ended",
    ]


async def test_decline_takes_effect_once(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.offered(ride)
    await driver.call("offer.decline", ride=ride, key=f"{ride}-d")
    # The only driver of the zone is asked again, in the second round; the repeated decline is of the first offer.
    await driver.offered(ride)
    assert await driver.call("offer.decline", ride=ride, key=f"{ride}-d") == {"ride": ride}
    await driver.nothing_more()
    await driver.call("offer.accept", ride=ride)
    await passenger.until("ride.accepted")


async def test_cancel_and_no_show_take_effect_once(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await driver.fix(here.a.centre)
    await passenger.until("ride.arrived")
    await driver.known()
    await twice(driver, "ride.noshow", ride=ride, key=f"{ride}-n")
    ride = await passenger.request_after("ride.cancelled", here.a.centre)
    await twice(passenger, "ride.cancel", ride=ride, key=f"{ride}-c")
    await driver.settled()
    assert [event["type"] for event in driver.events] == [
        "queue.joined",
        "offer.made",
        "ride.assigned",
        "ride.confirm_aboard",
        "queue.joined",
        "offer.made",
        "offer.withdrawn",
    ]


async def test_request_with_a_key_sent_many_times_at_once(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    phone = passenger.twin()
    await phone.connect()
    fields = {**here.a.centre.fields, "passengers": 1, "key": f"{passenger.subject}-q"}
    replies = await asyncio.gather(*(c.call("ride.request", **fields) for c in [passenger, phone] * 25))
    assert len({reply["ride"] for reply in replies}) == 1
    await passenger.expect("ride.searching", ride=replies[0]["ride"])
    await passenger.nothing_more()
    await driver.offered(replies[0]["ride"])
    await driver.nothing_more()


async def test_without_a_key_the_second_request_is_refused(hub, cast):
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await passenger.request(here.a.centre)
    await passenger.refused("ride.request", "already_requested", **here.a.centre.fields, passengers=1)
    await passenger.nothing_more()


async def test_a_key_belongs_to_its_subject(hub, cast):
    here = hub.block()
    await cast.queue(hub, here.a.stand, 2)
    one, two = await cast.rider(hub), await cast.rider(hub)
    fields = {**here.a.centre.fields, "passengers": 1, "key": "everybody-uses-this-key"}
    first, second = await one.call("ride.request", **fields), await two.call("ride.request", **fields)
    assert first["ride"] != second["ride"]


async def test_a_key_belongs_to_its_command(hub, cast):
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await passenger.call("ride.request", **here.a.centre.fields, passengers=1, key="first")
    await passenger.refused("ride.cancel", "bad_message", key="first")
    await passenger.call("ride.cancel", key="second")


async def test_a_position_sent_again_is_no_news(hub, cast):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    await driver.connect()
    await driver.fix()
    again = {**driver.place.fields, "at": driver.clock, "accuracy": 5}
    assert [await driver.call("position", **again) for _ in range(5)] == [{"ignored": "duplicate"}] * 5
    await driver.nothing_more()
