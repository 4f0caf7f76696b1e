"""What trips cost, and what remains of them (M10, M11): estimates, fares, payments, receipts, ratings, over two workers."""

import base64
import hashlib
import re

import pytest

from kerbside.asker import Asker
from kerbside.client import Client
from kerbside.ledger import check_city
from kerbside.names import fresh
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City

TARIFF = {
    "fares__flag_fall": 3.5, "fares__per_km": 1.2, "fares__per_minute": 0.4, "fares__extra_passenger": 1, "fares__extra_from": 2,
}
#: Nobody takes anybody anywhere within a minute: the request is dated back by so much, and so is the boarding.
BACK_MS = 600_000


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture
def priced(new_hub):
    hub = new_hub(**TARIFF).start()
    yield hub
    check_city(hub)


class Service(Client):
    """A payment service."""

    role = "service"

    def __init__(self, hub, scope="payments"):
        super().__init__(hub, fresh("pay-"))
        self.token = hub.token(self.role, self.subject, **({"scope": scope} if scope else {}))

    async def greet(self):
        await self.open()
        assert "ok" in await self.ask("hello", token=self.token)
        return self


async def aboard(hub, cast, here, passengers=1, **more):
    """A ride that was asked for long ago, and whose passenger is aboard: passenger, driver, what it was told of it, its id."""
    driver, passenger = cast.driver(hub, here.a.stand), await cast.rider(hub)
    await driver.go_available()
    name = await passenger.request(here.a.centre, passengers, **more)
    taken = await driver.accept(name)
    await driver.fix(here.a.centre)
    await driver.call("ride.aboard", ride=name)
    hub.redis.hincrby(hub.key(f"ride:{name}"), "requested_at", -BACK_MS)
    return passenger, driver, taken, name


async def ride(hub, cast, here, payment=None, passengers=1):
    """A trip from one zone to the next: passenger, driver, the reply of `ride.end`."""
    more = {"payment": payment} if payment else {}
    passenger, driver, taken, name = await aboard(hub, cast, here, passengers, destination=here.b.centre.fields, **more)
    assert taken.get("payment") == (payment if payment == "digital" else None)
    await driver.drive(here.b.centre, step=200)
    await driver.known()
    hub.redis.hincrby(hub.key(f"ride:{name}"), "aboard_at", -BACK_MS)
    end = await driver.call("ride.end", ride=name, key="end")
    assert await driver.call("ride.end", ride=name, key="end") == end
    ended = await passenger.until("ride.ended", ride=name)
    assert {field: ended[field] for field in ("receipt", "payment")} == {field: end[field] for field in ("receipt", "payment")}
    return passenger, driver, end


async def test_m11_estimates_go_by_the_tariff(priced, cast):
    here = priced.block()
    passenger = await cast.rider(priced)
    question = {"pickup": here.a.centre.fields, "destination": here.b.centre.fields, "passengers": 2}
    told = await passenger.call("fare.estimate", **question)
    parts = {part["name"]: part["amount"] for part in told["fare"]["parts"]}
    assert parts["flag_fall"] == 350 and parts["passengers"] == 100
    assert parts["distance"] == (120 * told["distance_m"] * 2 + 1000) // 2000
    assert parts["time"] == (40 * told["duration_s"] * 2 + 60) // 120
    assert told["fare"]["amount"] == sum(parts.values()) and told["is_estimate"] is True
    assert Asker(priced, "service", "books").done("fare.estimate", **question) == told
    await passenger.refused("fare.estimate", "too_many_passengers", **question | {"passengers": 4})
    await passenger.refused("fare.estimate", "outside_zones", **question | {"pickup": {"lat": -45.0, "lon": 9.0}})
    driver = cast.driver(priced)
    await driver.connect()
    await driver.refused("fare.estimate", "forbidden", **question)


async def test_m11_where_nothing_is_set_no_fare_is_told(new_hub, cast):
    hub = new_hub().start()
    here = hub.block()
    passenger, _, end = await ride(hub, cast, here)
    assert "fare" not in end
    trip = await passenger.call("receipt.get", trip=end["ride"])
    assert trip["fare"] is None and trip["distance_m"] >= here.a.centre.distance(here.b.centre) - 30
    question = {"pickup": here.a.centre.fields, "destination": here.b.centre.fields, "passengers": 2}
    assert (await passenger.call("fare.estimate", **question))["fare"] is None


async def test_m10_from_the_estimate_to_the_receipt(priced, cast):
    here = priced.block()
    passenger, driver, end = await ride(priced, cast, here, passengers=2)
    trip = await passenger.call("receipt.get", trip=end["ride"])
    assert end["payment"] == trip["payment"] == {"method": "cash", "state": "paid"}
    way = here.a.centre.distance(here.b.centre)
    assert way - 5 <= trip["distance_m"] <= way + 5 and 600 <= trip["duration_s"] <= 630
    parts = {part["name"]: part["amount"] for part in trip["fare"]["parts"]}
    assert parts == {
        "flag_fall": 350, "distance": (120 * trip["distance_m"] * 2 + 1000) // 2000,
        "time": (40 * trip["duration_s"] * 2 + 60) // 120, "passengers": 100}
    assert trip["fare"]["amount"] == end["fare"]["amount"] == sum(parts.values())
    assert trip["estimate"]["amount"] > 350 and trip["from_zone"] == here.a.id and trip["to_zone"] == here.b.id
    assert "passenger" not in trip
    assert await driver.call("receipt.get", trip=end["ride"]) == trip
    office = await cast.operator(priced)
    assert (await office.call("receipt.get", trip=end["ride"]))["passenger"] == passenger.subject
    other = await cast.rider(priced)
    await other.refused("receipt.get", "not_found", trip=end["ride"])

    asker = Asker(priced, "passenger", passenger.subject)
    assert asker.read(f"/v1/receipts/{end['ride']}") == trip
    headers = {"Authorization": f"Bearer {asker.token}", "Accept": "text/html"}
    page = priced.http(f"/v1/receipts/{end['ride']}", headers=headers)
    assert page.status == 200 and end["receipt"] in page.text and "<script" not in page.text
    style = re.search("<style>(.*)</style>", page.text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in page.headers["Content-Security-Policy"]
    assert priced.http(f"/v1/receipts/{end['ride']}").status == 401


async def test_m11_a_zone_with_a_toll_is_charged_where_the_taxi_surely_is(new_hub, cast):
    hub = new_hub(**TARIFF)
    here = hub.block()
    hub.write_config(fares__tolls=[f"{here.b.id}=5", f"{here.c.id}=2.5"])
    hub.start()
    passenger, driver, _, name = await aboard(hub, cast, here)
    # Good to 80 m it may be on either side of a border; then it is certain.
    await driver.fix(here.b.centre, accuracy=80)
    await driver.fix(here.c.centre)
    await driver.known()
    await hub.until("the toll", lambda: hub.redis.hget(hub.key(f"ride:{name}"), "tolls"))
    hub.redis.hincrby(hub.key(f"ride:{name}"), "aboard_at", -BACK_MS)
    end = await driver.call("ride.end", ride=name)
    parts = (await passenger.call("receipt.get", trip=name))["fare"]["parts"]
    assert [part for part in parts if part["name"] == "toll"] == [{"name": "toll", "amount": 250, "zone": here.c.id}]
    assert end["fare"]["amount"] == sum(part["amount"] for part in parts)
    await passenger.until("ride.ended", ride=name)
    check_city(hub)


async def test_m10_where_a_taxi_is_as_it_says_aboard_goes_by_its_last_fix(new_hub, cast):
    # What it says within seconds of the last time waits for those to be over, but for such a command.
    hub = new_hub(**TARIFF, positions__tick_ms=8_000).start()
    here = hub.block()
    driver, passenger = cast.driver(hub, here.a.stand), await cast.rider(hub)
    await driver.go_available()
    name = await passenger.request(here.a.centre, 1)
    await driver.accept(name)
    await driver.fix(here.a.centre.moved(north=100))
    await passenger.until("ride.near", ride=name)
    await driver.known()
    # It drives on, and says at once that somebody has got in.
    await driver.fix(here.a.centre.moved(north=600))
    await driver.call("ride.aboard", ride=name)
    assert hub.redis.hget(hub.key(f"ride:{name}"), "unmet") == "1"
    hub.redis.hincrby(hub.key(f"ride:{name}"), "requested_at", -BACK_MS)
    assert "receipt" not in await driver.call("ride.end", ride=name)
    await passenger.until("ride.ended", ride=name)
    check_city(hub)


async def test_m10_a_taxi_that_stands_still_has_no_fare(priced, cast):
    here = priced.block()
    passenger, driver, _, trip = await aboard(priced, cast, here)
    await driver.fix(here.a.centre.moved(north=60))
    await driver.known()
    priced.redis.hincrby(priced.key(f"ride:{trip}"), "aboard_at", -BACK_MS)
    end = await driver.call("ride.end", ride=trip)
    ended = await passenger.until("ride.ended", ride=trip)
    assert not {"receipt", "fare", "payment"} & (end.keys() | ended.keys()), (end, ended)
    await passenger.refused("receipt.get", "not_found", trip=trip)


async def test_m10_payments_are_reported_by_a_service_with_the_scope(priced, cast):
    here = priced.block()
    passenger, driver, end = await ride(priced, cast, here, payment="digital")
    trip = end["ride"]
    assert end["payment"] == {"method": "digital", "state": "pending"}
    stranger = await Service(priced, scope=None).greet()
    await stranger.refused("payment.report", "forbidden", trip=trip, state="paid")
    service = await Service(priced).greet()
    for card in ("4111-1111-1111-1111", "4111111111111111-0826", "41111111x11111111"):
        error = await service.refused("payment.report", "bad_message", "reference", trip=trip, state="paid", reference=card)
        assert "4111" not in error["detail"]
    error = await service.refused("payment.report", "not_available", trip=trip, state="refunded")
    assert "pending" in error["detail"]
    paid = await service.call("payment.report", trip=trip, state="paid", reference="pay_7Hq2", key="p")
    assert await service.call("payment.report", trip=trip, state="paid", reference="pay_7Hq2", key="p") == paid
    for client in (passenger, driver):
        await client.until("payment.changed", trip=trip, receipt=end["receipt"], payment={"method": "digital", "state": "paid"})
    # Somebody else has charged the passenger, too.
    other = await Service(priced).greet()
    error = await other.refused("payment.report", "not_available", trip=trip, state="paid", reference="other-9")
    assert "given back" in error["detail"] and "pay_7Hq2" not in error["detail"]
    await other.refused("payment.report", "not_available", trip=trip, state="refunded", reference="other-9")
    error = await other.refused("payment.report", "not_available", trip=trip, state="paid")
    assert "another service" in error["detail"]
    asker = Asker(priced, "service", service.subject)
    asker.token = service.token
    asker.done("payment.report", trip=trip, state="refunded")
    await passenger.until("payment.changed", trip=trip, payment={"method": "digital", "state": "refunded"})
    known = await passenger.call("receipt.get", trip=trip)
    assert known["payment"] == {"method": "digital", "state": "refunded", "reference": "pay_7Hq2"}
    assert "reference" not in (await driver.call("receipt.get", trip=trip))["payment"]
    for client in (service, stranger, other):
        client.hello_reply = None  # no channel of its own to settle


async def test_m10_only_the_passenger_wishes_to_pay_digitally(priced, cast):
    here = priced.block()
    passenger, driver, _, trip = await aboard(priced, cast, here)
    error = await driver.refused("ride.end", "not_available", ride=trip, payment="digital")
    assert "cash" in error["detail"]
    await driver.drive(here.b.centre, step=200)
    priced.redis.hincrby(priced.key(f"ride:{trip}"), "aboard_at", -BACK_MS)
    assert (await driver.call("ride.end", ride=trip, payment="cash"))["payment"] == {"method": "cash", "state": "paid"}
    await passenger.until("ride.ended", ride=trip)


async def test_m10_cash_of_a_ride_that_the_office_ends_is_settled_by_a_service(priced, cast):
    passenger, driver, _, trip = await aboard(priced, cast, priced.block())
    office = await cast.operator(priced)
    await office.call("office.end", ride=trip, reason="The phone is broken.")
    ended = await passenger.until("ride.ended", ride=trip)
    assert ended["payment"] == {"method": "cash", "state": "pending"}
    await driver.until("ride.cancelled", ride=trip)
    service = await Service(priced).greet()
    await service.call("payment.report", trip=trip, state="paid", reference="book-7")
    for client in (passenger, driver):
        await client.until("payment.changed", trip=trip, payment={"method": "cash", "state": "paid"})
    service.hello_reply = None  # no channel of its own to settle


async def test_m10_each_side_rates_once(priced, cast):
    here = priced.block()
    passenger, driver, end = await ride(priced, cast, here)
    trip = end["ride"]
    given = await passenger.call("trip.rate", trip=trip, stars=4, comment="Kind,\nand on time.", key="r")
    assert await passenger.call("trip.rate", trip=trip, stars=4, comment="Kind,\nand on time.", key="r") == given
    await passenger.refused("trip.rate", "not_available", trip=trip, stars=5)
    await driver.call("trip.rate", trip=trip, stars=5)
    for stars in (0, 6):
        await driver.refused("trip.rate", "bad_message", "stars", trip=trip, stars=stars)
    office = await cast.operator(priced)
    assert await office.call("ratings.get", role="driver", subject=driver.subject) == {
        "role": "driver", "subject": driver.subject, "count": 1, "mean": 4}
    assert (await driver.call("ratings.get"))["mean"] is None, "of fewer than five nobody is told who gave what"
    await driver.refused("ratings.get", "forbidden", role="passenger", subject=passenger.subject)
    await office.refused("ratings.get", "bad_message", "subject")


async def test_m10_pages_of_trips_and_their_table(priced, cast):
    here = priced.block()
    passenger, driver, end = await ride(priced, cast, here)
    whole = await passenger.call("trips.list")
    assert [trip["trip"] for trip in whole["trips"]] == [end["ride"]] and "next" not in whole
    asker = Asker(priced, "driver", driver.subject)
    assert [trip["trip"] for trip in asker.read("/v1/trips?limit=1")["trips"]] == [end["ride"]]
    table = priced.http("/v1/trips.csv", headers={"Authorization": f"Bearer {asker.token}"})
    assert table.headers["Content-Type"].startswith("text/csv")
    head, row = table.text.splitlines()
    assert head.startswith("receipt,trip,ended,driver") and row.startswith(f"{end['receipt']},{end['ride']},")
    assert f",{end['fare']['amount'] // 100}.{end['fare']['amount'] % 100:02}," in row
    assert table.headers["Link"] is None
    # One more: a table that ends before the last trip says where it goes on.
    priced.redis.copy(priced.key(f"ride:{end['ride']}"), priced.key("ride:r_before"))
    priced.redis.zadd(priced.key(f"trips:driver:{driver.subject}"), {"r_before": 1})
    first = priced.http("/v1/trips.csv?limit=1", headers={"Authorization": f"Bearer {asker.token}"})
    assert first.text == table.text and first.headers["Link"] == '</v1/trips.csv?from=r_before&limit=1>; rel="next"'
    last = priced.http("/v1/trips.csv?from=r_before&limit=1", headers={"Authorization": f"Bearer {asker.token}"})
    assert ",r_before," in last.text and last.headers["Link"] is None
    await passenger.refused("trips.list", "forbidden", role="driver", subject=driver.subject)
    office = await cast.operator(priced)
    listed = await office.call("trips.list", role="driver", subject=driver.subject)
    assert listed["trips"][0]["passenger"] == passenger.subject


async def test_m10_a_long_page_of_trips_is_one_reply_and_what_short_pages_are_together(priced, cast):
    here = priced.block()
    passenger, _, end = await ride(priced, cast, here)
    older = [f"r_{number}" for number in range(60)]
    for score, trip in enumerate(older, 1):
        priced.redis.copy(priced.key(f"ride:{end['ride']}"), priced.key(f"ride:{trip}"))
        priced.redis.zadd(priced.key(f"trips:passenger:{passenger.subject}"), {trip: score})
    expected = [end["ride"], *reversed(older)]
    office = await cast.operator(priced)
    person = {"role": "passenger", "subject": passenger.subject}
    whole = await office.call("trips.list", limit=100, **person)
    assert [trip["trip"] for trip in whole["trips"]] == expected and "next" not in whole
    assert {trip["fare"]["amount"] for trip in whole["trips"]} == {end["fare"]["amount"]}
    most = await office.call("trips.list", limit=60, **person)
    assert most == {"trips": whole["trips"][:60], "next": expected[60]}
    pages, place = [], {}
    while place is not None:
        page = await office.call("trips.list", limit=20, **person, **place)
        pages += page["trips"]
        place = {"from": page["next"]} if "next" in page else None
    assert pages == whole["trips"]
    own = await passenger.call("trips.list", limit=30)
    assert [trip["trip"] for trip in own["trips"]] == expected[:30] and own["next"] == expected[30]
    assert Asker(priced, "passenger", passenger.subject).read("/v1/trips?limit=30") == own
