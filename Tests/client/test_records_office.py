"""What the office did and was told, row by row in the tables of the records, and who is who: in SQLite and in PostgreSQL, with two
workers, while the recorder and Redis are killed in the middle of each story."""

import contextlib
import json
import re
import sqlite3

import pytest

from conftest import running
from kerbside.bus import BusDriver
from kerbside.follower import PERSONAL, follower
from kerbside.hub import ROOT
from kerbside.names import fresh
from kerbside.recording import acts, recorded, recording, storm, watcher, when
from kerbside.records_of_fleets import CAR, day


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def hub(request):
    yield from recording(request.param, running)


@pytest.fixture
def line(hub):
    """A line that nobody else uses; its bus comes every hour."""
    return next(hub.lines)


async def test_alarms_of_a_ride_and_of_a_bus(hub, cast, line):
    here, first, second = hub.block(), await watcher(hub), await watcher(hub)
    [taxi] = await cast.queue(hub, here.a.stand, 1)
    passenger, bus = await cast.rider(hub), BusDriver(hub, line)
    tour = (await bus.begin())["tour"]
    ride = await passenger.request(here.a.centre)
    await taxi.accept_next(ride)
    place = here.a.centre.moved(north=30).fields
    raised = (await passenger.call("sos", text="He does not stop.", **place))["sos"]
    await first.call("sos.acknowledge", sos=raised, note="I call her.")
    await storm(hub)
    await second.call("sos.close", sos=raised, note="She is safe.")
    mistaken = (await bus.call("sos"))["sos"]
    await bus.call("sos.cancel")
    cancelled = (await first.rung("sos.updated", mistaken))["cancelled"]
    await first.rung("sos.closed", raised)
    known = (await recorded(hub))["alarms"]
    assert known[raised] == {
        "id": raised, "role": "passenger", "subject": passenger.subject, "ride": ride, "vehicle": taxi.subject,
        "raised_at": when(first, "sos.raised", sos=raised), "acknowledged_at": when(passenger, "sos.acknowledged", sos=raised),
        "acknowledged_by": first.subject, "closed_at": when(passenger, "sos.closed", sos=raised), "closed_by": second.subject,
        "text": "He does not stop.", "acknowledged_note": "I call her.", "closed_note": "She is safe.", **place,
    }
    assert {column: value for column, value in known[mistaken].items() if column not in ("lat", "lon")} == {
        "id": mistaken, "role": "bus_driver", "subject": bus.subject, "tour": tour, "vehicle": line.bus,
        "raised_at": when(first, "sos.raised", sos=mistaken), "cancelled_at": cancelled,
    }
    await first.call("sos.close", sos=mistaken, note="Nothing happened.")


async def test_an_alarm_that_is_taken_back_and_raised_again_is_open(hub, cast):
    first, second, passenger = await watcher(hub), await watcher(hub), await cast.rider(hub)
    sos = (await passenger.call("sos"))["sos"]
    await first.call("sos.acknowledge", sos=sos)
    await passenger.call("sos.cancel")
    assert (await passenger.call("sos", text="I was forced."))["state"] == "open"
    row = (await recorded(hub))["alarms"][sos]
    await second.call("sos.acknowledge", sos=sos)
    await second.call("sos.close", sos=sos, note="Helped.")
    assert not row.keys() & {"cancelled_at", "acknowledged_at", "acknowledged_by"}
    assert (await recorded(hub))["alarms"][sos]["acknowledged_by"] == second.subject


async def test_reports_with_what_they_say_and_who_sent_those_that_are_not_anonymous(hub, cast):
    office, passenger = await watcher(hub), await cast.rider(hub)
    open_one, closed = [
        (await passenger.call("report.send", category=category, text="He shouts.", anonymous=anonymous))["report"]
        for category, anonymous in (("driving", True), ("lost_property", False))
    ]  # fmt: skip
    await storm(hub)
    entry = (await office.call("report.close", report=closed, note="Found."))["audit"]
    known = (await recorded(hub))["reports"]
    assert known[open_one] == {
        "id": open_one, "category": "driving", "sent_at": when(office, "report.sent", report=open_one), "text": "He shouts.",
    }
    assert known[closed] == {
        "id": closed, "category": "lost_property", "sent_at": when(office, "report.sent", report=closed),
        "closed_at": (await acts(office))[entry]["time"], "closed_by": office.subject, "closed_note": "Found.",
        "text": "He shouts.", "role": "passenger", "subject": passenger.subject,
    }
    # Whoever follows the events is told none of it, nor is `kerbside tail`.
    channel, close = "events:report.>", {"report": closed, "operator": office.subject}
    service = await follower(hub, channel, scope=PERSONAL).begin(since="1")
    await service.wait(lambda: close in [m["data"] for m in service.got(channel)] or None, "the end of the report")
    assert all(m["data"].keys() <= {"report", "category", "operator"} for m in service.got(channel))


async def test_notices_and_the_audit_of_what_the_office_did(hub, cast):
    here, office = hub.block(), await watcher(hub)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    sent = await office.call("broadcast", to="drivers", zone=here.a.id, text="Fog.\u00fc")
    await driver.until("notice", notice=sent["notice"], text="Fog.\u00fc")
    await office.call("office.block", role="driver", subject=driver.subject, reason="He \"knows\" why; let's see.")
    await storm(hub)
    await office.call("office.unblock", role="driver", subject=driver.subject)
    to_all = await office.call("broadcast", to="bus_drivers", text="Strike.")
    known, entries = await recorded(hub), await acts(office)
    by_notice = {entry["after"]["notice"]: entry["time"] for entry in entries.values() if entry["command"] == "broadcast"}
    assert known["notices"][sent["notice"]] == {
        "id": sent["notice"], "operator": office.subject, "audience": "drivers", "zone": here.a.id, "body": "Fog.\u00fc",
        "people": sent["people"], "sent_at": by_notice[sent["notice"]],
    }
    assert known["notices"][to_all["notice"]] == {
        "id": to_all["notice"], "operator": office.subject, "audience": "bus_drivers", "body": "Strike.",
        "people": to_all["people"], "sent_at": by_notice[to_all["notice"]],
    }
    assert [entry["command"] for entry in entries.values()] == ["broadcast", "office.unblock", "office.block", "broadcast"]
    rows = {name: row for name, row in known["audit"].items() if row["operator"] == office.subject}
    assert rows.keys() == entries.keys(), "each act once"
    for name, row in rows.items():
        facts = {side: json.loads(row.pop(f"facts_{side}")) for side in ("before", "after") if f"facts_{side}" in row}
        assert {**row, **facts} == {("at" if field == "time" else field): value for field, value in entries[name].items()}


async def test_the_registry_of_drivers_and_vehicles(hub):
    office, other = await watcher(hub), await watcher(hub)
    car, gone_car, driver, gone = fresh("V"), fresh("V"), fresh("D-"), fresh("D-")
    record = {
        "name": "Ada Rossi", "phone": "+39 02 1", "company": "Rossi & Co", "licence": "MI-1", "licence_until": day(400),
        "medical_until": day(300), "vehicle": car, "capabilities": ["wheelchair"], "photo": "https://fleet.example/ada.jpg",
    }
    for name in (car, gone_car):
        await office.call("vehicles.set", vehicle=name, **CAR)
    first = {}
    for name in (driver, gone):
        await office.call("drivers.set", driver=name, **record)
        first[name] = (await office.call("drivers.get", driver=name))["at"]
    made = {name: (await office.call("vehicles.get", vehicle=name))["at"] for name in (car, gone_car)}
    await storm(hub)
    await other.call("drivers.set", driver=driver, **record | {"name": "Ada Bo"})
    await other.call("vehicles.remove", vehicle=gone_car)
    await other.call("drivers.remove", driver=gone)
    kept = await office.call("drivers.get", driver=driver)
    known, entries = await recorded(hub), await acts(other)
    removed = {entry["target"]: entry["time"] for entry in entries.values() if entry["command"].endswith(".remove")}

    def flat(row):
        return row | ({"capabilities": json.loads(row["capabilities"])} if "capabilities" in row else {})

    assert flat(known["drivers"][driver]) == {"id": driver, **record, "name": "Ada Bo"} | {
        "registered_at": first[driver], "changed_at": kept["at"], "changed_by": other.subject}
    vehicle = {**CAR, "changed_by": office.subject}
    assert flat(known["vehicles"][car]) == {"id": car, **vehicle, "registered_at": made[car], "changed_at": made[car]}
    assert flat(known["vehicles"][gone_car]) == {
        "id": gone_car, **vehicle, "registered_at": made[gone_car], "changed_at": made[gone_car],
        "removed_at": removed[f"vehicle:{gone_car}"]}
    row = known["drivers"][gone]
    assert (row["removed_at"], row["company"]) == (removed[f"driver:{gone}"], "Rossi & Co")


async def test_of_a_driver_who_is_removed_only_the_id_and_the_company_stay(hub):
    office, gone = await watcher(hub), fresh("D-")
    await office.call(
        "drivers.set", driver=gone, name="Bo", phone="+39 02 2", company="Rossi & Co", licence="MI-2", licence_until=day(400),
        medical_until=day(300), capabilities=["wheelchair"])
    await office.call("drivers.remove", driver=gone)
    row = (await recorded(hub))["drivers"][gone]
    assert row.keys() <= {"id", "company", "registered_at", "changed_at", "changed_by", "removed_at"}


def test_the_documentation_says_how_one_passenger_is_forgotten(new_hub):
    """Each of its statements fits the tables, and none is missing where a passenger's name may stand."""
    hub = new_hub(blocks=2).start()
    hub.wait_until("recording", lambda: '"message":"recording"' in hub.log)
    hub.stop()
    article = (ROOT / "Sources/kerbside/Documentation.docc/Operating.md").read_text()
    statements = re.findall(r"^ +(UPDATE (\w+) SET .*'…';)$", article, re.MULTILINE)
    database = sqlite3.connect(hub.data / "records.sqlite")
    with contextlib.closing(database), database:
        for statement, _ in statements:
            database.execute(statement.replace("…", "p1"))
        named = set()
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
            if columns & {"passenger", "citizen", "subject"}:
                named.add(table)
    assert {table for _, table in statements} == named
