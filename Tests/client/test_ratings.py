"""Ratings are read back as a mean: by the office at once, by who was rated when it tells of nobody (M10)."""

import pytest

from kerbside.asker import Asker
from kerbside.ledger import check_city
from kerbside.names import fresh
from test_reservations import HOUR, MINUTE, come, now
from test_trips import BACK_MS

DAY = 24 * HOUR
#: Five are told at once; the sixth waits for four more.
STARS = (5, 4, 4, 2, 4, 1)


async def one_trip(hub, driver, passenger, place):
    """A ride that ends as a trip; its id."""
    passenger.skip()
    ride = await passenger.request(place)
    await driver.accept_next(ride)
    await driver.fix(place)
    await driver.call("ride.aboard", ride=ride)
    await driver.fix(place.moved(north=350))
    await driver.known()
    for since in ("requested_at", "aboard_at"):
        hub.redis.hincrby(hub.key(f"ride:{ride}"), since, -BACK_MS)
    assert "receipt" in await driver.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)
    return ride


async def trips(hub, cast, role):
    """For each of the stars: who is rated, who rates, and their trip. One person is rated, each time by another."""
    zone, known = hub.block().a, None
    for _ in STARS:
        driver = known if role == "driver" and known else cast.driver(hub, zone.stand)
        passenger = known if role == "passenger" and known else await cast.rider(hub)
        if driver.ws is None:
            await driver.go_available()
        ride = await one_trip(hub, driver, passenger, zone.centre)
        if role == "passenger":  # the next one is to be asked
            await driver.call("driver.unavailable")
        known, other = (driver, passenger) if role == "driver" else (passenger, driver)
        yield known, other, ride


@pytest.mark.parametrize("encoding, role", [("json", "driver"), ("protobuf", "passenger")], indirect=["encoding"])
async def test_m10_a_mean_of_stars_is_read_back(new_hub, cast, encoding, role):
    hub = new_hub().start()
    office = await cast.operator(hub)

    async def told(client, **whose):
        reply = await client.call("ratings.get", **whose)
        assert (reply["role"], reply["subject"]) == (role, known.subject)
        return reply["count"], reply["mean"]

    given = []
    async for known, other, trip in trips(hub, cast, role):
        whose = {"role": role, "subject": known.subject}
        if not given:
            assert await told(office, **whose) == await told(known) == (0, None), "nobody has said anything"
        given.append(STARS[len(given)])
        assert await other.call("trip.rate", trip=trip, stars=given[-1]) == {"trip": trip, "stars": given[-1]}
        # Who was rated on the way reads nothing of it, neither how many nor what.
        assert await told(office, **whose) == (len(given), round(sum(given) / len(given), 2))
        assert await told(known) == (0, None)
        if len(given) == 5:
            last = now(hub)
        await other.refused("ratings.get", "forbidden", **whose)
        assert (await other.call("ratings.get"))["subject"] == other.subject, "and of itself alone"

    assert await told(office, **whose) == (6, 3.33)
    # Five that are a day old are told at once, by tenths; the sixth is not among them, though as old.
    await come(hub, last + DAY - MINUTE)
    assert await told(known) == (0, None)
    await come(hub, last + DAY + MINUTE)
    assert await told(known) == (5, 3.8)
    assert await told(office, **whose) == (6, 3.33)
    # Over HTTP it is the same, for either, and for nobody else.
    itself, desk = Asker(hub, role, known.subject), Asker(hub, "operator", fresh("office-"))
    assert itself.done("ratings.get") == {"role": role, "subject": known.subject, "count": 5, "mean": 3.8}
    assert desk.done("ratings.get", **whose) == {"role": role, "subject": known.subject, "count": 6, "mean": 3.33}
    Asker(hub, "passenger", fresh("p")).refused("ratings.get", "forbidden", **whose)
    check_city(hub)
