"""What becomes of reservations as time goes by: when they are told of, when searched for, who is asked (V2, C42 to C46)."""

import pytest

from kerbside.asker import Asker
from kerbside.ledger import check_city
from kerbside.watcher import BinaryWatcher
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_reservations import HOUR, MINUTE, PATIENT, ahead, come, now, on_time, trip
from test_search import Searchers

BINARY = (BinaryDriver, BinaryPassenger)


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(*BINARY, BinaryOperator)


@pytest.fixture(params=["json", "protobuf"])
def searchers(request):
    return Searchers() if request.param == "json" else Searchers(*BINARY, BinaryWatcher)


async def test_c46_the_same_trip_on_two_days_is_two_reservations(new_hub, cast):
    hub = new_hub(**PATIENT).start()
    here, passenger = hub.block(), await cast.rider(hub)
    first = await ahead(passenger, hub, here, key="monday")
    second = await passenger.call("reservation.make", **trip(here, first["at"] + 24 * HOUR), key="tuesday")
    # Nor are two for the same time one.
    third = await passenger.call("reservation.make", **trip(here, first["at"] + 24 * HOUR), key="another")
    names = [made["reservation"] for made in (first, second, third)]
    assert len(set(names)) == 3
    await passenger.call("reservation.cancel", reservation=names[2])
    await passenger.until("reservation.cancelled", reservation=names[2])
    # The link is lost meanwhile; what was told is there when it is back.
    await passenger.cut()
    await come(hub, first["at"] - 60 * MINUTE)
    await come(hub, first["at"] - 59 * MINUTE)
    await passenger.resume()
    reminder = await passenger.expect("reservation.reminder", reservation=names[0], minutes=60, state="open")
    assert (reminder["at"], reminder["local"]) == (first["at"], first["local"])
    await come(hub, first["at"] - 10 * MINUTE)
    await passenger.expect("reservation.reminder", reservation=names[0], minutes=10)
    begun = await passenger.until("reservation.searching", reservation=names[0])
    await passenger.call("ride.cancel", ride=begun["ride"])
    await passenger.until("reservation.cancelled", reservation=names[0], by="passenger")
    await passenger.expect("ride.cancelled", ride=begun["ride"])
    assert (await passenger.call("reservation.list"))["reservations"] == [second]
    # The hub was away at the hour: what is left then is said, once.
    await come(hub, second["at"] - 42 * MINUTE)
    await passenger.expect("reservation.reminder", reservation=names[1], minutes=42, state="open")
    await come(hub, second["at"] - 10 * MINUTE)
    [driver] = await on_time(hub, cast, here)
    ride = (await passenger.until("reservation.searching", reservation=names[1]))["ride"]
    assert ride != begun["ride"]
    await driver.accept(ride)
    await passenger.until("reservation.assigned", reservation=names[1], taxi=driver.subject)
    await come(hub, second["at"] - 9 * MINUTE)
    await passenger.nothing_more()
    reminders = [(m["data"]["reservation"], m["data"]["minutes"]) for m in passenger.events if m["type"] == "reservation.reminder"]
    assert reminders == [(names[0], 60), (names[0], 10), (names[1], 42), (names[1], 10)], "two workers sweep, each is told once"
    check_city(hub)


@pytest.mark.parametrize(("metres", "minutes"), [(1000, 16), (100, 10)])
async def test_c42_the_search_begins_as_early_as_the_nearest_taxi_needs(new_hub, cast, metres, minutes):
    # By road at 5 km/h a kilometre takes 16 minutes and 12 seconds, and two rounds of offers 20 seconds.
    hub = new_hub(eta__speed_kmh=5, dispatch__stale_after_ms=3_600_000, dispatch__offer_timeout_ms=10_000).start()
    here, passenger = hub.block(), await cast.rider(hub)
    made = await ahead(passenger, hub, here)
    await come(hub, made["at"] - 60 * MINUTE)
    driver = cast.driver(hub, here.a.centre.moved(north=metres))
    driver.clock = now(hub) - MINUTE
    await driver.go_available()
    for left in (18, 17):
        await come(hub, made["at"] - left * MINUTE)
        [listed] = (await passenger.call("reservation.list"))["reservations"]
        assert listed["state"] == "open"
    if minutes < 16:
        await come(hub, made["at"] - (minutes + 1) * MINUTE)
        [listed] = (await passenger.call("reservation.list"))["reservations"]
        assert listed["state"] == "open"
    await come(hub, made["at"] - minutes * MINUTE)
    begun = await passenger.until("reservation.searching", reservation=made["reservation"], reason="begun", minutes=minutes)
    await driver.offered(begun["ride"])


async def test_v2_c45_one_order_for_those_who_reserved_and_those_who_ask_now(new_hub, searchers):
    cast = searchers
    hub = new_hub(**PATIENT, dispatch__wait_ms=600_000).start()
    here, passenger = hub.block(), await cast.rider(hub)
    made = await ahead(passenger, hub, here)
    await come(hub, made["at"] - 10 * MINUTE - 5_000)
    _before, first = await cast.waiting(hub, here)
    await come(hub, made["at"] - 10 * MINUTE)
    ride = (await passenger.until("reservation.searching", reservation=made["reservation"], reason="begun"))["ride"]
    _after, second = await cast.waiting(hub, here)
    _later, third = await cast.waiting(hub, here)
    drivers = []

    async def comes(due):
        [driver] = await on_time(hub, cast, here)
        await driver.accept(due)
        drivers.append(driver)

    await comes(first["ride"])
    await comes(ride)
    await passenger.until("reservation.assigned", taxi=drivers[-1].subject)
    # It is given back: whoever gave it back is asked for the next, and it is first in line for all others.
    await drivers[-1].call("ride.cancel", ride=ride)
    await passenger.until("reservation.searching", reservation=made["reservation"], reason="driver_cancelled")
    await drivers[-1].until("offer.made", ride=second["ride"])
    await comes(ride)
    await passenger.until("reservation.assigned", taxi=drivers[-1].subject)
    await comes(third["ride"])
    check_city(hub)


async def test_v2_c26_c27_who_can_take_it_is_asked_around_too(new_hub, searchers):
    """The zones around are asked, though `dispatch.neighbours` is 0. Who lacks what is needed keeps its place."""
    cast = searchers
    hub = new_hub(**PATIENT, dispatch__look_again_ms=1000, dispatch__stale_after_ms=3_600_000).start()
    here, passenger = hub.block(), await cast.rider(hub)
    made = await ahead(passenger, hub, here, needs=["wheelchair"])
    await come(hub, made["at"] - 10 * MINUTE)
    ride = (await passenger.until("reservation.searching", reservation=made["reservation"], reason="begun"))["ride"]
    [plain] = await on_time(hub, cast, here)
    far = await equipped(hub, cast, here.c.stand)
    near = await equipped(hub, cast, here.b.stand)
    await near.accept(ride)
    assigned = await passenger.until("reservation.assigned", reservation=made["reservation"], taxi=near.subject)
    assert assigned["ride"] == ride
    for one in (plain, far):
        await one.nothing_more()
    assert (await plain.state("queue.rank", lambda data: data["rank"] == 1))["zone"] == here.a.id
    check_city(hub)


async def equipped(hub, cast, at):
    """A driver, available, whose car takes a wheelchair."""
    office = cast.operator(hub)
    await office.connect()
    driver = cast.driver(hub, at)
    driver.clock = now(hub) - MINUTE
    await office.call("vehicles.set", vehicle=driver.subject, plate="AB 1", capabilities=["wheelchair"])
    await driver.go_available()
    return driver


async def test_v3_over_http_a_passenger_without_a_connection_reads_who_comes(new_hub):
    hub = new_hub(**PATIENT).start()
    here, cast = hub.block(), City()
    asker = Asker(hub, "passenger", "p-http")
    made = asker.done("reservation.make", "k", **trip(here, now(hub) + 121 * MINUTE))
    assert asker.read("/v1/requests")["reservations"] == [made]
    await come(hub, made["at"] - 10 * MINUTE)
    [driver] = await on_time(hub, cast, here)

    def listed():
        [one] = asker.done("reservation.list")["reservations"]
        return one

    await hub.until("the search", lambda: listed()["state"] == "searching")
    asker.refused("reservation.cancel", "too_late", reservation=made["reservation"])
    ride = listed()["ride"]
    asker.refused("ride.request", "already_requested", **here.a.centre.fields, passengers=1)
    await driver.accept(ride)
    state = asker.read("/v1/requests")
    assert (state["ride"]["ride"], state["ride"]["taxi"]) == (ride, driver.subject)
    assert (listed()["state"], listed()["ride"]) == ("assigned", ride)
    asker.done("ride.cancel", "off", ride=ride)
    assert asker.done("reservation.list") == {"reservations": []}
    assert asker.done("reservation.cancel", reservation=made["reservation"])["state"] == "cancelled", "it is so already"
    check_city(hub)
