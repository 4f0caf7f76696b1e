"""What of a taxi's ride counts against whom (R12, U11): taken back late, missed, given back, stayed away; told and recorded."""

import pytest

from conftest import running
from kerbside import trips
from kerbside.asker import Asker
from kerbside.minibus import trip
from kerbside.names import fresh
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_reservations import come, now

STRICT = {
    "reliability__warn_at": 2, "reliability__pause_at": 3, "reliability__deposit_at": 3, "reliability__driver_warn_at": 2,
    "reliability__driver_pause_at": 3,
}
DAY = 86_400_000


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture(scope="module")
def hub():
    yield from running(**STRICT)


async def taken(driver, rider, place):
    """A ride that the driver has accepted."""
    await rider.settled()
    rider.skip()
    ride = await rider.request(place)
    await driver.accept_next(ride)
    await rider.until("ride.accepted", ride=ride)
    return ride


async def came(driver, rider, place):
    """The same, and the taxi is there."""
    ride = await taken(driver, rider, place)
    await driver.fix(place)
    await rider.until("ride.arrived", ride=ride)
    await driver.known()
    return ride


async def back_at(driver, place):
    """It waits at its place again."""
    await driver.until("queue.joined")
    await driver.fix(place)
    await driver.known()


async def counted(client):
    """(all, by kind) of what counts."""
    told = await client.call("reliability.get")
    return told["total"], {kind: told[kind] for kind in ("no_shows", "late_cancels", "give_backs") if kind in told}


async def told(client, count):
    """What it was told of that, so many times; nothing else came, as all has that was published before."""

    def found():
        rows = [event["data"] | {"type": event["type"]} for event in client.events if event["type"].startswith("reliability.")]
        return rows if len(rows) >= count else None

    rows = await client.wait(found, f"{count} events of reliability")
    await client.settled()
    assert rows == found() and len(rows) == count, found()
    return rows


async def later(hub, ride, seconds):
    """The ride was accepted so much earlier."""
    hub.redis.hincrby(hub.key(f"ride:{ride}"), "accepted_at", -seconds * 1000)


async def test_r12_taken_back_when_the_taxi_is_there_is_late_and_before_that_is_not(hub, cast):
    here = hub.block()
    [driver], rider = await cast.queue(hub, here.a.stand, 1), await cast.rider(hub)
    ride = await taken(driver, rider, here.a.centre)
    await rider.call("ride.cancel", ride=ride)
    await back_at(driver, here.a.stand)
    assert await counted(rider) == (0, {"no_shows": 0, "late_cancels": 0})
    ride = await came(driver, rider, here.a.centre)
    done = await rider.call("ride.cancel", ride=ride, key="k")
    assert await rider.call("ride.cancel", ride=ride, key="k") == done
    await rider.call("ride.cancel", ride=ride)
    assert await counted(rider) == (1, {"no_shows": 0, "late_cancels": 1})
    await told(rider, 0)
    # Who drives has done nothing wrong: it has its place again.
    await driver.until("queue.joined", reason="restored", rank=1)
    assert await counted(driver) == (0, {"give_backs": 0})


async def test_r12_taken_back_while_the_taxi_is_near_is_late_once_it_has_come_closer_for_half_a_minute(hub, cast):
    here = hub.block()
    [driver], rider = await cast.queue(hub, here.a.stand, 1), await cast.rider(hub)

    async def near(seconds):
        ride = await taken(driver, rider, here.a.centre)
        await driver.fix(here.a.centre.moved(north=400))
        await rider.until("ride.near", ride=ride)
        await driver.known()
        await later(hub, ride, seconds)
        await rider.call("ride.cancel", ride=ride)
        await back_at(driver, here.a.stand)

    await near(0)
    assert await counted(rider) == (0, {"no_shows": 0, "late_cancels": 0})
    await near(40)
    assert await counted(rider) == (1, {"no_shows": 0, "late_cancels": 1})
    # One that was near all the time has not come for anybody.
    stander, other = cast.driver(hub, here.c.centre.moved(north=400)), await cast.rider(hub)
    await stander.go_available()
    ride = await taken(stander, other, here.c.centre)
    await stander.fix(here.c.centre.moved(north=390))
    await other.until("ride.near", ride=ride)
    await stander.known()
    await later(hub, ride, 40)
    await other.call("ride.cancel", ride=ride)
    assert await counted(other) == (0, {"no_shows": 0, "late_cancels": 0})
    assert await counted(stander) == (0, {"give_backs": 0})


async def test_r12_u11_missed_and_taken_back_late_count_together_and_who_is_paused_asks_for_nothing(hub, cast):
    here = hub.block()
    [driver], rider = await cast.queue(hub, here.a.stand, 1), await cast.rider(hub)
    for kind in ("late_cancels", "no_shows", "late_cancels"):
        ride = await came(driver, rider, here.a.centre)
        if kind == "no_shows":
            await driver.call("ride.noshow", ride=ride)
        else:
            await rider.call("ride.cancel", ride=ride)
        await back_at(driver, here.a.stand)
    warned, paused = await told(rider, 2)
    limits = {"warn_at": 2, "pause_at": 3, "window_days": 90, "points": 0}
    assert warned == limits | {
        "type": "reliability.warned", "kind": "no_shows", "total": 2, "late_cancels": 1, "no_shows": 1, "deposit": False}
    assert paused == limits | {
        "type": "reliability.paused", "kind": "late_cancels", "total": 3, "late_cancels": 2, "no_shows": 1, "deposit": True,
        "until": paused["until"]}
    until = (await hub.logged("reliability.paused", passenger=rider.subject, total=3))["paused_until"]
    assert until == paused["until"]
    asker, wish = Asker(hub, "passenger", rider.subject), trip(here.a.centre, here.b.centre)
    for command, fields in (
        ("ride.request", {**here.a.centre.fields, "passengers": 1}),
        ("seat.request", wish),
        ("seat.book", {"vehicle": "M1", **wish}),
        ("reservation.make", {**wish, "at": paused["until"] - DAY + 5 * 3_600_000}),
    ):
        error = await rider.refused(command, "forbidden", **fields)
        assert "You are paused until" in error["detail"] and "cancelled when you were fetched" in error["detail"], error
        assert DAY - 60_000 < error["retry_after_ms"] <= DAY, error
        asker.refused(command, "forbidden", **fields)
    # An estimate, and all that is read, is free to everybody; others are not held up.
    assert (await rider.call("reliability.get"))["paused_until"] == paused["until"]
    await rider.call("fare.estimate", **wish)
    await taken(driver, await cast.rider(hub), here.a.centre)


async def test_r12_who_gives_rides_back_is_warned_paused_and_set_back_and_its_passengers_pay_nothing(hub, cast):
    here = hub.block()
    [driver, other], office = await cast.queue(hub, here.a.stand, 2), await cast.operator(hub)
    riders = []
    for nth in (1, 2, 3):
        if nth > 1:
            await other.call("driver.unavailable")
            await driver.call("driver.available")
            await other.call("driver.available")
        riders.append(rider := await cast.rider(hub))
        ride = await taken(driver, rider, here.a.centre)
        if nth == 2:
            # Even from the door: a passenger is not missed by who gives the ride back.
            await driver.fix(here.a.centre)
            await rider.until("ride.arrived", ride=ride)
        done = await driver.call("ride.cancel", ride=ride, key=f"k{nth}")
        assert await driver.call("ride.cancel", ride=ride, key=f"k{nth}") == done
        await rider.until("ride.searching", ride=ride, reason="driver_cancelled")
        await driver.until("ride.cancelled", ride=ride, by="driver", state="unavailable" if nth == 3 else None)
        assert await counted(driver) == (nth, {"give_backs": nth})
        assert await counted(rider) == (0, {"no_shows": 0, "late_cancels": 0})
        # Another one takes it.
        await other.accept_next(ride)
        await rider.until("ride.accepted", ride=ride, taxi=other.subject)
        await rider.call("ride.cancel", ride=ride)
        await other.until("queue.joined", reason="restored")
        if nth < 3:
            await driver.fix(here.a.stand)
            await driver.known()
            await driver.call("driver.unavailable")
    kinds = await told(driver, 2)
    assert [(one["kind"], one["total"], "until" in one) for one in kinds] == [("give_backs", 2, False), ("give_backs", 3, True)]
    error = await driver.refused("driver.available", "forbidden")
    assert "rides given back" in error["detail"] and error["retry_after_ms"] <= DAY
    row = (await office.call("reliability.of", role="driver", subject=driver.subject))["paused_until"]
    assert row == kinds[1]["until"]
    await office.call("reliability.reset", role="driver", subject=driver.subject, reason="The car had broken down.")
    assert await counted(driver) == (0, {"give_backs": 0})
    assert (await driver.call("driver.available"))["state"] == "available"


async def test_r12_a_taxi_that_stays_away_has_given_the_ride_back_and_its_passenger_pays_nothing(hub, cast):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    await driver.go_available()
    for nth in (1, 2, 3):
        rider = await cast.rider(hub)
        ride = await taken(driver, rider, here.a.centre)
        await later(hub, ride, 121)
        await rider.call("ride.cancel", ride=ride)
        assert await counted(rider) == (0, {"no_shows": 0, "late_cancels": 0})
        assert await counted(driver) == (nth, {"give_backs": nth})
        state = "unavailable" if nth == 3 else None
        await driver.until("ride.cancelled", ride=ride, by="passenger", reason="passenger", state=state)
    assert [(one["type"], one["total"]) for one in await told(driver, 2)] == [("reliability.warned", 2), ("reliability.paused", 3)]
    await driver.refused("driver.available", "forbidden")
    await (await cast.rider(hub)).refused("ride.request", "zone_empty", **here.a.centre.fields, passengers=1)


async def test_r12_the_records_say_who_missed_took_back_and_gave_back(hub):
    cast = City()
    here, office = hub.block(), await cast.operator(hub)
    [driver], rider = await cast.queue(hub, here.a.stand, 1), await cast.rider(hub)
    late = await came(driver, rider, here.a.centre)
    await rider.call("ride.cancel", ride=late)
    await back_at(driver, here.a.stand)
    missed = await came(driver, rider, here.a.centre)
    await driver.call("ride.noshow", ride=missed)
    await back_at(driver, here.a.stand)
    other = await cast.rider(hub)
    back = await taken(driver, other, here.a.centre)
    await driver.call("ride.cancel", ride=back)
    await other.until("ride.failed", ride=back)
    await trips.recorded(hub)
    rows = {row["id"]: row for row in (await office.call("records.list", of="rides"))["records"]}
    whose = {row["id"] for row in rows.values() if row.get("passenger") == rider.subject}
    assert whose == {late, missed}
    assert (rows[late]["outcome"], rows[late]["ended_by"], rows[late]["driver"]) == ("cancelled", "passenger", driver.subject)
    assert rows[missed]["outcome"] == "noshow" and rows[missed]["driver"] == driver.subject
    for ride in (late, missed):
        assert rows[ride]["accepted_at"] <= rows[ride]["arrived_at"] <= rows[ride]["ended_at"] and rows[ride]["given_back"] == 0
        assert "fare" not in rows[ride] and "receipt" not in rows[ride]
    assert (rows[back]["outcome"], rows[back]["given_back"]) == ("failed", 1) and "driver" not in rows[back]
    assert Asker(hub, "operator", fresh("desk-")).done("records.list", of="rides")["records"] == list(rows.values())


async def test_r12_a_pause_ends_after_its_hours_and_what_counts_after_its_weeks(new_hub):
    hub, cast = new_hub(**STRICT).start(), City()
    here, begun = hub.block(), now(hub)
    rider = await cast.rider(hub)

    async def late(count):
        """So many rides are taken back late, by the clock that the hub has now."""
        driver = cast.driver(hub, here.a.stand)
        driver.clock = now(hub) - 250_000
        await driver.go_available()
        for _ in range(count):
            await rider.call("ride.cancel", ride=await came(driver, rider, here.a.centre))
            await back_at(driver, here.a.stand)
        await driver.call("driver.unavailable")

    await late(3)
    assert (await rider.call("reliability.get"))["paused_until"] > begun
    await come(hub, begun + DAY + 600_000)
    known = await rider.call("reliability.get")
    assert "paused_until" not in known and (known["total"], known["deposit"]) == (3, True), "the pause is over, what counts is not"
    await late(1)
    assert [(one["type"], one["total"]) for one in await told(rider, 3)] == [
        ("reliability.warned", 2), ("reliability.paused", 3), ("reliability.paused", 4)]
    await rider.refused("ride.request", "forbidden", **here.a.centre.fields, passengers=1)
    # All 90 days long it counts, and up to a week longer.
    await come(hub, begun + 89 * DAY)
    assert await counted(rider) == (4, {"no_shows": 0, "late_cancels": 4})
    await come(hub, begun + 99 * DAY)
    known = await rider.call("reliability.get")
    assert (known["total"], known["late_cancels"], known["deposit"]) == (0, 0, False)
    await late(1)
    assert await counted(rider) == (1, {"no_shows": 0, "late_cancels": 1})
    assert [event["type"] for event in rider.events[-3:]].count("reliability.warned") == 0


async def test_r12_whether_the_taxi_is_there_is_judged_by_its_last_fix(new_hub, cast):
    # What it says within seconds of the last time waits for those to be over, but for such a command.
    hub = new_hub(positions__tick_ms=8_000).start()
    here = hub.block()
    [driver], rider = await cast.queue(hub, here.a.stand, 1), await cast.rider(hub)
    ride = await taken(driver, rider, here.a.centre)
    await driver.fix(here.a.centre)
    await rider.until("ride.arrived", ride=ride)
    await driver.call("ride.noshow", ride=ride)
    assert await counted(rider) == (1, {"no_shows": 1, "late_cancels": 0})
