"""What of seats in a minibus, and of stops on request, counts against whom (R12, U11): as with taxis, told and recorded alike."""

import pytest

from conftest import running
from kerbside import bus as buses, trips
from kerbside.hub import Hub
from kerbside.minibus import book, one_online, trip
from kerbside.stops import nobody_came, on_tour, rider as citizen_of
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_reliability_rides import DAY, STRICT, counted, told
from test_seat_trips import BinaryCity

#: A driver waits so long for passengers before it can say that nobody came.
WAIT_MS = 180_000
NOTHING = {"no_shows": 0, "late_cancels": 0}


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else BinaryCity(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture(scope="module")
def hub():
    yield from running(make=Hub, **STRICT, dispatch__noshow_wait_ms=WAIT_MS, stops__wait_ms=500)


@pytest.fixture(scope="module")
def lines(hub):
    """Lines that nobody else uses."""
    found, text = buses.community(6)
    buses.load(hub, text)
    return iter(found)


async def promised(minibus, rider, zone, passengers=1):
    """A booking that the driver has confirmed, its passenger having asked for it just now."""
    for one in (rider, minibus):
        await one.settled()
        one.skip()
    booking = await book(rider, minibus, zone.centre, zone.centre.moved(north=-900), passengers)
    await minibus.until("seat.requested", booking=booking)
    await minibus.call("offer.seen", ride=booking)
    await minibus.call("seat.accept", booking=booking)
    await rider.until("seat.confirmed", booking=booking)
    return booking


async def came(hub, minibus, rider, zone, passengers=1, waited_ms=0):
    """The same; the minibus is there, and has been for so long."""
    booking = await promised(minibus, rider, zone, passengers)
    await minibus.fix(zone.centre)
    await rider.until("seat.arrived", booking=booking)
    await minibus.known()
    hub.redis.hincrby(hub.key(f"booking:{booking}"), "arrived_at", -waited_ms)
    return booking


async def drive_off(minibus, zone):
    """Back to where it waits, so that it comes again."""
    await minibus.fix(zone.stand)
    await minibus.known()


async def test_r12_who_does_not_board_has_missed_it_once_the_minibus_has_waited(hub, cast):
    minibus, zone = await one_online(hub, cast)
    rider, other = await cast.rider(hub), await cast.rider(hub)
    kept = await promised(minibus, other, zone, 2)
    # A party of five is one no-show of the person who booked; and said again it is the same.
    booking = await came(hub, minibus, rider, zone, 5, WAIT_MS)
    done = await minibus.call("seat.cancel", booking=booking, key="k")
    assert await minibus.call("seat.cancel", booking=booking, key="k") == done
    await rider.until("seat.cancelled", booking=booking, by="driver")
    assert await counted(rider) == (1, NOTHING | {"no_shows": 1})
    assert await counted(minibus) == (0, {"give_backs": 0})
    await drive_off(minibus, zone)
    # Who has left before it says so misses nobody, however long it was there: it gives the seat back.
    booking = await came(hub, minibus, rider, zone, 1, WAIT_MS)
    await drive_off(minibus, zone)
    await minibus.call("seat.cancel", booking=booking)
    assert await counted(rider) == (1, NOTHING | {"no_shows": 1})
    assert await counted(minibus) == (1, {"give_backs": 1})
    assert await counted(other) == (0, NOTHING), "the booking of another passenger is nobody's fault"
    assert hub.redis.hget(hub.key(f"booking:{kept}"), "state") == "confirmed"
    await told(rider, 0)


async def test_r12_seats_given_back_count_and_a_request_that_is_declined_does_not(hub, cast):
    minibus, zone = await one_online(hub, cast)
    rider = await cast.rider(hub)
    booking = await book(rider, minibus, zone.centre, zone.centre.moved(north=-900))
    await minibus.until("seat.requested", booking=booking)
    await minibus.call("offer.seen", ride=booking)
    await minibus.call("seat.decline", booking=booking)
    await rider.until("seat.declined", booking=booking)
    assert await counted(minibus) == (0, {"give_backs": 0})
    await minibus.call("seat.cancel", booking=await promised(minibus, rider, zone))
    assert await counted(minibus) == (1, {"give_backs": 1})
    # It is there, and does not wait.
    await minibus.call("seat.cancel", booking=await came(hub, minibus, rider, zone, 1, WAIT_MS - 60_000))
    assert await counted(minibus) == (2, {"give_backs": 2}) and await counted(rider) == (0, NOTHING)
    [warned] = await told(minibus, 1)
    assert (warned["type"], warned["kind"], warned["total"], warned["pause_at"]) == ("reliability.warned", "give_backs", 2, 3)
    assert "deposit" not in warned and "points" not in warned


async def test_r12_a_minibus_that_is_paused_is_not_available(hub, cast):
    minibus, zone = await one_online(hub, cast)
    rider, staying = await cast.rider(hub), await cast.rider(hub)
    kept = await promised(minibus, staying, zone)
    for _ in range(3):
        await minibus.call("seat.cancel", booking=await promised(minibus, rider, zone))
    paused = (await told(minibus, 2))[1]
    assert (paused["type"], paused["total"]) == ("reliability.paused", 3)
    # Nobody books it any more; what is promised still is carried out.
    wish = trip(zone.centre, zone.centre.moved(north=-900))
    await rider.refused("seat.book", "not_available", vehicle=minibus.subject, **wish)
    error = await minibus.refused("driver.available", "forbidden")
    assert error["retry_after_ms"] <= DAY
    assert hub.redis.hget(hub.key(f"booking:{kept}"), "state") == "confirmed"
    await minibus.call("seat.aboard", booking=kept)
    await staying.until("seat.aboard", booking=kept)


async def test_r12_a_minibus_that_stays_away_has_given_back_and_its_passengers_pay_nothing(hub, cast):
    minibus, zone = await one_online(hub, cast)
    wish = trip(zone.centre, zone.centre.moved(north=-900))
    for nth in (1, 2, 3):
        rider = await cast.rider(hub)
        booking = await promised(minibus, rider, zone)
        hub.redis.hincrby(hub.key(f"booking:{booking}"), "accepted_at", -121_000)
        await rider.call("seat.cancel", booking=booking)
        assert await counted(rider) == (0, NOTHING)
        assert await counted(minibus) == (nth, {"give_backs": nth})
    assert [one["type"] for one in await told(minibus, 2)] == ["reliability.warned", "reliability.paused"]
    await rider.refused("seat.book", "not_available", vehicle=minibus.subject, **wish)


async def test_r12_a_minibus_that_is_paused_does_not_go_online_again(hub, cast):
    minibus, zone = await one_online(hub, cast)
    rider = await cast.rider(hub)
    for _ in range(3):
        await minibus.call("seat.cancel", booking=await promised(minibus, rider, zone))
    assert (await minibus.call("reliability.get"))["paused_until"]
    await minibus.call("driver.unavailable")
    error = await minibus.refused("driver.available", "forbidden")
    assert "You are paused until" in error["detail"] and error["retry_after_ms"] <= DAY


async def test_r12_seats_taken_back_when_the_minibus_is_there_are_late(hub, cast):
    minibus, zone = await one_online(hub, cast)
    rider = await cast.rider(hub)
    booking = await book(rider, minibus, zone.centre, zone.centre.moved(north=-900))
    await rider.call("seat.cancel", booking=booking)
    await rider.until("seat.cancelled", booking=booking)
    await rider.call("seat.cancel", booking=await promised(minibus, rider, zone))
    assert await counted(rider) == (0, NOTHING)
    for nth in (1, 2, 3):
        booking = await came(hub, minibus, rider, zone)
        done = await rider.call("seat.cancel", booking=booking, key=f"k{nth}")
        assert await rider.call("seat.cancel", booking=booking, key=f"k{nth}") == done
        assert await counted(rider) == (nth, NOTHING | {"late_cancels": nth})
        await minibus.until("seat.cancelled", booking=booking, by="passenger")
        await drive_off(minibus, zone)
    assert [(one["type"], one["kind"]) for one in await told(rider, 2)] == [
        ("reliability.warned", "late_cancels"), ("reliability.paused", "late_cancels")]
    wish = trip(zone.centre, zone.centre.moved(north=-900))
    await rider.refused("seat.book", "forbidden", vehicle=minibus.subject, **wish)
    await rider.refused("seat.request", "forbidden", **wish)
    await rider.refused("ride.request", "forbidden", **zone.centre.fields, passengers=1)
    assert await counted(minibus) == (0, {"give_backs": 0})
    await promised(minibus, await cast.rider(hub), zone)


async def test_r12_the_records_say_who_took_seats_back(hub):
    cast = City()
    minibus, zone = await one_online(hub, cast)
    rider, office = await cast.rider(hub), await cast.operator(hub)
    bookings = {}
    for who, one in (("passenger", rider), ("driver", minibus)):
        bookings[who] = await came(hub, minibus, rider, zone, 2, WAIT_MS)
        await one.call("seat.cancel", booking=bookings[who])
        await drive_off(minibus, zone)
    assert await counted(rider) == (2, {"no_shows": 1, "late_cancels": 1})
    await trips.recorded(hub)
    rows = {row["id"]: row for row in (await office.call("records.list", of="bookings", driver=minibus.subject))["records"]}
    assert rows.keys() == set(bookings.values())
    for who, booking in bookings.items():
        row = rows[booking]
        assert (row["outcome"], row["ended_by"], row["passenger"]) == ("cancelled", who, rider.subject)
        assert row["confirmed_at"] <= row["arrived_at"] <= row["ended_at"] and "receipt" not in row


async def stopped_for(driver, citizen, metres):
    """A request that was accepted, and the bus is at its place."""
    request = await citizen.ask_for(metres)
    await driver.call("stop.accept", request=request)
    await driver.go(metres)
    await citizen.until("stop.arrived", request=request)
    return request


async def test_r12_who_is_not_at_the_stop_has_missed_the_bus_and_is_paused_for_all(hub, lines):
    line = next(lines)
    driver, citizen = await on_tour(hub, line), await citizen_of(hub, line)
    for nth in (1, 2, 3):
        request = await stopped_for(driver, citizen, 600 * nth)
        await driver.fix(after_ms=5000)
        await nobody_came(driver, request)
        assert await counted(citizen) == (nth, NOTHING | {"no_shows": nth})
    assert [one["type"] for one in await told(citizen, 2)] == ["reliability.warned", "reliability.paused"]
    await citizen.not_asked("forbidden", 2400)
    await citizen.refused("ride.request", "forbidden", **hub.block().a.centre.fields, passengers=1)


async def test_r12_a_stop_taken_back_when_the_bus_is_there_is_late_and_before_that_is_not(hub, lines):
    line = next(lines)
    driver, citizen = await on_tour(hub, line), await citizen_of(hub, line)
    request = await citizen.ask_for(1200)
    await driver.call("stop.accept", request=request)
    await citizen.call("stop.cancel", request=request)
    assert await counted(citizen) == (0, NOTHING)
    request = await stopped_for(driver, citizen, 1200)
    done = await citizen.call("stop.cancel", request=request, key="k")
    assert await citizen.call("stop.cancel", request=request, key="k") == done
    assert await counted(citizen) == (1, NOTHING | {"late_cancels": 1})
