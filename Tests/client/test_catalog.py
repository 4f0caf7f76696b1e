"""Lines, buses, stops and schedules: imported whole or not at all, kept by clients, pushed when they change."""

import asyncio
import json
import os
import pathlib

import pytest

from kerbside import patience
from kerbside.catalog import LISTS, command, get, load, tags, write
from kerbside.gtfs import FILES, feed
from kerbside.hub import ROOT, run
from kerbside.member import member

DATA = pathlib.Path(os.environ.get("KERBSIDE_TEST_DATA", ROOT.parent / "shared" / "data"))
FEEDS = sorted(DATA.glob("gtfs-community/*.zip")) + sorted(DATA.glob("gtfs-rt-wmata/*.zip"))


def test_before_any_import_the_lists_are_empty(city):
    assert get(city, "lines").json == {"lines": []}
    assert get(city, "buses").json == {"buses": []}
    assert get(city, "stops").json == {"stops": []}
    assert get(city, "routes").json["routes"] == []
    assert "no lines yet" in command(city, "lines", "list")


def test_a_feed_is_listed_with_its_schedules(city):
    said = load(city)
    assert "2 lines, 3 stops, 3 trips" in said and "changed: lines, buses, stops, routes" in said, "the first tells all"
    lines = get(city, "lines").json["lines"]
    assert [(line["id"], line["name"], line["long_name"], line["kind"]) for line in lines] == [
        ("L1", "1", "Dorfrunde", "bus"), ("L2", "2", "Pendelbus", "bus")]
    assert lines[0]["color"] == "#00a070" and "color" not in lines[1]
    assert lines[0]["directions"] == [
        {"direction": 0, "headsign": "Bahnhof", "from": "Rathaus", "to": "Bahnhof"},
        {"direction": 1, "headsign": "Rathaus", "from": "Bahnhof", "to": "Rathaus"}]
    assert get(city, "lines/L1", "line").json == lines[0]

    stops = get(city, "stops").json["stops"]
    assert stops[1] == {"id": "s2", "name": "Markt, Mitte", "lat": 51.965, "lon": 7.633, "lines": ["L1"]}
    board = get(city, "stops/s1", "stop.schedule").json
    assert board["time_zone"] == "Europe/Berlin"
    assert [(d["line"], d["headsign"], d["service"], d["times"]) for d in board["departures"]] == [
        ("L1", "Bahnhof", "work", [8 * 3600]),
        ("L1", "Rathaus", "work", [24 * 3600 + 600]),
        ("L2", "Bahnhof", "end", [36000, 37800, 39600, 41400])]
    assert board["services"]["work"] == {
        "weekdays": ["mon", "tue", "wed", "thu", "fri"], "from": "2026-01-01", "until": "2099-12-31",
        "removed": ["2026-12-24"]}

    whole = get(city, "routes/L1", "route.whole").json
    route = whole["route"]
    assert route == next(r for r in get(city, "routes").json["routes"] if r["id"] == "L1")
    assert set(whole["services"]) == {"work"} and [stop["id"] for stop in whole["stops"]] == ["s1", "s2", "s3"]
    trip = route["trips"][0]
    stops = [stop["stop"] for stop in route["patterns"][trip["pattern"]]["stops"]]
    profile = route["profiles"][trip["profile"]]
    assert (trip["id"], trip["start"], stops) == ("t1", 8 * 3600, ["s1", "s2", "s3"])
    assert profile[0] == 0 and profile[-1] == 1200 and 300 < profile[2] == profile[3] < 600, "by distance in between"
    for path in ("lines/L9", "stops/%ff", "stops/x%2", "routes/", "lines/L1/x", "line", "changes/x", "buses/b1"):
        assert city.http(f"/v1/{path}").status == 404, path
    assert city.http("/v1/lines", method="POST").status == 405
    assert city.http("/v1/lines", method="HEAD").text == ""


def test_what_a_client_has_is_not_sent_again(city):
    load(city)
    changes = get(city, "changes").json
    for name in LISTS:
        fresh = get(city, name)
        etag, modified = fresh.headers["etag"], fresh.headers["last-modified"]
        assert changes[name]["etag"] == etag
        for _ in range(6):  # whichever worker answers
            assert get(city, name, If_None_Match=etag).status == 304
        assert get(city, name, If_None_Match=f'"x", W/{etag}').text == ""
        assert get(city, name, If_None_Match="*").status == 304
        assert get(city, name, If_Modified_Since=modified).status == 304
        assert get(city, name, If_None_Match='"x"').status == 200
        assert get(city, name, If_None_Match='"x"', If_Modified_Since=modified).status == 200
        assert get(city, name, If_Modified_Since="Sun, 06 Nov 1994 08:49:37 GMT").status == 200
        assert get(city, name, If_Modified_Since="yesterday").status == 200
    for path, schema in (("lines/L1", "line"), ("stops/s1", "stop.schedule"), ("routes/L1", "route.whole")):
        etag = get(city, path, schema).headers["etag"]
        assert get(city, path, schema, If_None_Match=etag).status == 304

    before = tags(city)
    command(city, "lines", "set-bus", "b1", "--seats", "8")
    after = tags(city)
    assert {name for name in LISTS if before[name] != after[name]} == {"buses"}
    assert get(city, "lines", If_None_Match=before["lines"]).status == 304
    later = get(city, "changes").json
    assert later["version"] != changes["version"]
    assert {name for name in LISTS if later[name] != changes[name]} == {"buses"}
    assert later["buses"]["changed"] > changes["buses"]["changed"]


async def test_a_change_is_pushed_and_the_new_lists_are_there(city):
    load(city)
    readers = [await member(city, role) for role in ("driver", "passenger", "bus_driver", "operator", "service")]
    for reader in readers:
        assert (await reader.join("catalog"))
    reader = readers[1]
    for number in range(1, 6):
        # The old version's ETag must not be good for a moment longer.
        old = get(city, "buses").headers["etag"]
        task = asyncio.create_task(
            asyncio.to_thread(command, city, "lines", "set-bus", "b1", "--seats", str(number)))
        event = await reader.wait(
            lambda: (reader.got("catalog")[number - 1:] or [None])[0], "catalog.changed", 30)
        assert event["type"] == "catalog.changed" and set(event["data"]["changed"]) == {"buses"}
        for _ in range(8):
            answer = get(city, "buses", If_None_Match=old)
            assert answer.status == 200 and answer.json["buses"][0]["seats"] == number
        await task
    seqs = reader.seqs("catalog")
    for other in readers:
        await other.has("catalog", seqs)
    # What was missed comes on return; the same again is no change.
    back = await member(city, resume={"catalog": seqs[2]})
    await back.has("catalog", seqs[3:])
    assert "nothing has changed" in command(city, "lines", "set-bus", "b1", "--seats", "5")
    await reader.barrier()
    assert reader.seqs("catalog") == seqs
    assert [e["type"] for e in reader.got("catalog")] == ["catalog.changed"] * 5
    await (await member(city, "operator")).refused("publish", "bad_message", "channel", channel="catalog", data={})
    await reader.call("unsubscribe", channel="catalog")
    command(city, "lines", "set-bus", "b1", "--seats", "6")
    await back.wait(lambda: len(back.got("catalog")) == 3 or None, "the last")
    assert reader.seqs("catalog") == seqs


async def test_a_change_is_told_when_its_bringer_is_gone(city):
    load(city)
    reader = await member(city)
    await reader.join("catalog")
    # As it lies there when a command ends between the two steps; a worker that reads it sees to it.
    version = get(city, "changes").json["version"]
    city.redis.hset(city.key("catalog"), "untold", json.dumps({"version": version, "changed": {"buses": 1_800_000_000_000}}))
    city.redis.client_kill_filter(_type="pubsub")
    event = await reader.wait(lambda: (reader.got("catalog") or [None])[0], "catalog.changed", 30 * patience.SCALE)
    assert event["data"]["version"] == version
    assert city.redis.hget(city.key("catalog"), "untold") is None
    await reader.barrier()
    assert len(reader.got("catalog")) == 1, "by one of the workers"


BROKEN = {
    "it can't be read as a zip archive": b"PK\x03\x04 this is no archive",
    "the feed lacks routes.txt": feed(routes_txt=None),
    "the feed lacks calendar.txt (or calendar_dates.txt)": feed(calendar_txt=None, calendar_dates_txt=None),
    "stop_times.txt:1: the column stop_sequence is missing": feed(stop_times_txt="trip_id,stop_id\nt1,s1\n"),
    "stops.txt:3: this is not UTF-8 text": feed(stops_txt=b"stop_id,stop_lat,stop_lon\ns1,1,1\ns\xff2,1,1\n"),
    "agency_timezone \"Mars/Olympus\" is no time zone": feed(
        agency_txt="agency_name,agency_url,agency_timezone\nA,x,Mars/Olympus\n"),
    "stop_times.txt:3: trip t1 is left out": feed(
        stop_times_txt=FILES["stop_times.txt"].replace("t1,,,s2", "t1,,,s99")),
    "no trip is left that could be used": feed(stop_times_txt="trip_id,stop_id,stop_sequence\nt9,s1,1\n"),
    "locations.geojson is no JSON": None,
}


@pytest.mark.parametrize("reason", BROKEN)
async def test_a_broken_feed_leaves_the_old_one(city, reason):
    load(city)
    reader = await member(city)
    await reader.join("catalog")
    before = tags(city)
    content = BROKEN[reason] or feed(**{"locations.geojson": "{"})
    said = load(city, content, fails=True)
    assert reason in said and "the old lines stay" in said
    assert tags(city) == before
    await reader.barrier()
    assert not reader.got("catalog")


def test_a_cut_archive_is_refused(city):
    whole = feed()
    for part in (0, 10, len(whole) // 2, len(whole) - 1):
        assert "the old lines stay" in load(city, whole[:part] or b"\n", fails=True)


def test_what_is_left_out_is_said_with_file_line_and_reason(city):
    trips = "".join(f"L1,work,x{n},Bahnhof,0\n" for n in range(20))
    calls = "".join(f"x{n},09:00:00,09:00:00,s1,1\nx{n},09:20:00,09:20:00,s3,2\n" for n in range(20))
    broken = feed(
        trips_txt=FILES["trips.txt"] + trips + "L1,never,y1,,0\n",
        stop_times_txt=FILES["stop_times.txt"] + calls + "y1,10:00:00,10:00:00,s1,1\nx3,9h,9h,s3,3\n",
        routes_txt=FILES["routes.txt"] + "T1,A,U1,,1,\n",
    )
    said = load(city, broken)
    assert "skipped: routes.txt:4: route T1 is no bus: route_type 1" in said
    assert "skipped: trips.txt:25: trip y1 is left out: service never is in neither" in said
    assert 'skipped: stop_times.txt:51: trip x3 is left out: "9h" is no time HH:MM:SS' in said
    assert len(get(city, "routes/L1", "route.whole").json["route"]["trips"]) == 21
    assert "more than 5 %" in command(
        city, "import", "gtfs", write(city, broken), "--max-skipped", "5", fails=True)


def test_a_line_without_a_ride_is_a_warning_and_fails_a_check(city):
    ended = write(city, feed(calendar_txt=FILES["calendar.txt"].replace("1,1,20260101,20991231", "1,1,20260101,20260201"),
                             calendar_dates_txt=None))
    says = ("WARNING: 1 of 2 lines has no ride on any day from",
            "WARNING: line L2 (2): the last day on which something runs was 2026-02-01")
    checked = command(city, "import", "gtfs", ended, "--check", fails=True)
    assert all(line in checked for line in says) and "good" not in checked, checked
    assert "good; 2 lines" in command(city, "import", "gtfs", ended, "--check", "--days", "0")
    taken = command(city, "import", "gtfs", ended)
    assert all(line in taken for line in says), taken
    assert [line["id"] for line in get(city, "lines").json["lines"]] == ["L1", "L2"]


def test_an_id_of_any_length_is_taken_and_can_be_named(city):
    trip, stop = "t1" + "-long" * 60, "s3" + "-long" * 60
    load(city, feed(
        stops_txt=FILES["stops.txt"].replace("s3,", stop + ","),
        trips_txt=FILES["trips.txt"].replace(",t1,", f",{trip},"),
        stop_times_txt=FILES["stop_times.txt"].replace("t1,", trip + ",").replace(",s3,", f",{stop},")))
    route = get(city, "routes/L1", "route.whole").json
    [run] = [run for run in route["route"]["trips"] if run.get("trip_id") == trip]
    [place] = [place for place in route["stops"] if place.get("stop_id") == stop]
    assert len(run["id"]) == len(place["id"]) == 64 and len(route["route"]["trips"]) == 2
    assert get(city, f"stops/{place['id']}", "stop.schedule").json["stop"]["stop_id"] == stop


def test_a_community_with_one_bus(city):
    said = command(city, "import", "yaml", ROOT / "config" / "lines-example.yaml")
    assert "1 line, 4 stops, 6 trips, 1 bus" in said
    route = get(city, "routes/1", "route.whole").json["route"]
    assert [len(pattern["stops"]) for pattern in route["patterns"]] == [4, 3, 4], "one trip leaves the clinic out"
    board = get(city, "stops/klinik", "stop.schedule").json["departures"]
    assert [d["times"] for d in board] == [[29520, 51120], [31080, 38280, 52680]]
    assert get(city, "buses/b1", "bus").json["plate"] == "MS BB 1"
    text = (ROOT / "config" / "lines-example.yaml").read_text()
    before = tags(city)
    broken = text.replace("8:06", "8:6").replace("days: mon-fri", "days: mon-fry", 1).replace("seats: 8", "seats: many")
    said = command(city, "import", "yaml", write(city, broken, "lines.yaml"), fails=True)
    line = 1 + broken[: broken.index("8:6 ")].count("\n")
    assert f"lines.yaml:{line}:" in said and "8:6 at markt is no time such as 8:05" in said
    assert "mon-fry is none; expected such as mon-fri sun" in said
    assert "seats: many is no number from 1 to 99" in said, "all that is wrong is said at once"
    assert tags(city) == before


async def test_lines_survive_restarts_and_the_death_of_redis(city):
    load(city)
    command(city, "lines", "set-bus", "b1", "--seats", "8")
    before = tags(city)
    version = get(city, "changes").json["version"]
    city.stop()
    city.start()
    assert tags(city) == before and get(city, "changes").json["version"] == version
    redis = city.redis_pid()
    os.kill(redis, 9)
    await city.until("another Redis", lambda: city.redis_pid() not in (None, redis))
    await city.until("back", city.is_ready)
    command(city, "lines", "set-bus", "b1", "--seats", "9")
    # A worker that is not back yet reads it when it is.
    await city.until(
        "known to both", lambda: all(
            answer.status == 200 and answer.json["buses"][0]["seats"] == 9
            for answer in (get(city, "buses") for _ in range(12))))
    pid = city.workers()[0]
    await city.kill_workers(pid)
    await city.until("ready", city.is_ready)
    for _ in range(8):
        assert get(city, "buses").json["buses"][0]["seats"] == 9


async def test_a_worker_that_missed_the_announcement_denies_no_line(new_hub):
    """Begun between the announcement of a version and its use, it has to read it first: B1, and no wrong answer till then."""
    city = new_hub(blocks=3, server__workers=1).start()
    load(city)
    reader = await member(city)
    new = stage_more(city)
    # As the function does that takes a version into use, without a word before.
    city.redis.hset(city.key("catalog"), "version", new)
    city.redis.publish(city.key("catalog-news"), f"use {new} 1800000000000")
    await reader.barrier()
    answers, pages = [], []
    for _ in range(2_000):
        answers.append(await reader.ask("subscribe", channel="line:more7"))
        pages.append(city.http("/v1/lines/more7").status)
        if "ok" in answers[-1] and pages[-1] == 200:
            break
        await asyncio.sleep(0.005)
    assert "ok" in answers[-1] and pages[-1] == 200, answers[-1]
    codes = {answer["error"]["code"] for answer in answers if "error" in answer}
    assert codes == {"unavailable"} and set(pages) == {503, 200}, (codes, set(pages))


async def test_the_old_lines_stand_until_the_new_ones_are_read(new_hub):
    """Used before a worker is done with it: the worker goes on with it, and stays ready with the lines that it has."""
    city = new_hub(blocks=3, server__workers=1).start()
    load(city)
    reader = await member(city)
    new = stage_more(city)
    steps = city.redis.pipeline(transaction=True)
    steps.publish(city.key("catalog-news"), f"read {new}")
    steps.hset(city.key("catalog"), "version", new)
    steps.publish(city.key("catalog-news"), f"use {new} 1800000000000")
    steps.execute()
    await reader.barrier()
    ready, kept, pages, is_told = set(), set(), [], False
    for _ in range(2_000):
        ready.add(city.http("/readyz").status)
        kept |= {city.http(f"/v1/{path}").status for path in ("lines", "lines/L1", "stops/s1")}
        await reader.call("subscribe", channel="line:L1")
        is_told = is_told or city.redis.exists(city.key(f"catalog:{new}:reading")) == 1
        pages.append(city.http("/v1/lines/more7").status)
        if pages[-1] == 200:
            break
        await asyncio.sleep(0.005)
    assert pages[-1] == 200 and set(pages) == {503, 200}, set(pages)
    assert ready == {200} and kept == {200}, (ready, kept)
    assert is_told, "who brings a catalog sees that it is being read"
    assert said_of(city, new) == ["reading the lines", "read the lines", "catalog"], "once, and not anew when it is used"


async def test_an_announced_catalog_that_can_not_be_taken_takes_no_line_away(new_hub):
    """It takes the place of a reading of the one in use, which is then read anew."""
    city = new_hub(blocks=3, server__workers=1).start()
    load(city)
    new = stage_more(city, 6_000)
    city.redis.hset(city.key("catalog"), "version", new)
    city.redis.publish(city.key("catalog-news"), f"use {new} 1800000000000")
    await city.until("its reading", lambda: city.redis.exists(city.key(f"catalog:{new}:reading")))
    city.redis.publish(city.key("catalog-news"), "read broken")
    pages = []

    def is_answered():
        pages.append(city.http("/v1/lines/more7").status)
        return pages[-1] != 503

    await city.until("an answer", is_answered)
    assert pages[-1] == 200, set(pages)
    assert city.http("/v1/lines/L1").status == 200
    assert "the catalog broken can't be taken" in city.log
    assert city.redis.get(city.key("catalog:broken:ready")) == "1", "nobody waits for a worker that can't take it"
    assert said_of(city, new) == ["reading the lines", "reading the lines", "read the lines", "catalog"]


def said_of(city, version):
    """What its workers have logged of a version of the catalog."""
    entries = [json.loads(line) for line in city.log.splitlines() if line.startswith("{") and version in line]
    return [entry["message"] for entry in entries if entry.get("version") == version]


def stage_more(city, more=1_500):
    """The present catalog with so many more lines, written beside it as an import does. Its version."""
    old = city.redis.hget(city.key("catalog"), "version")
    new = old + "-more"
    for part in ("meta", "lines", "stops", "buses", "services"):
        entries = city.redis.hgetall(city.key(f"catalog:{old}:{part}"))
        if part == "lines":
            line, text = next(iter(entries.items()))
            entries |= {f"more{n}": text.replace(f'"{line}"', f'"more{n}"') for n in range(more)}
        if part == "meta":
            entries["lines"] = str(int(entries["lines"]) + more)
        if entries:
            city.redis.hset(city.key(f"catalog:{new}:{part}"), mapping=entries)
    return new


async def test_of_two_imports_at_once_each_is_whole(city):
    load(city)
    other = write(city, feed(stops_txt=FILES["stops.txt"].replace("Rathaus", "Kirche")), "other.zip")
    mine = write(city, feed())
    done = await asyncio.gather(*(
        asyncio.to_thread(run, "import", "gtfs", path, "--config", city.config) for path in (mine, other) * 4))
    for result in done:
        assert result.returncode == 0 or "changed by somebody else meanwhile" in result.stderr, result.stderr
    names = {get(city, "stops").json["stops"][0]["name"] for _ in range(8)}
    assert len(names) == 1 and names <= {"Rathaus", "Kirche"}
    keys = {key.split(":")[2] for key in city.redis.scan_iter(city.key("catalog:*")) if city.redis.ttl(key) == -1}
    assert keys == {city.redis.hget(city.key("catalog"), "version")}, "what is not in use expires"


def test_without_a_hub_it_says_so(city):
    city.stop()
    said = command(city, "import", "gtfs", write(city, feed()), fails=True)
    assert "the hub is not running here" in said and "--config or --data" in said
    assert "--config or --data" in command(city, "tail", fails=True)
    assert "good; 2 lines" in command(city, "import", "gtfs", write(city, feed()), "--check"), "a check needs none"


@pytest.mark.skipif(not FEEDS, reason=f"the feeds of {DATA} are not there")
def test_real_feeds_are_imported(city):
    for path in FEEDS:
        said = command(city, "import", "gtfs", path)
        lines = get(city, "lines").json["lines"]
        assert f"{len(lines)} lines" in said
        for name in LISTS:
            assert get(city, name).status == 200
        for line in lines[:5]:
            assert get(city, f"routes/{line['id']}", "route.whole").status == 200
        if "nairobi" in path.name:
            assert len(lines) == 117
