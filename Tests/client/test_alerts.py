"""500 m, 20 m, aboard: each told once, whatever the fixes look like. And what the passenger sees meanwhile."""

import asyncio

import pytest

from conftest import running

pytestmark = pytest.mark.usefixtures("encoding")


@pytest.fixture(scope="module")
def hub():
    yield from running(eta__push_max_age_s=1)


async def on_the_way(hub, cast, start):
    """A driver at `start(pickup)` with an accepted ride: (driver, passenger, ride, pickup)."""
    here = hub.block()
    pickup = here.a.centre
    [driver] = await cast.queue(hub, start(pickup), 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(pickup)
    await driver.accept(ride)
    await passenger.expect("ride.accepted", ride=ride)
    return driver, passenger, ride, pickup


def times(client, kind):
    return sum(event["type"] == kind for event in client.events)


async def test_a_car_passing_the_pickup_between_two_fixes_75_m_apart(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700, east=10))
    for north in range(637, -700, -75):
        await driver.fix(pickup.moved(north=north + 0.5, east=10))
    await driver.barrier()
    await passenger.settled()
    near = await passenger.expect("ride.near", ride=ride, confidence="high")
    assert near["distance_m"] <= 500
    arrived = await passenger.expect("ride.arrived", ride=ride, confidence="high")
    assert 9 <= arrived["distance_m"] <= 12, "the nearest point of the way lies 10 m from the pickup"
    await passenger.nothing_more()
    await driver.expect("ride.confirm_aboard", ride=ride)
    await driver.nothing_more()


async def test_a_car_passing_30_m_away_has_not_arrived(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700, east=30))
    for north in range(637, -700, -75):
        await driver.fix(pickup.moved(north=north, east=30))
    await driver.barrier()
    await passenger.expect("ride.near", ride=ride)
    await passenger.nothing_more()
    await driver.nothing_more()


async def test_an_unknown_way_between_two_fixes_is_not_guessed(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await driver.drive(pickup.moved(north=40))
    await driver.fix(pickup.moved(north=-40), after_ms=130_000)
    await driver.barrier()
    await passenger.expect("ride.near", ride=ride)
    await passenger.nothing_more()


async def test_a_car_jittering_at_20_m_arrives_once(hub, cast):
    driver, passenger, _ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await driver.drive(pickup.moved(north=30))
    for n in range(60):
        await driver.fix(pickup.moved(north=(15, 26, 19, 24, 45)[n % 5], east=(0, 5, -5)[n % 3]))
    await driver.barrier()
    await passenger.settled()
    assert (times(passenger, "ride.near"), times(passenger, "ride.arrived")) == (1, 1)
    await driver.settled()
    assert times(driver, "ride.confirm_aboard") == 1


async def test_a_car_jittering_at_500_m_is_near_once(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    for n in range(40):
        await driver.fix(pickup.moved(north=(510, 490, 560, 480)[n % 4]))
    await driver.barrier()
    await passenger.expect("ride.near", ride=ride)
    await passenger.nothing_more()


async def test_far_away_and_back_is_not_told_again(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await driver.drive(pickup, pickup.moved(north=900), pickup)
    await driver.barrier()
    await passenger.expect("ride.near", ride=ride)
    await passenger.expect("ride.arrived", ride=ride)
    await passenger.nothing_more()


@pytest.mark.parametrize("metres, rungs", [(300, ["ride.near"]), (8, ["ride.near", "ride.arrived"])])
async def test_already_inside_when_the_ride_begins(hub, cast, metres, rungs):
    driver, passenger, ride, _pickup = await on_the_way(hub, cast, lambda p: p.moved(north=metres))
    await driver.fix()
    await driver.barrier()
    for rung in rungs:
        await passenger.expect(rung, ride=ride)
    await passenger.nothing_more()


async def test_confidence_tells_the_accuracy(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await driver.fix(pickup.moved(north=400), accuracy=40)
    await driver.fix(pickup.moved(north=10), accuracy=40)
    await driver.barrier()
    await passenger.expect("ride.near", ride=ride, confidence="medium")
    await passenger.expect("ride.arrived", ride=ride, confidence="low")


async def test_a_fix_worse_than_50_m_raises_no_alert(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await driver.fix(pickup.moved(north=100), accuracy=60)
    await driver.fix(pickup, accuracy=60)
    await driver.barrier()
    await passenger.nothing_more()
    await driver.fix(pickup, accuracy=8)
    await driver.barrier()
    await passenger.expect("ride.near", ride=ride)
    await passenger.expect("ride.arrived", ride=ride)


async def test_a_fix_after_reconnecting_is_held_against_the_place_before(new_hub, cast):
    hub = new_hub().start()
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    away = pickup.moved(north=1700)
    await driver.fix(away)
    hub.write_config(positions__max_speed_mps=45)
    await hub.reload()
    for _ in range(4):  # on either worker
        await driver.known()
        await driver.cut()
        await driver.resume()
        assert await driver.fix(pickup, after_ms=1000) == {"ignored": "jump"}
        assert await driver.fix(away, after_ms=1000) == {}, "the true place is believed at once"
    await driver.barrier()
    await passenger.nothing_more()
    for _ in range(3):
        assert await driver.fix(pickup, after_ms=1000) == {"ignored": "jump"}, "no car comes so far in the time"
    await driver.barrier()
    await passenger.nothing_more()
    assert await driver.fix(away, after_ms=1000) == {}
    hub.write_config(positions__max_speed_mps=0)
    await hub.reload()
    await driver.drive(pickup)
    await passenger.expect("ride.near", ride=ride)
    await passenger.expect("ride.arrived", ride=ride)


async def test_a_stored_fix_raises_no_alert_later_either(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await driver.known()
    await driver.cut()
    # The fix before was 80 s ago.
    key = hub.key(f"vehicle:{driver.subject}")
    for field in ("at", "heard"):
        hub.redis.hincrby(key, field, -80_000)
    await driver.resume()
    assert await driver.call("position", **pickup.fields, at=driver.clock - 45_000, accuracy=5) == {}
    await asyncio.sleep(1.5)  # every second the hub looks again where the taxi is
    await driver.barrier()
    await passenger.nothing_more()
    await driver.fix(pickup)
    await passenger.expect("ride.near", ride=ride)
    await passenger.expect("ride.arrived", ride=ride)


async def test_a_new_ride_has_a_new_ladder(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    for _ in range(2):
        await driver.drive(pickup)
        await passenger.expect("ride.near", ride=ride)
        await passenger.expect("ride.arrived", ride=ride)
        await driver.call("ride.aboard")
        await driver.drive(pickup.moved(north=700))
        await driver.call("ride.end")
        await driver.until("queue.joined", reason="ended")
        await passenger.expect("ride.aboard", ride=ride)
        ride = await passenger.request_after("ride.ended", pickup)
        await driver.accept(ride)
        await passenger.expect("ride.accepted", ride=ride)


async def test_no_alerts_after_the_passenger_is_aboard(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await driver.call("ride.aboard")
    await passenger.expect("ride.aboard", ride=ride)
    await driver.drive(pickup)
    await driver.barrier()
    await passenger.nothing_more()
    await driver.nothing_more()


async def test_the_ladder_outlives_reconnecting(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await driver.drive(pickup.moved(north=400))
    await passenger.expect("ride.near", ride=ride)
    for _ in range(4):  # on either worker
        await driver.cut()
        await driver.resume()
        await driver.fix(pickup.moved(north=390))
        await driver.barrier()
    await passenger.nothing_more()
    await driver.drive(pickup)
    await passenger.expect("ride.arrived", ride=ride)
    await driver.cut()
    await driver.resume()
    await driver.fix(pickup.moved(north=3))
    await driver.barrier()
    await passenger.nothing_more()


async def test_the_passenger_sees_its_taxi_move(hub, cast):
    driver, passenger, _ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))

    def at(place):
        return lambda rows: any(
            row[0] == driver.subject
            and tuple(row[1:3])
            == pytest.approx(tuple(place.fields.values()), abs=6e-6)  # sent with five decimals: a metre
            for row in rows
        )

    for place in pickup.moved(north=700).towards(pickup.moved(north=100), 150):
        await driver.fix(place, heading=180, speed=12)
        rows = await passenger.state("positions", at(place))
        [row] = [row for row in rows if row[0] == driver.subject]
        assert row[3] == 180 and row[4] == "busy" and passenger.is_last_of(driver, row)


async def test_the_passenger_is_told_the_eta_as_it_changes(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=1000))
    told = []
    for north in (1000, 750, 500, 250):
        await driver.fix(pickup.moved(north=north))
        eta = await passenger.state("ride.eta", lambda d: abs(d["distance_m"] - north) < 30)
        assert (eta["ride"], eta["taxi"]) == (ride, driver.subject)
        told.append(eta["eta_s"])
    assert told == sorted(told, reverse=True) and told[0] - told[-1] > 30


async def test_the_eta_is_refreshed_while_nothing_changes(hub, cast):
    driver, passenger, _ride, _pickup = await on_the_way(hub, cast, lambda p: p.moved(north=1000))
    for _ in range(3):
        before = len(passenger.states.get("ride.eta", []))
        await driver.fix(after_ms=1000)
        await passenger.wait(lambda: len(passenger.states.get("ride.eta", [])) > before or None, "another ride.eta")


async def test_nobody_sees_the_taxi_after_the_ride(hub, cast):
    driver, passenger, ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await driver.fix(pickup.moved(north=650))
    await passenger.state("positions")
    await driver.call("ride.aboard")
    await driver.fix(pickup.moved(north=640))
    await passenger.state("positions", lambda rows: passenger.is_last_of(driver, rows[0]))
    await driver.call("ride.end")
    await passenger.until("ride.ended")
    ended = driver.clock
    other = await cast.rider(hub)
    await driver.accept_next(await other.request(pickup))
    await driver.fix(pickup.moved(north=600))
    await other.state("positions", lambda rows: other.is_last_of(driver, rows[0]))
    # It may be watched as any taxi is, and is seen only while it can be had.
    assert not (await passenger.follow(f"vehicle:{driver.subject}")).vehicles
    await passenger.barrier()
    seen = [row[6] for message in passenger.states["positions"] for row in message["data"]]
    assert max(seen) <= ended, "the old passenger still follows the taxi"
    assert all(event["data"]["ride"] == ride for event in passenger.events)


async def test_the_passenger_sees_nothing_before_acceptance(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.offered(ride)
    await driver.fix()
    await driver.barrier()
    assert "positions" not in passenger.states


async def test_after_resuming_the_passenger_sees_its_taxi_again(hub, cast):
    driver, passenger, _ride, pickup = await on_the_way(hub, cast, lambda p: p.moved(north=700))
    await passenger.cut()
    await passenger.resume()
    passenger.states.clear()
    passenger._state_cursor.clear()
    await driver.fix(pickup.moved(north=640))
    await passenger.state("positions", lambda rows: passenger.is_last_of(driver, rows[0]))
