"""What an office reads of the city's past (records.list), by socket, by HTTP and by the command line."""

import asyncio
import contextlib
import json
import sqlite3
import time

import pytest

from kerbside import patience, trips
from kerbside.asker import Asker
from kerbside.hub import run
from kerbside.minibus import riding
from kerbside.names import fresh
from kerbside.operator import Operator
from kerbside.postgres import BIN, Postgres
from kerbside.protobuf import Binary
from kerbside.stops import on_tour, rider

PATIENT = {"dispatch__offer_seen_timeout_ms": 60_000, "dispatch__offer_timeout_ms": 300_000, "redis__fsync": "always"}


class BinaryOperator(Binary, Operator):
    pass


@pytest.fixture
def server():
    if BIN is None:
        pytest.skip("no postgresql is installed")
    server = Postgres().start()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def past(request, new_hub):
    """A hub of two workers, and its database if that is another process."""
    server = request.getfixturevalue("server") if request.param == "postgres" else None
    store = {"store__url": server.url} if server else {}
    return new_hub(**PATIENT, server__workers=2, **store).start(), server


async def office(hub, kind=Operator):
    operator = kind(hub, fresh("office-"))
    await operator.connect()
    return operator


async def listed(operator, of, **fields):
    return (await operator.call("records.list", of=of, **fields))["records"]


async def listed_at_last(operator, of, is_it, **fields):
    """Records once they are as they must be. Of what is no ride nobody else says when it is recorded: the lag is a second old."""
    end = time.monotonic() + patience.PROCESS
    while not is_it(found := await listed(operator, of, **fields)):
        assert time.monotonic() < end, found
        await asyncio.sleep(0.1)
    return found


async def rides_of(hub, cast, here, driver, count):
    """(ride, passenger) of so many that are over, the first cancelled."""
    found = []
    for n in range(count):
        passenger = await cast.rider(hub)
        ride = await passenger.request(here.a.centre)
        await driver.accept_next(ride)
        if n:
            await driver.call("ride.aboard", ride=ride)
            await driver.call("ride.end", ride=ride)
        else:
            await passenger.call("ride.cancel", ride=ride)
            await driver.expect("ride.cancelled", ride=ride)
            await driver.call("driver.available")
        found.append((ride, passenger.subject))
    return found


async def test_rides_are_listed_by_who_where_and_when_page_by_page(past, cast):
    hub, _ = past
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    began = int(time.time() * 1000)
    rides = await rides_of(hub, cast, here, driver, 5)
    await trips.recorded(hub)
    operator, binary = await office(hub), await office(hub, BinaryOperator)
    desk = Asker(hub, "operator", fresh("desk-"))

    whole = await listed(operator, "rides")
    assert [row["id"] for row in whole] == [ride for ride, _ in rides[::-1]]
    first, last = whole[-1], whole[0]
    assert (first["outcome"], first["ended_by"], first["passenger"]) == ("cancelled", "passenger", rides[0][1])
    assert (last["outcome"], last["driver"], last["zone"]) == ("ended", driver.subject, here.a.id)
    assert last["requested_at"] <= last["accepted_at"] <= last["aboard_at"] <= last["ended_at"]
    assert began - 1000 <= first["requested_at"] <= int(time.time() * 1000) + 1000
    assert last["passengers"] == 1 and last["offers"] == 1 and last["given_back"] == 0
    # The same in the other encoding, and over HTTP.
    assert await listed(binary, "rides") == whole
    assert desk.done("records.list", of="rides") == {"records": whole}
    printed = run("records", "rides", "--config", hub.config, "--json")
    assert [json.loads(line) for line in printed.stdout.splitlines()] == whole

    for fields, want in [
        ({"passenger": rides[2][1]}, [whole[2]]),
        ({"driver": driver.subject}, whole),
        ({"driver": "nobody"}, []),
        ({"zone": here.a.id}, whole),
        ({"zone": here.a.id, "passenger": rides[0][1]}, [first]),
        ({"zone": "nowhere"}, []),
        ({"start_time": whole[2]["requested_at"]}, whole[:3]),
        ({"end_time": whole[2]["requested_at"]}, whole[3:]),
        ({"start_time": whole[3]["requested_at"], "end_time": whole[1]["requested_at"]}, whole[2:4]),
    ]:
        assert await listed(operator, "rides", **fields) == want, fields
    pages, page = [], {"limit": 2}
    while page:
        reply = await operator.call("records.list", of="rides", **page)
        pages.append(reply["records"])
        page = {"limit": 2, "from": reply["next"]} if "next" in reply else None
    assert pages == [whole[:2], whole[2:4], whole[4:]]


async def test_what_is_under_way_is_listed_and_grows(past, cast):
    hub, _ = past
    here = hub.block()
    operator = await office(hub)
    await trips.recorded(hub)
    assert await listed(operator, "rides") == [] and await listed(operator, "tours") == []
    passenger = await cast.rider(hub)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    ride = await passenger.request(here.a.centre)
    await trips.recorded(hub)
    [row] = await listed(operator, "rides", passenger=passenger.subject)
    assert row["id"] == ride and "outcome" not in row and "driver" not in row
    await driver.accept_next(ride)
    await trips.recorded(hub)
    [row] = await listed(operator, "rides", passenger=passenger.subject)
    assert row["driver"] == driver.subject and "outcome" not in row
    await passenger.call("ride.cancel", ride=ride)


async def test_bookings_and_reservations_are_listed(past, cast):
    hub, _ = past
    here = hub.block()
    operator = await office(hub)
    minibus = cast.minibus(hub, here.a.stand)
    await minibus.go_online()
    seated, booked = await riding(hub, cast, minibus, here.a)
    at = int(time.time() * 1000) + 3 * 3_600_000
    passenger = await cast.rider(hub)
    made = await passenger.call(
        "reservation.make", pickup=here.a.centre.fields, destination=here.b.centre.fields, at=at, passengers=2)
    await passenger.call("reservation.cancel", reservation=made["reservation"])
    await trips.recorded(hub)
    of_passenger = {"passenger": passenger.subject}
    # The last of all.
    await listed_at_last(operator, "reservations", lambda rows: rows and rows[0].get("outcome"), **of_passenger)
    [booking] = await listed(operator, "bookings", driver=minibus.subject)
    assert (booking["id"], booking["passenger"]) == (booked, seated.subject) and "outcome" not in booking
    assert booking["confirmed_at"] >= booking["requested_at"] and booking["zone"] == here.a.id
    assert await listed(operator, "bookings", zone=here.a.id) == [booking] and await listed(operator, "bookings", zone="x") == []
    assert await listed(operator, "bookings", passenger=seated.subject) == [booking]
    [row] = await listed(operator, "reservations", **of_passenger)
    assert row == {
        "id": made["reservation"], "passenger": passenger.subject, "zone": here.a.id, "passengers": 2, "at": at,
        "from_lat": here.a.centre.lat, "from_lon": here.a.centre.lon, "to_lat": here.b.centre.lat, "to_lon": here.b.centre.lon,
        "made_at": row["made_at"], "ended_at": row["ended_at"], "outcome": "cancelled", "ended_by": "passenger",
    }
    assert row["made_at"] <= row["ended_at"]
    assert await listed(operator, "reservations", start_time=at, end_time=at + 1) == [row]
    assert await listed(operator, "reservations", end_time=at) == []
    assert await listed(operator, "reservations", record=row["id"]) == [row]
    assert await listed(operator, "bookings", record=booked) == [booking] and await listed(operator, "rides", record=booked) == []


async def test_alarms_and_reports_are_listed_with_what_they_say(past, cast):
    hub, _ = past
    operator, binary, desk = await office(hub), await office(hub, BinaryOperator), Asker(hub, "operator", fresh("desk-"))
    passenger, driver = await cast.rider(hub), cast.driver(hub)
    await driver.connect()
    place = hub.block().a.centre.fields
    raised = (await passenger.call("sos", text="He does not stop.", **place))["sos"]
    other = (await driver.call("sos"))["sos"]
    await operator.call("sos.close", sos=raised, note="She is safe.")
    report = (await passenger.call("report.send", category="driving", text="Too fast.", vehicle="T9"))["report"]
    nameless = (await passenger.call("report.send", category="other", text="No. 1", anonymous=True))["report"]
    await trips.recorded(hub)
    def is_closed(found):
        return [one.get("closed_by") for one in found] == [None, operator.subject]

    drivers, alarm = await listed_at_last(operator, "alarms", is_closed)
    assert alarm == {
        "id": raised, "role": "passenger", "subject": passenger.subject, "text": "He does not stop.", **place,
        "raised_at": alarm["raised_at"], "closed_at": alarm["closed_at"], "closed_by": operator.subject,
        "closed_note": "She is safe.",
    }
    assert (drivers["id"], drivers["role"], drivers["vehicle"]) == (other, "driver", driver.subject)
    assert await listed(operator, "alarms", passenger=passenger.subject) == [alarm]
    assert await listed(operator, "alarms", driver=driver.subject) == [drivers]
    assert await listed(operator, "alarms", driver=passenger.subject) == []
    assert await listed(operator, "alarms", record=raised, start_time=alarm["raised_at"]) == [alarm]
    without_name, known = await listed_at_last(operator, "reports", lambda found: len(found) == 2)
    assert known.items() >= {
        "id": report, "category": "driving", "text": "Too fast.", "vehicle": "T9", "role": "passenger",
        "subject": passenger.subject,
    }.items()
    assert without_name == {"id": nameless, "category": "other", "text": "No. 1", "sent_at": without_name["sent_at"]}
    for of, rows in (("alarms", [drivers, alarm]), ("reports", [without_name, known])):
        assert await listed(binary, of) == rows and desk.done("records.list", of=of) == {"records": rows}
        printed = run("records", of, "--config", hub.config, "--json")
        assert [json.loads(line) for line in printed.stdout.splitlines()] == rows


async def test_stops_and_tours_are_listed(town, line):
    operator = await office(town)
    driver, citizen = await on_tour(town, line, 100), await rider(town, line)
    request = await citizen.ask_for(stop=line.stops[2])
    await driver.until("stop.requested", request=request)
    await driver.call("stop.accept", request=request)
    await citizen.call("stop.cancel", request=request)
    await driver.call("tour.end")
    desk = Asker(town, "operator", fresh("desk-"))
    await town.until("recorded", lambda: "ended_at" in str(desk.done("records.list", of="tours", line=line.id)))
    [tour] = await listed(operator, "tours", line=line.id)
    assert (tour["id"], tour["driver"], tour["bus"]) == (driver.tour, driver.subject, line.bus)
    assert tour["ended_at"] >= tour["started_at"]
    assert await listed(operator, "tours", driver=driver.subject) == [tour]
    [stop] = await listed(operator, "stops", line=line.id)
    assert (stop["id"], stop["tour"], stop["passenger"], stop["outcome"]) == (request, driver.tour, citizen.subject, "cancelled")
    assert stop["requested_at"] <= stop["accepted_at"] <= stop["ended_at"] and stop["passengers"] == 1
    assert await listed(operator, "stops", passenger=citizen.subject) == [stop] and stop["driver"] == driver.subject
    assert await listed(operator, "stops", driver=driver.subject) == [stop] and await listed(operator, "stops", driver="x") == []
    assert await listed(operator, "stops", record=request) == [stop]


async def test_whoever_reads_the_past_is_in_the_log_wherever_it_begins(new_hub, cast):
    hub = new_hub(**PATIENT, server__workers=1).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rides = await rides_of(hub, cast, here, driver, 4)
    await trips.recorded(hub)
    operator, name = await office(hub), fresh("desk-")
    desk = Asker(hub, "operator", name)
    seen = 0

    async def told(count=1):
        """The lines that came since."""
        nonlocal seen
        await hub.until("told", lambda: hub.log.count("records are read") >= seen + count)
        lines = [line for line in hub.log.splitlines() if "records are read" in line][seen:]
        seen += len(lines)
        assert len(lines) == count, lines
        return lines

    # From behind the end is from the beginning.
    page = await operator.call("records.list", of="rides", limit=1, **{"from": "9223372036854775807:~"})
    [line] = await told()
    assert operator.subject in line and "rides" in line
    # Who turns the pages, of whatever length, does not read anew.
    for limit in (1, 1, 2):
        page = await operator.call("records.list", of="rides", limit=limit, **{"from": page["next"]})
        if "next" not in page:
            break
    page = desk.done("records.list", of="rides", limit=1)
    desk.done("records.list", of="rides", limit=1, **{"from": page["next"]})
    [line] = await told()
    assert name in line
    # A page of another question is one, and so is a page of somebody else's.
    other = await office(hub)
    await other.call("records.list", of="rides", passenger=rides[0][1], **{"from": page["next"]})
    [line] = await told()
    assert other.subject in line and "passenger" in line and rides[0][1] not in line
    # The first of a kind is told at once; those of the next minute are told together.
    await other.call("records.list", of="rides", **{"from": page["next"]})
    await other.call("records.list", of="stops")
    [line] = await told()
    assert "stops" in line


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_a_reading_that_takes_long_is_paid_for(new_hub, request, kind):
    """Half of all is of one driver, and the other half in one zone: no index has both, whatever a database knows of its tables."""
    server = request.getfixturevalue("server") if kind == "postgres" else None
    hub = new_hub(server__workers=1, server__service_commands_per_second=200, store__url=server.url if server else "").start()
    operator = await office(hub)
    await hub.until("recording", lambda: '"recording"' in hub.log)
    if server:
        server.sql(
            "INSERT INTO trips (city, id, event, driver, zone, requested_at) SELECT "
            f"'{hub.city}', 'r_' || n, 1, 'T' || n % 2, CASE WHEN n = 7 OR n % 2 = 0 THEN 'b' ELSE 'a' END, n "
            "FROM generate_series(0, 199999) AS them (n)")
    else:
        with contextlib.closing(sqlite3.connect(hub.data / "records.sqlite", timeout=patience.PROCESS)) as past, past:
            past.executemany(
                "INSERT INTO trips (city, id, event, driver, zone, requested_at) VALUES (?, ?, 1, ?, ?, ?)",
                ((hub.city, f"r_{n}", f"T{n % 2}", "b" if n == 7 or n % 2 == 0 else "a", n) for n in range(200_000)))
    assert [row["id"] for row in await listed(operator, "rides", driver="T1", zone="b")] == ["r_7"]
    error = await operator.refused("records.list", "rate_limited", of="rides", driver="T1", limit=1)
    assert 1000 < error["retry_after_ms"] < 7000


async def test_what_is_wrong_is_said(hub):
    operator = await office(hub)
    for fields, field in [
        ({"of": "cars"}, "of"), ({}, "of"),
        ({"of": "rides", "line": "52"}, "line"), ({"of": "reports", "driver": "T1"}, "driver"),
        ({"of": "stops", "zone": "14"}, "zone"), ({"of": "alarms", "zone": "14"}, "zone"),
        ({"of": "rides", "record": "a b"}, "record"),
        ({"of": "tours", "passenger": "p"}, "passenger"), ({"of": "reservations", "line": "52"}, "line"),
        ({"of": "rides", "from": "x"}, "from"), ({"of": "rides", "from": "12:"}, "from"), ({"of": "rides", "from": ":r"}, "from"),
        ({"of": "rides", "limit": 0}, "limit"), ({"of": "rides", "limit": 101}, "limit"),
        ({"of": "rides", "start_time": -1}, "start_time"),
        ({"of": "rides", "end_time": "today"}, "end_time"), ({"of": "rides", "driver": "a b"}, "driver"),
    ]:
        error = await operator.refused("records.list", "bad_message", **fields)
        assert error["field"] == field and f"`{field}`" in error["detail"], error
    wrong = run("records", "reports", "--data", hub.data, "--driver", "T1")
    assert wrong.returncode == 64 and "reports have none" in wrong.stderr
    wrong = run("records", "cars", "--data", hub.data)
    assert wrong.returncode == 64 and "rides, bookings, stops, reservations, tours, alarms or reports" in wrong.stderr


async def test_a_hub_that_keeps_no_records_says_so(new_hub):
    hub = new_hub(store__url="none").start()
    operator = await office(hub)
    error = await operator.refused("records.list", "not_available", of="rides")
    assert "store.url" in error["detail"]


async def test_a_database_that_is_away_keeps_nobody_waiting_but_who_asks(past, cast):
    hub, database = past
    if database is None:
        pytest.skip("a file is never away")
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rides = await rides_of(hub, cast, here, driver, 2)
    await trips.recorded(hub)
    operator = await office(hub)
    assert len(await listed(operator, "rides")) == 2
    database.kill()
    error = await operator.refused("records.list", "unavailable", of="rides")
    assert error["retry_after_ms"] > 0 and "ask again" in error["detail"]
    rides += await rides_of(hub, cast, here, driver, 1)
    assert hub.http("/readyz").status == 200
    database.start()
    await trips.recorded(hub)
    assert [row["id"] for row in await listed(operator, "rides")] == [ride for ride, _ in rides[::-1]]


async def test_a_database_that_hangs_without_a_word_is_given_up(past, cast):
    """Who asked is told within some ten seconds, nobody else waits, and it is read again when it goes on."""
    hub, database = past
    if database is None:
        pytest.skip("a file never hangs")
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rides = await rides_of(hub, cast, here, driver, 1)
    await trips.recorded(hub)
    first, second = await office(hub), await office(hub)
    for one in (first, second):
        assert len(await listed(one, "rides")) == 1
    database.pause()
    try:
        replies = [one.expect_reply(9000, "records.list") for one in (first, second)]
        for one in (first, second):
            await one.send({"id": 9000, "cmd": "records.list", "of": "rides"})
        error = await first.refused("records.list", "rate_limited", of="rides")
        assert error["retry_after_ms"] > 0 and "under way" in error["detail"]
        rides += await rides_of(hub, cast, here, driver, 1)
        for future in replies:
            reply = await asyncio.wait_for(future, 4 * patience.PROCESS)
            assert reply["error"]["code"] == "unavailable" and reply["error"]["retry_after_ms"] > 0, reply
        assert hub.http("/readyz").status == 200
    finally:
        database.go_on()
    await trips.recorded(hub)
    assert [row["id"] for row in await listed(first, "rides")] == [ride for ride, _ in rides[::-1]]


async def test_many_who_read_at_once_are_all_answered_or_told_to_wait(past, cast):
    """One reading of a worker at a time, and few that wait: the answers come, and nobody's ride waits for them."""
    hub, _ = past
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rides = await rides_of(hub, cast, here, driver, 2)
    await trips.recorded(hub)
    operators = [await office(hub) for _ in range(40)]

    async def ask(operator):
        reply = await operator.ask("records.list", of="rides")
        if "ok" in reply:
            assert len(reply["ok"]["records"]) == len(rides)
            return True
        assert reply["error"]["code"] == "unavailable" and reply["error"]["retry_after_ms"] > 0, reply
        return False

    assert any(await asyncio.gather(*map(ask, operators)))
