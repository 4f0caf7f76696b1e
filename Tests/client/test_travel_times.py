"""What taxis needed is learned from the ways that they finish, kept in Redis, and told to who waits next (M15)."""

import asyncio
import time

from kerbside import patience


async def on_the_way(hub, cast, start, pickup):
    """A driver at `start` with an accepted ride, and what its passenger was told then."""
    [driver] = await cast.queue(hub, start, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(pickup)
    await driver.accept(ride)
    return driver, passenger, await passenger.expect("ride.accepted", ride=ride)


def seed(hub, start, end, seconds, count):
    """Ways that taxis have finished, as the hub keeps them."""
    for _ in range(count):
        places = [
            f"{second},{round((start.lat + (end.lat - start.lat) * second / seconds) * 1e5)}"
            f",{round((start.lon + (end.lon - start.lon) * second / seconds) * 1e5)}"
            for second in range(0, seconds + 1, seconds // 10)
        ]
        hub.redis.xadd(hub.key("travelled"), {"way": " ".join([str(int(time.time() * 1000)), *places])})


async def test_who_waits_is_told_what_others_needed_also_after_a_restart(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    pickup = hub.block().a.centre
    start = pickup.moved(north=700)
    _, _, before = await on_the_way(hub, cast, start, pickup)
    seed(hub, start, pickup, round(before["eta_s"] * 1.6 / 10) * 10, 80)
    # Not of the right form: passed over.
    for text in ("", "nonsense", "5 0,1,2", "5 0,1,2 9999999,1,2"):
        hub.redis.xadd(hub.key("travelled"), {"way": text})
    hub.stop()
    hub.start()
    # It reads them in portions, 40 in 50 ms.
    await asyncio.sleep(2)
    driver, passenger, after = await on_the_way(hub, cast, start, pickup)
    assert before["eta_s"] * 1.2 < after["eta_s"] < before["eta_s"] * 1.8
    await driver.fix(pickup.moved(north=600))
    eta = await passenger.state("ride.eta")
    assert eta["early_s"] <= eta["eta_s"] <= eta["late_s"]


async def test_a_way_to_a_pickup_is_learned_once_and_no_driver_teaches_all_the_time(city, cast):
    pickup = city.block().a.centre
    start = pickup.moved(north=400)
    driver, passenger, _ = await on_the_way(city, cast, start, pickup)
    for place in start.towards(pickup, 12):
        await driver.fix(place, after_ms=1000)
        await asyncio.sleep(1)
    await passenger.until("ride.arrived")

    def ways():
        return [fields["way"] for _, fields in city.redis.xrange(city.key("travelled"))]

    [way] = await city.until("a way", lambda: ways() or None, within=patience.PROCESS)
    end, first, *_, last = way.split()
    assert abs(int(end) - time.time() * 1000) < 60_000
    seconds, lat, lon = map(int, last.split(","))
    assert seconds >= 30 and first.startswith("0,")
    assert abs(lat / 1e5 - pickup.lat) < 0.001 and abs(lon / 1e5 - pickup.lon) < 0.001
    await driver.call("ride.aboard")
    for place in pickup.towards(start, 12):
        await driver.fix(place, after_ms=1000)
    await driver.call("ride.end")
    await passenger.until("ride.ended")
    assert len(ways()) == 1, "the same driver, within two minutes"


async def test_taxis_teach_where_minibuses_announce_their_way(new_hub, cast):
    """Both are ways, and once had one key in Redis."""
    hub = new_hub(server__workers=1).start()
    pickup = hub.block().a.centre
    start = pickup.moved(north=700)
    seed(hub, start, pickup, 300, 40)
    minibus = cast.minibus(hub, start)
    await minibus.go_online()
    await minibus.call("route.set", route=None, start=start.fields, end=start.moved(north=3000).fields)
    assert hub.redis.hexists(hub.key("ways"), minibus.subject)
    hub.stop()
    hub.start()
    await asyncio.sleep(2)
    _, _, told = await on_the_way(hub, cast, start, pickup)
    assert 200 < told["eta_s"] < 320


async def test_a_taxi_that_is_silent_is_not_told_as_far_as_before(new_hub, cast):
    hub = new_hub(eta__push_max_age_s=1).start()
    pickup = hub.block().a.centre
    driver, passenger, _ = await on_the_way(hub, cast, pickup.moved(north=700), pickup)
    await driver.fix(pickup.moved(north=690))
    first = await passenger.state("ride.eta", lambda eta: eta["distance_m"] == 690)
    later = await passenger.state("ride.eta", lambda eta: eta["eta_s"] <= first["eta_s"] - 3)
    assert later["distance_m"] == first["distance_m"], "it has not been seen elsewhere"
