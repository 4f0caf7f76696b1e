"""How the settings become amounts (M11): exactly, where prices are fine; anew at a reload; with what a reservation costs."""

import pytest

from conftest import running
from kerbside import city
from kerbside.hub import Hub
from kerbside.ledger import check_city
from kerbside.tariff import Tariff, listed
from test_office import BinaryDriver, BinaryPassenger, City
from test_reservations import MINUTE, come, now, on_time, trip
from test_trips import BACK_MS, aboard

SLABS = city.block(0)
#: Prices with more digits than the currency has, and a share of which half hundredths follow.
FINE = Tariff(
    per_km=0.125, per_minute=0.0333, night_percent=2.3, night_hours="00:00-23:59",
    slabs=[f"{SLABS.a.id}:{SLABS.b.id}: 2.01km=15 4.02km=15.01 4.03km=16", f"{SLABS.a.id}:{SLABS.c.id}: 1km=15"],
)  # fmt: skip
#: In the middle of a night that lasts all day, and after it.
NIGHT, DAY = 1_800_000_000_000 // 86_400_000 * 86_400_000 + 43_200_000, 1_800_000_000_000 // 86_400_000 * 86_400_000 - 30_000


def make(**settings):
    hub = Hub(**settings)
    assert hub.block() == SLABS
    return hub


@pytest.fixture(scope="module")
def fine():
    yield from running(make=make, **FINE.settings)


async def estimated(passenger, pickup, goal, at, passengers=1):
    return await passenger.call("fare.estimate", pickup=pickup.fields, destination=goal.fields, passengers=passengers, at=at)


async def as_far(passenger, pickup, metres):
    """The estimate of a way to the east that is exactly so long."""
    near, far = 0.0, 4 * metres
    while far - near > 0.01:
        middle = (near + far) / 2
        told = await estimated(passenger, pickup, pickup.moved(east=middle), DAY)
        if told["distance_m"] == metres:
            return told
        near, far = (middle, far) if told["distance_m"] < metres else (near, middle)
    pytest.fail(f"no way is {metres} m long")


@pytest.mark.parametrize(("metres", "amount"), [(2010, 1500), (2011, 1501)])
async def test_m11_up_to_its_distance_a_fixed_fare_holds_and_from_there_the_next(fine, cast, metres, amount):
    told = await as_far(await cast.rider(fine), SLABS.a.centre, metres)
    assert FINE.slab(SLABS.a.id, SLABS.b.id, metres) * 100 == amount
    assert listed(told["fare"]) == [("slab", amount)]


async def test_m11_half_a_hundredth_of_the_nights_share_goes_up(fine, cast):
    told = await estimated(await cast.rider(fine), SLABS.a.centre, SLABS.c.centre, NIGHT)
    assert listed(told["fare"]) == [("slab", 1500), ("night", 35)], "2.3 % of 15.00 is 0.345"


async def test_m11_a_price_finer_than_the_currency_counts_as_it_is_written(fine, cast):
    here = fine.block()
    told = await estimated(await cast.rider(fine), here.a.centre, here.c.centre, DAY)
    assert told["distance_m"] > 3000 and told["duration_s"] > 300
    assert listed(told["fare"]) == FINE.parts(told["distance_m"], told["duration_s"], DAY, here.a.id, here.c.id)


@pytest.mark.parametrize("encoding", ["json", "protobuf"])
async def test_m11_a_reserved_ride_costs_what_reservations_cost(new_hub, encoding):
    cast = City() if encoding == "json" else City(BinaryDriver, BinaryPassenger)
    tariff = Tariff(flag_fall=4, per_km=1, booking=2.5, extra_passenger=1, extra_from=2)
    hub = new_hub(**tariff.settings, reservations__min_ahead_min=20).start()
    here, passenger = hub.block(), await cast.rider(hub)
    made = await passenger.call("reservation.make", **trip(here, now(hub) + 21 * MINUTE))
    await come(hub, made["at"] - 11 * MINUTE)
    [driver] = await on_time(hub, cast, here)
    await come(hub, made["at"] - 9 * MINUTE)
    ride = (await passenger.until("reservation.searching", reservation=made["reservation"], reason="begun"))["ride"]
    await driver.accept(ride)
    await driver.fix(here.a.centre)
    await driver.call("ride.aboard", ride=ride)
    for field in ("requested_at", "aboard_at"):
        hub.redis.hincrby(hub.key(f"ride:{ride}"), field, -BACK_MS)
    await driver.fix(here.a.centre.moved(east=500))
    await driver.known()
    await driver.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)
    receipt = await passenger.call("receipt.get", trip=ride)
    facts = (receipt["distance_m"], receipt["duration_s"], receipt["began_at"], here.a.id, here.a.id, 2)
    assert listed(receipt["fare"]) == tariff.parts(*facts, reserved=True)
    assert [part for part in listed(receipt["fare"]) if part[0] != "distance"] == [
        ("flag_fall", 400), ("passengers", 100), ("booking", 250)]
    # Its next ride, asked for there and then, does not.
    assert "booking" not in dict(listed((await estimated(passenger, here.a.centre, here.b.centre, now(hub)))["fare"]))


async def test_m11_a_tariff_that_changes_holds_for_rides_that_end_and_no_receipt_is_written_anew(new_hub, cast):
    hub = new_hub(fares__flag_fall=5, vehicles__currency="EUR").start()
    here = hub.block()

    async def ends(passenger, driver, ride):
        await driver.fix(here.b.centre)
        await driver.known()
        hub.redis.hincrby(hub.key(f"ride:{ride}"), "aboard_at", -BACK_MS)
        await driver.call("ride.end", ride=ride)
        await passenger.until("ride.ended", ride=ride)
        return await passenger.call("receipt.get", trip=ride)

    first, driver, _, old = await aboard(hub, cast, here, destination=here.b.centre.fields)
    before = await ends(first, driver, old)
    assert before["fare"] == {"amount": 500, "currency": "EUR", "parts": [{"name": "flag_fall", "amount": 500}]}
    await driver.call("driver.unavailable")
    second, driver, _, ride = await aboard(hub, cast, here, destination=here.b.centre.fields)
    slabs = ["*: 1km=7 2km=8.5", f"{here.b.id}:{here.a.id}: 1km=99"]
    hub.write_config(fares__flag_fall=0, fares__slabs=slabs, vehicles__currency="CHF")
    await hub.reload()
    told = await second.call("fare.estimate", pickup=here.a.centre.fields, destination=here.b.centre.fields, passengers=1)
    assert told["fare"] == {"amount": 850, "currency": "CHF", "parts": [{"name": "slab", "amount": 850}]}, "as all others"
    receipt = await ends(second, driver, ride)
    assert receipt["distance_m"] < 2000 and receipt["fare"] == told["fare"]
    assert receipt["estimate"] == {"amount": 500, "currency": "EUR"}, "what was said before the ride stays said"
    assert await first.call("receipt.get", trip=old) == before
    # Fixed fares for a way that nobody asks for, and no meter: no fare is told.
    hub.write_config(fares__slabs=[f"{here.b.id}:{here.a.id}: 1km=99"])
    await hub.reload()
    there, back = [
        (await estimated(second, origin.centre, goal.centre, now(hub)))["fare"]
        for origin, goal in ((here.a, here.b), (here.b, here.a))]
    assert there is None and listed(back) == [("slab", 9900)]
    check_city(hub)
