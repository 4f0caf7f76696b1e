"""An operator asks for who telephones (B18), and what it hears of it."""


import pytest

from kerbside.minibus import trip
from kerbside.names import numbers
from kerbside.somebody import BinarySomebody, Somebody
from kerbside.stops import on_tour, serve
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City, acts

ADA = {"name": "Ada Rossi", "number": "+39 02 1234-5"}


def caller(name="Ada Rossi"):
    """Somebody who telephones for the first time, and the passenger that it is."""
    number = next(numbers)
    return {"name": name, "number": f"+39 02 {number}-5"}, f"tel:003902{number}5"
WISHES = {
    "ride.request": {"lat": 45.46, "lon": 9.19, "passengers": 1},
    "ride.cancel": {}, "ride.search": {}, "seat.cancel": {}, "stop.cancel": {"request": "s_1"},
    "seat.book": {
        "vehicle": "M1", "pickup": {"lat": 45.46, "lon": 9.19}, "destination": {"lat": 45.47, "lon": 9.2}, "passengers": 1,
    },
    "seat.request": {"pickup": {"lat": 45.46, "lon": 9.19}, "destination": {"lat": 45.47, "lon": 9.2}, "passengers": 1},
    "stop.request": {"line": "52", "stop": "town-hall", "name": "Ada"},
    "reservation.make": {
        "pickup": {"lat": 45.46, "lon": 9.19}, "destination": {"lat": 45.47, "lon": 9.2}, "at": 1, "passengers": 1,
    },
    "reservation.list": {}, "reservation.cancel": {"reservation": "v_1"},
}


class Desk:
    """What an operator that reads `office` hears of callers."""

    def __init__(self, office):
        self.office = office

    async def told(self, passenger, event):
        def found():
            return next(
                (m["data"] for m in self.office.pushed if m["ch"] == "office" and m["type"] == "caller.told"
                 and m["data"]["passenger"] == passenger and m["data"]["event"] == event), None)
        return await self.office.wait(found, f"{event} of {passenger}")


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture(scope="module")
def town():
    """A village with lines."""
    yield from serve()


async def desk(cast, hub):
    office = await cast.operator(hub)
    await office.call("subscribe", channel="office")
    return office, Desk(office)


async def test_b18_two_callers_have_a_taxi_each(hub, cast):
    here = hub.block()
    office, heard = await desk(cast, hub)
    first, _ = await cast.queue(hub, here.a.stand, 2)
    wish = {**here.a.centre.fields, "passengers": 1}
    (ada, ada_is), (bob, bob_is) = caller(), caller("Bob")
    hers = await office.call("ride.request", **wish, on_behalf_of=ada, key="a")
    assert hers == await office.call("ride.request", **wish, on_behalf_of=ada, key="a"), "repeated"
    his = await office.call("ride.request", **wish, on_behalf_of=bob, key="a")
    assert hers["ride"] != his["ride"], "a key is the caller's"
    again = {"name": "A. R.", "number": ada["number"].replace("+39 ", "0039 (").replace("-", ") ")}
    await office.refused("ride.request", "already_requested", **wish, on_behalf_of=again)
    assert (await first.accept(hers["ride"]))["contact"] == ada
    told = await heard.told(ada_is, "ride.accepted")
    assert (told["name"], told["number"], told["ride"], told["taxi"]) == (*ada.values(), hers["ride"], first.subject)
    assert (await office.call("office.ride", ride=hers["ride"]))["passenger"] == ada_is
    assert await office.call("ride.cancel", on_behalf_of=bob) == {"ride": his["ride"], "state": "cancelled"}
    await heard.told(bob_is, "ride.cancelled")
    assert [(entry["command"], entry["target"]) for entry in await acts(office)] == [
        ("ride.cancel", f"ride:{his['ride']}"), ("ride.request", f"ride:{his['ride']}"), ("ride.request", f"ride:{hers['ride']}"),
    ]
    await office.call("office.cancel", ride=hers["ride"], reason="She has called again.")
    await heard.told(ada_is, "ride.cancelled")


async def test_b18_seats_for_a_caller(hub, cast):
    here = hub.block()
    office, heard = await desk(cast, hub)
    minibus, (ada, ada_is) = cast.minibus(hub, here.a.stand), caller()
    await minibus.go_online()
    booked = await office.call(
        "seat.book", vehicle=minibus.subject, **trip(here.a.centre, here.b.centre), on_behalf_of=ada)
    await minibus.until("seat.requested", booking=booked["booking"])
    reply = await minibus.call("seat.accept", booking=booked["booking"])
    assert reply["contact"] == ada
    told = await heard.told(ada_is, "seat.confirmed")
    assert told["booking"] == booked["booking"] and told["vehicle"] == minibus.subject
    off = await office.call("seat.cancel", on_behalf_of=ada)
    assert off["state"] == "cancelled"
    assert [entry["command"] for entry in await acts(office)] == ["seat.cancel", "seat.book"]


async def test_b18_a_stop_for_a_caller(town, line, cast):
    office, heard = await desk(cast, town)
    ada, ada_is = caller()
    wish = {"line": line.id, "stop": line.stops[2], "name": "Ada", "on_behalf_of": ada}
    await office.refused("stop.request", "no_driver", **wish)
    driver = await on_tour(town, line, 100)
    asked = await office.call("stop.request", **wish, key="a")
    request = asked["request"]
    assert asked == await office.call("stop.request", **wish, key="a"), "repeated"
    [place] = (await driver.until("stop.requested", request=request))["places"]
    assert [(one["name"], one["number"]) for one in place["requests"]] == [("Ada", ada["number"])]
    await driver.call("stop.accept", request=request)
    told = await heard.told(ada_is, "stop.accepted")
    assert (told["request"], told["name"], told["number"]) == (request, *ada.values())
    assert (await office.call("stop.cancel", request=request, on_behalf_of=ada))["state"] == "cancelled"
    await driver.until("stop.withdrawn", request=request, reason="cancelled")
    await heard.told(ada_is, "stop.cancelled")
    assert [(entry["command"], entry["target"]) for entry in await acts(office)] == [
        ("stop.cancel", f"request:{request}"), ("stop.request", f"request:{request}")]
    await driver.call("tour.end")


async def test_who_may_ask_for_others_and_what(hub, cast):
    office = await cast.operator(hub)
    for wrong in ({"name": "Ada"}, {"number": "123"}, {"name": "", "number": "123"}, {"name": "Ada", "number": "12"},
                  {"name": "Ada", "number": "call me"}, {"name": "Ada", "number": "1" * 21}):
        await office.refused("ride.request", "bad_message", **WISHES["ride.request"], on_behalf_of=wrong)
    await office.refused("vehicle.get", "bad_message", field="on_behalf_of", vehicle="M1", on_behalf_of=ADA)
    for command, fields in WISHES.items():
        await office.refused(command, "forbidden", **fields)


@pytest.mark.parametrize("kind", [Somebody, BinarySomebody], ids=["json", "protobuf"])
@pytest.mark.parametrize("role", ["driver", "passenger", "bus_driver", "service"])
async def test_only_operators_ask_for_others(hub, role, kind):
    one = kind(hub, role)
    await one.enter()
    for command, fields in WISHES.items():
        await one.refused(command, "forbidden", **fields, on_behalf_of=ADA)
    one.leaves_open()


async def test_c60_an_operator_who_has_done_too_much_has_no_minibus_looked_for(new_hub, cast):
    hub = new_hub().start()
    here, office = hub.block(), await cast.operator(hub)
    ada, _ = caller()
    wish = {"pickup": here.a.centre.fields, "destination": here.b.centre.fields, "passengers": 1, "on_behalf_of": ada}
    for _ in range(60):
        await office.refused("seat.request", "not_available", **wish)
    error = await office.refused("seat.request", "rate_limited", **wish)
    assert error["retry_after_ms"] > 0 and "60 things" in error["detail"]
    other = await cast.operator(hub)
    await other.refused("seat.request", "not_available", **wish)
