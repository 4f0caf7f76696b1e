"""A ride, from the request to its end, in all the ways it may go."""

import time

import pytest

from conftest import IN_BOTH

pytestmark = pytest.mark.usefixtures("encoding")


@IN_BOTH
async def test_request_accept_near_arrived_aboard_end(hub, cast):
    here = hub.block()
    pickup, destination = here.a.centre, here.b.centre
    driver = cast.driver(hub, pickup.moved(north=800))
    place = await driver.go_available()
    assert place == {"state": "available", "zone": here.a.id, "rank": 1, "size": 1}
    passenger = await cast.rider(hub)

    offer_asked = int(time.time() * 1000) - 1_000
    ride = await passenger.request(pickup, passengers=2, destination=destination.fields)
    offer = await driver.offered(ride)
    assert (offer["zone"], offer["passengers"]) == (here.a.id, 2)
    assert not {"lat", "lon", "pickup"} & set(offer), "the exact position is for the one who accepts"

    taken = await driver.call("offer.accept", ride=ride)
    assert taken == {"ride": ride, "pickup": pickup.fields, "passengers": 2, "destination": destination.fields}
    await driver.expect("ride.assigned", **taken)
    accepted = await passenger.expect("ride.accepted", ride=ride, taxi=driver.subject)
    assert (accepted["position"]["lat"], accepted["position"]["lon"]) == tuple(driver.place.fields.values())
    assert 30 < accepted["eta_s"] < 600, "about 800 m away"
    # What was asked for, once more (R15).
    assert (accepted["pickup"], accepted["destination"], accepted["passengers"]) == (pickup.fields, destination.fields, 2)
    assert 0 <= accepted["requested_at"] - offer_asked < 5_000

    await driver.drive(pickup.moved(north=515))
    await driver.barrier()
    await passenger.nothing_more()
    await driver.drive(pickup.moved(north=470))
    near = await passenger.expect("ride.near", ride=ride, taxi=driver.subject, confidence="high")
    assert 465 < near["distance_m"] <= 500

    await driver.drive(pickup.moved(north=25))
    await driver.barrier()
    await passenger.nothing_more()
    await driver.fix(pickup.moved(north=12))
    arrived = await passenger.expect("ride.arrived", ride=ride, taxi=driver.subject, confidence="high")
    assert 10 < arrived["distance_m"] <= 20
    await driver.expect("ride.confirm_aboard", ride=ride)

    assert await driver.call("ride.aboard", ride=ride, passengers=2) == {"ride": ride}
    await passenger.expect("ride.aboard", ride=ride, passengers=2)

    await driver.drive(destination, step=200)
    end = await driver.call("ride.end", ride=ride)
    assert end == {"ride": ride, "state": "available", "zone": here.b.id, "rank": 1, "size": 1}
    await driver.expect("queue.joined", zone=here.b.id, rank=1, size=1, reason="ended")
    await passenger.expect("ride.ended", ride=ride)
    await driver.nothing_more()
    await passenger.nothing_more()


async def test_the_ride_may_be_left_out_where_only_one_is_meant(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    assert await driver.call("ride.aboard") == {"ride": ride}
    await passenger.until("ride.aboard", ride=ride, passengers=1)
    assert (await driver.call("ride.end"))["ride"] == ride
    await passenger.expect("ride.ended", ride=ride)


async def test_ending_a_ride_puts_the_driver_at_the_bottom_of_the_queue_where_it_is(hub, cast):
    here = hub.block()
    waiting = await cast.queue(hub, here.b.stand, 2)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await driver.call("ride.aboard", ride=ride)
    await driver.drive(here.b.centre, step=200)
    end = await driver.call("ride.end", ride=ride)
    assert (end["zone"], end["rank"], end["size"]) == (here.b.id, 3, 3)
    second = await passenger.request_after("ride.ended", here.b.centre)
    await waiting[0].offered(second)


@IN_BOTH
async def test_ending_a_ride_outside_all_zones_leaves_the_driver_unavailable(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await driver.call("ride.aboard")
    await driver.drive(here.outside, step=200)
    end = await driver.call("ride.end")
    assert (end["state"], "reason" in end) == ("unavailable", True)
    await driver.drive(here.a.centre, step=200)
    assert (await driver.call("driver.available"))["zone"] == here.a.id


async def test_decline_goes_to_the_bottom_and_the_next_is_asked(hub, cast):
    here = hub.block()
    first, second, third = await cast.queue(hub, here.a.stand, 3)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride)
    assert await first.call("offer.decline", ride=ride) == {"ride": ride}
    await second.offered(ride)
    assert await first.state("queue.rank", lambda d: d["rank"] == 3) | {"reason": ""} == {
        "zone": here.a.id,
        "rank": 3,
        "size": 3,
        "reason": "",
    }
    await second.call("offer.accept", ride=ride)
    await passenger.expect("ride.accepted", ride=ride, taxi=second.subject)
    other = await cast.rider(hub)
    await third.offered(await other.request(here.a.centre))
    await first.nothing_more()


@IN_BOTH
async def test_all_decline_for_all_rounds_and_the_passenger_is_told(hub, cast):
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 3)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    for round_ in (1, 2):
        if round_ == 2:
            await passenger.expect("ride.searching", ride=ride, round=2, reason="next_round", zone=here.a.id)
        for driver in drivers:
            await driver.offered(ride)
            await driver.call("offer.decline", ride=ride)
    failed = await passenger.expect("ride.failed", ride=ride, code="no_driver")
    assert failed["detail"]
    for driver in drivers:
        await driver.nothing_more()
    await drivers[0].offered(await passenger.request(here.a.centre))


async def test_cancel_before_acceptance_keeps_the_drivers_place(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride)
    assert await passenger.call("ride.cancel", ride=ride) == {"ride": ride, "state": "cancelled"}
    await passenger.expect("ride.cancelled", ride=ride, by="passenger", reason="passenger")
    await first.expect("offer.withdrawn", ride=ride, reason="cancelled")
    await first.refused("offer.accept", "offer_expired", ride=ride)
    await first.offered(await passenger.request(here.a.centre))
    await second.nothing_more()


@IN_BOTH
async def test_cancel_after_acceptance_restores_the_drivers_place(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.accept(ride)
    await passenger.expect("ride.accepted", taxi=first.subject)
    await passenger.call("ride.cancel")
    await passenger.expect("ride.cancelled", ride=ride, by="passenger", reason="passenger")
    await first.expect("ride.cancelled", ride=ride, by="passenger")
    await first.expect("queue.joined", zone=here.a.id, rank=1, size=2, reason="restored")
    await first.offered(await passenger.request(here.a.centre))
    await second.nothing_more()


async def test_a_passenger_aboard_cannot_cancel(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await driver.call("ride.aboard")
    await passenger.refused("ride.cancel", "not_available", ride=ride)
    await driver.refused("ride.noshow", "not_available", ride=ride)
    await driver.refused("ride.cancel", "not_available", ride=ride)
    await driver.call("ride.end")


@IN_BOTH
async def test_no_show_restores_the_drivers_place(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.accept(ride)
    await passenger.expect("ride.accepted", taxi=first.subject)
    await first.refused("ride.noshow", "not_available", ride=ride)
    await first.drive(here.a.centre)
    await passenger.until("ride.arrived")
    await first.expect("ride.confirm_aboard", ride=ride)
    await first.known()
    reply = await first.call("ride.noshow", ride=ride)
    assert reply == {"ride": ride, "state": "available", "zone": here.a.id, "rank": 1, "size": 2}
    await first.expect("queue.joined", zone=here.a.id, rank=1, size=2, reason="restored")
    await passenger.expect("ride.cancelled", ride=ride, by="driver", reason="noshow")
    await hub.logged("ride.noshow", ride=ride, driver=first.subject)
    await first.offered(await passenger.request(here.a.centre))
    await second.nothing_more()


@IN_BOTH
async def test_a_ride_given_back_is_searched_again_first_in_line(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    early, late = await cast.rider(hub), await cast.rider(hub)
    ride = await early.request(here.a.centre)
    await first.accept(ride)
    await early.expect("ride.accepted", taxi=first.subject)
    other = await late.request(here.a.centre)
    await second.offered(other)
    assert await first.call("ride.cancel", ride=ride) == {"ride": ride, "state": "cancelled"}
    await early.expect("ride.searching", ride=ride, zone=here.a.id, reason="driver_cancelled")
    await first.expect("ride.cancelled", ride=ride, by="driver")
    # The driver who gave it back is at the bottom, and is not asked for it again in this round.
    await first.expect("queue.joined", zone=here.a.id, rank=2, size=2)
    await second.call("offer.decline", ride=other)
    await second.offered(ride)
    await first.offered(other)


async def test_requests_of_a_zone_are_served_in_order_of_arrival(hub, cast):
    here = hub.block()
    [first] = await cast.queue(hub, here.a.stand, 1)
    passengers = [await cast.rider(hub) for _ in range(4)]
    rides = [await passenger.request(here.a.centre) for passenger in passengers]
    await first.offered(rides[0])
    for ride in rides[1:]:  # whoever comes is asked for the one that has waited longest
        driver = cast.driver(hub, here.a.stand)
        await driver.go_available()
        await driver.offered(ride)


async def test_a_request_that_waits_fails_when_the_last_driver_has_gone(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    one, two = await cast.rider(hub), await cast.rider(hub)
    ride = await one.request(here.a.centre)
    waiting = await two.request(here.a.centre)
    await driver.accept(ride)
    await two.expect("ride.failed", ride=waiting, code="zone_empty")
    await two.refused("ride.request", "zone_empty", **here.a.centre.fields, passengers=1)


async def test_two_requests_at_once_go_to_two_drivers(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    one, two = await cast.rider(hub), await cast.rider(hub)
    ride_one, ride_two = await one.request(here.a.centre), await two.request(here.a.centre)
    await first.accept(ride_one)
    await second.accept(ride_two)
    await one.expect("ride.accepted", taxi=first.subject)
    await two.expect("ride.accepted", taxi=second.subject)


async def test_a_driver_serves_one_ride_at_a_time(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    one, two = await cast.rider(hub), await cast.rider(hub)
    await driver.accept(await one.request(here.a.centre))
    await two.refused("ride.request", "zone_empty", **here.a.centre.fields, passengers=1)
    await driver.refused("driver.available", "not_available")
    await driver.refused("driver.unavailable", "not_available")
    await driver.refused("ride.end", "not_available")


async def test_only_the_zones_own_drivers_are_asked(hub, cast):
    here = hub.block()
    [near] = await cast.queue(hub, here.a.stand, 1)
    [far] = await cast.queue(hub, here.b.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.b.centre)
    await far.accept(ride)
    await passenger.expect("ride.accepted", taxi=far.subject)
    await near.nothing_more()
