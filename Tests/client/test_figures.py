"""What administrators are told of lines and days: exact after a scripted day, counted once, for those who may see it."""

import asyncio
import datetime
import os
import signal
import threading
import time
import zoneinfo

import pytest

from conftest import Cast
from kerbside import bus as buses, figures
from kerbside.bus import BusDriver
from kerbside.driver import Driver
from kerbside.hub import Hub, run
from kerbside.minibus import book, trip
from kerbside.passenger import Passenger
from kerbside.stops import rider

pytestmark = pytest.mark.usefixtures("one_hour")

#: When each line's run is at its stops, minutes from the beginning: late, on time, early, left out, early.
RUN = (-10, 0, 10, 20, 30)


@pytest.fixture(scope="module")
def town():
    """Two workers, lines by `RUN`. A driver may say at once that nobody came."""
    hub = Hub(stops__wait_ms=0)
    try:
        hub.start()
        hub.begun = int(time.time()) // 60 * 60
        lines, text = figures.timetable(*RUN, now=hub.begun, lines=20)
        buses.load(hub, text)
        hub.lines = iter(lines)
        yield hub
        hub.stop()
    finally:
        hub.kill()
        hub.remove()


@pytest.fixture
def line(town):
    return next(town.lines)


async def twice(client, command, **fields):
    """Sent, and sent again because the first answer was lost."""
    reply = await client.call(command, **fields)
    assert await client.call(command, **fields) == reply
    return reply


async def test_a_scripted_day(town, line):
    driver, other = BusDriver(town, line), BusDriver(town, line)
    citizen = await rider(town, line)
    for _ in range(3):
        await citizen.not_asked("no_driver", 2500, key="early")
    await citizen.not_asked("no_driver", 2500)
    await driver.connect()
    await twice(driver, "tour.start", bus=line.bus, line=line.id, key="start")
    await driver.call("tour.start", bus=line.bus, line=line.id)
    for number, taken in enumerate((3, 1, 4)):
        await twice(driver, "seats.set", taken=taken, key=f"seats-{number}")

    fetched, turned_down, missed, _open = [
        await (await rider(town, line)).ask_for(2000 + 300 * n, passengers=n) for n in range(1, 5)]
    # By positions, which this bus does not send, it would have been there.
    for request in (fetched, missed):
        town.redis.hset(town.key(f"stop:{request}"), "notified", 20)
    for what, request in (("accept", fetched), ("accept", missed), ("decline", turned_down), ("complete", fetched),
                          ("noshow", missed)):
        await twice(driver, f"stop.{what}", request=request, key=f"{what}-{request}")
    taken_back = await citizen.ask_for(3500, key="mine")
    assert await citizen.ask_for(3500, key="mine") == taken_back
    for _ in range(2):
        await citizen.call("stop.cancel", request=taken_back)
        await citizen.not_asked("seats_full", 2500, passengers=9, key="many")
    await citizen.refused("stop.request", "off_route", line=line.id, name="Ada", **line.at(2500, north=900).fields)
    await citizen.not_asked("bad_message", 2500, passengers=0)
    await citizen.not_asked("not_found", 2500, line="nowhere")

    begun = time.time() - town.begun
    for number, skip in enumerate((False, False, False, True)):
        await twice(driver, "stop.next", skip=skip, key=f"next-{number}")
    await driver.call("stop.previous")
    await driver.call("stop.next", skip=True)
    await twice(driver, "tour.end", key="end")
    passed = time.time() - town.begun
    await other.begin()
    await other.call("tour.end")

    day = figures.of(town, line)
    mean = day["punctuality"].pop("mean_delay_s")
    usual = -sum(minutes * 60 for minutes in (*RUN[:3], RUN[4])) / 4
    assert usual + begun - 2 <= mean <= usual + passed + 2
    assert day.pop("date") == time.strftime("%Y-%m-%d", time.gmtime())
    # Five minutes after its time a bus is late; the module may have begun so long ago.
    late = day["punctuality"]["late"]
    assert 1 + (begun > 302) <= late <= 1 + (passed > 298)
    assert day == {
        "line": line.id, "passengers": 6, "boarded": 6, "fetched": 1,
        "tours": {"started": 2, "ended": 2, "cut_short": 1, "lost": 0},
        "requests": {
            "requested": 5, "accepted": 2, "declined": 1, "expired": 0, "completed": 1, "no_show": 1, "cancelled": 1,
            "refused": {"no_driver": 2, "seats_full": 1, "off_route": 1}},
        "punctuality": {"passed": 4, "early": 2, "on_time": 2 - late, "late": late, "skipped": 1}}


async def test_positions_judge_the_stops_that_a_bus_comes_by(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    # By the hub's clock, though the device's is minutes behind.
    usual = -sum(minutes * 60 for minutes in RUN[:2]) / 2
    begun = time.time() - town.begun
    await driver.go(0, buses.SPACING, 1400)
    passed = time.time() - town.begun
    day = await town.until("two stops passed", lambda: _passed(town, line, 2))
    punctuality = day["punctuality"]
    assert usual + begun - 2 <= punctuality["mean_delay_s"] <= usual + passed + 2
    assert 1 + (begun > 302) <= punctuality["late"] <= 1 + (passed > 298) and punctuality["early"] == 0
    await driver.call("tour.end")
    assert figures.of(town, line)["tours"]["cut_short"] == 1


def _passed(hub, line, count):
    day = figures.of(hub, line)
    return day if day["punctuality"]["passed"] == count else None


async def test_a_minibus_counts_for_the_line_that_it_has_announced(town, line, cast):
    zone = town.block().a
    minibus = cast.minibus(town, zone.stand)
    await minibus.go_online()
    await minibus.call("route.set", route=line.id)
    one, two = await cast.rider(town), await cast.rider(town)
    booking = await book(one, minibus, zone.centre, zone.stand, 2)
    await minibus.take(booking)
    await minibus.drive(zone.centre)
    for event in ("seat.confirmed", "seat.near", "seat.arrived"):
        await one.expect(event, booking=booking)
    await minibus.call("seat.aboard", booking=booking, key="aboard")
    await minibus.call("seat.aboard", booking=booking, key="aboard")
    await minibus.call("seats.set", taken=5, reason="walk_on")
    await minibus.call("seat.end", booking=booking)
    refused = await book(two, minibus, zone.centre, zone.stand)
    await minibus.call("seat.decline", booking=refused)
    await two.refused("seat.book", "too_many_passengers", vehicle=minibus.subject, **trip(zone.centre, zone.stand, 20))
    day = figures.of(town, line)
    assert (day["passengers"], day["fetched"], day["boarded"]) == (5, 2, 3)
    assert day["requests"] == {
        "requested": 2, "accepted": 1, "declined": 1, "expired": 0, "completed": 1, "no_show": 0, "cancelled": 0,
        "refused": {"too_many_passengers": 1}}
    assert day["tours"]["started"] == 0


async def test_the_same_as_a_table_and_in_a_terminal(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.call("seats.set", taken=5)
    await (await rider(town, line)).not_asked("seats_full", 2500, passengers=7)
    await driver.call("stop.next")
    [day] = figures.ask(town, line=line.id).json["days"]
    told = figures.ask(town, "/v1/stats.csv", line=line.id)
    [row] = figures.table(told)
    assert "header=present" in told.headers["content-type"]
    assert (row["date"], row["line"], row["passengers"]) == (day["date"], line.id, "5")
    for part, names in (("tours", "tours_{}"), ("punctuality", "stops_{}")):
        for name, value in day[part].items():
            assert float(row[names.format(name) if name != "mean_delay_s" else name]) == value
    for name, value in day["requests"].items():
        if name != "refused":
            assert int(row[name]) == value
    assert (row["refused_seats_full"], row["refused_no_driver"], row["refused_other"]) == ("1", "0", "0")
    for accept in ("text/csv", "text/csv, application/json;q=0.5", "text/*", "application/json;q=0, */*"):
        assert figures.table(figures.ask(town, line=line.id, accept=accept)) == [row], accept
    for accept in ("application/json", "*/*", "application/json, text/csv;q=0.9", "text/html"):
        assert figures.ask(town, line=line.id, accept=accept).json["days"] == [day], accept

    def printed(*arguments):
        done = run("stats", "--config", town.config, "--line", line.id, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert printed("--csv") == told.text.replace("\r\n", "\n"), "read as text"
    assert day["date"] in printed() and line.id in printed()
    wrong = run("stats", "--config", town.config, "--from", "yesterday")
    assert wrong.returncode != 0 and "2026-11-21" in wrong.stderr
    await driver.call("tour.end")


async def test_all_lines_of_the_days_that_are_asked_for(town):
    lines = [next(town.lines), next(town.lines)]
    for line in lines:
        driver = BusDriver(town, line)
        await driver.begin()
        await driver.call("tour.end")
    town.redis.hset(town.key("figures:2026-02-28"), mapping={f"{line.id}|passengers": 7 for line in lines})
    town.redis.hset(town.key("figures:2026-03-02"), mapping={'an"old",line|passengers': 1, "nonsense": 5})
    days = figures.ask(town, from_="2026-02-28", to="2026-03-02").json
    assert (days["from"], days["to"], days["time_zone"]) == ("2026-02-28", "2026-03-02", "Etc/UTC")
    assert [(day["date"], day["line"], day["passengers"]) for day in days["days"]] == [
        *(("2026-02-28", name, 7) for name in sorted(line.id for line in lines)), ("2026-03-02", 'an"old",line', 1)]
    assert [row["line"] for row in figures.table(figures.ask(town, "/v1/stats.csv", from_="2026-03-02", to="2026-03-02"))] == [
        'an"old",line']
    assert len(figures.ask(town, from_="2026-02-28", to="2026-02-28", line=lines[0].id).json["days"]) == 1
    week = figures.ask(town).json
    span = datetime.date.fromisoformat(week["to"]) - datetime.date.fromisoformat(week["from"])
    assert span.days == 6 and {day["line"] for day in week["days"]} >= {line.id for line in lines}
    assert week["on_time"] == {"early_s": 60, "late_s": 300}


def test_who_asks_over_and_over_leaves_the_others_their_turn(town):
    first, over, codes = str(datetime.date.today() - datetime.timedelta(days=359)), threading.Event(), set()

    def ask_on():
        while not over.is_set():
            codes.add(figures.ask(town, role="service", from_=first).status)

    programs = [threading.Thread(target=ask_on) for _ in range(8)]
    for program in programs:
        program.start()
    try:
        assert {figures.ask(town).status for _ in range(20)} == {200}
    finally:
        over.set()
        for program in programs:
            program.join()
    assert 200 in codes and codes <= {200, 429, 503}


async def test_c60_a_year_of_figures_costs_its_reader_what_it_costs_the_hub(new_hub):
    hub = new_hub(server__service_commands_per_second=20).start()
    today = datetime.datetime.now(datetime.UTC).date()
    day = {f"{hour}|{zone}": "1 1 1 0 0 0 9000 1 60000 1" for hour in range(24) for zone in range(900)}
    hub.redis.hset(hub.key(f"taxis:{today}"), mapping=day)
    too_much = figures.ask_taxis(hub, token=hub.token("service", "s1"))
    assert too_much.status == 400 and "20000 rows" in too_much.json["detail"]
    one = figures.ask_taxis(hub, token=hub.token("service", "s2"), zone="7")
    assert one.status == 200 and len(one.json["hours"]) == 24
    token, answers = hub.token("service", "s3"), []
    while not answers or answers[-1].status == 200:
        answers.append(figures.ask(hub, token=token, from_=today - datetime.timedelta(days=365)))
    assert answers[-1].status == 429 and answers[-1].json["retry_after_ms"] > 0
    assert figures.ask(hub, token=hub.token("service", "s4")).status == 200, "who asks for a week is not held up"


async def test_only_for_operators_and_services_with_their_token_in_the_header(town):
    for role in ("operator", "service"):
        assert figures.ask(town, role=role).status == 200
    for role in ("passenger", "driver", "bus_driver"):
        refused = figures.ask(town, role=role)
        assert refused.status == 403 and 'error="insufficient_scope"' in refused.headers["www-authenticate"]
        assert role in refused.json["detail"]
    none = figures.ask(town, role=None)
    assert none.status == 401 and none.headers["www-authenticate"] == 'Bearer realm="kerbside"'
    good = town.token("operator", "o1")
    in_url = figures.ask(town, role=None, token=None, access_token=good)
    assert in_url.status == 401 and good not in in_url.text
    assert figures.ask(town, access_token=good).status == 400
    for token in ("nonsense", good[:-2], town.token("operator", "o1", exp=1)):
        refused = figures.ask(town, token=token)
        assert refused.status == 401 and 'error="invalid_token"' in refused.headers["www-authenticate"]
    assert figures.ask(town, token=town.token("operator", "o1", city="elsewhere")).status == 403
    assert town.http("/v1/stats", method="POST").status == 405


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"from_": "yesterday"}, "`from`: expected a day such as 2026-11-21, got yesterday"),
        ({"to": "2026-13-01"}, "`to`: expected a day"),
        ({"from_": "20261101"}, "`from`: expected a day"),
        ({"from_": "2026-11-02", "to": "2026-11-01"}, "`from`: expected a day up to 2026-11-01"),
        ({"from_": "2024-01-01", "to": "2026-01-01"}, "at most 366 days, got 732"),
        ({"lines": "52"}, "no parameter `lines`: expected `from`, `to` or `line`"),
        ({"line": ""}, "`line`: expected an id"),
        ({"line": "x" * 65}, "`line`: expected an id"),
    ])
def test_a_bad_parameter_is_named(town, query, said):
    answer = figures.ask(town, **query)
    assert answer.status == 400 and said in answer.json["detail"], answer.text


def test_other_mistakes_in_a_question(town):
    for query, said in (("line=1&line=2", "`line`: expected once"), ("from", "malformed"), ("line=%zz", "malformed")):
        answer = figures.ask(town, f"/v1/stats?{query}")
        assert answer.status == 400 and said in answer.json["detail"]
    unknown = figures.ask(town, line="nowhere")
    assert unknown.status == 404 and "nowhere" in unknown.json["detail"]
    assert figures.ask(town, "/v1/stats/today").status == 404


async def test_days_are_those_of_the_citys_clock(new_hub):
    # Where it is another day than in UTC now.
    name = "Etc/GMT-14" if time.gmtime().tm_hour >= 10 else "Etc/GMT+12"
    hub = new_hub(figures__days=3, figures__late_s=0, figures__early_s=3600).start()
    [line], text = figures.timetable(*RUN, now=int(time.time()), zone=name)
    buses.load(hub, text)
    east = 14 if name == "Etc/GMT-14" else -12
    await hub.until("its clock", lambda: hub.redis.hget(hub.key("settings"), "utc_offset_s") == str(east * 3600))
    driver = BusDriver(hub, line)
    await driver.begin()
    await driver.call("stop.next")
    await driver.call("stop.next")
    await driver.call("stop.next")
    day = figures.of(hub, line)
    today = datetime.datetime.now(zoneinfo.ZoneInfo(name)).date()
    assert day["date"] == str(today) != time.strftime("%Y-%m-%d", time.gmtime())
    assert day["punctuality"] | {"mean_delay_s": 0} == {
        "passed": 3, "early": 0, "on_time": 1, "late": 2, "skipped": 0, "mean_delay_s": 0}
    page = figures.ask(hub).json
    assert (page["to"], page["time_zone"], page["on_time"]) == (str(today), name, {"early_s": 3600, "late_s": 0})
    assert 2 * 86_400 < hub.redis.ttl(hub.key(f"figures:{today}")) <= 3 * 86_400
    await driver.call("tour.end")


async def test_nothing_is_lost_and_nothing_counted_twice_when_workers_and_redis_die(new_hub):
    hub = new_hub()
    hub.start()
    [line], text = figures.timetable(*RUN, now=int(time.time()))
    buses.load(hub, text)
    driver = BusDriver(hub, line)
    await driver.begin()

    async def insist(command, **fields):
        """As the app does: until it is answered, with the same key."""
        await hub.until("an answer", lambda: buses.tried(lambda: _again(driver, command, **fields)))

    for number in range(1, 7):
        asyncio.get_running_loop().call_later(0.01, _kill, hub, number)
        await insist("seats.set", taken=number, key=f"k{number}")
    # Written through every second; then it may die.
    await asyncio.sleep(1.5)
    os.kill(hub.redis_pid(), signal.SIGKILL)
    await insist("seats.set", taken=0, key="k9")
    await insist("seats.set", taken=2, key="k10")
    day = await hub.until("the figures", lambda: figures.of(hub, line))
    # No more than there are seats: beyond them nobody is believed to have got on at one stop.
    assert (day["passengers"], day["tours"]["started"]) == (8, 1)
    # Redis stands still: that is said, and passes.
    pid = hub.redis_pid()
    os.kill(pid, signal.SIGSTOP)
    assert "again in a moment" in figures.ask(hub).json["detail"]
    os.kill(pid, signal.SIGCONT)
    await hub.until("the figures again", lambda: all(figures.ask(hub).status == 200 for _ in range(8)))
    assert figures.of(hub, line)["passengers"] == 8


def _kill(hub, number):
    workers = hub.workers()
    if number % 3 == 0 and workers:
        os.kill(workers[0], signal.SIGKILL)


async def _again(driver, command, **fields):
    if driver.closed is not None:
        await driver.resume()
    return await driver.call(command, **fields)


async def test_taxis_are_counted_by_hour_and_zone(hub):
    here = hub.block()
    cast = Cast(Driver, Passenger)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    await driver.call("ride.aboard")
    await driver.call("ride.end")
    await hub.until("counted", lambda: figures.ask_taxis(hub, zone=here.a.id).json["hours"])
    for role in ("operator", "service"):
        answer = figures.ask_taxis(hub, role=role, zone=here.a.id)
        [row] = answer.json["hours"]
        assert (row["zone"], row["requested"], row["accepted"], row["ended"]) == (here.a.id, 1, 1, 1)
        assert row["mean_accept_s"] >= 0 and "mean_arrive_s" not in row
    [line] = figures.table(hub.http(
        f"/v1/stats/taxis.csv?zone={here.a.id}", headers={"Authorization": f"Bearer {hub.token('operator', 'o1')}"}))
    assert (line["zone"], line["requested"], line["mean_arrive_s"]) == (here.a.id, "1", "")
    assert figures.ask_taxis(hub, zone="nowhere").status == 404
    assert figures.ask_taxis(hub, line="1").status == 400
    assert figures.ask_taxis(hub, role=None).status == 401
    for role in ("driver", "passenger", "bus_driver"):
        assert figures.ask_taxis(hub, role=role).status == 403
