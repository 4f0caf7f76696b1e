"""An operator has a taxi or a minibus searched for who telephones, over its connection, in both encodings (B18, C33, M17)."""

import pytest

from conftest import running
from kerbside import patience
from kerbside.protobuf import Binary
from test_callers import Desk, caller, desk
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City, acts
from test_seat_request import going, wish
from test_seat_trips import BinaryCity


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else BinaryCity(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture(scope="module")
def hub():
    """Two workers; who is lost is lost soon."""
    soon = {"dispatch__away_grace_ms": int(300 * patience.PACE), "dispatch__driver_lost_ms": int(900 * patience.PACE)}
    yield from running(server__workers=2, vehicles__fares=["*: 2km=5.00 10km=12.00"], **soon)


async def test_b18_c33_another_taxi_is_searched_for_who_telephones(hub, cast):
    here = hub.block()
    office, heard = await desk(cast, hub)
    assert isinstance(office, Binary) == isinstance(cast, BinaryCity)
    ada, ada_is = caller()
    await office.refused("ride.search", "not_found", on_behalf_of=ada)
    first, second = await cast.queue(hub, here.a.stand, 2)
    ride = (await office.call("ride.request", **here.a.centre.fields, passengers=1, on_behalf_of=ada))["ride"]
    await first.accept(ride)
    error = await office.refused("ride.search", "not_available", on_behalf_of=ada, key="s")
    assert "on the way" in error["detail"]
    await first.cut()
    assert (await heard.told(ada_is, "ride.driver_lost"))["ride"] == ride
    # What was refused did not use its key up.
    reply = await office.call("ride.search", ride=ride, on_behalf_of=ada, key="s")
    assert reply == {"ride": ride, "state": "searching"}
    assert await office.call("ride.search", ride=ride, on_behalf_of=ada, key="s") == reply
    await second.offered(ride)
    assert await office.call("ride.search", on_behalf_of=ada) == reply, "it is being searched"
    assert (await second.call("offer.accept", ride=ride))["contact"] == ada
    assert (await heard.told(ada_is, "ride.accepted"))["ride"] == ride
    # By each worker.
    await office.connect_to(other_than=office.worker)
    assert await office.call("ride.search", ride=ride, on_behalf_of=ada, key="s") == reply
    # A key is of who uses it.
    other = await cast.operator(hub)
    await other.refused("ride.search", "not_available", on_behalf_of=ada, key="s")
    told = await office.call("office.ride", ride=ride)
    assert (told["state"], told["driver"], told["passenger"]) == ("accepted", second.subject, ada_is)
    assert [(entry["command"], entry["target"]) for entry in await acts(office)] == [
        ("ride.search", f"ride:{ride}"), ("ride.request", f"ride:{ride}")]
    assert await acts(other) == []
    await first.back()
    await first.until("ride.cancelled", ride=ride)


async def test_b18_m17_a_minibus_is_searched_for_who_telephones(hub, cast):
    here = hub.block()
    office, heard = await desk(cast, hub)
    ada, ada_is = caller()
    await office.refused("seat.request", "not_available", **wish(here), on_behalf_of=ada, key="k")
    near = await going(hub, cast, here, 300)
    far = await going(hub, cast, here, 900, other_than=near.worker)
    reply = await office.call("seat.request", **wish(here, 2), on_behalf_of=ada, key="k")
    booking = reply["booking"]
    assert reply["state"] == "searching"
    await near.asked(booking)
    assert await office.call("seat.request", **wish(here, 2), on_behalf_of=ada, key="k") == reply
    await office.refused("seat.request", "already_requested", **wish(here), on_behalf_of=ada)
    await near.call("seat.decline", booking=booking)
    await far.asked(booking)
    assert (await far.call("seat.accept", booking=booking))["contact"] == ada
    told = await heard.told(ada_is, "seat.confirmed")
    assert (told["booking"], told["vehicle"], told["name"], told["number"]) == (booking, far.subject, *ada.values())
    assert (near.books(), far.books()) == ((0, 0, 0), (2, 0, 2))
    assert await office.call("seat.request", **wish(here, 2), on_behalf_of=ada, key="k") == reply
    # Another one goes on where this one has ended.
    other = await cast.operator(hub)
    await other.connect_to(other_than=office.worker)
    await other.refused("seat.request", "already_requested", **wish(here, 2), on_behalf_of=ada, key="k")
    assert far.books() == (2, 0, 2)
    assert await other.call("seat.cancel", on_behalf_of=ada) == {"booking": booking, "state": "cancelled"}
    await far.until("seat.cancelled", booking=booking)
    await heard.told(ada_is, "seat.cancelled")
    assert [(entry["command"], entry["target"]) for entry in await acts(office)] == [("seat.request", f"booking:{booking}")]
    assert [entry["command"] for entry in await acts(other)] == ["seat.cancel"]


async def test_b18_m17_when_no_minibus_takes_who_telephones_the_office_is_told(hub, cast):
    here = hub.block()
    office, heard = await desk(cast, hub)
    screen = await cast.operator(hub)
    await screen.call("subscribe", channel="office")
    ada, ada_is = caller()
    only = await going(hub, cast, here, 300)
    booking = (await office.call("seat.request", **wish(here), on_behalf_of=ada))["booking"]
    await only.asked(booking)
    await only.call("seat.decline", booking=booking)
    for one in (heard, Desk(screen)):
        told = await one.told(ada_is, "seat.failed")
        assert (told["booking"], told["reason"], told["name"]) == (booking, "no_driver", ada["name"])
    await office.refused("seat.cancel", "not_found", on_behalf_of=ada)
    assert only.books() == (0, 0, 0)
