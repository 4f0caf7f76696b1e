"""Alarms, reports, notices and records of drivers and vehicles, over HTTP alone, and what people hear of them (M13, Q9, R12)."""

import json

import pytest

from kerbside.asker import Asker
from kerbside.http_desk import HttpDesk
from kerbside.names import fresh
from kerbside.records_of_fleets import CAR, day, facts, vehicle
from kerbside.stops import serve
from kerbside.watcher import Watcher
from test_safety import everything


@pytest.fixture(scope="module")
def town():
    """On two workers; alarms ring again soon."""
    yield from serve(server__workers=2, safety__ring_again_s=1)


@pytest.fixture
def desk(town):
    return HttpDesk(town)


async def office(town):
    """An operator's screen."""
    screen = Watcher(town, fresh("office-"))
    await screen.watch()
    return screen


def alarms(desk, **fields):
    return {alarm["sos"]: alarm for alarm in desk.done("sos.list", **fields)["alarms"]}


async def test_m13_alarms_of_both_sides_ring_again_and_are_acknowledged_and_closed(town, cast, desk):
    screen = await office(town)
    driver, rider, ride = await cast.on_a_ride(town)
    passengers, drivers = (Asker(town, one.role, one.subject) for one in (rider, driver))
    raised = passengers.done("sos", "first", text="He does not stop.")
    assert passengers.done("sos", "first", text="He does not stop.") == raised, "repeated"
    sos, own = raised["sos"], drivers.done("sos", **driver.place.moved(north=40).fields)["sos"]
    for name, role, subject, where in ((sos, "passenger", rider.subject, "vehicle"), (own, "driver", driver.subject, "sender")):
        alarm = await screen.rung("sos.raised", name)
        assert (alarm["role"], alarm["subject"], alarm["ride"], alarm["position_of"]) == (role, subject, ride, where)
        assert (await screen.rung("sos.raised", name, times=2))["rings"] == 2, "it rings again"
    # Its sender says that there is no danger: it rings on, as that may be forced.
    assert drivers.done("sos.cancel", "off")["cancelled"] and drivers.done("sos.cancel", "off")["cancelled"]
    await screen.rung("sos.updated", own)
    rings = len(screen.heard("sos.raised", own))
    assert (await screen.rung("sos.raised", own, times=rings + 1))["cancelled"]
    assert {alarms(desk)[name]["state"] for name in (sos, own)} == {"open"}
    # Who looks after it: the sender is told, the other side is not.
    seen = {name: desk.act("sos.acknowledge", sos=name, note="The police are on their way.") for name in (sos, own)}
    for one, name in ((rider, sos), (driver, own)):
        assert seen[name].reply["state"] == "acknowledged"
        assert await one.expect("sos.acknowledged") == {"sos": name}
        assert (await screen.rung("sos.acknowledged", name))["by"] == desk.subject
        assert alarms(desk)[name]["acknowledged"]["note"] == "The police are on their way."
        assert town.redis.zscore(town.key("sos"), name) == float("inf"), "it rings no more"
    HttpDesk(town).refused("sos.acknowledge", "not_available", sos=sos)
    closed = {name: desk.act("sos.close", sos=name, note="All is well.") for name in (sos, own)}
    for one, name in ((rider, sos), (driver, own)):
        assert await one.expect("sos.closed") == {"sos": name}
        await one.nothing_more()
    assert not {sos, own} & set(alarms(desk))
    assert alarms(desk, closed=True)[sos]["closed"]["note"] == "All is well."
    for one, other in ((driver, sos), (rider, own)):
        assert other not in json.dumps(one.pushed)
    # The next one is another one.
    second = passengers.done("sos", "second")["sos"]
    seen[sos].repeat()
    closed[sos].repeat()
    assert second != sos and alarms(desk)[second]["state"] == "open"
    desk.act("sos.close", sos=second, note="By mistake.")


async def test_m13_reports_are_read_by_operators_only_and_closed(town, cast, desk):
    screen, rider = await office(town), await cast.rider(town)
    sender = Asker(town, "passenger", rider.subject)
    text = {"category": "driving", "text": "On the phone\nall the way.", "vehicle": "T1", "anonymous": True}
    sent = sender.done("report.send", "mine", **text)
    assert sender.done("report.send", "mine", **text) == sent, "repeated"
    named = sender.done("report.send", category="lost_property", text="A bag.", ride="r_1")
    own = desk.done("report.send", category="other", text="The office's own.")
    assert await screen.rung("report.sent") == {"report": sent["report"], "category": "driving"}
    known = {row["report"]: row for row in desk.done("report.list")["reports"]}
    assert set(known) == {one["report"] for one in (sent, named, own)}
    assert rider.subject not in json.dumps(known[sent["report"]]) and "role" not in known[sent["report"]]
    assert known[sent["report"]]["text"] == text["text"]
    assert (known[named["report"]]["role"], known[named["report"]]["subject"]) == ("passenger", rider.subject)
    assert (known[own["report"]]["role"], known[own["report"]]["subject"]) == ("operator", desk.subject)
    for role in ("passenger", "driver", "bus_driver", "service"):
        for command, fields in (("report.list", {}), ("report.close", {"report": sent["report"], "note": "Why."})):
            assert Asker(town, role, rider.subject).refused(command, "forbidden", **fields).status == 403
    closed = desk.act("report.close", report=sent["report"], note="The driver was warned.")
    assert closed.reply["state"] == "closed"
    assert sent["report"] not in {row["report"] for row in desk.done("report.list")["reports"]}
    [row] = [row for row in desk.done("report.list", closed=True)["reports"] if row["report"] == sent["report"]]
    assert (row["closed"]["by"], row["closed"]["note"]) == (desk.subject, "The driver was warned.")
    desk.refused("report.close", "not_available", report=sent["report"], note="Again.")
    for one in (named, own):
        desk.act("report.close", report=one["report"], note="Found.")


async def test_a_notice_reaches_whom_it_is_for_once(town, cast, desk):
    here = town.block()
    [driver] = await cast.queue(town, here.a.stand, 1)
    [elsewhere] = await cast.queue(town, here.b.stand, 1)
    rider = await cast.rider(town)
    sent = desk.act("broadcast", to="drivers", zone=here.a.id, text="The bridge is closed.")
    assert sent.reply["people"] == 1
    told = await driver.until("notice")
    assert told == {"notice": sent.reply["notice"], "text": "The bridge is closed.", "zone": here.a.id}
    storm = desk.act("broadcast", to="passengers", text="Storm.")
    assert (await rider.until("notice"))["notice"] == storm.reply["notice"]
    sent.repeat()
    storm.repeat()
    await town.until("all are told", lambda: not town.redis.exists(town.key("broadcasts")))
    for one in (driver, rider):
        await one.settled()
        assert [event["type"] for event in one.events].count("notice") == 1
    assert "notice" not in [event["type"] for event in await elsewhere.settled()]


async def test_q9_drivers_and_vehicles_are_registered_shown_and_removed(town, cast, desk):
    here, car = town.block(), vehicle()
    [driver] = await cast.queue(town, here.a.stand, 1)
    name, rider = driver.subject, await cast.rider(town)
    made = desk.act("vehicles.set", vehicle=car, **CAR)
    code = made.reply["code"]
    assert made.reply["changed"] and facts(town, code)["plate"] == CAR["plate"]
    known = desk.done("vehicles.get", vehicle=car)
    assert {field: known[field] for field in CAR} == CAR and (known["code"], known["by"]) == (code, desk.subject)
    record = {"driver": name, "name": "Ada Rossi", "phone": "+39 02 1", "licence_until": day(400), "vehicle": car}
    set_ = desk.act("drivers.set", **record)
    known = desk.done("drivers.get", driver=name)
    assert {field: known[field] for field in record} == record and known["by"] == desk.subject
    assert desk.done("drivers.set", **record) == {"driver": name, "changed": False}
    assert name in {row["driver"] for row in desk.done("drivers.list")["drivers"]}
    assert name not in {row["driver"] for row in desk.done("drivers.list", ends_by=day(396))["drivers"]}
    assert car in {row["vehicle"] for row in desk.done("vehicles.list")["vehicles"]}
    assert name in desk.refused("vehicles.remove", "not_available", vehicle=car).page["detail"]
    # The passenger sees who comes.
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    card = (await rider.until("ride.accepted", ride=ride))["card"]
    assert card == {"name": "Ada Rossi", "code": code} | CAR
    await driver.call("ride.cancel", ride=ride)
    # Whose papers have ended does not drive.
    await driver.call("driver.unavailable")
    ended = desk.act("drivers.set", driver=name, name="Ada Rossi", medical_until=day(-2))
    assert "medical certificate" in (await driver.refused("driver.available", "forbidden"))["detail"]
    gone = desk.act("drivers.remove", driver=name)
    assert gone.reply["driver"] == name
    away = desk.act("vehicles.remove", vehicle=car)
    for act in (made, set_, ended, gone, away):
        act.repeat()
    desk.refused("drivers.get", "not_found", driver=name)
    desk.refused("vehicles.get", "not_found", vehicle=car)
    # Each worker keeps an answer for some seconds.
    await town.until("the sign is of no use", lambda: all(facts(town, code) == 404 for _ in range(8)))
    await driver.call("driver.available")


async def test_r12_what_counts_against_a_driver_is_set_back(town, cast, desk):
    driver, rider, ride = await cast.on_a_ride(town)
    await driver.call("ride.cancel", ride=ride)
    await rider.until("ride.failed", ride=ride)
    who = {"role": "driver", "subject": driver.subject}
    assert desk.done("reliability.of", **who)["give_backs"] == 1
    done = desk.act("reliability.reset", **who, reason="The passenger was rude.")
    assert desk.done("reliability.of", **who)["total"] == 0
    assert (await driver.call("reliability.get"))["total"] == 0
    ride = await rider.request(driver.place.moved(north=-700))
    await driver.accept_next(ride)
    await driver.call("ride.cancel", ride=ride)
    done.repeat()
    assert desk.done("reliability.of", **who)["total"] == 1


def test_m13_an_anonymous_report_over_http_names_nobody_anywhere(town):
    sender = fresh("stranger-")
    sent = Asker(town, "passenger", sender).done("report.send", "mine", category="other", text="He shouts.", anonymous=True)
    assert any(sent["report"] in key for key in everything(town))
    assert not [key for key, text in everything(town).items() if sender in key or sender in text]
    assert sender not in town.log


def test_who_does_more_than_a_hand_can_is_refused_but_not_for_an_alarm(town, desk):
    raised = Asker(town, "passenger", fresh("p")).done("sos")["sos"]
    for number in range(60):
        desk.done("office.block", role="passenger", subject=f"{desk.subject}-{number}", reason="Why.")
    who = {"role": "passenger", "subject": f"{desk.subject}-more"}
    answer = desk.refused("office.block", "rate_limited", **who, reason="Why.")
    assert answer.status == 429 and 0 < int(answer.headers["Retry-After"]) <= 60
    HttpDesk(town).refused("office.unblock", "not_available", **who)
    assert desk.act("sos.acknowledge", sos=raised).reply["state"] == "acknowledged"
    desk.act("sos.close", sos=raised, note="By mistake.")
    assert len(desk.entries()) == 62
