"""What an operator does by hand to queues, rides and bookings; both workers may have any of the people."""

import pytest

from kerbside.minibus import trip
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City, acts


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


async def order(office, zone):
    return [row["driver"] for row in (await office.call("office.queue", zone=zone))["drivers"]]


async def test_who_was_taken_out_is_put_back_and_moved(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    first, second, third = await cast.queue(hub, here.a.stand, 3)
    await office.call("office.remove", driver=second.subject, reason="By mistake.")
    await second.until("queue.left")
    wish = {"driver": second.subject, "reason": "It was a mistake.", "key": "back"}
    back = await office.call("office.put", **wish)
    assert (back["zone"], back["rank"], back["size"], back["state"]) == (here.a.id, 2, 3, "available")
    assert await office.call("office.put", **wish) == back, "repeated"
    await second.until("queue.joined", zone=here.a.id, rank=2, reason="operator")
    assert await order(office, here.a.id) == [first.subject, second.subject, third.subject]
    moved = await office.call("office.put", driver=third.subject, zone=here.a.id, rank=1, reason="It came first.")
    assert (moved["rank"], moved["size"]) == (1, 3)
    await third.until("queue.joined", rank=1, reason="operator")
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await third.accept(ride)
    entries = await acts(office)
    assert [entry["command"] for entry in entries] == ["office.put", "office.put", "office.remove"]
    assert entries[0]["before"] == {"state": "available", "zone": here.a.id, "rank": 3}
    assert entries[0]["after"] == {"state": "available", "zone": here.a.id, "rank": 1}


async def test_who_can_not_be_put_is_refused_and_says_what_to_do(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    first, second = await cast.queue(hub, here.a.stand, 2)
    await office.refused("office.put", "not_found", driver="nobody", reason="Why.")
    error = await office.refused("office.put", "not_available", driver=first.subject, reason="Why.")
    assert "`rank`" in error["detail"]
    await office.call("office.remove", driver=first.subject, reason="Why.")
    error = await office.refused("office.put", "not_available", driver=first.subject, zone=here.b.id, reason="Why.")
    assert here.a.id in error["detail"] and here.b.id in error["detail"]
    await office.call("office.block", role="driver", subject=first.subject, reason="Why.")
    error = await office.refused("office.put", "not_available", driver=first.subject, reason="Why.")
    assert "office.unblock" in error["detail"]
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await second.accept(ride)
    assert ride in (await office.refused("office.put", "not_available", driver=second.subject, reason="Why."))["detail"]
    await office.call("office.unblock", role="driver", subject=first.subject)
    await first.cut()
    await hub.until("it is away", lambda: hub.redis.hexists(hub.key(f"vehicle:{first.subject}"), "away"))
    assert "app" in (await office.refused("office.put", "not_available", driver=first.subject, reason="Why."))["detail"]
    for field, wrong in [("rank", 0), ("reason", ""), ("zone", ""), ("driver", "two words")]:
        await office.refused("office.put", "bad_message", field=field, **{"driver": "T1", "reason": "Why.", field: wrong})


async def test_a_ride_is_offered_to_a_chosen_driver(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    first, second, third = await cast.queue(hub, here.a.stand, 3)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await first.offered(ride)
    wish = {"ride": ride, "driver": third.subject, "key": "chosen"}
    reply = await office.call("office.offer", **wish)
    assert reply == {"ride": ride, "driver": third.subject, "state": "offered", "audit": reply["audit"]}
    assert await office.call("office.offer", **wish) == reply, "repeated"
    await first.expect("offer.withdrawn", ride=ride)
    await third.offered(ride)
    await third.call("offer.decline", ride=ride)
    await first.until("offer.made", ride=ride)
    await office.call("office.offer", ride=ride, driver=second.subject)
    await second.accept(ride)
    await rider.until("ride.accepted", ride=ride, taxi=second.subject)
    error = await office.refused("office.offer", "not_available", ride=ride, driver=first.subject)
    assert "office.reassign" in error["detail"]
    await office.refused("office.offer", "not_found", ride="r_none", driver=first.subject)
    entries = await acts(office)
    assert [entry["after"]["driver"] for entry in entries] == [second.subject, third.subject]
    assert entries[0]["before"] == {"state": "offered", "passenger": rider.subject, "driver": first.subject}


@pytest.mark.parametrize("is_chosen", [False, True])
async def test_a_ride_is_taken_from_its_driver(hub, cast, is_chosen):
    here, office = hub.block(), await cast.operator(hub)
    first, second, third = await cast.queue(hub, here.a.stand, 3)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await first.accept(ride)
    await rider.until("ride.accepted", ride=ride)
    wish = {"ride": ride, "reason": "A flat tyre.", "key": "other"} | ({"driver": third.subject} if is_chosen else {})
    reply = await office.call("office.reassign", **wish)
    next_one = third if is_chosen else second
    assert (reply["driver"], reply["state"]) == (next_one.subject, "offered")
    assert await office.call("office.reassign", **wish) == reply, "repeated"
    await first.until("ride.cancelled", ride=ride, by="operator", reason="operator", text="A flat tyre.")
    await first.until("queue.joined", rank=1)
    await rider.until("ride.searching", ride=ride, reason="operator")
    await next_one.accept(ride)
    await rider.until("ride.accepted", ride=ride, taxi=next_one.subject)
    assert not hub.redis.exists(hub.key(f"cancels:driver:{first.subject}"))
    # Who had it is asked for others.
    other = await cast.rider(hub)
    await first.offered(await other.request(here.a.centre))
    [entry] = await acts(office)
    assert entry["before"] == {"state": "accepted", "passenger": rider.subject, "driver": first.subject}
    assert entry["after"] == {"state": "offered", "passenger": rider.subject, "driver": next_one.subject}
    await office.refused("office.reassign", "not_available", ride=ride, driver=next_one.subject, reason="Why.")


async def test_a_ride_that_is_stuck_is_ended(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    assert "office.cancel" in (await office.refused("office.end", "not_available", ride=ride, reason="Why."))["detail"]
    await driver.call("ride.aboard")
    wish = {"ride": ride, "reason": "The phone is broken.", "key": "end"}
    reply = await office.call("office.end", **wish)
    assert reply == {"ride": ride, "state": "ended", "audit": reply["audit"]}
    assert await office.call("office.end", **wish) == reply, "repeated"
    await rider.until("ride.ended", ride=ride, reason="operator")
    await driver.until("ride.cancelled", ride=ride, by="operator", text="The phone is broken.")
    assert (await office.call("office.driver", driver=driver.subject))["state"] == "unavailable"
    await driver.call("driver.available")
    await rider.request(here.a.centre)
    for fields in ({}, {"ride": ride, "booking": "b_1"}):
        await office.refused("office.end", "bad_message", reason="Why.", **fields)
    [entry] = await acts(office)
    assert (entry["target"], entry["after"]) == (f"ride:{ride}", {"state": "ended"})


async def test_bookings_are_cancelled_and_ended(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    minibus = cast.minibus(hub, here.a.stand)
    await minibus.go_online()
    first, second = await cast.rider(hub), await cast.rider(hub)
    booked = {}
    for rider in (first, second):
        booking = (await rider.call("seat.book", vehicle=minibus.subject, **trip(here.a.centre, here.b.centre)))["booking"]
        await minibus.until("seat.requested", booking=booking)
        await minibus.call("seat.accept", booking=booking)
        booked[rider] = booking
    wish = {"booking": booked[first], "reason": "She has called.", "key": "off"}
    reply = await office.call("office.cancel", **wish)
    assert reply == {"booking": booked[first], "state": "cancelled", "audit": reply["audit"]}
    assert await office.call("office.cancel", **wish) == reply, "repeated"
    told = {"booking": booked[first], "by": "operator", "reason": "operator", "text": "She has called."}
    await first.until("seat.cancelled", **told)
    await minibus.until("seat.cancelled", **told)
    await minibus.call("seat.aboard", booking=booked[second])
    error = await office.refused("office.cancel", "not_available", booking=booked[second], reason="Why.")
    assert "office.end" in error["detail"]
    ended = await office.call("office.end", booking=booked[second], reason="She has got off.")
    assert (ended["booking"], ended["state"]) == (booked[second], "ended")
    await second.until("seat.ended", booking=booked[second])
    assert (await office.call("vehicle.get", vehicle=minibus.subject))["seats"] == minibus.capacity
    await office.refused("office.cancel", "not_found", booking="b_none", reason="Why.")
    assert [entry["target"] for entry in await acts(office)] == [f"booking:{booked[one]}" for one in (second, first)]

