"""Running the hub: its health, its figures, its log, reload and shutdown."""

import asyncio
import contextlib
import fcntl
import json
import os
import re
import signal

import pytest

from kerbside import city, patience
from kerbside.hub import run

METRIC = re.compile(
    r'(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?P<labels>([a-zA-Z_]\w*="([^"\\\n]|\\["\\n])*",?)*)\})?'
    r" (?P<value>[-+]?([0-9.]+([eE][-+]?[0-9]+)?|Inf|NaN))( [0-9]+)?"
)


def metrics(text):
    """name → [(labels, value)], by the text format of Prometheus."""
    found, types = {}, {}
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert kind in ("counter", "gauge", "histogram", "summary", "untyped") and name not in types, line
            types[name] = kind
        elif line and not line.startswith("#"):
            match = METRIC.fullmatch(line)
            assert match, f"not the text format: {line!r}"
            found.setdefault(match["name"], []).append((match["labels"] or "", float(match["value"])))
    for name in found:
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        assert name in types or base in types, f"{name} has no TYPE"
        if types.get(name) == "counter":
            assert name.endswith("_total"), f"the counter {name} is not called _total"
    for name, rows in found.items():
        labels = [label for label, _ in rows]
        assert len(labels) == len(set(labels)), f"a series of {name} stands twice"
    return found


def test_health_and_readiness(hub):
    assert hub.http("/healthz").status == 200
    assert hub.http("/readyz").status == 200
    root = hub.http("/")
    assert (root.status, root.headers["Location"]) == (302, "/line/") and "Kerbside serves" in root.text


async def test_ready_means_that_every_connection_is_served(new_hub, cast):
    hub = new_hub(blocks=3, server__workers=4).start(ready=False)
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)
    drivers = [cast.driver(hub) for _ in range(40)]
    await asyncio.gather(*(driver.connect() for driver in drivers))
    await asyncio.gather(*(driver.barrier() for driver in drivers))


async def test_metrics_are_the_text_of_prometheus_and_count(hub, cast):
    before = metrics(hub.http("/metrics").text)
    answer = hub.http("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert before and all(name.startswith(("kerbside_", "process_")) for name in before)
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await driver.accept(await passenger.request(here.a.centre))

    def grown():
        now = metrics(hub.http("/metrics").text)
        return [
            name
            for name, rows in now.items()
            if name.endswith("_total") and sum(v for _, v in rows) > sum(v for _, v in before.get(name, []))
        ]

    await hub.until("counters of messages and events to grow", lambda: len(grown()) >= 3)
    assert driver.subject not in hub.http("/metrics").text, "a driver is no label"


@pytest.mark.parametrize("path", ["/nothing", "/v1/nothing", "/v1/connect/x", "/healthz/x", "/../etc/passwd", "/%00"])
def test_what_is_not_there_is_a_problem_json(hub, path):
    answer = hub.http(path)
    assert answer.status in (400, 404)
    if answer.status == 404:
        problem = json.loads(answer.text)
        assert answer.headers["content-type"].startswith("application/problem+json")
        assert problem["status"] == 404 and problem["title"] and problem["type"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "FROB"])
def test_other_methods_are_refused(hub, method):
    assert hub.http("/healthz", method).status in (400, 403, 404, 405, 501)


def test_head_is_answered_like_get_without_a_body(hub):
    def said(path, method):
        answer = hub.http(path, method)
        # Figures change from one answer to the next, and with them their length.
        varying = {"Date", "Content-Length"} if path == "/metrics" else {"Date"}
        return answer.status, {key: value for key, value in answer.headers.items() if key not in varying}, answer.text

    paths = ("/healthz", "/readyz", "/metrics", "/v1/routes", "/v1/stats", "/nothing", "/v1/connect")
    for path in paths:
        assert said(path, "HEAD") == (*said(path, "GET")[:2], ""), path


def test_the_log_is_one_json_object_per_line(hub):
    lines = [line for line in hub.log.splitlines() if line.startswith("{")]
    assert lines, "the hub has written nothing"
    for line in lines:
        entry = json.loads(line)
        assert {"level", "message"} <= set(entry) or {"level", "msg"} <= set(entry), entry
    others = [line for line in hub.log.splitlines() if line and not line.startswith("{")]
    assert not others, f"not JSON: {others[:5]}"


async def test_a_log_that_nobody_reads_holds_up_nobody(new_hub):
    hub = new_hub(blocks=2)
    hub.log_file.touch()
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    seen = bytearray()

    def has_come():
        seen.extend(os.read(reader, 1 << 20))
        return b'"message":"serving"' in seen and seen.count(b'"message":"listening"') == 2

    try:
        # Full: who writes there waits until somebody reads.
        os.write(writer, bytes(fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ)))
        hub.start(ready=False, log=writer)
        await hub.until("ready", hub.is_ready)
        await hub.until("what it had to say", has_come)
        hub.stop()
        with contextlib.suppress(BlockingIOError):
            seen.extend(os.read(reader, 1 << 20))
        assert b'"message":"stopped"' in seen
    finally:
        os.close(reader)
        os.close(writer)


async def test_sighup_reloads_zones_and_limits_and_drops_nobody(new_hub, cast):
    hub = new_hub(blocks=2).start()
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 2)
    passenger, party = await cast.rider(hub), await cast.rider(hub)
    there = city.block(2)
    await passenger.refused("ride.request", "outside_zones", **there.a.centre.fields, passengers=1)
    await party.refused("ride.request", "too_many_passengers", **here.a.centre.fields, passengers=5)

    (hub.directory / "zones.geojson").write_text(city.geojson(3))
    hub.write_config(dispatch__max_passengers=5)
    await hub.reload()
    await passenger.refused("ride.request", "zone_empty", **there.a.centre.fields, passengers=1)
    ride = await party.request(here.a.centre, passengers=5)
    assert await drivers[1].call("driver.available") == {"state": "available", "zone": here.a.id, "rank": 2, "size": 2}
    await drivers[0].accept(ride)
    for client in (*drivers, passenger, party):
        assert client.closed is None
    assert not [e for d in drivers for e in d.events if e["type"] == "queue.left"]


async def test_who_watches_a_zone_sees_all_of_its_new_shape(new_hub, cast):
    hub = new_hub(blocks=1).start()
    here, there = hub.block(), city.block(1)
    [driver] = await cast.queue(hub, here.b.stand, 1)
    operator = await cast.operator(hub)
    watched, unchanged = await operator.follow(f"zone:{here.a.id}"), await operator.follow(f"zone:{here.b.id}")
    zones = json.loads(city.geojson(1))
    for feature in zones["features"]:
        if feature["id"] == here.a.id:
            feature["geometry"] = there.a.feature["geometry"]
    (hub.directory / "zones.geojson").write_text(json.dumps(zones))
    await hub.reload()
    mover = cast.driver(hub, there.a.stand)
    await mover.go_available()
    await operator.sees_all(watched, [mover], state="available")
    for place in there.a.stand.towards(there.a.centre, 300):
        await mover.fix(place)
        await operator.sees_all(watched, [mover], state="available")
    assert unchanged.snapshots == 1 and unchanged.ids == {driver.subject}


@pytest.mark.parametrize("damage", ["not YAML", "a zone that crosses itself", "an unknown setting"])
async def test_a_broken_configuration_at_sighup_changes_nothing(new_hub, cast, damage):
    hub = new_hub(blocks=2).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    if damage == "not YAML":
        hub.config.write_text("server: [\n")
    elif damage == "an unknown setting":
        hub.config.write_text(hub.config.read_text() + "nonsense: 1\n")
    else:
        zones = json.loads(city.geojson(2))
        ring = zones["features"][0]["geometry"]["coordinates"][0]
        ring[1], ring[2] = ring[2], ring[1]
        (hub.directory / "zones.geojson").write_text(json.dumps(zones))
    await hub.reload(taken=False)
    passenger = await cast.rider(hub)
    await driver.accept(await passenger.request(here.a.centre))


async def test_sigterm_drains_with_1012_and_everything_is_there_after_a_restart(new_hub, cast):
    hub = new_hub().start()
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    busy, waiting = await cast.queue(hub, here.b.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.b.centre)
    await busy.accept(ride)
    await passenger.expect("ride.accepted", ride=ride)
    everyone = [first, second, busy, waiting, passenger]

    children = hub.processes()
    hub.send_signal(signal.SIGTERM)
    for client in everyone:
        code, reason = await client.wait_closed()
        assert code == 1012
        match = re.fullmatch(r"restart; retry_ms=(\d+)", reason)
        assert match and 0 <= int(match[1]) <= 1000, reason
    assert await asyncio.to_thread(hub.wait_for_end) == 0
    hub.stop()
    assert len(children) >= 3

    hub.start()
    for client in everyone:
        await client.resume()
    assert await second.call("driver.available") == {"state": "available", "zone": here.a.id, "rank": 2, "size": 2}
    other = await cast.rider(hub)
    await first.accept(await other.request(here.a.centre))
    await busy.drive(here.b.centre)
    await passenger.expect("ride.near", ride=ride)
    await passenger.expect("ride.arrived", ride=ride)
    await busy.expect("ride.confirm_aboard", ride=ride)
    await busy.call("ride.aboard")
    await busy.call("ride.end")
    await passenger.until("ride.ended", ride=ride)


async def test_no_connection_is_taken_while_draining(new_hub, cast):
    hub = new_hub(server__drain_ms=10_000).start()
    drivers = [cast.driver(hub) for _ in range(10)]
    for driver in drivers:
        await driver.connect()
    hub.send_signal(signal.SIGTERM)
    await hub.until("draining", lambda: hub.log.count('"draining"') >= hub.settings["server.workers"])
    late = cast.driver(hub)
    with pytest.raises(OSError):
        await late.connect()
    for driver in drivers:
        assert (await driver.wait_closed(patience.PROCESS))[0] == 1012
    assert await asyncio.to_thread(hub.wait_for_end) == 0


def test_sigint_stops_as_well(new_hub):
    hub = new_hub().start()
    hub.stop(signal.SIGINT)


@pytest.mark.parametrize("at", ["redis.conf", "appendonlydir"])
def test_a_hub_that_is_stopped_while_it_starts_has_not_failed(new_hub, at):
    hub = new_hub().start(ready=False)
    # Of its start, when its Redis is about to begin, and when it has begun.
    hub.wait_until(at, (hub.data / at).exists)
    hub.stop()
    assert '"stopped"' in hub.log and '"level":"error"' not in hub.log and "Error:" not in hub.log
    assert not (hub.data / "run" / "addresses").exists()


def test_the_secret_is_for_the_owner_only(new_hub):
    hub = new_hub().start()
    assert (hub.data / "token.secret").stat().st_mode & 0o777 == 0o600
    assert hub.data.stat().st_mode & 0o077 == 0
    hub.stop()
    (hub.data / "token.secret").chmod(0o644)
    result = run("serve", "--config", hub.config)
    assert result.returncode != 0 and "token.secret" in result.stderr


@pytest.mark.parametrize("role", ["driver", "passenger"])
async def test_a_token_of_the_command_line_opens_the_door(hub, cast, role):
    client = cast.driver(hub) if role == "driver" else cast.passenger(hub)
    result = run("token", "--role", role, "--subject", client.subject, "--config", hub.config, cwd=hub.directory)
    assert result.returncode == 0, result.stderr
    client.token = result.stdout.strip()
    assert client.token.count(".") == 2 and "\n" not in client.token
    hub.given_tokens.add(client.token)
    await client.connect()


async def test_a_new_secret_on_top_is_used_and_the_old_one_still_counts(new_hub, cast):
    hub = new_hub().start()
    driver = cast.driver(hub)
    file = hub.data / "token.secret"
    file.write_text("second " + "c2Vjb25kLXNlY3JldC1zZWNvbmQtc2VjcmV0LXNlY29uZA\n" + file.read_text())
    newer = cast.driver(hub)
    assert newer.token != driver.token
    await hub.reload()
    await newer.connect()
    await driver.connect()
