"""How a taxi is searched: what a ride needs, the zones around, and passengers who wait (R14, C26, C27)."""

import os
import signal

import pytest

from conftest import Cast, running
from kerbside import patience
from kerbside.asker import Asker
from kerbside.city import Point
from kerbside.driver import Driver
from kerbside.names import fresh
from kerbside.passenger import Passenger
from kerbside.protobuf import Binary
from kerbside.watcher import BinaryWatcher, Watcher

WAIT_MS = 3000
GRACE_MS, LOST_MS = int(300 * patience.PACE), int(900 * patience.PACE)


class BinaryDriver(Binary, Driver):
    pass


class BinaryPassenger(Binary, Passenger):
    pass


class Searchers(Cast):
    """Actors of one encoding, the office included."""

    def __init__(self, driver=Driver, passenger=Passenger, office=Watcher):
        super().__init__(driver, passenger)
        self._office = office

    async def waiting(self, hub, here, **fields):
        """A passenger who waits where nobody is; with the reply to its request."""
        rider = await self.rider(hub)
        return rider, await rider.call("ride.request", **here.a.centre.fields, passengers=1, wait=True, **fields)

    def operator(self, hub):
        return self._office(hub, fresh("office-"))

    async def equipped(self, hub, at, *capabilities):
        """A driver, available, whose car has these by the office's records."""
        office = self.operator(hub)
        await office.connect()
        driver = self.driver(hub, at)
        await office.call("vehicles.set", vehicle=driver.subject, plate="AB 1", capabilities=list(capabilities))
        await driver.go_available()
        return driver


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return Searchers() if request.param == "json" else Searchers(BinaryDriver, BinaryPassenger, BinaryWatcher)


@pytest.fixture(scope="module")
def hub():
    """Asks the zones around, too; two workers."""
    yield from running(
        blocks=60, server__workers=2, dispatch__neighbours=1, dispatch__look_again_ms=1000, dispatch__wait_ms=WAIT_MS,
        dispatch__round_pause_ms=0, dispatch__away_grace_ms=GRACE_MS, dispatch__driver_lost_ms=LOST_MS,
    )


async def test_c26_who_has_what_is_needed_is_asked_and_told(hub, cast):
    here = hub.block()
    [plain] = await cast.queue(hub, here.a.stand, 1)
    fitted = await cast.equipped(hub, here.a.stand, "wheelchair", "child_seat")
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre, needs=["wheelchair"])
    assert (await fitted.offered(ride))["needs"] == ["wheelchair"]
    assert (await fitted.call("offer.accept", ride=ride))["needs"] == ["wheelchair"]
    await fitted.expect("ride.assigned", ride=ride, needs=["wheelchair"])
    accepted = await rider.expect("ride.accepted", ride=ride, taxi=fitted.subject)
    assert accepted["card"]["capabilities"] == ["wheelchair", "child_seat"]
    await plain.nothing_more()
    state = await plain.state("queue.rank", lambda d: d["rank"] == 1)
    assert state["zone"] == here.a.id, "who was skipped keeps its place"


async def test_c26_nobody_has_what_is_needed(hub, cast):
    here = hub.block()
    await cast.equipped(hub, here.a.stand, "estate")
    rider = await cast.rider(hub)
    error = await rider.refused("ride.request", "zone_empty", **here.a.centre.fields, passengers=1, needs=["wheelchair"])
    assert "wheelchair" in error["detail"]
    for wrong in (["Two Words"], [f"w{n}" for n in range(17)]):
        await rider.refused("ride.request", "bad_message", **here.a.centre.fields, passengers=1, needs=wrong)


async def test_r14_the_zones_around_are_asked_where_nobody_is(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.b.stand, 1)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    accepted = await rider.expect("ride.accepted", ride=ride, taxi=driver.subject)
    assert accepted["eta_s"] > 0


async def test_r14_only_so_many_rings_are_asked(hub, cast):
    here = hub.block()
    await cast.queue(hub, here.c.stand, 1)
    rider = await cast.rider(hub)
    await rider.refused("ride.request", "zone_empty", **here.a.centre.fields, passengers=1)


async def test_r14_the_nearest_zone_comes_first(hub, cast):
    here = hub.block()
    [west] = await cast.queue(hub, here.a.stand, 1)
    [east] = await cast.queue(hub, here.c.stand, 1)
    rider = await cast.rider(hub)
    near_the_east = Point(here.b.centre.lat, here.b.centre.lon + 0.008)
    ride = await rider.request(near_the_east)
    await east.offered(ride)
    await east.call("offer.decline", ride=ride)
    await west.accept(ride)
    await rider.expect("ride.accepted", ride=ride, taxi=west.subject)


async def with_a_driver(hub, cast):
    """A driver has accepted a ride in the first zone, and another one waits in the second: (block, driver, other, rider, ride)."""
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    await rider.until("ride.accepted", ride=ride)
    [other] = await cast.queue(hub, here.b.stand, 1)
    return here, driver, other, rider, ride


async def test_c26_who_searches_again_is_given_a_driver_of_a_zone_around(hub, cast):
    _here, driver, other, rider, ride = await with_a_driver(hub, cast)
    await driver.cut()
    await rider.expect("ride.driver_lost", ride=ride)
    assert (await rider.call("ride.search"))["state"] == "searching"
    await other.accept(ride)
    await rider.until("ride.accepted", ride=ride, taxi=other.subject)


async def test_c26_the_office_gives_a_ride_to_a_driver_of_a_zone_around(hub, cast):
    _here, driver, other, rider, ride = await with_a_driver(hub, cast)
    office = cast.operator(hub)
    await office.connect()
    reply = await office.call("office.reassign", ride=ride, reason="A flat tyre.")
    assert (reply["driver"], reply["state"]) == (other.subject, "offered")
    await driver.until("ride.cancelled", ride=ride, by="operator")
    await other.accept(ride)
    await rider.until("ride.accepted", ride=ride, taxi=other.subject)


async def test_r14_who_waits_gets_the_first_who_comes(hub, cast):
    here = hub.block()
    rider, reply = await cast.waiting(hub, here, key="w")
    assert reply["until"] > 0
    await rider.expect("ride.searching", ride=reply["ride"], reason="requested")
    await rider.expect("ride.searching", ride=reply["ride"], reason="waiting", until=reply["until"])
    again = await rider.call("ride.request", **here.a.centre.fields, passengers=1, wait=True, key="w")
    assert again == reply
    driver = cast.driver(hub, here.a.stand)
    await driver.go_available()
    await driver.accept(reply["ride"])
    await rider.expect("ride.accepted", ride=reply["ride"], taxi=driver.subject)


async def test_r14_who_waits_is_found_a_taxi_around_at_the_next_look(hub, cast):
    here = hub.block()
    rider, reply = await cast.waiting(hub, here)
    driver = cast.driver(hub, here.b.stand)
    await driver.go_available()
    await driver.accept(reply["ride"])
    await rider.until("ride.accepted", ride=reply["ride"], taxi=driver.subject)


async def test_c27_who_waits_in_vain_is_told_at_the_stated_time(hub, cast):
    here = hub.block()
    rider, reply = await cast.waiting(hub, here)
    failed = await rider.until("ride.failed", ride=reply["ride"], code="timeout")
    assert failed["detail"]
    driver = cast.driver(hub, here.a.stand)
    await driver.go_available()
    await driver.nothing_more()
    await driver.offered(await rider.request(here.a.centre))


def test_r14_over_http_who_waits_reads_until_when(hub):
    here = hub.block()
    asker = Asker(hub, "passenger", fresh("p"))
    fields = {**here.a.centre.fields, "passengers": 1, "wait": True, "needs": ["wheelchair"]}
    reply = asker.done("ride.request", "k", **fields)
    assert asker.done("ride.request", "k", **fields) == reply
    state = asker.read("/v1/requests")["ride"]
    assert (state["state"], state["until"], state["needs"]) == ("searching", reply["until"], ["wheelchair"])
    asker.done("ride.cancel", ride=reply["ride"])
    asker.refused("ride.request", "zone_empty", **fields | {"wait": False})


async def test_c39_who_waits_is_found_a_taxi_though_a_worker_and_redis_die(new_hub, cast):
    hub = new_hub(server__workers=2, dispatch__neighbours=1, dispatch__look_again_ms=1000).start()
    here = hub.block()
    rider, reply = await cast.waiting(hub, here)
    await rider.until("ride.searching", reason="requested")
    await rider.expect("ride.searching", reason="waiting")
    await hub.kill_workers(*hub.workers())
    os.kill(hub.redis_pid(), signal.SIGKILL)
    driver = cast.driver(hub, here.b.stand)
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)
    hub._redis = None
    await driver.go_available()
    await driver.accept(reply["ride"])
    await rider.back()
    await rider.until("ride.accepted", ride=reply["ride"], taxi=driver.subject)
