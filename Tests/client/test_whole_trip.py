"""What else a whole trip promises: reservations over HTTP, taken back; rings of zones; payments that fail; ratings in time."""

import pytest

from kerbside.asker import Asker
from kerbside.ledger import check_city
from kerbside.minibus import trip as seats
from kerbside.names import fresh
from kerbside.watcher import BinaryWatcher
from test_office import BinaryDriver, BinaryPassenger
from test_reservations import HOUR, MINUTE, PATIENT, ahead, come, now, on_time, trip
from test_search import Searchers
from test_trips import TARIFF, Service, ride


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return Searchers() if request.param == "json" else Searchers(BinaryDriver, BinaryPassenger, BinaryWatcher)


def test_v1_each_reason_has_its_code_over_http_too(hub):
    here, asker = hub.block(), Asker(hub, "passenger", fresh("p"))
    wish = trip(here, now(hub) + 3 * HOUR)
    nowhere = {"lat": -45.0, "lon": 9.0}
    cases = [
        ("same_place", 409, "destination", here.a.centre.fields), ("too_many_passengers", 409, "passengers", 4),
        ("in_the_past", 409, "at", now(hub) - MINUTE), ("too_soon", 409, "at", now(hub) + 2 * HOUR - 1),
        ("too_far_ahead", 409, "at", now(hub) + 48 * HOUR + MINUTE), ("outside_zones", 409, "pickup", nowhere),
        ("bad_message", 400, "passengers", 0), ("bad_message", 400, "at", "soon"), ("bad_message", 400, "needs", ["A"]),
    ]
    for code, status, field, value in cases:
        assert asker.refused("reservation.make", code, fresh("k"), **wish | {field: value}).status == status
    for field in ("pickup", "destination", "at", "passengers"):
        rest = {name: value for name, value in wish.items() if name != field}
        assert asker.refused("reservation.make", "bad_message", **rest).page["field"] == field
    assert asker.done("reservation.list") == {"reservations": []}
    # A key that was refused is free again.
    made = asker.done("reservation.make", "k", **wish)
    asker.done("reservation.cancel", reservation=made["reservation"])


async def test_v3_it_is_taken_back_while_a_taxi_is_looked_for_early(new_hub, cast):
    hub = new_hub(**PATIENT, reservations__search_before_min=25).start()
    here, passenger = hub.block(), await cast.rider(hub)
    made = await ahead(passenger, hub, here)
    assert made["search_at"] == made["at"] - 25 * MINUTE
    await come(hub, made["at"] - 25 * MINUTE)
    [driver] = await on_time(hub, cast, here)
    ride = (await passenger.until("reservation.searching", reservation=made["reservation"], minutes=25))["ride"]
    await driver.offered(ride)
    # Until ten minutes before, which is in some seconds.
    await come(hub, made["at"] - 10 * MINUTE - 20_000)
    off = await passenger.call("reservation.cancel", reservation=made["reservation"], key="off")
    assert off == {"reservation": made["reservation"], "state": "cancelled"}
    assert await passenger.call("reservation.cancel", reservation=made["reservation"], key="off") == off
    await passenger.until("reservation.cancelled", reservation=made["reservation"], by="passenger", ride=ride)
    await driver.until("offer.withdrawn", ride=ride)
    await driver.refused("offer.accept", "offer_expired", ride=ride)
    assert await passenger.call("reservation.list") == {"reservations": []}
    check_city(hub)


async def test_r14_two_rings_are_asked_the_nearer_first(new_hub, cast):
    hub = new_hub(**PATIENT, dispatch__neighbours=2).start()
    here = hub.block()
    [far] = await cast.queue(hub, here.c.stand, 1)
    [near] = await cast.queue(hub, here.b.stand, 1)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await near.offered(ride)
    await near.call("offer.decline", ride=ride)
    await far.accept(ride)
    await rider.until("ride.accepted", ride=ride, taxi=far.subject)
    check_city(hub)


async def test_c26_all_that_is_needed_must_be_there(new_hub, cast):
    hub = new_hub(**PATIENT).start()
    here = hub.block()
    one, other, both = [await cast.equipped(hub, here.a.stand, *has) for has in (
        ["child_seat"], ["estate", "wheelchair"], ["wheelchair", "estate", "child_seat"])]
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre, needs=["child_seat", "estate"])
    assert sorted((await both.offered(ride))["needs"]) == ["child_seat", "estate"]
    for driver, rank in ((one, 1), (other, 2)):
        await driver.nothing_more()
        await driver.state("queue.rank", lambda data, rank=rank: data["rank"] == rank)
    check_city(hub)


def test_m17_seats_are_asked_for_without_a_connection(hub):
    here, asker = hub.block(), Asker(hub, "passenger", fresh("p"))
    wish = seats(here.a.centre, here.a.centre.moved(north=-900))
    assert asker.refused("seat.request", "not_available", **wish).status == 409
    assert asker.refused("seat.request", "bad_message", **wish | {"passengers": 0}).status == 400


async def test_m17_over_http_the_next_is_asked_and_repeats_get_the_same(hub, cast):
    here, asker = hub.block(), Asker(hub, "passenger", fresh("p"))
    minibuses = []
    for north in (300, 600):
        minibus = cast.minibus(hub, here.a.centre.moved(north=north))
        await minibus.go_online()
        await minibus.call("route.set", start=minibus.place.fields, end=here.a.centre.moved(north=-3000).fields)
        minibuses.append(minibus)
    wish = seats(here.a.centre, here.a.centre.moved(north=-900), 2)
    reply = asker.done("seat.request", "k", **wish)
    assert asker.done("seat.request", "k", **wish) == reply
    asker.refused("seat.request", "already_requested", **wish)
    booking = reply["booking"]
    await minibuses[0].asked(booking)
    await minibuses[0].call("seat.decline", booking=booking)
    await minibuses[1].take(booking)
    state = asker.read("/v1/requests")["booking"]
    assert (state["booking"], state["vehicle"]) == (booking, minibuses[1].subject)
    off = asker.done("seat.cancel", "off", booking=booking)
    assert asker.done("seat.cancel", "off", booking=booking) == off
    await minibuses[1].until("seat.cancelled", booking=booking)
    assert minibuses[1].books() == (0, 0, 0)


async def test_m10_a_payment_that_fails_is_tried_again(new_hub, cast):
    hub = new_hub(**TARIFF).start()
    here = hub.block()
    passenger, driver, end = await ride(hub, cast, here, payment="digital")
    service = await Service(hub).greet()
    for state in ("failed", "pending", "failed", "paid"):
        told = await service.call("payment.report", trip=end["ride"], state=state)
        assert told["payment"]["state"] == state
        for client in (passenger, driver):
            await client.until("payment.changed", trip=end["ride"], payment={"method": "digital", "state": state})
        assert (await passenger.call("receipt.get", trip=end["ride"]))["payment"]["state"] == state
    await service.refused("payment.report", "not_available", trip=end["ride"], state="failed")
    for one in (passenger, driver):
        await one.refused("payment.report", "forbidden", trip=end["ride"], state="refunded")
    service.hello_reply = None
    check_city(hub)


async def test_m10_after_fourteen_days_no_trip_is_rated(new_hub, cast):
    hub = new_hub(**TARIFF).start()
    here = hub.block()
    passenger, driver, end = await ride(hub, cast, here)
    ended = (await passenger.call("receipt.get", trip=end["ride"]))["ended_at"]
    await come(hub, ended + 14 * 24 * HOUR - MINUTE)
    await passenger.call("trip.rate", trip=end["ride"], stars=3)
    await come(hub, ended + 14 * 24 * HOUR + MINUTE)
    error = await driver.refused("trip.rate", "not_available", trip=end["ride"], stars=5)
    assert "14 days" in error["detail"]
    assert (await driver.call("receipt.get", trip=end["ride"]))["receipt"] == end["receipt"]
    office = cast.operator(hub)
    await office.connect()
    assert (await office.call("ratings.get", role="passenger", subject=passenger.subject))["count"] == 0
