"""What the audit says of before and after where an act changes little, or nothing, or is done for somebody else."""

import json
import re
import time

import pytest

from kerbside import contract
from kerbside.http_desk import HttpDesk
from kerbside.minibus import trip
from kerbside.names import fresh
from kerbside.stops import on_tour, serve
from test_callers import caller
from test_seat_request import going, wish

HOUR = 3_600_000


@pytest.fixture(scope="module")
def town():
    """A village with lines, on two workers."""
    yield from serve(server__workers=2)


@pytest.fixture
def desk(town):
    return HttpDesk(town)


def shown(person):
    """Who telephones, as the audit has it: of the number the last digits."""
    return f"tel:...{person[-3:]}"


async def test_what_a_caller_takes_back_stands_there_as_it_was(town, cast, desk):
    here, line, (ada, ada_is) = town.block(), next(town.lines["hourly"]), caller()
    for_ada, hers = {"on_behalf_of": ada}, {"passenger": shown(ada_is)}
    [taxi] = await cast.queue(town, here.a.stand, 1)
    ride = desk.act("ride.request", **here.a.centre.fields, passengers=1, **for_ada).reply["ride"]
    await taxi.accept(ride)
    off = desk.act("ride.cancel", **for_ada)
    assert off.entry["before"] == {"state": "accepted", "driver": taxi.subject} | hers
    minibus = await going(town, cast, here, 300)
    booking = desk.act("seat.book", vehicle=minibus.subject, **wish(here), **for_ada).reply["booking"]
    await minibus.until("seat.requested", booking=booking)
    await minibus.call("seat.accept", booking=booking)
    off = desk.act("seat.cancel", **for_ada)
    assert off.entry["before"] == {"state": "confirmed", "driver": minibus.subject} | hers
    driver = await on_tour(town, line, 100)
    request = desk.act("stop.request", line=line.id, stop=line.stops[2], name="Ada", **for_ada).reply["request"]
    await driver.call("stop.accept", request=request)
    off = desk.act("stop.cancel", request=request, **for_ada)
    assert off.entry["before"]["state"] == "accepted" and off.entry["before"]["passenger"] == shown(ada_is)
    await driver.call("tour.end")
    at = int(time.time() * 1000) + 3 * HOUR
    name = desk.act("reservation.make", **trip(here.a.centre, here.b.centre), at=at, **for_ada).reply["reservation"]
    off = desk.act("reservation.cancel", reservation=name, **for_ada)
    assert off.entry["before"] == {"state": "open"} | hers


def test_of_a_caller_who_is_blocked_the_number_is_not_kept(desk):
    _, ada_is = caller()
    for command, fields in (("office.block", {"reason": "Never comes."}), ("office.unblock", {})):
        act = desk.act(command, role="passenger", subject=ada_is, **fields)
        assert act.entry["target"] == f"passenger:{shown(ada_is)}"
    assert ada_is.removeprefix("tel:") not in json.dumps(desk.entries())


@pytest.mark.parametrize("change", [
    {"capabilities": ["wheelchair"]}, {"phone": "+39 02 1"}, {"photo": "https://fleet.example/a.jpg"}, {"licence": "MI-1"},
], ids=str)
def test_what_was_changed_of_a_driver_can_be_told(desk, change):
    name = fresh("D-")
    desk.act("drivers.set", driver=name, name="Ada")
    act = desk.act("drivers.set", driver=name, name="Ada", **change)
    assert act.reply["changed"] and act.entry["before"] != act.entry["after"]


@pytest.mark.parametrize("change", [{"colour": "black"}, {"model": "Skoda"}, {"capabilities": ["wheelchair"]}], ids=str)
def test_what_was_changed_of_a_vehicle_can_be_told(desk, change):
    name = fresh("V")
    desk.act("vehicles.set", vehicle=name, plate="AB 1")
    act = desk.act("vehicles.set", vehicle=name, plate="AB 1", **change)
    assert act.reply["changed"] and act.entry["before"] != act.entry["after"]


async def test_what_changes_nothing_leaves_no_entry(town, cast, desk):
    here, (ada, _) = town.block(), caller()
    for_ada = {"on_behalf_of": ada}
    await cast.queue(town, here.a.stand, 1)
    ride = desk.act("ride.request", **here.a.centre.fields, passengers=1, **for_ada).reply["ride"]
    searching = desk.entries()
    assert desk.done("ride.search", **for_ada) == {"ride": ride, "state": "searching"}
    assert desk.entries() == searching
    desk.act("ride.cancel", **for_ada)
    at = int(time.time() * 1000) + 3 * HOUR
    name = desk.act("reservation.make", **trip(here.a.centre, here.b.centre), at=at, **for_ada).reply["reservation"]
    desk.act("reservation.cancel", reservation=name, **for_ada)
    before = desk.entries()
    assert desk.done("ride.cancel", ride=ride, **for_ada)["state"] == "cancelled"
    assert desk.done("reservation.cancel", reservation=name, **for_ada)["state"] == "cancelled"
    assert desk.entries() == before


async def test_a_token_that_was_revoked_before_is_told(town, cast, desk):
    rider = await cast.rider(town)
    who = {"role": "passenger", "subject": rider.subject, "revoke": True}
    first = desk.act("office.session_end", **who, reason="Stolen.")
    assert first.entry["after"] == {"state": "revoked"}
    again = desk.act("office.session_end", **who, reason="Stolen again.")
    assert again.entry["before"] == {"state": "revoked"} != first.entry["before"]


def test_a_wrong_role_is_told_all_who_can_be_blocked(desk):
    error = desk.refused("office.block", "bad_message", role="service", subject="s1", reason="Why.").page
    roles = contract.SCHEMAS["common.json"]["$defs"]["blockedRole"]["enum"]
    assert error["field"] == "role" and [role for role in roles if role not in re.findall(r"\w+", error["detail"])] == []
