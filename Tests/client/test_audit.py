"""The audit: each act of an operator leaves one entry, which says who, when, what, why, and how it was before and after; for good.

A scene carries out the acts that it names, by HTTP; `HttpDesk.act` insists on one entry for each.
"""

import json
import sqlite3
import time

import pytest

from kerbside import contract, patience
from kerbside.asker import Asker
from kerbside.bus import BusDriver
from kerbside.http_desk import HttpDesk
from kerbside.hub import run
from kerbside.minibus import book, trip
from kerbside.names import fresh
from kerbside.records_of_fleets import CAR, day, vehicle
from kerbside.somebody import sample
from kerbside.stops import on_tour, serve
from test_callers import caller
from test_seat_request import going, wish

HOUR = 3_600_000
#: Name → the commands that it carries out, in their order, and how.
SCENES = {}
#: What operators may send and leaves no entry.
ASKS = """office.queue office.driver office.ride office.audit sos.list report.list drivers.get drivers.list vehicles.get
    vehicles.list reservation.list reliability.of vehicle.get line.eta fare.estimate receipt.get ratings.get trips.list
    records.list""".split()
CONNECTION = "hello subscribe unsubscribe watch unwatch".split()
EXCEPTIONS = (
    dict.fromkeys(ASKS, "only asks")
    | dict.fromkeys(CONNECTION, "is of the operator's own connection")
    | {
        "report.send": "is everybody's; the report says who sent it, unless that is to be known to nobody",
        "publish": "is every service's, too; the event stands in the history of its topic, and changes nothing of the hub's",
    }
)


def scene(*commands):
    def taken(play):
        SCENES[play.__name__] = (commands, play)
        return play

    return taken


@pytest.fixture(scope="module")
def town():
    """A village with lines, on two workers, where who is lost is lost soon; what Redis has is recorded at once."""
    soon = {"dispatch__away_grace_ms": int(300 * patience.PACE), "dispatch__driver_lost_ms": int(900 * patience.PACE)}
    for town in serve(server__workers=2, redis__fsync="always", **soon):
        # Its process makes the tables, which may be a moment after the hub is ready.
        town.wait_until("the recorder records", lambda: '"message":"recording"' in town.log)
        yield town


def last_digits(person):
    """A passenger who telephones, as the audit has it."""
    return f"tel:...{person[-3:]}"


def says(act, target, before, after):
    entry = act.entry
    assert (entry["target"], entry["before"], entry["after"]) == (target, before, after)


@scene("office.remove", "office.put", "office.put")
async def queues(town, cast, desk):
    zone = town.block().a
    _, second, third = await cast.queue(town, zone.stand, 3)

    def at(rank):
        return {"state": "available", "zone": zone.id, "rank": rank}

    act = desk.act("office.remove", driver=second.subject, reason="The car is empty.")
    says(act, f"driver:{second.subject}", at(2), {"state": "unavailable"})
    act = desk.act("office.put", driver=second.subject, reason="By mistake.")
    says(act, f"driver:{second.subject}", {"state": "unavailable"}, at(2))
    act = desk.act("office.put", driver=third.subject, rank=1, reason="It came first.")
    says(act, f"driver:{third.subject}", at(3), at(1))


@scene("office.offer", "office.reassign", "office.cancel", "office.cancel", "office.end")
async def rides(town, cast, desk):
    here = town.block()
    first, second, third = await cast.queue(town, here.a.stand, 3)
    rider = await cast.rider(town)

    def now(state, driver):
        return {"state": state, "passenger": rider.subject, "driver": driver.subject}

    ride = await rider.request(here.a.centre)
    await first.offered(ride)
    act = desk.act("office.offer", ride=ride, driver=third.subject)
    says(act, f"ride:{ride}", now("offered", first), now("offered", third))
    await third.accept(ride)
    act = desk.act("office.reassign", ride=ride, driver=second.subject, reason="A flat tyre.")
    says(act, f"ride:{ride}", now("accepted", third), now("offered", second))
    await second.offered(ride)
    act = desk.act("office.cancel", ride=ride, reason="She has called.")
    says(act, f"ride:{ride}", now("offered", second), {"state": "cancelled"})
    ride = await rider.request_after("ride.cancelled", here.a.centre)
    await first.accept_next(ride)
    act = desk.act("office.cancel", ride=ride, reason="Again.")
    says(act, f"ride:{ride}", now("accepted", first), {"state": "cancelled"})
    ride = await rider.request_after("ride.cancelled", here.a.centre)
    await first.accept_next(ride)
    await first.call("ride.aboard", ride=ride)
    act = desk.act("office.end", ride=ride, reason="The phone is broken.")
    says(act, f"ride:{ride}", now("aboard", first), {"state": "ended"})


@scene("office.cancel", "office.cancel", "office.end")
async def bookings(town, cast, desk):
    here, states = town.block(), ("offered", "confirmed", "aboard")
    minibus = cast.minibus(town, here.a.stand)
    await minibus.go_online()
    for state in states:
        rider = await cast.rider(town)
        booking = await book(rider, minibus, here.a.centre, here.b.centre)
        await minibus.until("seat.requested", booking=booking)
        if state != "offered":
            await minibus.call("seat.accept", booking=booking)
        if state == "aboard":
            await minibus.call("seat.aboard", booking=booking)
        command, after = ("office.end", "ended") if state == "aboard" else ("office.cancel", "cancelled")
        act = desk.act(command, booking=booking, reason="She has called.")
        before = {"state": state, "passenger": rider.subject, "driver": minibus.subject}
        says(act, f"booking:{booking}", before, {"state": after})


@scene("office.block", "office.block", "office.unblock", *2 * ("office.block", "office.unblock"))
async def blocks(town, cast, desk):
    zone, until = town.block().a, int(time.time() * 1000) + HOUR
    [driver], rider = await cast.queue(town, zone.stand, 1), await cast.rider(town)
    who, target = {"role": "driver", "subject": driver.subject}, f"driver:{driver.subject}"
    act = desk.act("office.block", **who, reason="Rude.", until=until)
    blocked = {"state": "unavailable", "blocked": True, "why": "Rude.", "until": until}
    says(act, target, {"state": "available", "zone": zone.id, "rank": 1, "blocked": False}, blocked)
    act = desk.act("office.block", **who, reason="Drunk.")
    says(act, target, blocked, {"state": "unavailable", "blocked": True, "why": "Drunk."})
    act = desk.act("office.unblock", **who)
    says(act, target, {"blocked": True, "why": "Drunk."}, {"blocked": False})
    bus_driver = BusDriver(town, next(town.lines["hourly"]))
    await bus_driver.connect()
    for one in (rider, bus_driver):
        who, target = {"role": one.role, "subject": one.subject}, f"{one.role}:{one.subject}"
        act = desk.act("office.block", **who, reason="Did not pay.")
        says(act, target, {"blocked": False}, {"blocked": True, "why": "Did not pay."})
        act = desk.act("office.unblock", **who)
        says(act, target, {"blocked": True, "why": "Did not pay."}, {"blocked": False})


@scene("office.session_end", "office.session_end")
async def sessions(town, cast, desk):
    rider = await cast.rider(town)
    who = {"role": "passenger", "subject": rider.subject}
    act = desk.act("office.session_end", **who, reason="Left open at the counter.")
    says(act, f"passenger:{rider.subject}", act.entry["before"], {"state": "ended"})
    await rider.wait_closed()
    act = desk.act("office.session_end", **who, reason="Stolen.", revoke=True)
    says(act, f"passenger:{rider.subject}", act.entry["before"], {"state": "revoked"})


@scene("sos.acknowledge", "sos.close", "sos.close")
async def alarms(town, cast, desk):
    rider, other = await cast.rider(town), await cast.rider(town)
    sos, ignored = (await rider.call("sos", text="Help."))["sos"], (await other.call("sos"))["sos"]
    act = desk.act("sos.acknowledge", sos=sos, note="The police are on their way.")
    says(act, f"sos:{sos}", {"state": "open"}, {"state": "acknowledged"})
    act = desk.act("sos.close", sos=sos, note="She is safe.")
    says(act, f"sos:{sos}", {"state": "acknowledged"}, {"state": "closed"})
    act = desk.act("sos.close", sos=ignored, note="By mistake.")
    says(act, f"sos:{ignored}", {"state": "open"}, {"state": "closed"})


@scene("report.close")
async def reports(town, cast, desk):
    sender = Asker(town, "passenger", fresh("p"))
    report = sender.done("report.send", category="other", text="A bag.", anonymous=True)["report"]
    act = desk.act("report.close", report=report, note="Found.")
    says(act, f"report:{report}", {"state": "open"}, {"state": "closed"})


@scene("broadcast", "broadcast")
async def notices(town, cast, desk):
    zone = town.block().a
    await cast.queue(town, zone.stand, 2)
    act = desk.act("broadcast", to="drivers", zone=zone.id, text="The bridge is closed.")
    told = {"notice": act.reply["notice"], "people": 2, "text": "The bridge is closed."}
    says(act, f"zone:{zone.id}", {}, told)
    act = desk.act("broadcast", to="bus_drivers", text="Storm.")
    says(act, "bus_drivers", {}, act.reply | {"text": "Storm."})


@scene("vehicles.set", "vehicles.set", "drivers.set", "drivers.set", "drivers.remove", "vehicles.remove")
async def records(town, cast, desk):
    car, name = vehicle(), fresh("D-")
    papers = {"registered": True} | {field: CAR[field] for field in ("plate", "registration", "company")}
    act = desk.act("vehicles.set", vehicle=car, **CAR)
    says(act, f"vehicle:{car}", {"registered": False}, papers | {"new_code": True})
    act = desk.act("vehicles.set", vehicle=car, **CAR | {"plate": "ZZ 9"})
    says(act, f"vehicle:{car}", papers, papers | {"plate": "ZZ 9", "changed": ["plate"]})
    first = {"company": "Rossi", "licence_until": day(300), "medical_until": day(400), "vehicle": car}
    act = desk.act("drivers.set", driver=name, name="Ada Rossi", phone="+39 02 1", **first)
    says(act, f"driver:{name}", {"registered": False}, {"registered": True} | first)
    renewed = day(500)
    act = desk.act("drivers.set", driver=name, name="Ada Rossi", phone="+39 02 1", licence_until=renewed)
    second = {"registered": True, "licence_until": renewed}
    says(act, f"driver:{name}", {"registered": True} | first, second | {"changed": sorted(first)})
    act = desk.act("drivers.remove", driver=name)
    says(act, f"driver:{name}", second, {"registered": False})
    act = desk.act("vehicles.remove", vehicle=car)
    says(act, f"vehicle:{car}", papers | {"plate": "ZZ 9"}, {"registered": False})
    assert "Ada" not in json.dumps(desk.entries()) and "+39" not in json.dumps(desk.entries()), "it outlives the record"


@scene("tour.end")
async def tours(town, cast, desk):
    driver = await on_tour(town, next(town.lines["hourly"]))
    act = desk.act("tour.end", tour=driver.tour)
    before = {"state": "running", "bus": driver.line.bus, "line": driver.line.id, "driver": driver.subject}
    says(act, f"tour:{driver.tour}", before, {"state": "ended"})


@scene("reliability.reset")
async def reliability(town, cast, desk):
    zone = town.block().a
    [driver], rider = await cast.queue(town, zone.stand, 1), await cast.rider(town)
    ride = await rider.request(zone.centre)
    await driver.accept(ride)
    await driver.call("ride.cancel", ride=ride)
    act = desk.act("reliability.reset", role="driver", subject=driver.subject, reason="The passenger was rude.")
    says(act, f"driver:{driver.subject}", {"total": 1, "blocked": False}, {"total": 0, "blocked": False})


def of_caller(act, what, name, state, person):
    """Of what a caller takes back, `before` is looked at in test_audit_facts.py."""
    says(act, f"{what}:{name}", act.entry["before"], {"state": state, "passenger": last_digits(person)})


@scene("ride.request", "ride.search", "ride.cancel")
async def taxis_of_callers(town, cast, desk):
    zone, (ada, ada_is) = town.block().a, caller()
    first, second = await cast.queue(town, zone.stand, 2)
    asked = desk.act("ride.request", **zone.centre.fields, passengers=1, on_behalf_of=ada)
    ride = asked.reply["ride"]
    says(asked, f"ride:{ride}", {}, {"state": "searching", "passenger": last_digits(ada_is)})
    await first.accept(ride)
    await first.cut()
    await town.until("it is lost", lambda: town.redis.hexists(town.key(f"vehicle:{first.subject}"), "missing"))
    of_caller(desk.act("ride.search", on_behalf_of=ada), "ride", ride, "searching", ada_is)
    await second.accept_next(ride)
    of_caller(desk.act("ride.cancel", on_behalf_of=ada), "ride", ride, "cancelled", ada_is)


@scene("seat.book", "seat.cancel", "seat.request", "seat.cancel")
async def seats_of_callers(town, cast, desk):
    here, (ada, ada_is) = town.block(), caller()
    minibus = await going(town, cast, here, 300)
    for command, state, fields in (("seat.book", "pending", {"vehicle": minibus.subject}), ("seat.request", "searching", {})):
        act = desk.act(command, **wish(here), **fields, on_behalf_of=ada)
        booking = act.reply["booking"]
        says(act, f"booking:{booking}", {}, {"state": state, "passenger": last_digits(ada_is)})
        of_caller(desk.act("seat.cancel", on_behalf_of=ada), "booking", booking, "cancelled", ada_is)


@scene("stop.request", "stop.cancel")
async def stops_of_callers(town, cast, desk):
    line, (ada, ada_is) = next(town.lines["hourly"]), caller()
    driver = await on_tour(town, line, 100)
    act = desk.act("stop.request", line=line.id, stop=line.stops[2], name="Ada", on_behalf_of=ada)
    request = act.reply["request"]
    says(act, f"request:{request}", {}, {"state": "requested", "passenger": last_digits(ada_is)})
    await driver.call("stop.accept", request=request)
    of_caller(desk.act("stop.cancel", request=request, on_behalf_of=ada), "request", request, "cancelled", ada_is)
    await driver.call("tour.end")


@scene("reservation.make", "reservation.cancel")
async def reservations_of_callers(town, cast, desk):
    here, (ada, ada_is), at = town.block(), caller(), int(time.time() * 1000) + 3 * HOUR
    act = desk.act("reservation.make", **trip(here.a.centre, here.b.centre), at=at, on_behalf_of=ada)
    name = act.reply["reservation"]
    says(act, f"reservation:{name}", {}, {"state": "open", "passenger": last_digits(ada_is)})
    act = desk.act("reservation.cancel", reservation=name, on_behalf_of=ada)
    of_caller(act, "reservation", name, "cancelled", ada_is)


def recorded(town, operator):
    """Of the database of records: what it has of this operator, the oldest first, as the audit tells it."""
    database = sqlite3.connect(f"file:{town.data / 'records.sqlite'}?mode=ro", uri=True)
    try:
        found = database.execute(
            "SELECT id, at, operator, command, target, reason, facts_before, facts_after FROM audit WHERE operator = ?", [operator]
        ).fetchall()
    finally:
        database.close()
    names = ("id", "time", "operator", "command", "target", "reason", "before", "after")
    rows = [dict(zip(names, (*row[:6], *map(json.loads, row[6:])), strict=True)) for row in found]
    rows = [{name: value for name, value in row.items() if value is not None} for row in rows]
    return sorted(rows, key=lambda row: tuple(map(int, row["id"].split("-"))))


@pytest.mark.parametrize("name", SCENES)
async def test_each_act_leaves_one_entry_which_is_recorded(town, cast, name):
    commands, play = SCENES[name]
    desk = HttpDesk(town)
    await play(town, cast, desk)
    entries = desk.entries()
    assert [entry["command"] for entry in entries] == [*commands]
    await town.until("recorded", lambda: recorded(town, desk.subject) == entries)
    printed = run("audit", "--config", town.config, "-n", 1000, "--json", check=True).stdout.splitlines()
    assert [entry for entry in map(json.loads, printed[::-1]) if entry["operator"] == desk.subject] == entries


def test_all_that_operators_change_leaves_an_entry():
    rules = [json.loads(line) for line in run("permissions", "--json", check=True).stdout.splitlines()]
    known = contract.SCHEMAS["commands.json"]["$defs"]
    theirs = {rule["cmd"] for rule in rules if "operator" in rule["roles"]}
    theirs |= {command for command, schema in known.items() if "on_behalf_of" in schema["properties"]}
    seen = {command for commands, _ in SCENES.values() for command in commands}
    assert set(EXCEPTIONS) <= theirs and not seen & set(EXCEPTIONS)
    assert theirs - set(EXCEPTIONS) == seen
    entry = contract.SCHEMAS["replies.json"]["$defs"]["office.audit"]["properties"]["ok"]["properties"]["entries"]["items"]
    assert set(entry["properties"]["command"]["enum"]) == seen


@pytest.mark.parametrize("role", ["operator", "service", "driver", "passenger", "bus_driver"])
def test_no_command_of_anybody_changes_what_is_there(town, role):
    desk, sender = HttpDesk(town), fresh("somebody-")
    for number in range(3):
        desk.act("office.block", role="passenger", subject=f"{sender}-{number}", reason="Why.")
    stream = town.redis.xrange(town.key("audit"))
    asker = Asker(town, role, sender)
    for command in contract.COMMANDS:
        for key in (None, stream[-1][0]):
            asker.post(command, key, **sample(command))
    asker.post("publish", channel="topic:audit", data={"operator": "nobody"})
    assert town.redis.xrange(town.key("audit"))[: len(stream)] == stream
    entries = HttpDesk(town).done("office.audit", limit=100)["entries"]
    assert desk.entries() == [entry for entry in entries[::-1] if entry["operator"] == desk.subject]
