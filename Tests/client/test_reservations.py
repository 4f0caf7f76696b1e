"""Taxis for a time ahead (V1 to V3): what is understood, what is told, and one ride whatever dies.

Hub time is set forward by hand, in Redis, where it is kept.
"""

import asyncio
import datetime
import json
import os
import signal
import time
import zoneinfo

import pytest

from kerbside import bus as buses, patience
from kerbside.asker import Asker
from kerbside.ledger import check_city
from kerbside.names import fresh
from test_callers import caller
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City, acts

MINUTE = 60_000
HOUR = 60 * MINUTE

#: Nobody here says that an offer was seen, and what has died may be away for seconds: offers wait for it.
PATIENT = {"dispatch__offer_seen_timeout_ms": 60_000, "dispatch__offer_timeout_ms": 300_000}


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


def now(hub):
    """Hub time, ms."""
    real, at = (float(hub.redis.hget(hub.key("settings"), f"clock_{name}")) for name in ("real", "hub"))
    return int(at + (time.time() * 1000 - real) * float(hub.redis.hget(hub.key("settings"), "clock_scale")))


async def come(hub, at):
    """It is so late now, for all. Functions look once a second whether the clock is another one, workers at each sweep."""
    pipe = hub.redis.pipeline(transaction=True)
    pipe.hincrbyfloat(hub.key("settings"), "clock_hub", at - now(hub))
    pipe.hset(hub.key("settings"), "version", f"set-{at}")
    pipe.execute()
    await asyncio.sleep(1.5 * patience.PACE)


def trip(here, at, passengers=2, **more):
    return {
        "pickup": here.a.centre.fields, "destination": here.b.centre.fields, "at": at, "passengers": passengers, **more}


async def ahead(client, hub, here, **more):
    """A reservation for in two hours and a minute; the reply."""
    return await client.call("reservation.make", **trip(here, now(hub) + 121 * MINUTE, **more))


async def on_time(hub, cast, here, count=1):
    """Drivers in the queue, whose devices have the hub's clock, or as far behind that it is not ahead at the end of a way."""
    drivers = []
    for _ in range(count):
        driver = cast.driver(hub, here.a.stand)
        driver.clock = now(hub) - 60_000
        await driver.go_available()
        drivers.append(driver)
    return drivers


def rides_of(hub, reservation):
    """Of the log: the rides that were begun for it."""
    log = [(row["type"], json.loads(row["data"])) for _, row in hub.redis.xrange(hub.key("events"))]
    ride = next(data["ride"] for kind, data in log if kind == "reservation.searching" and data["reservation"] == reservation)
    return [data["ride"] for kind, data in log if kind == "ride.requested" and data["ride"] == ride]


async def test_v1_each_reason_has_its_code(hub, cast):
    here, passenger = hub.block(), await cast.rider(hub)

    async def refused(code, field=None, **fields):
        return await passenger.refused("reservation.make", code, field, **trip(here, now(hub) + 3 * HOUR) | fields)

    error = await refused("same_place", "destination", destination=here.a.centre.fields)
    assert "0 m from the pickup" in error["detail"]
    await refused("too_many_passengers", passengers=4)
    await refused("in_the_past", "at", at=now(hub) - MINUTE)
    await refused("too_soon", "at", at=now(hub) + 2 * HOUR - 1)
    await refused("too_far_ahead", "at", at=now(hub) + 48 * HOUR + MINUTE)
    await refused("outside_zones", pickup={"lat": -45.0, "lon": 9.0})
    wrong = [("passengers", 0), ("needs", ["A"])]
    if not isinstance(passenger, BinaryPassenger):  # the others can't be said in Protobuf
        wrong += [("pickup", 1), ("destination", None), ("at", "soon"), ("at", -1), ("needs", [])]
    for field, value in wrong:
        await refused("bad_message", field, **{field: value})
    await refused("bad_message", "pickup.lat", pickup={"lat": 91, "lon": 9})
    assert (await passenger.call("reservation.list")) == {"reservations": []}
    made = await passenger.call("reservation.make", **trip(here, now(hub) + 48 * HOUR - MINUTE, passengers=3))
    assert made["passengers"] == 3
    await passenger.call("reservation.cancel", reservation=made["reservation"])


@pytest.mark.parametrize(("start", "first", "local", "later_local"), [
    # Clocks are put back: 2:30 comes twice.
    ("2026-10-24T20:00:00Z", "2026-10-25T00:30:00+00:00", "2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"),
    # And forward: there is no 2:30.
    ("2027-03-27T20:00:00Z", "2027-03-28T00:30:00+00:00", "2027-03-28T01:30:00+01:00", "2027-03-28T03:30:00+02:00"),
], ids=["autumn", "spring"])
async def test_v1_c41_the_citys_clock_across_the_change_of_summer_time(new_hub, start, first, local, later_local, cast):
    hub = new_hub(clock__start=start).start()
    here = hub.block()
    [_], text = buses.community(1)
    text["time_zone"] = "Europe/Rome"
    buses.load(hub, text)
    clock = zoneinfo.ZoneInfo("Europe/Rome")
    east = int(clock.utcoffset(datetime.datetime.fromisoformat(start).replace(tzinfo=None)).total_seconds())
    await hub.until("its clock", lambda: hub.redis.hget(hub.key("settings"), "utc_offset_s") == str(east))
    passenger = await cast.rider(hub)
    at = int(datetime.datetime.fromisoformat(first).timestamp() * 1000)
    one = await passenger.call("reservation.make", **trip(here, at))
    two = await passenger.call("reservation.make", **trip(here, at + HOUR))
    assert (one["local"], two["local"], one["time_zone"]) == (local, later_local, "Europe/Rome")
    assert (one["at"], two["at"]) == (at, at + HOUR), "absolute, whatever clocks show"
    for made in (one, two):
        assert datetime.datetime.fromisoformat(made["local"]).timestamp() * 1000 == made["at"]
    assert [each["local"] for each in (await passenger.call("reservation.list"))["reservations"]] == [local, later_local]


async def test_v2_from_the_reservation_to_the_ride(new_hub, cast):
    hub = new_hub().start()
    here = hub.block()
    passenger = await cast.rider(hub)
    made = await ahead(passenger, hub, here, key="k")
    assert made == await ahead(passenger, hub, here, key="k"), "a repeated key gets the same reply"
    name, at = made["reservation"], made["at"]
    await passenger.expect("reservation.made", reservation=name, at=at)
    await come(hub, at - 60 * MINUTE)
    await passenger.expect("reservation.reminder", reservation=name, minutes=60, state="open")
    await come(hub, at - 11 * MINUTE)
    [driver] = await on_time(hub, cast, here)
    await come(hub, at - 10 * MINUTE)
    await passenger.expect("reservation.reminder", reservation=name, minutes=10)
    searching = await passenger.until("reservation.searching", reservation=name, reason="begun", minutes=10)
    ride = searching["ride"]
    await driver.accept(ride)
    told = await passenger.until("ride.accepted", ride=ride)
    assert (told["pickup"], told["destination"]) == (here.a.centre.fields, here.b.centre.fields) and told["passengers"] == 2
    assigned = await passenger.until("reservation.assigned", reservation=name, ride=ride, taxi=driver.subject)
    assert assigned["position"] is not None and assigned["eta_s"] is not None
    [listed] = (await passenger.call("reservation.list"))["reservations"]
    assert (listed["state"], listed["ride"]) == ("assigned", ride)
    error = await passenger.refused("reservation.cancel", "too_late", reservation=name)
    assert "10 minutes" in error["detail"] and "ride.cancel" in error["detail"]
    await passenger.connect()
    assert passenger.snapshot["reservations"] == [listed]
    # Given back, and taken by the next.
    other = (await on_time(hub, cast, here))[0]
    await driver.call("ride.cancel", ride=ride)
    await passenger.until("reservation.searching", reservation=name, reason="driver_cancelled", ride=ride)
    await other.accept_next(ride)
    await passenger.until("reservation.assigned", taxi=other.subject)
    await other.drive(here.a.centre)
    await passenger.until("ride.arrived", ride=ride)
    await other.call("ride.aboard", ride=ride)
    await other.call("ride.end", ride=ride)
    await passenger.until("ride.ended", ride=ride)
    assert (await passenger.call("reservation.list")) == {"reservations": []}
    assert rides_of(hub, name) == [ride]
    check_city(hub)


async def test_q9_the_office_takes_back_a_reservation_in_each_state(new_hub, cast):
    hub = new_hub().start()
    here, office = hub.block(), await cast.operator(hub)
    office_cancels = {"reason": "The street is closed."}
    passenger = await cast.rider(hub)
    name = (await ahead(passenger, hub, here))["reservation"]
    reply = await office.call("office.cancel", reservation=name, key="k", **office_cancels)
    assert (reply["reservation"], reply["state"]) == (name, "cancelled")
    told = await passenger.until("reservation.cancelled", reservation=name, by="operator", text="The street is closed.")
    assert isinstance(told["at"], int) and "ride" not in told
    assert await office.call("office.cancel", reservation=name, key="k", **office_cancels) == reply
    assert await passenger.call("reservation.list") == {"reservations": []}
    await office.refused("office.cancel", "not_available", reservation=name, **office_cancels)
    await office.refused("office.cancel", "not_found", reservation="v_none", **office_cancels)
    await office.refused("office.cancel", "bad_message", reservation=name, ride="r_1", **office_cancels)
    await office.refused("office.end", "bad_message", reservation=name, **office_cancels)

    made = await ahead(passenger, hub, here)
    name = made["reservation"]
    await come(hub, made["at"] - 11 * MINUTE)
    [driver] = await on_time(hub, cast, here)
    await come(hub, made["at"] - 10 * MINUTE)
    ride = (await passenger.until("reservation.searching", reservation=name))["ride"]
    await driver.accept(ride)
    await passenger.until("reservation.assigned", reservation=name)
    await office.call("office.cancel", reservation=name, **office_cancels)
    await passenger.until("reservation.cancelled", reservation=name, by="operator", text="The street is closed.")
    for one in (passenger, driver):
        await one.until("ride.cancelled", ride=ride, by="operator", text="The street is closed.")
    assert await passenger.call("reservation.list") == {"reservations": []}
    entries = [entry for entry in (await office.call("office.audit"))["entries"] if entry["command"] == "office.cancel"]
    assert [entry["before"]["state"] for entry in entries] == ["assigned", "open"]
    assert all(entry["target"].startswith("reservation:v_") and entry["after"] == {"state": "cancelled"} for entry in entries)
    check_city(hub)


@pytest.mark.parametrize("payment", ["digital", "cash", None])
async def test_v1_m10_how_a_reserved_ride_is_paid_its_passenger_says(new_hub, cast, payment):
    hub = new_hub(fares__flag_fall=3.5, fares__per_km=1.2, fares__booking=3).start()
    here = hub.block()
    passenger = await cast.rider(hub)
    wished = {"payment": "digital"} if payment == "digital" else {}
    made = await ahead(passenger, hub, here, **({"payment": payment} if payment else {}))
    event = await passenger.until("reservation.made", reservation=made["reservation"])
    [listed] = (await passenger.call("reservation.list"))["reservations"]
    question = {"pickup": here.a.centre.fields, "destination": here.b.centre.fields, "passengers": 2, "at": made["at"]}
    now_fare, fare = [(await passenger.call("fare.estimate", **question, reserved=it))["fare"] for it in (False, True)]
    assert fare["amount"] == now_fare["amount"] + 300 and {"name": "booking", "amount": 300} in fare["parts"]
    fare = {name: fare[name] for name in ("amount", "currency")}
    for told in (made, event, listed):
        assert told["fare"] == fare
        assert {"payment": told["payment"]} == wished if wished else "payment" not in told
    await come(hub, made["at"] - 11 * MINUTE)
    [driver] = await on_time(hub, cast, here)
    await come(hub, made["at"] - 10 * MINUTE)
    ride = (await passenger.until("reservation.searching", reason="begun"))["ride"]
    assert (await driver.accept(ride)).get("payment") == wished.get("payment")
    await driver.drive(here.a.centre)
    await passenger.until("ride.arrived", ride=ride)
    await driver.call("ride.aboard", ride=ride)
    await driver.drive(here.b.centre, step=200)
    await driver.known()
    # What ends within a minute of its request is no trip.
    for moment in ("requested_at", "aboard_at"):
        hub.redis.hincrby(hub.key(f"ride:{ride}"), moment, -10 * MINUTE)
    if not wished:
        error = await driver.refused("ride.end", "not_available", ride=ride, payment="digital")
        assert "cash" in error["detail"]
    method, state = ("digital", "pending") if wished else ("cash", "paid")
    assert (await driver.call("ride.end", ride=ride))["payment"] == {"method": method, "state": state}
    await passenger.until("ride.ended", ride=ride)
    receipt = await passenger.call("receipt.get", trip=ride)
    assert receipt["estimate"] == fare and {"name": "booking", "amount": 300} in receipt["fare"]["parts"]
    check_city(hub)


async def test_v2_c44_nobody_comes_and_that_is_said(new_hub, cast):
    hub = new_hub().start()
    here = hub.block()
    passenger = await cast.rider(hub)
    made = await ahead(passenger, hub, here)
    for left, minutes in ((10, 10), (8, 8), (5, 5)):
        await come(hub, made["at"] - left * MINUTE)
        told = await passenger.until("reservation.searching", reservation=made["reservation"], minutes=minutes)
        assert told["until"] == made["at"] + 5 * MINUTE
    await come(hub, told["until"])
    failed = await passenger.until("reservation.failed", reservation=made["reservation"])
    assert failed["detail"].endswith("Ask for a taxi now with ride.request.")
    assert (await passenger.call("reservation.list")) == {"reservations": []}
    # So it does.
    await on_time(hub, cast, here)
    await passenger.call("ride.request", **here.a.centre.fields, passengers=1)
    await passenger.call("ride.cancel")


async def test_v3_over_http(hub):
    here = hub.block()
    passenger, stranger = Asker(hub, "passenger", fresh("p")), Asker(hub, "passenger", fresh("p"))
    wish = trip(here, now(hub) + 5 * HOUR, needs=["wheelchair"])
    later = passenger.done("reservation.make", "k1", **wish | {"at": now(hub) + 6 * HOUR})
    made = passenger.done("reservation.make", "k2", **wish)
    assert passenger.done("reservation.make", "k2", **wish) == made
    assert passenger.done("reservation.list")["reservations"] == [made, later] and made["needs"] == ["wheelchair"]
    assert passenger.refused("reservation.make", "too_soon", **wish | {"at": now(hub) + HOUR}).status == 409
    stranger.refused("reservation.cancel", "not_found", reservation=made["reservation"])
    assert stranger.done("reservation.list")["reservations"] == []
    off = {"reservation": made["reservation"], "state": "cancelled"}
    assert passenger.done("reservation.cancel", "c1", reservation=made["reservation"]) == off
    assert passenger.done("reservation.cancel", "c2", reservation=made["reservation"]) == off, "it is so already"
    assert passenger.done("reservation.list")["reservations"] == [later]
    passenger.done("reservation.cancel", reservation=later["reservation"])
    for role in ("operator", "service", "driver", "bus_driver"):
        assert Asker(hub, role, fresh("x")).post("reservation.make", **wish).status in (403, 409)


async def test_v3_devices_of_one_passenger_know_the_same(new_hub, cast):
    hub = new_hub().start()
    here = hub.block()
    passenger = await cast.rider(hub)
    tablet = passenger.twin()
    await tablet.connect()
    made = await ahead(passenger, hub, here)
    await tablet.until("reservation.made", reservation=made["reservation"])
    await tablet.call("reservation.cancel", reservation=made["reservation"])
    await passenger.until("reservation.cancelled", reservation=made["reservation"], by="passenger")


async def test_v1_b18_an_operator_reserves_for_who_telephones(new_hub, cast):
    hub = new_hub().start()
    here, office = hub.block(), await cast.operator(hub)
    await office.call("subscribe", channel="office")
    ada, ada_is = caller()
    made = await ahead(office, hub, here, on_behalf_of=ada, key="a", payment="digital")
    assert made["payment"] == "digital"
    assert (await office.call("reservation.list", on_behalf_of=ada))["reservations"] == [made]

    async def told(event):
        return await office.wait(lambda: next(
            (m["data"] for m in office.pushed if m["ch"] == "office" and m["type"] == "caller.told"
             and m["data"]["passenger"] == ada_is and m["data"]["event"] == event), None), event)

    assert (await told("reservation.made"))["local"] == made["local"]
    await come(hub, made["at"] - 11 * MINUTE)
    [driver] = await on_time(hub, cast, here)
    await come(hub, made["at"] - 10 * MINUTE)
    ride = (await told("reservation.searching"))["ride"]
    taken = await driver.accept(ride)
    assert (taken["contact"], taken["payment"]) == (ada, "digital")
    assert (await told("reservation.assigned"))["taxi"] == driver.subject
    other = await ahead(office, hub, here, on_behalf_of=ada)
    await office.call("reservation.cancel", reservation=other["reservation"], on_behalf_of=ada)
    assert [(act["command"], act["target"]) for act in await acts(office)] == [
        ("reservation.cancel", f"reservation:{other['reservation']}"), ("reservation.make", f"reservation:{other['reservation']}"),
        ("reservation.make", f"reservation:{made['reservation']}")]


@pytest.mark.parametrize("victim", ["workers", "redis"])
async def test_c43_one_ride_each_though_workers_or_redis_die_as_the_search_begins(new_hub, cast, victim):
    hub = new_hub(**PATIENT).start()
    here = hub.block()
    passengers = [await cast.rider(hub) for _ in range(8)]
    at = now(hub) + 121 * MINUTE
    made = [(await passenger.call("reservation.make", **trip(here, at)))["reservation"] for passenger in passengers]
    # Written through every second; then it may die.
    await asyncio.sleep(1.5)
    await come(hub, at - 10 * MINUTE - 1_000)
    await asyncio.sleep(0.9)
    if victim == "redis":
        os.kill(hub.redis_pid(), signal.SIGKILL)
        hub._redis = None
    else:
        await hub.kill_workers(*hub.workers())
    await hub.until("ready", hub.is_ready, patience.PROCESS)
    # What was set at the end may be lost with Redis.
    await come(hub, at - 9 * MINUTE)
    for name in made:
        await hub.until("its ride", lambda name=name: hub.redis.hget(hub.key(f"reservation:{name}"), "state") == "searching")
    drivers = await on_time(hub, cast, here, len(made))
    for driver in drivers:
        ride = (await driver.offered())["ride"]
        await driver.call("offer.accept", ride=ride)
    for passenger, name in zip(passengers, made, strict=True):
        if passenger.closed:
            await passenger.back()
        await passenger.until("reservation.assigned", reservation=name)
        begun = [e for e in passenger.events if e["type"] == "reservation.searching" and e["data"]["reason"] == "begun"]
        assert len(begun) == 1 and len(rides_of(hub, name)) == 1
    assert len({driver.events[-1]["data"]["ride"] for driver in drivers}) == len(made)
    check_city(hub)
