"""Each role does and sees what is its own, and nothing else."""

import pytest

from conftest import IN_BOTH
from kerbside.client import Client

pytestmark = pytest.mark.usefixtures("encoding")

DRIVER_ONLY = {
    "driver.available": {},
    "driver.unavailable": {},
    "offer.seen": {"ride": "r1"},
    "offer.accept": {"ride": "r1"},
    "offer.decline": {"ride": "r1"},
    "ride.aboard": {},
    "ride.end": {},
    "ride.noshow": {},
    "seat.accept": {"booking": "b_1"},
    "seat.decline": {"booking": "b_1"},
    "seat.aboard": {"booking": "b_1"},
    "seat.end": {"booking": "b_1"},
    "route.set": {"route": "R1"},
    "advice.get": {},
}
PASSENGER_ONLY = {
    "reservation.make": {
        "pickup": {"lat": 45.01, "lon": 9.01}, "destination": {"lat": 45.02, "lon": 9.02}, "at": 1, "passengers": 1},
    "reservation.list": {},
    "reservation.cancel": {"reservation": "v_1"},
    "ride.request": {"lat": 45.01, "lon": 9.01, "passengers": 1},
    "ride.search": {},
    "seat.request": {"pickup": {"lat": 45.01, "lon": 9.01}, "destination": {"lat": 45.02, "lon": 9.02}, "passengers": 1},
    "seat.book": {
        "vehicle": "M1", "pickup": {"lat": 45.01, "lon": 9.01}, "destination": {"lat": 45.02, "lon": 9.02},
        "passengers": 1},
}
#: What both sides of a trip may send, and operators some of it.
TRIPS = {"receipt.get": {"trip": "r_1"}, "trip.rate": {"trip": "r_1", "stars": 5}, "ratings.get": {}, "trips.list": {}}
BOTH = {"position": {"lat": 45.01, "lon": 9.01, "at": 1_700_000_000_000}, "ride.cancel": {}, "seat.cancel": {"booking": "b_1"}}


class Other(Client):
    """A role that has nothing to do with rides."""

    def __init__(self, hub, role, subject):
        self.role = role
        super().__init__(hub, subject)

    async def greet(self):
        await self.open()
        return await self.ask("hello", token=self.token)


@pytest.mark.parametrize("command", DRIVER_ONLY)
async def test_a_passenger_is_no_driver(hub, cast, command):
    passenger = await cast.rider(hub)
    await passenger.refused(command, "forbidden", **DRIVER_ONLY[command])


@pytest.mark.parametrize("command", PASSENGER_ONLY)
async def test_a_driver_is_no_passenger(hub, cast, command):
    driver = cast.driver(hub)
    await driver.connect()
    await driver.refused(command, "forbidden", **PASSENGER_ONLY[command])


@pytest.mark.parametrize("role", ["bus_driver", "operator", "service"])
async def test_other_roles_take_no_part_in_rides(hub, role):
    other = Other(hub, role, f"{role}-1")
    reply = await other.greet()
    assert reply["ok"]["role"] == role
    for command, fields in (DRIVER_ONLY | PASSENGER_ONLY | BOTH).items():
        if (role, command) == ("bus_driver", "position"):
            continue  # What a bus without a tour sends is refused for another reason.
        await other.refused(command, "forbidden", **fields)
    other.hello_reply = None  # no channel of its own to settle


@IN_BOTH
async def test_foreign_channels_are_forbidden(hub, cast):
    here = hub.block()
    [driver, another] = await cast.queue(hub, here.a.stand, 2)
    one, two = await cast.rider(hub), await cast.rider(hub)
    ride = await one.request(here.a.centre)
    await driver.accept(ride)
    await one.expect("ride.accepted")
    for channel in (one.channel, driver.channel, another.channel, "city"):
        await two.refused("subscribe", "forbidden", channel=channel)
    for channel in (one.channel, two.channel, another.channel, f"vehicle:{another.subject}"):
        await driver.refused("subscribe", "forbidden", channel=channel)
    await driver.refused("subscribe", "forbidden", channel="city")
    await driver.drive(here.a.centre)
    await one.until("ride.arrived")
    await two.barrier()
    assert not [m for m in two.pushed if m.get("ch") != two.channel], "a bystander got something"


@IN_BOTH
async def test_ones_own_channel_may_be_subscribed_again(hub, cast):
    passenger = await cast.rider(hub)
    assert await passenger.call("subscribe", channel=passenger.channel) == {"channel": passenger.channel}
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    await passenger.request(here.a.centre)
    await passenger.nothing_more()


async def test_the_passenger_may_subscribe_and_unsubscribe_its_taxi(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await driver.accept(await passenger.request(here.a.centre))
    await passenger.expect("ride.accepted")
    channel = f"vehicle:{driver.subject}"
    await driver.fix(here.a.stand.moved(east=20))
    await passenger.state("positions")
    assert await passenger.call("unsubscribe", channel=channel) == {"channel": channel}
    await driver.fix(here.a.stand.moved(east=40))
    assert await passenger.call("subscribe", channel=channel) == {"channel": channel}
    await driver.fix(here.a.stand.moved(east=60))
    await passenger.state("positions", lambda rows: passenger.is_last_of(driver, rows[0]))


async def test_the_pickup_is_told_to_nobody_but_the_driver_who_accepted(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    pickup = here.a.centre.moved(east=123.4)
    ride = await passenger.request(pickup)
    await first.offered(ride)
    await first.call("offer.decline", ride=ride)
    await second.accept(ride)
    await first.settled()
    told = str(first.pushed)
    assert str(pickup.fields["lat"]) not in told and str(pickup.fields["lon"]) not in told


async def test_hello_says_who_one_is(hub, cast):
    driver = cast.driver(hub)
    reply = await driver.connect()
    assert reply["channels"] == [driver.channel]
    assert reply["heartbeat_s"] == 25
    again = driver.twin()
    assert (await again.connect())["session"] != reply["session"]


@pytest.mark.parametrize("role", ["bus_driver", "service"])
async def test_trips_are_for_who_was_in_them(hub, role):
    other = Other(hub, role, f"{role}-trips")
    await other.greet()
    for command, fields in TRIPS.items():
        await other.refused(command, "forbidden", **fields)
    other.hello_reply = None  # no channel of its own to settle
