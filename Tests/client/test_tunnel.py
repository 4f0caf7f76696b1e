"""A taxi in a tunnel, on a ride: ten minutes without a link and without satellites, by a hub's clock that runs faster."""

import asyncio

import pytest

from conftest import running
from kerbside import patience
from kerbside.driver import PunctualDriver
from kerbside.names import fresh

#: Hub time runs so many times as fast: ten minutes are 15 s.
FAST = 40
MINUTE = 60_000


@pytest.fixture(scope="module")
def hub():
    yield from running(
        clock__scale=FAST,
        # The defaults, of which links alone go by the machine's clock.
        server__ping_ms=int(25_000 / FAST * patience.PACE),
        server__dead_after_ms=int(75_000 / FAST * patience.PACE),
        positions__max_speed_mps=45,
        # Nobody answers forty times as fast.
        dispatch__offer_seen_timeout_ms=MINUTE,
        dispatch__offer_timeout_ms=5 * MINUTE,
        dispatch__search_timeout_ms=60 * MINUTE,
    )


async def go_into_the_tunnel(taxi):
    """It hears and says nothing, and nobody closes its link. When that was."""
    taxi.ws.transport.pause_reading()
    return taxi.now


async def come_out(taxi, entered, place):
    """After ten minutes, there."""
    await asyncio.sleep(max(0, entered + 10 * MINUTE - taxi.now) / 1000 / FAST)
    taxi.place = place
    await taxi.resume()


async def on_the_way(hub, cast):
    """A taxi 900 m north of the pickup with a ride: (taxi, passenger, ride, pickup)."""
    pickup = hub.block().a.centre
    taxi, passenger = PunctualDriver(hub, fresh("T"), pickup.moved(north=900)), await cast.rider(hub)
    await taxi.go_available()
    ride = await passenger.request(pickup)
    await taxi.accept(ride)
    await passenger.expect("ride.accepted", ride=ride)
    return taxi, passenger, ride, pickup


def told(passenger):
    return [event["type"] for event in passenger.events]


async def test_c33_a_taxi_is_ten_minutes_in_a_tunnel_on_its_way_to_the_pickup(hub, cast):
    taxi, passenger, ride, pickup = await on_the_way(hub, cast)
    await taxi.fix(pickup.moved(north=850))
    await passenger.state("ride.eta")
    entered = await go_into_the_tunnel(taxi)
    lost = await passenger.expect("ride.driver_lost", within=patience.PROCESS, ride=ride, taxi=taxi.subject)
    # The link was given up after 75 s at most, and the passenger is told 2 minutes later that they may wait or search again.
    assert entered < lost["since"] <= entered + 2 * 75_000 * patience.PACE and lost["until"] - lost["since"] == 30 * MINUTE
    assert taxi.now > lost["since"] + 2 * MINUTE - 5_000
    etas = len(passenger.states["ride.eta"])
    # Another phone of theirs finds it so, too.
    phone = passenger.twin()
    await phone.connect()
    assert phone.snapshot["ride"]["driver_lost"] == {"since": lost["since"], "until": lost["until"]}
    await come_out(taxi, entered, pickup.moved(north=250))
    assert len(passenger.states["ride.eta"]) == etas, "nobody knows when it comes, before it has said where it is"
    await passenger.expect("ride.driver_back", ride=ride, taxi=taxi.subject)
    await passenger.refused("ride.search", "not_available", ride=ride)
    await taxi.fix()
    eta = await passenger.state("ride.eta", lambda eta: abs(eta["distance_m"] - 250) < 30)
    assert eta["at"] > lost["since"] + 2 * MINUTE
    await taxi.drive(pickup.moved(north=20), pickup)
    await passenger.until("ride.arrived", ride=ride)
    await taxi.call("ride.aboard", ride=ride)
    await passenger.until("ride.aboard", ride=ride)
    await taxi.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)
    assert told(passenger) == [
        "ride.searching", "ride.accepted", "ride.driver_lost", "ride.driver_back", "ride.near", "ride.arrived", "ride.aboard",
        "ride.ended"]
    await taxi.until("queue.joined")


async def test_c33_a_taxi_is_ten_minutes_in_a_tunnel_with_its_passenger_aboard(hub, cast):
    """Who sits in it is told nothing, and the ride is theirs still."""
    taxi, passenger, ride, pickup = await on_the_way(hub, cast)
    await taxi.drive(pickup)
    await passenger.until("ride.arrived", ride=ride)
    await taxi.call("ride.aboard", ride=ride)
    await passenger.until("ride.aboard", ride=ride)
    before = told(passenger)
    entered = await go_into_the_tunnel(taxi)
    links = hub.key(f"links:{taxi.channel}")
    await hub.until("its link is given up", lambda: hub.redis.zcard(links) == 0)
    await come_out(taxi, entered, pickup.moved(north=-600))
    assert told(passenger) == before
    await taxi.fix()
    await taxi.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)
    assert told(passenger) == [*before, "ride.ended"]
    await taxi.until("queue.joined")
