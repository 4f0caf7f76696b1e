"""Links that are half open: nothing comes any more, nobody has closed them, and what they carried goes on."""

import pytest

from conftest import Cast, running
from kerbside import patience
from kerbside.bus import BusDriver
from kerbside.hub import Hub
from kerbside.link import HERE, THERE, bad_link
from kerbside.passenger import Passenger
from kerbside.stops import Rider, serve
from kerbside.streams import StreamedPassenger

#: Who is silent for so long is given up.
SOON = {
    "server__ping_ms": int(500 * patience.PACE),
    "server__dead_after_ms": int(1200 * patience.PACE),
}


@pytest.fixture
def impatient_hub(new_hub):
    return new_hub(**SOON).start()


@pytest.fixture(scope="module")
def impatient_town():
    yield from serve(**SOON)


class HubBehindTheLink(Hub):
    address, client_address = HERE, THERE


@pytest.fixture
def dead_link():
    """A link that can be cut for long enough."""
    with bad_link(delay_ms=20, loss=0, cut_s=4 * patience.PACE) as link:
        yield link


async def go_dead(client, hub):
    """It reads nothing and so answers no ping, until the hub has given up its link."""
    client.ws.transport.pause_reading()
    links = hub.key(f"links:{client.role}:{client.subject}")
    await hub.until("its link is given up", lambda: hub.redis.zcard(links) == 0)


async def test_c59_a_passenger_whose_link_died_on_a_ride_has_all_of_it_once(impatient_hub, cast):
    hub = impatient_hub
    here = hub.block()
    pickup = here.a.centre
    [driver] = await cast.queue(hub, pickup.moved(north=900), 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(pickup)
    await driver.accept(ride)
    await passenger.expect("ride.accepted", ride=ride)
    await go_dead(passenger, hub)
    # The ride does not stand still for it.
    await driver.drive(pickup.moved(north=30), pickup, step=100)
    await hub.logged("ride.arrived", ride=ride)
    await driver.call("ride.aboard", ride=ride)
    await passenger.resume()
    await passenger.until("ride.aboard", ride=ride)
    types = [event["type"] for event in passenger.events]
    for once in ("ride.accepted", "ride.near", "ride.arrived", "ride.aboard"):
        assert types.count(once) == 1, types
    assert types.index("ride.near") < types.index("ride.arrived") < types.index("ride.aboard"), types


@pytest.mark.parametrize("kind", [Passenger, StreamedPassenger])
async def test_c59_a_passenger_whose_packets_are_lost_both_ways_has_all_of_it_once(dead_link, kind):
    cast = Cast(passenger=kind)
    for hub in running(make=HubBehindTheLink, blocks=10, server__host=HERE, **SOON):
        pickup = hub.block().a.centre
        driver, passenger = cast.driver(hub, pickup.moved(north=900)), await cast.rider(hub)
        # Only the passenger is on the link.
        driver.address = HERE
        await driver.go_available()
        ride = await passenger.request(pickup)
        await driver.accept(ride)
        await passenger.expect("ride.accepted", ride=ride)
        dead_link.cut()
        links = hub.key(f"links:{passenger.channel}")
        await hub.until("its link is given up", lambda: hub.redis.zcard(links) == 0)
        await driver.drive(pickup.moved(north=30), pickup, step=100)
        await hub.logged("ride.arrived", ride=ride)
        assert passenger.last_seq == passenger.events[-1]["seq"] and passenger.events[-1]["type"] == "ride.accepted"
        # As far as its phone knows nothing has been closed, and it asks again before the link is back.
        assert passenger.closed is None
        await passenger.back()
        await driver.call("ride.aboard", ride=ride)
        await passenger.until("ride.aboard", ride=ride)
        await driver.call("ride.end", ride=ride)
        await passenger.until("ride.ended", ride=ride)
        assert [event["type"] for event in passenger.events] == [
            "ride.searching", "ride.accepted", "ride.near", "ride.arrived", "ride.aboard", "ride.ended"]
        for client in (driver, passenger):
            await client.settled()
            await client.close()


async def test_c59_a_bus_driver_whose_link_died_finds_its_tour_and_who_asked_meanwhile(impatient_town):
    town = impatient_town
    line = next(town.lines["hourly"])
    driver, citizen = BusDriver(town, line), Rider(town, line)
    await driver.begin()
    await driver.go(100)
    tour = driver.tour
    await citizen.here()
    await go_dead(driver, town)
    asked = await citizen.call("stop.request", line=line.id, **line.at(2500).fields, at=citizen.now(10), name="Ada", key="k1")
    assert asked["state"] == "requested"
    await driver.resume()
    await driver.until("stop.requested", request=asked["request"])
    await driver.call("stop.accept", request=asked["request"])
    await citizen.until("stop.accepted", request=asked["request"])
    # It is the same tour, and the bus goes on.
    await driver.go(2300)
    await citizen.until("stop.near", request=asked["request"])
    types = [event["type"] for event in driver.events]
    assert types.count("stop.requested") == 1 and driver.tour == tour, types
    await driver.close()
    await citizen.close()
