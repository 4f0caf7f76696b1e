"""What seats in a minibus cost (M10, M11): by route, way and party, as booked; request, answer and receipt say the same."""

import re

import pytest

from conftest import running
from kerbside.asker import Asker
from kerbside.minibus import trip
from kerbside.tariff import Tariff
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_seat_trips import BACK_MS, BinaryCity, online

STEPS = {"*": "1.2km=4.05 2.5km=7.3 10km=12", "RX": "1.2km=3 2.5km=6.66"}
FARES = [f"{route}: {steps}" for route, steps in STEPS.items()]
TABLES = {route: Tariff(slabs=[f"*: {steps}"]) for route, steps in STEPS.items()}


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else BinaryCity(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture(scope="module")
def hub():
    yield from running(vehicles__fares=FARES, vehicles__currency="ZAR")


def price(metres, passengers, route="*"):
    """What a party pays, hundredths."""
    return int(TABLES[route].slab(None, None, metres) * 100) * passengers


async def booked(rider, minibus, pickup, goal, passengers, **more):
    """(booking, what the passenger was told, what the driver was told) of seats that are confirmed."""
    for one in (rider, minibus):
        one.skip()
    told = await rider.call("seat.book", vehicle=minibus.subject, **trip(pickup, goal, passengers), **more)
    booking = told["booking"]
    request = await minibus.until("seat.requested", booking=booking)
    await minibus.call("offer.seen", ride=booking)
    await minibus.call("seat.accept", booking=booking)
    confirmed = await rider.until("seat.confirmed", booking=booking)
    assert told["fare"] == request["fare"] == confirmed["fare"]
    return booking, told, request


async def carried(hub, rider, minibus, booking, pickup, goal, **aboard):
    """The receipt of a booking, which both sides read alike; what they were told at its end."""
    await minibus.fix(pickup)
    await minibus.known()
    await minibus.call("seat.aboard", booking=booking, **aboard)
    await minibus.fix(goal)
    await minibus.known()
    for field in ("requested_at", "aboard_at"):
        hub.redis.hincrby(hub.key(f"booking:{booking}"), field, -BACK_MS)
    end = await minibus.call("seat.end", booking=booking)
    ended = await rider.until("seat.ended", booking=booking)
    receipt = await rider.call("receipt.get", trip=booking)
    assert await minibus.call("receipt.get", trip=booking) == receipt
    assert end["fare"] == ended["fare"] == receipt["fare"] and end["receipt"] == ended["receipt"] == receipt["receipt"]
    return receipt


async def test_m11_seats_cost_by_the_way_that_is_ridden_and_by_the_party(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    seen = set()
    for metres, passengers in ((500, 1), (500, 4), (1100, 3), (1500, 2), (3000, 5)):
        rider = await cast.rider(hub)
        goal = zone.centre.moved(north=-metres)
        booking, told, request = await booked(rider, minibus, zone.centre, goal, passengers)
        assert told["fare"] == {"amount": price(request["length_m"], passengers), "currency": "ZAR"}, request
        seen.add(told["fare"]["amount"] // passengers)
        await rider.call("seat.cancel", booking=booking)
        await rider.until("seat.cancelled", booking=booking)
    assert seen == {405, 730, 1200}


async def test_m11_a_route_has_its_own_fares_and_who_has_booked_pays_what_it_was_told(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    await minibus.call("route.set", route="RX")
    rider, goal = await cast.rider(hub), zone.centre.moved(north=-1200)
    booking, told, request = await booked(rider, minibus, zone.centre, goal, 3)
    assert told["fare"]["amount"] == price(request["length_m"], 3, "RX") == 3 * 666
    # It turns into another route, where the same costs more: that is for who books from then on.
    await minibus.call("route.set", route="RY")
    other = await cast.rider(hub)
    _, later, _ = await booked(other, minibus, zone.centre, goal, 3)
    assert later["fare"]["amount"] == 3 * 730
    receipt = await carried(hub, rider, minibus, booking, zone.centre, goal)
    assert receipt["fare"] == {"amount": 3 * 666, "currency": "ZAR"}


async def test_m10_people_get_on_and_off_at_their_own_stops_and_each_pays_its_own_way(hub, cast):
    minibus, zone, route = await online(hub, cast)
    stops = [zone.centre.moved(north=north) for north in (0, -800, -1700, -3400)]
    parties = []
    for first, last, passengers in ((0, 2, 2), (1, 3, 1), (1, 2, 4)):
        rider = await cast.rider(hub)
        booking, told, request = await booked(rider, minibus, stops[first], stops[last], passengers)
        assert told["fare"]["amount"] == price(request["length_m"], passengers)
        parties.append((rider, booking, first, last, passengers, request))
    receipts = {}
    for number, stop in enumerate(stops):
        await minibus.fix(stop)
        await minibus.known()
        for rider, booking, first, last, passengers, request in parties:
            if first == number:
                await minibus.call("seat.aboard", booking=booking)
                for field in ("requested_at", "aboard_at"):
                    hub.redis.hincrby(hub.key(f"booking:{booking}"), field, -BACK_MS)
            elif last == number:
                await minibus.call("seat.end", booking=booking)
                receipt = receipts[booking] = await rider.call("receipt.get", trip=booking)
                assert (receipt["passengers"], receipt["route"]) == (passengers, route)
                assert receipt["fare"]["amount"] == price(request["length_m"], passengers)
                assert abs(receipt["distance_m"] - request["length_m"]) <= 1
    assert len({receipt["receipt"] for receipt in receipts.values()}) == 3
    listed = (await minibus.call("trips.list"))["trips"]
    assert {one["trip"]: one["fare"] for one in listed} == {booking: receipt["fare"] for booking, receipt in receipts.items()}
    assert minibus.books()[0] == 0


async def test_m10_the_receipt_of_a_party_of_which_not_all_came_is_as_booked_and_says_so(hub, cast):
    minibus, zone, route = await online(hub, cast)
    rider, goal = await cast.rider(hub), zone.centre.moved(north=-900)
    booking, told, _ = await booked(rider, minibus, zone.centre, goal, 3, payment="digital")
    receipt = await carried(hub, rider, minibus, booking, zone.centre, goal, passengers=2)
    assert receipt["passengers"] == 2 and receipt["fare"] == told["fare"]
    assert receipt["payment"] == {"method": "digital", "state": "pending"}
    asker = Asker(hub, "passenger", rider.subject)
    headers = {"Authorization": f"Bearer {asker.token}", "Accept": "text/html"}
    page = hub.http(f"/v1/receipts/{booking}", headers=headers).text
    shown = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    amount, metres = told["fare"]["amount"], receipt["distance_m"]
    assert shown["<b>Total, ZAR</b>"] == f"<b>{amount // 100}.{amount % 100:02}</b>"
    assert (shown["Minibus"], shown["Route"], shown["Passengers"]) == (minibus.subject, route, "2")
    assert shown["Distance"] == f"{(metres + 5) // 10 / 100:.2f} km" and shown["Time"] == "10 min"
    assert (shown["Paid"], shown["State"]) == ("digital", "pending")


async def test_m11_who_is_carried_nowhere_is_told_of_no_fare(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    rider = await cast.rider(hub)
    booking, _, _ = await booked(rider, minibus, zone.centre, zone.centre.moved(north=-900), 2)
    await minibus.fix(zone.centre)
    await minibus.known()
    await minibus.call("seat.aboard", booking=booking)
    for field in ("requested_at", "aboard_at"):
        hub.redis.hincrby(hub.key(f"booking:{booking}"), field, -BACK_MS)
    end = await minibus.call("seat.end", booking=booking)
    for told in (end, await rider.until("seat.ended", booking=booking), await minibus.until("seat.ended", booking=booking)):
        assert not {"receipt", "payment", "fare"} & told.keys(), told
    await rider.refused("receipt.get", "not_found", trip=booking)


async def test_m11_who_asks_for_any_minibus_is_told_each_ones_fare(hub, cast):
    here, minibuses = hub.block(), []
    end = here.a.centre.moved(north=-3000).fields
    # The nearest is asked first.
    for north, route, fare in ((0, "RX", 666), (300, "RZ", 730)):
        minibus = cast.minibus(hub, here.a.stand.moved(north=north))
        await minibus.go_online()
        await minibus.call("route.set", route=route, start=minibus.place.fields, end=end)
        minibuses.append((minibus, {"amount": 2 * fare, "currency": "ZAR"}, "seat.decline" if route == "RX" else "seat.accept"))
    rider = await cast.rider(hub)
    booking = (await rider.call("seat.request", **trip(here.a.centre, here.a.centre.moved(north=-1500), 2)))["booking"]
    for minibus, fare, answer in minibuses:
        assert (await minibus.until("seat.requested", booking=booking))["fare"] == fare
        assert (await rider.until("seat.searching", booking=booking))["fare"] == fare
        await minibus.call("offer.seen", ride=booking)
        await minibus.call(answer, booking=booking)
    confirmed = await rider.until("seat.confirmed", booking=booking)
    assert (confirmed["fare"], confirmed["vehicle"]) == (fare, minibus.subject)


async def test_m10_m18_what_seats_cost_is_known_before_they_are_booked(hub, cast):
    minibus, zone, _ = await online(hub, cast)
    await minibus.call("route.set", route="RX")
    rider, goal = await cast.rider(hub), zone.centre.moved(north=-1200)
    question = {"vehicle": minibus.subject, **trip(zone.centre, goal, 3)}
    told = await rider.call("fare.estimate", **question)
    assert told["fare"] == {"amount": 3 * 666, "currency": "ZAR"} and told["is_estimate"] and told["duration_s"] > 0
    # Whoever books it then is told the same; and nobody was asked by the question.
    _, booked_, request = await booked(rider, minibus, zone.centre, goal, 3)
    assert (booked_["fare"], request["length_m"]) == (told["fare"], told["distance_m"])
    office = Asker(hub, "operator", "desk")
    assert office.done("fare.estimate", **question) == told
    for changes, status, code in (
        ({"vehicle": "nobody"}, 404, "not_found"),
        ({"passengers": 15}, 409, "too_many_passengers"),
        ({"vehicle": "a b"}, 400, "bad_message"),
    ):
        refused = office.post("fare.estimate", **(question | changes))
        assert (refused.status, refused.page["code"]) == (status, code), refused.text
    # One that goes elsewhere.
    start, end = (zone.centre.moved(north=2000 + north).fields for north in (0, 500))
    await minibus.call("route.set", route="RX", start=start, via=[], end=end)
    refused = office.post("fare.estimate", **question)
    assert refused.page["code"] == "not_available" and "pickup" in refused.page["detail"]
