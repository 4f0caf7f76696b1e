"""What taxis cost (M10, M11), held against the tariff worked out a second time: slabs, night, supplements, tolls, minimum."""

import datetime
import re
import zoneinfo

import pytest

from conftest import running
from kerbside import bus as buses, city
from kerbside.asker import Asker
from kerbside.hub import Hub
from kerbside.tariff import Tariff, listed
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_reservations import now
from test_trips import BACK_MS, aboard

ROME = zoneinfo.ZoneInfo("Europe/Rome")
#: Those whose zones have fixed fares, or a toll; all others are metered.
FIXED, TOLLED = city.block(0), city.block(1)
TARIFF = Tariff(
    zone="Europe/Rome",
    flag_fall=3.3,
    per_km=1.27,
    per_minute=0.43,
    minimum=9,
    night=2.5,
    night_percent=12.5,
    night_hours="22:00-06:00",
    booking=4,
    extra_passenger=1.5,
    extra_from=2,
    slabs=[f"{FIXED.a.id}:{FIXED.b.id}: 1.5km=11 2.25km=14.55 3km=19.99", f"{FIXED.a.id}:{FIXED.c.id}: 1km=25"],
    tolls=[f"{TOLLED.b.id}=2.85", f"{TOLLED.c.id}=0.4"],
)


def make(**settings):
    hub = Hub(**settings)
    assert (hub.block(), hub.block()) == (FIXED, TOLLED)
    return hub


@pytest.fixture(scope="module")
def hub():
    settings = TARIFF.settings | {"vehicles__currency": "CHF", "dispatch__max_passengers": 4, "reservations__min_ahead_min": 30}
    for hub in running(make=make, **settings):
        # A line, as the city's clock is that of its timetable.
        _, text = buses.community(1)
        buses.load(hub, text | {"time_zone": "Europe/Rome"})
        yield hub


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


def clock(year, month, day, hour, minute=0, second=0, ms=0):
    """Unix ms of a time in the city."""
    return int(datetime.datetime(year, month, day, hour, minute, second, tzinfo=ROME).timestamp()) * 1000 + ms


DAY = clock(2027, 1, 12, 14)


async def estimated(passenger, pickup, goal, at=DAY, passengers=1):
    told = await passenger.call(
        "fare.estimate", pickup=pickup.fields, destination=goal.fields, passengers=passengers, at=at)
    assert told["is_estimate"] is True and told["fare"]["currency"] == "CHF"
    return told


async def ended(hub, passenger, driver, ride, at=None):
    """The trip's receipt, which all who may read it see alike. at: when its passenger got in, hub ms; else a while ago."""
    await driver.known()
    key = hub.key(f"ride:{ride}")
    if at is None:
        hub.redis.hincrby(key, "aboard_at", -BACK_MS)
    else:
        hub.redis.hset(key, "aboard_at", at)
    end = await driver.call("ride.end", ride=ride)
    told = await passenger.until("ride.ended", ride=ride)
    receipt = await passenger.call("receipt.get", trip=ride)
    assert {key: receipt["fare"][key] for key in ("amount", "currency")} == end["fare"] == told["fare"]
    assert await driver.call("receipt.get", trip=ride) == receipt
    return receipt


def costs(receipt, goal, **more):
    """The trip costs what the tariff says of what its receipt says. The taxi's time is read a moment before the ride is over."""
    seconds = receipt["duration_s"]
    facts = {"at": receipt["began_at"], "pickup": receipt["from_zone"], "goal": goal, "passengers": receipt["passengers"]} | more
    both = [TARIFF.parts(receipt["distance_m"], time, **facts) for time in (seconds, max(0, seconds - 1))]
    assert listed(receipt["fare"]) in both, (receipt, both)
    assert receipt.get("to_zone") == goal
    return dict(listed(receipt["fare"]))


async def test_m11_fixed_fares_by_distance_from_zone_to_zone(hub, cast):
    passenger = await cast.rider(hub)
    pickup, seen = FIXED.a.centre, set()
    for east in range(850, 2350, 75):
        told = await estimated(passenger, pickup, pickup.moved(east=east), passengers=2)
        expected = TARIFF.parts(told["distance_m"], told["duration_s"], DAY, FIXED.a.id, FIXED.b.id, 2)
        assert listed(told["fare"]) == expected and expected[1] == ("passengers", 150)
        seen.add((expected[0], told["distance_m"] > 3000))
    assert {(amount, beyond) for (_, amount), beyond in seen} == {(1100, False), (1455, False), (1999, False), (1999, True)}
    # To another zone it is another fare; the other way round, and within the zone, the meter holds, and so it does out of the city.
    for origin, goal, zones in (
        (FIXED.a.centre, FIXED.c.centre, (FIXED.a.id, FIXED.c.id)),
        (FIXED.b.centre, FIXED.a.centre, (FIXED.b.id, FIXED.a.id)),
        (FIXED.a.centre, FIXED.a.stand, (FIXED.a.id, FIXED.a.id)),
        (FIXED.a.centre, FIXED.outside, (FIXED.a.id, None)),
    ):
        told = await estimated(passenger, origin, goal)
        expected = TARIFF.parts(told["distance_m"], told["duration_s"], DAY, *zones)
        assert listed(told["fare"]) == expected
        assert (expected[0][0] == "slab") == (zones == (FIXED.a.id, FIXED.c.id))


async def test_m11_night_begins_and_ends_on_the_citys_clock_in_summer_and_winter(hub, cast):
    passenger, here = await cast.rider(hub), hub.block()
    nights = 0
    for month in (1, 7):
        for time, is_night in (
            ((21, 59, 59, 999), False), ((22, 0), True), ((23, 59, 59, 999), True),
            ((0, 0), True), ((5, 59, 59, 999), True), ((6, 0), False),
        ):
            at = clock(2027, month, 12, *time)
            told = await estimated(passenger, here.a.centre, here.b.centre, at)
            expected = TARIFF.parts(told["distance_m"], told["duration_s"], at, here.a.id, here.b.id)
            assert listed(told["fare"]) == expected and ("night" in dict(expected)) == is_night, (month, time)
            nights += is_night
    assert nights == 8
    # A fixed fare costs more by night, too: by the same share of it.
    told = await estimated(passenger, FIXED.a.centre, FIXED.c.centre, clock(2027, 7, 1, 3))
    assert listed(told["fare"]) == [("slab", 2500), ("night", 250 + 313)]


async def test_m11_less_than_the_minimum_no_ride_costs_and_supplements_come_on_top(hub, cast):
    passenger, here = await cast.rider(hub), hub.block()
    told = await estimated(passenger, here.a.centre, here.a.centre.moved(north=300), clock(2027, 1, 1, 0, 30), passengers=4)
    parts = dict(listed(told["fare"]))
    assert parts["flag_fall"] + parts["distance"] + parts["time"] + parts["minimum"] == 900
    assert (parts["night"], parts["passengers"]) == (250 + 113, 3 * 150), "12.5 % of 9.00 is 1.125, and half a hundredth goes up"
    assert told["fare"]["amount"] == 900 + 363 + 450


async def test_m10_a_ride_with_a_fixed_fare_by_where_it_ends(hub, cast):
    for goal, amount in ((FIXED.b, {1455, 1999}), (FIXED.c, {2500})):
        # Asked for to b, whatever the taxi does then.
        passenger, driver, _, ride = await aboard(hub, cast, FIXED, 2, destination=FIXED.b.centre.fields)
        await driver.drive(goal.centre, step=300)
        receipt = await ended(hub, passenger, driver, ride, now_day(hub))
        parts = costs(receipt, goal.id)
        assert parts["slab"] in amount and parts["passengers"] == 150 and not {"flag_fall", "time", "minimum"} & parts.keys()
        assert receipt["estimate"]["currency"] == "CHF"
    # Out of the city no fixed fare holds.
    passenger, driver, _, ride = await aboard(hub, cast, FIXED, 1, destination=FIXED.b.centre.fields)
    await driver.drive(FIXED.outside, step=300)
    receipt = await ended(hub, passenger, driver, ride, now_day(hub))
    assert {"flag_fall", "distance", "time"} == costs(receipt, None).keys()


async def test_m10_night_is_when_the_passenger_gets_in(hub):
    cast, here = City(), hub.block()
    # Since the last 22:00 of the city it is less than a day, across midnight.
    time = now(hub)
    evening = datetime.datetime.fromtimestamp(time / 1000, ROME).replace(hour=22, minute=0, second=0, microsecond=0)
    begin = int(evening.timestamp() * 1000)
    if begin >= time - 60_000:
        begin = int((evening - datetime.timedelta(days=1)).timestamp() * 1000)
    for at, is_night in ((begin - 1, False), (begin, True)):
        passenger, driver, _, ride = await aboard(hub, cast, here)
        await driver.drive(here.b.centre, step=300)
        receipt = await ended(hub, passenger, driver, ride, at)
        assert ("night" in costs(receipt, here.b.id)) == is_night and receipt["began_at"] == at


async def test_m10_a_way_round_is_paid_as_it_was_driven_and_who_gets_in_more_than_asked(hub, cast):
    here = hub.block()
    passenger, driver, _, ride = await aboard(hub, cast, here, 1, destination=here.b.centre.fields)
    corners = (here.a.centre.moved(north=900), here.b.centre.moved(north=900), here.b.centre)
    for corner in corners:
        # Where it turns is known, as a tick is shorter than the time between two of a phone's fixes.
        await driver.drive(corner, step=450)
        await driver.known()
    way = sum(one.distance(other) for one, other in zip((here.a.centre, *corners), corners, strict=False))
    receipt = await ended(hub, passenger, driver, ride, now_day(hub))
    costs(receipt, here.b.id)
    assert abs(receipt["distance_m"] - way) < 0.02 * way and way > 2 * here.a.centre.distance(here.b.centre)
    # Two get in where one was to, which the driver says.
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.b.centre, 1)
    await driver.accept_next(ride)
    await driver.fix(here.b.centre)
    await driver.call("ride.aboard", ride=ride, passengers=3)
    hub.redis.hincrby(hub.key(f"ride:{ride}"), "requested_at", -BACK_MS)
    await driver.drive(here.c.centre, step=300)
    receipt = await ended(hub, passenger, driver, ride, now_day(hub))
    assert receipt["passengers"] == 3 and costs(receipt, here.c.id)["passengers"] == 300


async def test_m11_tolls_are_paid_once_for_each_zone_and_by_nobody_who_is_picked_up_there(hub, cast):
    passenger = await cast.rider(hub)
    a, b, c = TOLLED.a, TOLLED.b, TOLLED.c
    for origin, goal, through in ((a, c, [b.id, c.id]), (a, b, [b.id]), (b, c, [c.id]), (c, a, [b.id]), (b, b, [])):
        told = await estimated(passenger, origin.centre, goal.centre if goal != origin else goal.stand)
        facts = (told["distance_m"], told["duration_s"], DAY, origin.id, goal.id)
        assert listed(told["fare"]) == TARIFF.parts(*facts, through=through)
        assert [part["zone"] for part in told["fare"]["parts"] if part["name"] == "toll"] == through
    # From a through b to c, back to b, and to c again.
    passenger, driver, _, ride = await aboard(hub, cast, TOLLED, 1)
    for place in (b, c, b, c):
        await driver.drive(place.centre, step=400)
        await driver.known()
        known = hub.key(f"ride:{ride}"), "tolls"
        await hub.until("the toll", lambda place=place, known=known: place.id in (hub.redis.hget(*known) or "").split("\n"))
    receipt = await ended(hub, passenger, driver, ride, now_day(hub))
    costs(receipt, c.id, through=[b.id, c.id])
    asker = Asker(hub, "passenger", passenger.subject)
    page = hub.http(f"/v1/receipts/{ride}", headers={"Authorization": f"Bearer {asker.token}", "Accept": "text/html"}).text
    shown = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert (shown[f"Toll {b.id}"], shown[f"Toll {c.id}"]) == ("2.85", "0.40")
    amount = receipt["fare"]["amount"]
    assert shown["<b>Total, CHF</b>"] == f"<b>{amount // 100}.{amount % 100:02}</b>"
    row = hub.http("/v1/trips.csv", headers={"Authorization": f"Bearer {asker.token}"}).text.splitlines()[1]
    assert f",{amount // 100}.{amount % 100:02},CHF," in row




def now_day(hub):
    """The last noon of the city that is long enough ago for a ride that costs more than the minimum, hub ms."""
    time = now(hub)
    noon = datetime.datetime.fromtimestamp(time / 1000, ROME).replace(hour=12, minute=0, second=0, microsecond=0)
    found = int(noon.timestamp() * 1000)
    return found if found < time - BACK_MS else int((noon - datetime.timedelta(days=1)).timestamp() * 1000)
