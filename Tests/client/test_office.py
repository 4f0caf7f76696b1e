"""What an operator asks and does by hand, whom it concerns, and what the audit says of it."""

import asyncio
import json
import time

import pytest

from conftest import Cast
from kerbside import patience
from kerbside.bus import BusDriver
from kerbside.driver import Driver
from kerbside.hub import run
from kerbside.minibus import trip
from kerbside.names import fresh
from kerbside.operator import Operator
from kerbside.passenger import Passenger
from kerbside.protobuf import Binary
from kerbside.somebody import BinarySomebody, Somebody
from kerbside.stops import serve

ACTS = {
    "office.queue": {"zone": "1"},
    "office.driver": {"driver": "T1"},
    "office.ride": {"ride": "r_1"},
    "office.remove": {"driver": "T1", "reason": "Why."},
    "office.put": {"driver": "T1", "reason": "Why."},
    "office.offer": {"ride": "r_1", "driver": "T1"},
    "office.reassign": {"ride": "r_1", "reason": "Why."},
    "office.cancel": {"ride": "r_1", "reason": "Why."},
    "office.end": {"ride": "r_1", "reason": "Why."},
    "office.block": {"role": "driver", "subject": "T1", "reason": "Why."},
    "office.unblock": {"role": "driver", "subject": "T1"},
    "office.session_end": {"role": "driver", "subject": "T1", "reason": "Why."},
    "office.audit": {},
}


class BinaryDriver(Binary, Driver):
    pass


class BinaryPassenger(Binary, Passenger):
    pass


class BinaryOperator(Binary, Operator):
    pass


class City(Cast):
    """Actors of one encoding, the office included."""

    def __init__(self, driver=Driver, passenger=Passenger, office=Operator):
        super().__init__(driver, passenger)
        self._office = office

    async def operator(self, hub, role="operator"):
        office = self._office(hub, fresh("office-"), role)
        await office.connect()
        return office


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


@pytest.fixture(scope="module")
def town():
    """A village with lines."""
    yield from serve()


async def acts(office, **fields):
    """What the audit has of this operator, the newest first."""
    found = await office.call("office.audit", **fields)
    return [entry for entry in found["entries"] if entry["operator"] == office.subject]


def soon():
    """A while from now, Unix ms."""
    return int(time.time() * 1000) + int(2_000 * patience.PACE)


async def test_a_queue_a_driver_and_a_ride_are_told(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    first, second, third = await cast.queue(hub, here.a.stand, 3)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre, passengers=2, destination=here.b.centre.fields)
    await first.offered(ride)
    await third.cut()
    await hub.until("it is away", lambda: hub.redis.hexists(hub.key(f"vehicle:{third.subject}"), "away"))
    queue = await office.call("office.queue", zone=here.a.id)
    assert (queue["zone"], queue["size"], queue["more"]) == (here.a.id, 3, False)
    assert [(row["driver"], row["rank"], row["state"]) for row in queue["drivers"]] == [
        (first.subject, 1, "offered"), (second.subject, 2, "waiting"), (third.subject, 3, "away"),
    ]
    assert queue["drivers"][0]["offer"] == ride
    assert queue["drivers"][1]["position"] == second.place.fields | {"at": second.clock}
    since = [row["since"] for row in queue["drivers"]]
    assert since == sorted(since)
    told = await office.call("office.driver", driver=third.subject)
    assert not told["connected"] and told["away"]["why"] == "connection_lost" and told["rank"] == 3
    offered = await office.call("office.ride", ride=ride)
    assert (offered["state"], offered["offered_to"], offered["passenger"]) == ("offered", first.subject, rider.subject)
    await first.call("offer.accept", ride=ride)
    accepted = await office.call("office.ride", ride=ride)
    assert (accepted["state"], accepted["driver"], accepted["passengers"]) == ("accepted", first.subject, 2)
    assert accepted["pickup"] == here.a.centre.fields and accepted["destination"] == here.b.centre.fields
    assert accepted["requested_at"] <= accepted["accepted_at"] and "aboard_at" not in accepted
    told = await office.call("office.driver", driver=first.subject)
    assert (told["state"], told["ride"], told["connected"]) == ("busy", ride, True) and "zone" not in told
    assert await acts(office) == [], "who only looks leaves no entry"


async def test_what_there_is_not_is_refused(hub, cast):
    office = await cast.operator(hub)
    assert (await office.refused("office.queue", "not_found", zone="nowhere"))["field"] == "zone"
    await office.refused("office.driver", "not_found", driver="nobody")
    await office.refused("office.ride", "not_found", ride="r_none")
    await office.refused("office.remove", "not_found", driver="nobody", reason="Why.")
    await office.refused("office.cancel", "not_found", ride="r_none", reason="Why.")
    await office.refused("office.unblock", "not_available", role="driver", subject="nobody")
    await office.refused("office.audit", "bad_message", **{"from": "x"})
    for command, field, wrong in [
        ("office.remove", "reason", ""), ("office.remove", "reason", "two\nlines"), ("office.cancel", "reason", "x" * 201),
        ("office.block", "role", "operator"), ("office.block", "until", 32_503_680_000_001), ("office.audit", "limit", 101),
        ("office.audit", "limit", 0), ("office.unblock", "subject", "two words"),
    ]:
        await office.refused(command, "bad_message", field=field, **ACTS[command] | {field: wrong})
    past = {"until": int(time.time() * 1000) - 60_000}
    assert "`until`" in (await office.refused("office.block", "bad_message", **ACTS["office.block"] | past))["detail"]
    assert await acts(office) == []


async def test_taken_out_of_its_queue(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    first, second = await cast.queue(hub, here.a.stand, 2)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await first.offered(ride)
    wish = {"driver": first.subject, "reason": "The car is empty.", "key": "out"}
    removed = await office.call("office.remove", **wish)
    assert removed == {"driver": first.subject, "state": "unavailable", "audit": removed["audit"]}
    await first.expect("queue.left", zone=here.a.id, reason="operator", text="The car is empty.")
    await first.expect("offer.withdrawn", ride=ride)
    assert await office.call("office.remove", **wish) == removed, "repeated"
    [entry] = await acts(office)
    assert entry | {"time": 0} == {
        "id": removed["audit"], "time": 0, "operator": office.subject, "command": "office.remove",
        "target": f"driver:{first.subject}", "reason": "The car is empty.",
        "before": {"state": "available", "zone": here.a.id, "rank": 1}, "after": {"state": "unavailable"},
    }
    # No fix brings it back, only its own word does.
    await first.fix()
    await first.barrier()
    assert (await office.call("office.driver", driver=first.subject))["state"] == "unavailable"
    await second.accept(ride)
    error = await office.refused("office.remove", "not_available", driver=second.subject, reason="Why.")
    assert ride in error["detail"] and "office.cancel" in error["detail"]
    await office.refused("office.remove", "not_available", driver=first.subject, reason="Why.")
    assert len(await acts(office)) == 1
    assert (await first.call("driver.available"))["rank"] == 1


async def test_a_minibus_is_taken_offline_and_told(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    minibus, rider = cast.minibus(hub, here.a.stand), await cast.rider(hub)
    await minibus.go_online()
    await rider.call("seat.book", vehicle=minibus.subject, **trip(here.a.centre, here.b.centre))
    await office.call("office.remove", driver=minibus.subject, reason="No seat belts.")
    assert "No seat belts." in (await minibus.until("notice"))["text"]
    assert (await rider.until("seat.declined"))["reason"] == "offline"
    assert (await rider.call("vehicle.get", vehicle=minibus.subject))["state"] == "unavailable"


@pytest.mark.parametrize("state", ["searching", "offered", "accepted"])
async def test_a_ride_is_cancelled_by_the_office(hub, cast, state):
    here, office = hub.block(), await cast.operator(hub)
    first, second = await cast.queue(hub, here.a.stand, 2)
    rider = await cast.rider(hub)
    if state == "searching":
        for driver in (first, second):
            other = await cast.rider(hub)
            await other.request(here.a.centre)
            await driver.until("offer.made")
    ride = await rider.request(here.a.centre)
    if state == "offered":
        await first.offered(ride)
    elif state == "accepted":
        await first.accept(ride)
    assert (await office.call("office.ride", ride=ride))["state"] == state
    wish = {"ride": ride, "reason": "She has called: no taxi.", "key": "off"}
    reply = await office.call("office.cancel", **wish)
    assert reply == await office.call("office.cancel", **wish)
    told = {"ride": ride, "by": "operator", "reason": "operator", "text": "She has called: no taxi."}
    await rider.until("ride.cancelled", **told)
    if state == "accepted":
        await first.expect("ride.cancelled", **told)
        await first.expect("queue.joined", reason="restored", rank=1)
    elif state == "offered":
        await first.expect("offer.withdrawn", ride=ride, reason="cancelled")
    assert [row["driver"] for row in (await office.call("office.queue", zone=here.a.id))["drivers"]] == [
        first.subject, second.subject,
    ]
    [entry] = await acts(office)
    assert (entry["id"], entry["target"], entry["before"]["state"]) == (reply["audit"], f"ride:{ride}", state)
    assert entry["before"]["passenger"] == rider.subject and entry["after"] == {"state": "cancelled"}
    await office.refused("office.cancel", "not_available", ride=ride, reason="Why.")
    # Nobody's count has gone up.
    assert not hub.redis.exists(hub.key(f"cancels:{rider.subject}"), hub.key(f"cancels:driver:{first.subject}"))
    if state != "searching":
        ride = await rider.request(here.a.centre)
        await first.offered(ride)


async def test_with_passengers_aboard_a_ride_is_not_cancelled(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    await driver.call("ride.aboard")
    await office.refused("office.cancel", "not_available", ride=ride, reason="Why.")
    await driver.call("ride.end")
    await office.refused("office.cancel", "not_available", ride=ride, reason="Why.")
    assert (await office.call("office.ride", ride=ride))["state"] == "ended"
    assert await acts(office) == []


async def test_a_blocked_driver_is_taken_out_and_not_let_in_again(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    first, second = await cast.queue(hub, here.a.stand, 2)
    until = soon() + 3_600_000
    who = {"role": "driver", "subject": first.subject}
    wish = who | {"reason": "Rude to passengers.", "until": until, "key": "block"}
    blocked = await office.call("office.block", **wish)
    assert (blocked["state"], blocked["until"]) == ("unavailable", until)
    assert await office.call("office.block", **wish) == blocked
    left = await first.expect("queue.left", zone=here.a.id, reason="operator")
    for text in (left["text"], (await first.refused("driver.available", "forbidden"))["detail"]):
        assert "Rude to passengers." in text and "office" in text and time.strftime("%Y-%m-%d", time.gmtime(until / 1000)) in text
    error = await first.refused("driver.available", "forbidden")
    assert error["retry"] and 0 < error["retry_after_ms"] <= until - blocked["since"]
    assert (await office.call("office.driver", driver=first.subject))["blocked"] == {
        "reason": "Rude to passengers.", "by": office.subject, "since": blocked["since"], "until": until,
    }
    unblocked = await office.call("office.unblock", **who, key="un")
    assert await office.call("office.unblock", **who, key="un") == unblocked
    assert (await first.call("driver.available"))["rank"] == 2
    # For good, on a ride: that is finished.
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await second.accept(ride)
    await office.call("office.block", role="driver", subject=second.subject, reason="Drunk.")
    assert "Drunk." in (await second.until("notice"))["text"]
    await second.call("ride.aboard")
    assert (await second.call("ride.end")) == {"ride": ride, "state": "unavailable", "reason": "blocked"}
    error = await second.refused("driver.available", "forbidden")
    assert not error["retry"] and "until" not in error["detail"]
    assert [entry["command"] for entry in await acts(office)] == ["office.block", "office.unblock", "office.block"]
    facts = [(entry["before"]["blocked"], entry["after"]["blocked"]) for entry in await acts(office)]
    assert facts == [(False, True), (True, False), (False, True)]


async def test_a_block_ends_by_itself(hub, cast):
    here, office = hub.block(), await cast.operator(hub)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    await office.call("office.block", role="driver", subject=driver.subject, reason="A short one.", until=soon())
    await driver.until("queue.left")
    error = await driver.refused("driver.available", "forbidden")
    await asyncio.sleep(error["retry_after_ms"] / 1000 + 0.01)
    assert (await driver.call("driver.available"))["rank"] == 1
    assert "blocked" not in await office.call("office.driver", driver=driver.subject)


async def test_a_blocked_passenger_asks_for_nothing(town, line, cast):
    office, rider = await cast.operator(town), await cast.rider(town)
    here = town.block()
    [driver] = await cast.queue(town, here.a.stand, 1)
    minibus = cast.minibus(town, here.a.stand)
    await minibus.go_online()
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    await office.call("office.block", role="passenger", subject=rider.subject, reason="Did not pay.")
    assert "Did not pay." in (await rider.until("notice"))["text"]
    await driver.call("ride.aboard")
    await driver.call("ride.end")
    await rider.until("ride.ended", ride=ride)
    wishes = {
        "ride.request": {**here.a.centre.fields, "passengers": 1},
        "seat.book": {"vehicle": minibus.subject, **trip(here.a.centre, here.b.centre)},
        "stop.request": {"line": line.id, "stop": line.stops[2], "name": "Ada"},
    }
    for command, fields in wishes.items():
        error = await rider.refused(command, "forbidden", **fields)
        assert "Did not pay." in error["detail"] and "turn to the office" in error["detail"]
    await rider.cut()
    await rider.resume()
    await rider.refused("ride.request", "forbidden", **wishes["ride.request"])
    await office.call("office.unblock", role="passenger", subject=rider.subject)
    await rider.request(here.a.centre)


async def test_a_block_outlives_reconnects_workers_and_a_restart(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    here, office = hub.block(), await cast.operator(hub)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rider = await cast.rider(hub)
    for one in (driver, rider):
        await office.call("office.block", role=one.role, subject=one.subject, reason="For good.")
    await driver.until("queue.left")

    async def holds():
        for _ in range(4):  # both workers, as likely as not
            for one in (driver, rider):
                await one.resume()
            await driver.fix()
            await driver.refused("driver.available", "forbidden")
            await rider.refused("ride.request", "forbidden", **here.a.centre.fields, passengers=1)
            for one in (driver, rider):
                await one.cut()

    await holds()
    await hub.kill_workers(*hub.workers())
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)
    await holds()
    hub.stop()
    hub.start()
    await holds()
    await office.connect()
    assert [entry["command"] for entry in await acts(office)] == ["office.block"] * 2


async def test_the_audit_is_read_page_by_page_and_from_the_shell(hub, cast):
    office, other = await cast.operator(hub), await cast.operator(hub)
    for n in range(5):
        await office.call("office.block", role="passenger", subject=f"nobody-{n}", reason=f"No. {n}")
    await other.call("broadcast", to="bus_drivers", text="Hear this.", key="b")
    await other.call("broadcast", to="bus_drivers", text="Hear this.", key="b")
    seen, page = [], {"limit": 2}
    while page is not None and len(seen) < 6:
        reply = await office.call("office.audit", **page)
        assert len(reply["entries"]) <= 2
        seen += reply["entries"]
        page = {"limit": 2, "from": reply["next"]} if "next" in reply else None
    assert seen[0]["command"] == "broadcast" and seen[0]["operator"] == other.subject
    assert seen[0]["after"]["text"] == "Hear this." and seen[0]["target"] == "bus_drivers"
    assert [entry["reason"] for entry in seen[1:6]] == [f"No. {n}" for n in (4, 3, 2, 1, 0)]
    assert (await hub.logged("audit", id=seen[1]["id"]))["target"] == "passenger:nobody-4"
    printed = run("audit", "--config", hub.config, "-n", "6", "--json", check=True).stdout.splitlines()
    assert [json.loads(line) for line in printed] == seen[:6]
    lines = run("audit", "--config", hub.config, "-n", "2", check=True).stdout.splitlines()
    assert len(lines) == 2 and office.subject in lines[1] and "No. 4" in lines[1] and "passenger:nobody-4" in lines[1]


async def test_a_tour_that_an_operator_ends_is_in_the_audit(town, line, cast):
    office, driver = await cast.operator(town), BusDriver(town, line)
    tour = (await driver.begin())["tour"]
    for _ in range(2):
        await office.call("tour.end", tour=tour)
    [entry] = await acts(office)
    assert (entry["command"], entry["target"], entry["after"]) == ("tour.end", f"tour:{tour}", {"state": "ended"})
    assert entry["before"] == {"state": "running", "bus": line.bus, "line": line.id, "driver": driver.subject}
    assert "reason" not in entry



@pytest.mark.parametrize("kind", [Somebody, BinarySomebody], ids=["json", "protobuf"])
@pytest.mark.parametrize("role", ["driver", "passenger", "bus_driver", "service"])
async def test_the_office_is_for_operators_only(hub, role, kind):
    one = kind(hub, role)
    await one.enter()
    for command, fields in ACTS.items():
        assert role in (await one.refused(command, "forbidden", **fields))["detail"] or role == "bus_driver"
    one.leaves_open()


async def test_c60_queues_that_are_asked_for_at_once_are_told_whole_one_after_the_other(new_hub, cast):
    hub = new_hub(server__workers=1).start()
    here = hub.block()
    await cast.queue(hub, here.a.stand, 60)
    office = await cast.operator(hub)
    replies = await asyncio.gather(*(office.ask("office.queue", zone=here.a.id) for _ in range(12)))
    told = [reply["ok"] for reply in replies if "ok" in reply]
    # One under way, and eight that wait; what is more may be refused.
    assert len(told) >= 9 and all(queue["size"] == 60 == len(queue["drivers"]) for queue in told)
    assert {reply["error"]["code"] for reply in replies if "error" in reply} <= {"rate_limited"}
