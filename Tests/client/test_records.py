"""What remains: trips and the rest in SQLite or PostgreSQL, whatever dies."""

import contextlib
import json
import os
import signal
import sqlite3

import pytest

from kerbside import tables, trips
from kerbside.disks import fill, small
from kerbside.hub import run
from kerbside.ledger import check_city
from kerbside.operator import Operator
from kerbside.recording import recorder

PATIENT = {"dispatch__offer_seen_timeout_ms": 60_000, "dispatch__offer_timeout_ms": 300_000}
#: Redis has written an entry before it is read, so nothing waits until it is settled.
AT_ONCE = {"redis__fsync": "always"}


@pytest.fixture(params=["sqlite", "postgres"])
def store(request):
    """The settings of a store."""
    if request.param == "sqlite":
        return {}
    return {"store__url": request.getfixturevalue("postgres").url}


async def one_ride(hub, cast, here, driver):
    """A passenger's first ride, from its request to its end."""
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept_next(ride)
    await driver.call("ride.aboard", ride=ride)
    await driver.call("ride.end", ride=ride)
    return ride


async def test_trips_are_those_of_the_log_after_workers_redis_and_the_recorder_were_killed(new_hub, cast, store):
    hub = new_hub(**PATIENT, **AT_ONCE, **store).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    ended = [await one_ride(hub, cast, here, driver)]
    known = await trips.recorded(hub)
    assert known[ended[0]]["outcome"] == "ended" and known[ended[0]]["driver"] == driver.subject

    passenger = await cast.rider(hub)
    open_ride = await passenger.request(here.a.centre)
    old = recorder(hub)
    for pid in [old, *hub.workers(), hub.redis_pid()]:
        os.kill(pid, signal.SIGKILL)
    await hub.until("a recorder again", lambda: recorder(hub) not in (None, old))
    await hub.until("ready", hub.is_ready)
    for client in (driver, passenger):
        await client.wait_closed()
        await client.back()
    await driver.steadily("offer.accept", ride=open_ride)
    await driver.steadily("ride.aboard", ride=open_ride)
    await driver.steadily("ride.end", ride=open_ride)
    known = await trips.recorded(hub)
    assert {ride for ride, trip in known.items() if trip["outcome"] == "ended"} == {*ended, open_ride}
    assert trips.figure(hub, "gaps_total") == 0
    check_city(hub)


async def test_postgres_is_killed_no_ride_notices_and_nothing_is_missing(new_hub, cast, postgres):
    hub = new_hub(**PATIENT, **AT_ONCE, store__url=postgres.url).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    await one_ride(hub, cast, here, driver)
    await trips.recorded(hub)
    postgres.kill()
    during = [await one_ride(hub, cast, here, driver) for _ in range(5)]
    await hub.until("it is said", lambda: trips.figure(hub, "up") == 0)
    await hub.until("the lag", lambda: trips.figure(hub, "lag_events") >= 5 * 5)
    await hub.until("its age", lambda: trips.figure(hub, "lag_seconds") > 0)
    assert hub.http("/readyz").status == 200
    await hub.until("each attempt", lambda: "still nothing is recorded" in hub.log)
    assert hub.log.count("nothing is recorded for now") == 1, "one fact, one error"
    doctor = run("doctor", "--config", hub.config).stdout.splitlines()
    [store], [behind] = ([line for line in doctor if word in line] for word in ("records: PostgreSQL ", "recorder: "))
    assert store.startswith("poor ") and "recorder" not in store and "behind" in behind
    postgres.start()
    known = await trips.recorded(hub)
    assert len(known) == 6 and all(known[ride]["outcome"] == "ended" for ride in during)
    assert "recording goes on" in hub.log and "No space" not in hub.log


async def test_a_hub_starts_without_its_database(new_hub, cast, postgres):
    postgres.kill()
    hub = new_hub(**PATIENT, **AT_ONCE, store__url=postgres.url).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    await one_ride(hub, cast, here, driver)
    postgres.start()
    assert len(await trips.recorded(hub)) == 1


async def test_who_asks_without_the_config_is_told_where_the_records_are(new_hub, cast, postgres):
    hub = new_hub(**PATIENT, **AT_ONCE).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    old = await one_ride(hub, cast, here, driver)
    await trips.recorded(hub)
    hub.stop()
    hub.write_config(**PATIENT, **AT_ONCE, store__url=postgres.url)
    hub.start()
    told = run("trips", "--data", hub.data)
    assert told.returncode == 1 and "keeps its records elsewhere (PostgreSQL " in told.stderr and "--config" in told.stderr
    file = f"store.url=sqlite://{hub.data}/records.sqlite"
    assert old in run("trips", "--data", hub.data, "--set", f"city.id={hub.city}", "--set", file).stdout


def test_a_file_of_records_that_others_can_read_is_closed(new_hub, tmp_path):
    path = tmp_path / "elsewhere.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE schema_versions (version INTEGER NOT NULL PRIMARY KEY, applied_real BIGINT NOT NULL)")
        database.commit()
        files = [path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")]
        for file in files:
            file.chmod(0o666)
        hub = new_hub(blocks=2, **AT_ONCE, store__url=f"sqlite://{path}").start()
        hub.wait_until("recording", lambda: '"message":"recording"' in hub.log)
        assert [oct(file.stat().st_mode & 0o777) for file in files] == ["0o600"] * 3
    database.close()
    assert "the records were open to other users" in hub.log and f"{path} (it was 666)" in hub.log
    hub.stop()


@pytest.mark.parametrize("what", ["a text", "an archive's first byte", "another program's database", "a directory"])
def test_a_file_that_is_no_hubs_is_refused_and_left_as_it_is(new_hub, tmp_path, what):
    path = tmp_path / "some body's #1?.db"
    if what == "a directory":
        path.mkdir()
    elif what == "another program's database":
        database = sqlite3.connect(path)
        database.executescript("PRAGMA journal_mode = WAL; CREATE TABLE other (id INTEGER)")
        database.close()
    else:
        path.write_text("root:x:0:0:root\n" * 20 if what == "a text" else "P")
    path.chmod(0o755)
    before = path.read_bytes() if path.is_file() else None
    hub = new_hub(blocks=2, store__url=f"sqlite://{path}")
    checked = run("check-config", hub.config)
    assert checked.returncode != 0 and f"{path} is no database of a hub" in checked.stderr, checked.stderr
    told = run("doctor", "--config", hub.config)
    assert any("UNFIT" in line and "no database of a hub" in line for line in told.stdout.splitlines()), told.stdout
    started = run("serve", "--config", hub.config)
    assert started.returncode != 0 and f"{path} is no database of a hub" in started.stderr, started.stderr
    assert path.stat().st_mode & 0o777 == 0o755 and sorted(tmp_path.glob("some*")) == [path]
    assert before is None or path.read_bytes() == before


@pytest.mark.parametrize("what", ["nothing", "an empty file", "a database without tables"])
def test_a_file_that_can_become_a_hubs_is_good(new_hub, tmp_path, what):
    path = tmp_path / "new.db"
    if what == "a database without tables":
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode = WAL")
        database.close()
    elif what == "an empty file":
        path.touch()
    result = run("check-config", new_hub(blocks=2, store__url=f"sqlite://{path}").config)
    assert result.returncode == 0, result.stderr


@pytest.fixture
def small_disk(tmp_path):
    with small(tmp_path / "disk", 3) as place:
        yield place


async def test_the_disk_of_records_is_full_no_ride_notices_and_nothing_is_missing(small_disk, new_hub, cast):
    hub = new_hub(**PATIENT, **AT_ONCE, store__url=f"sqlite://{small_disk}/records.sqlite").start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    await one_ride(hub, cast, here, driver)
    await trips.recorded(hub)
    ballast = fill(small_disk)
    # What is left of the last page may take some of them.
    for _ in range(20):
        await one_ride(hub, cast, here, driver)
    await hub.until("the gauge", lambda: trips.figure(hub, "up") == 0)
    assert hub.log.count("nothing is recorded for now") >= 1
    await one_ride(hub, cast, here, driver)
    assert hub.http("/readyz").status == 200
    ballast.unlink()
    known = await trips.recorded(hub)
    assert len(known) == 22 and all(trip["outcome"] == "ended" for trip in known.values())


async def test_a_log_that_was_cut_is_a_gap_that_is_said(new_hub, cast, postgres):
    hub = new_hub(**PATIENT, **AT_ONCE, store__url=postgres.url).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    await one_ride(hub, cast, here, driver)
    await trips.recorded(hub)
    postgres.kill()
    await one_ride(hub, cast, here, driver)
    await hub.until("it is said", lambda: trips.figure(hub, "up") == 0)
    hub.redis.xtrim(hub.key("events"), maxlen=1, approximate=False)
    last = await one_ride(hub, cast, here, driver)
    postgres.start()
    await hub.until("the gap", lambda: trips.figure(hub, "gaps_total") == 1)
    await hub.until("the last ride", lambda: trips.of_store(hub).get(last, {}).get("outcome") == "ended")
    assert "entries left the event log before they were recorded" in hub.log
    doctor = run("doctor", "--config", hub.config)
    assert "1 parts of the event log are not in it" in doctor.stdout


async def test_a_clock_that_was_set_back_holds_up_no_record(new_hub, cast):
    hub = new_hub(**PATIENT).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    # As written two hours ahead: ids of what follows go on from there.
    ahead = (hub.redis.time()[0] + 7_200) * 1_000
    hub.redis.xadd(hub.key("events"), {"type": "test.ahead", "time": ahead, "data": "{}"}, id=f"{ahead}-0")
    rides = [await one_ride(hub, cast, here, driver) for _ in range(2)]
    known = await trips.recorded(hub)
    assert [known[ride]["outcome"] for ride in rides] == ["ended", "ended"]
    assert hub.log.count("clock was set back") == 1 and trips.figure(hub, "gaps_total") == 0


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_an_entry_that_the_database_refuses_is_left_out_and_no_other_one(new_hub, cast, request, kind):
    server = request.getfixturevalue("postgres") if kind == "postgres" else None
    hub = new_hub(blocks=2, **AT_ONCE, **({"store__url": server.url} if server else {})).start()
    await hub.until("recording", lambda: trips.figure(hub, "active") == 1)
    # Somebody's own rule for a table of ours: of two reports with one text the second is refused.
    rule = "CREATE UNIQUE INDEX once ON reports (text)"
    if server:
        server.sql(rule)
    else:
        with contextlib.closing(sqlite3.connect(hub.data / "records.sqlite")) as database:
            database.execute(rule)
    sent = []
    for text in "abacbd":
        passenger = await cast.rider(hub)
        sent.append((await passenger.call("report.send", category="driving", text=text))["report"])

    def of(table):
        return tables.rows(hub.settings.get("store.url", ""), hub.data, hub.city, table)

    await hub.until("the others", lambda: set(of("reports")) == {sent[0], sent[1], sent[3], sent[5]})
    reports = {json.loads(row["data"]).get("report"): place for place, row in hub.redis.xrange(hub.key("events"))}
    gaps = [(gap["kind"], gap["after_id"], gap["before_id"], gap["lost"]) for gap in of("gaps").values()]
    assert sorted(gaps) == sorted(("refused", reports[each], reports[each], 1) for each in (sent[2], sent[4]))
    await hub.until("the figures", lambda: (trips.figure(hub, "gaps_total"), trips.figure(hub, "lag_events")) == (2, 0))
    assert trips.figure(hub, "up") == 1 and hub.log.count("the database refuses an entry") == 2
    assert "nothing is recorded for now" not in hub.log
    assert "2 parts of the event log are not in it" in run("doctor", "--config", hub.config).stdout


async def test_a_database_that_dies_while_nothing_happens_is_noticed(new_hub, postgres):
    hub = new_hub(blocks=2, **AT_ONCE, store__url=postgres.url).start()
    await hub.until("recording", lambda: trips.figure(hub, "up") == 1)
    postgres.kill()
    await hub.until("it is said", lambda: trips.figure(hub, "up") == 0)


def doctor_of(hub, what):
    """The line of `kerbside doctor` that has this."""
    [line] = [line for line in run("doctor", "--config", hub.config).stdout.splitlines() if what in line]
    return line


async def test_a_hub_of_the_same_redis_waits_and_says_so_and_one_of_another_redis_is_an_error(new_hub, cast, postgres):
    first = new_hub(blocks=2, **AT_ONCE, store__url=postgres.url).start()
    await first.until("recording", lambda: trips.figure(first, "active") == 1)
    same = new_hub(blocks=2, redis__url=f"unix://{first.data}/redis.sock", store__url=postgres.url).start()
    other = new_hub(blocks=2, store__url=postgres.url).start()
    # The older log reaches back to what the other one records.
    for hub in (other, first):
        await (await cast.rider(hub)).call("report.send", category="driving", text="x")
    await other.until("it is said", lambda: trips.figure(other, "foreign") == 1)
    await same.until("it waits", lambda: trips.figure(same, "up") == 1)
    # Each worker answers with figures of up to a second ago.
    for name, right in (("up", [1, 1, 0]), ("active", [1, 0, 0])):
        await other.until(name, lambda name=name, right=right: [trips.figure(hub, name) for hub in (first, same, other)] == right)
    assert [hub.log.count("standby: another hub records this city") for hub in (first, same, other)] == [0, 1, 1]
    assert [hub.log.count("with a Redis of its own") for hub in (first, same, other)] == [0, 0, 1]
    assert "standby: another hub records this city" in (line := doctor_of(same, "recorder: ")) and line.startswith("good ")
    assert "another hub, with a Redis of its own" in (line := doctor_of(other, "recorder: ")) and line.startswith("UNFIT ")
    # They end before the Redis of the first does.
    same.stop()
    other.stop()


async def test_who_asks_for_trips(new_hub, cast):
    hub = new_hub(**PATIENT, **AT_ONCE).start()
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    mine = await one_ride(hub, cast, here, first)
    other = await one_ride(hub, cast, here, second)
    known = await trips.recorded(hub)
    assert set(trips.of_store(hub, "--driver", first.subject)) == {mine}
    assert set(trips.of_store(hub, "--passenger", known[other]["passenger"])) == {other}
    assert trips.of_store(hub, "--to", "2020-01-01") == {} and len(trips.of_store(hub, "--from", "2020-01-01T00:00:00Z")) == 2
    table = run("trips", "--config", hub.config, "--csv").stdout.splitlines()
    assert table[0].startswith("id,passenger,driver") and len(table) == 3
    office, rider = await cast.operator(hub), await cast.rider(hub)
    last = await rider.request(here.a.centre)
    await office.call("office.cancel", ride=last, reason="=1+1")
    await trips.recorded(hub)
    assert "'=1+1" in run("trips", "--config", hub.config, "--csv").stdout, "no formula of a spreadsheet"
    shown = run("trips", "--config", hub.config).stdout
    assert mine in shown and "ended" in shown
    for wrong in (["--from", "yesterday"], ["--csv", "--json"], ["--number", "0"]):
        assert run("trips", "--config", hub.config, *wrong).returncode == 64
    doctor = run("doctor", "--config", hub.config).stdout
    assert "records.sqlite has 3 trips.\n" in doctor and "good  recorder: 0 events and 0 s behind.\n" in doctor
    assert "\n3 trips of SQLite " in shown and "records.sqlite" in shown
    # The hub need not run.
    hub.stop()
    assert set(trips.of_store(hub)) == {mine, other, last}


def test_records_of_a_later_program_are_refused_at_the_start(new_hub):
    hub = new_hub(blocks=2).start()
    hub.wait_until("recording", lambda: '"message":"recording"' in hub.log)
    hub.stop()
    with sqlite3.connect(hub.data / "records.sqlite") as database:
        database.execute("INSERT INTO schema_versions (version, applied_real) VALUES (99, 1)")
    database.close()
    result = run("serve", "--config", hub.config)
    assert result.returncode != 0 and "version 99" in result.stderr and "store.url" in result.stderr
    hub.write_config(store__url="none")
    hub.start()
    assert recorder(hub) is None
    assert "none are kept" in run("doctor", "--config", hub.config).stdout
    assert run("trips", "--config", hub.config).returncode == 1


def test_a_postgres_that_cant_hold_every_text_is_refused_with_how_to_make_one(new_hub, postgres):
    postgres.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    hub = new_hub(blocks=2, store__url=postgres.database("latin"))
    said = "the encoding LATIN1, which can't hold every text: make one with CREATE DATABASE new ENCODING 'UTF8' TEMPLATE template0"
    told = run("doctor", "--config", hub.config).stdout.splitlines()
    assert any("UNFIT" in line and said in line for line in told), told
    started = run("serve", "--config", hub.config)
    assert started.returncode != 0 and said in started.stderr, started.stderr


@pytest.mark.parametrize("url", ["mysql://h/d", "sqlite://", "postgresql://h/a b"])
def test_a_wrong_url_is_refused(new_hub, url):
    hub = new_hub(blocks=2, store__url=url)
    result = run("check-config", hub.config)
    assert result.returncode != 0 and "store.url" in result.stdout + result.stderr


@pytest.mark.parametrize("password", ["s@cret", "1/cret", "s%cret"])
def test_a_password_that_tears_the_url_is_refused_with_how_to_write_it(new_hub, password):
    hub = new_hub(blocks=2, store__url=f"postgresql://u:{password}@127.0.0.1:1/d")
    for result in (run("check-config", hub.config), run("trips", "--config", hub.config)):
        said = result.stdout + result.stderr
        assert result.returncode != 0 and "store.url" in said and "@ is written %40" in said
        assert "cret" not in said


def test_records_that_would_cross_a_network_in_clear_are_said(new_hub):
    hub = new_hub(blocks=2, store__url="postgresql://u:s3cret@db.example/records")
    result = run("check-config", hub.config)
    assert result.returncode != 0 and "sslmode" in result.stdout + result.stderr
    assert "s3cret" not in run("print-config", "--config", hub.config).stdout
    hub.write_config(store__url="postgresql://u:s3cret@db.example/records?sslmode=verify-full")
    assert run("check-config", hub.config).returncode == 0


async def test_what_an_operator_has_read_last_is_in_the_log_when_the_hub_ends(new_hub):
    hub = new_hub(server__workers=1).start()
    operator = Operator(hub, "office-last")
    await operator.connect()
    await hub.until("recording", lambda: '"recording"' in hub.log)
    for _ in range(3):
        await operator.call("records.list", of="rides")
    hub.stop()
    told = [json.loads(line) for line in hub.log.splitlines() if "records are read" in line]
    assert [line.get("times") for line in told] == [None, "2"] and all("office-last" in str(line) for line in told), told
