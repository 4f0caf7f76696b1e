"""Commands over HTTP: the same operations, rights, prices and errors as over the WebSocket (B17, X3, U7)."""

import json
import os
import re
import signal
import socket
import time

import pytest

from kerbside import contract, patience
from kerbside.asker import Asker
from kerbside.bus import BusDriver
from kerbside.hub import ROOT, run
from kerbside.records_of_fleets import day
from kerbside.somebody import Somebody, sample

OPENAPI = json.loads((ROOT / "Sources/Hub/HTTP/openapi.json").read_text())
ROLES = ["driver", "passenger", "bus_driver", "operator", "service"]
#: Commands that answer otherwise when they have been carried out already, and the field that says on what.
CHANGED = {"office.block": "subject", "office.unblock": "subject", "vehicles.set": "vehicle", "vehicles.remove": "vehicle"}


def rules():
    return {rule["cmd"]: rule for rule in map(json.loads, run("permissions", "--json").stdout.splitlines())}


async def test_a_whole_ride_of_a_passenger_without_a_connection(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = Asker(hub, "passenger", f"{driver.subject}-p")
    assert passenger.read("/v1/requests")["ride"] is None
    ride = passenger.done("ride.request", **here.a.centre.fields, passengers=2)["ride"]
    assert passenger.read("/v1/requests")["ride"]["ride"] == ride
    await driver.accept(ride)
    state = passenger.read("/v1/requests")["ride"]
    assert (state["state"], state["taxi"], state["passengers"]) == ("accepted", driver.subject, 2)
    assert passenger.done("ride.cancel", ride=ride)["state"] == "cancelled"
    await driver.until("ride.cancelled")
    assert passenger.read("/v1/requests")["ride"] is None
    passenger.refused("ride.cancel", "not_found")
    zones = [zone["zone"] for zone in passenger.read("/v1/zones")["zones"]]
    assert len(set(zones)) == len(zones) > 0


async def test_the_same_key_takes_effect_once_although_the_workers_die(new_hub, cast):
    hub = new_hub(blocks=2).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = Asker(hub, "passenger", "p-key")
    fields = {**here.a.centre.fields, "passengers": 1}
    first = passenger.done("ride.request", "k1", **fields)
    assert passenger.done("ride.request", '"k1"', **fields) == first, "in quotes, too, as a structured field"
    assert passenger.read("/v1/requests")["ride"]["ride"] == first["ride"]
    for pid in hub.workers():
        os.kill(pid, signal.SIGKILL)
    await hub.until("ready", lambda: hub.http("/readyz").status == 200, patience.PROCESS)
    assert passenger.done("ride.request", "k1", **fields) == first
    passenger.refused("ride.request", "already_requested", "k2", **fields)
    assert passenger.done("ride.cancel", "c1") == passenger.done("ride.cancel", "c1")
    driver.hello_reply = None  # its worker has died; that is tried elsewhere


@pytest.mark.parametrize("role", ROLES)
async def test_every_command_is_refused_as_over_the_websocket(new_hub, role):
    hub = new_hub(blocks=2).start()
    client = Somebody(hub, role)
    asker = Asker(hub, role, client.subject)
    asker.token = client.token
    await client.enter()
    assert set(rules()) == set(contract.COMMANDS)
    for command, rule in rules().items():
        fields = sample(command)
        if not rule["http"] or (role in rule["roles"] and role not in rule["http"]):
            answer = asker.refused(command, "not_available", **fields)
            assert answer.status == 409 and "/v1/connect" in answer.page["detail"]
            continue
        changed = CHANGED.get(command)
        if changed:
            fields[changed] = "of-the-websocket"
        reply = await client.ask(command, **fields)
        if changed:
            fields[changed] = "of-http"
        answer = asker.post(command, **fields)
        if "ok" in reply:
            assert answer.status == 200 and set(answer.page) == set(reply["ok"]), (command, reply, answer.text)
        else:
            assert answer.page["code"] == reply["error"]["code"], (command, reply, answer.text)
            assert answer.page.get("field") == reply["error"].get("field"), (command, reply, answer.text)
    client.leaves_open()


async def test_the_rate_is_that_of_the_person(new_hub):
    limits = {"server__commands_per_second": 1, "server__commands_burst": 40}
    hub = new_hub(blocks=2, server__workers=1, **limits).start()
    client = Somebody(hub, "passenger")
    asker = Asker(hub, "passenger", client.subject)
    await client.enter()
    while "ok" not in (reply := await client.ask("vehicle.get", vehicle="M1")):
        if reply["error"]["code"] == "rate_limited":
            break
    answer = asker.refused("vehicle.get", "rate_limited", vehicle="M1")
    assert answer.status == 429 and answer.page["retry"]
    assert int(answer.headers["Retry-After"]) * 1000 >= answer.page["retry_after_ms"] > 0
    other = Asker(hub, "passenger", "another")
    for _ in range(200):
        answer = other.post("vehicle.get", vehicle="M1")
        assert answer.status in (404, 429)
    assert answer.status == 429, "who goes on is refused, and waits the longer"
    twin = Somebody(hub, "passenger")
    twin.token = other.token
    await twin.open()
    assert (await twin.ask("hello", token=other.token))["error"]["code"] == "rate_limited"
    client.leaves_open()


def test_who_asks_is_proved_as_in_hello(hub):
    asker = Asker(hub, "passenger", "p-proof")
    for token, status, code in (
        ("", 401, "unauthenticated"),
        ("nonsense", 401, "unauthenticated"),
        (hub.token("passenger", "p-proof", exp=1), 401, "unauthenticated"),
        (hub.token("passenger", "p-proof", city="elsewhere"), 403, "forbidden"),
    ):
        asker.token = token
        for answer in (asker.post("ride.cancel"), asker.request("/v1/requests"), asker.request("/v1/vehicles/M1")):
            assert (answer.status, answer.page["code"]) == (status, code), answer.text
            assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
    answer = hub.http(f"/v1/requests?token={hub.token('passenger', 'p-proof')}")
    assert answer.status == 401, "a token is taken from the header only"


async def test_who_is_revoked_or_blocked_is_told_so(new_hub):
    hub = new_hub(blocks=2).start()
    asker = Asker(hub, "passenger", "p-revoked")
    asker.refused("ride.cancel", "not_found")
    (hub.directory / "revoked").write_text("passenger p-revoked 2999-01-01T00:00:00Z\n")
    hub.write_config(tokens__revoked_file=str(hub.directory / "revoked"))
    await hub.reload()
    answer = asker.refused("ride.cancel", "unauthenticated")
    assert answer.status == 401 and "revoked" in answer.page["detail"]
    operator, subject = Asker(hub, "operator", "o-1"), "p-blocked"
    operator.done("office.block", role="passenger", subject=subject, reason="Did not pay.")
    here = hub.block()
    answer = Asker(hub, "passenger", subject).refused("ride.request", "forbidden", **here.a.centre.fields, passengers=1)
    assert "Did not pay." in answer.page["detail"]


def test_what_is_not_a_command_is_refused(hub):
    asker = Asker(hub, "passenger", "p-bad")
    path = "/v1/commands/ride.cancel"
    assert asker.request(path, "POST", "{}", Content_Type="text/plain").status == 415
    assert asker.request(path, "POST", "{}").status == 415
    assert asker.request(path, "POST").page["code"] == "not_found", "no body is no fields"
    assert asker.request(path, "POST", "{}", Content_Type='Application/JSON; charset="utf-8"').status == 404
    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS"):
        answer = asker.request(path, method)
        assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    assert asker.request("/v1/zones", "POST").headers["Allow"] == "GET, HEAD"
    for name in ("nothing", "ride.cancel/", "ride.cancel/x", "", "Ride.cancel", "%72ide.cancel"):
        answer = asker.request(f"/v1/commands/{name}", "POST", "{}", Content_Type="application/json")
        assert (answer.status, answer.page["code"]) == (404, "unknown_command")
    for body in (
        "[]",
        "1",
        "null",
        '"x"',
        "{",
        "{}{}",
        '{"ride":1}',
        '{"ride":""}',
        '{"cmd":"ride.search"}',
        '{"cmd":3}',
        '{"key":7}',
        "\ufeff{}".encode(),
        '{"ride":"\xff"}'.encode("latin-1"),
        "[" * 16_000,
        json.dumps({f"x{n}": n for n in range(65)}),
    ):
        answer = asker.request(path, "POST", body, Content_Type="application/json")
        assert (answer.status, answer.page["code"]) == (400, "bad_message"), (body[:40], answer.text)
    answer = asker.request(path, "POST", '{"key":"b"}', Content_Type="application/json", Idempotency_Key="b")
    assert answer.status == 404, "both, and the same"
    answer = asker.request(path, "POST", '{"key":"a"}', Content_Type="application/json", Idempotency_Key="b")
    assert (answer.status, answer.page["field"]) == (400, "key")
    answer = asker.request(path, "POST", "{}", Content_Type="application/json", Idempotency_Key="no such key")
    assert (answer.status, answer.page["field"]) == (400, "key")
    assert asker.request(path, "POST", '{"cmd":"ride.cancel","id":"any","more":[]}', Content_Type="application/json").status == 404


def raw(hub, *parts, head=()):
    """All that is answered to bytes as they are."""
    with socket.create_connection((hub.address, hub.port), timeout=patience.MESSAGE) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            link.sendall(part)
        answer = b""
        while part := link.recv(65_536):
            answer += part
    return answer.decode()


def posted(asker, body, *more):
    lines = [
        "POST /v1/commands/ride.cancel HTTP/1.1",
        "Host: x",
        f"Authorization: Bearer {asker.token}",
        "Content-Type: application/json",
        "Connection: close",
        *more,
    ]
    return "\r\n".join([*lines, "", body]).encode()


def test_bodies_are_read_however_they_come(hub):
    asker = Asker(hub, "passenger", "p-bytes")
    whole = posted(asker, '{"ride":"r_1"}', "Content-Length: 14")
    assert raw(hub, *(whole[n : n + 1] for n in range(len(whole)))).startswith("HTTP/1.1 404 ")
    space = " " * (16_384 - 2)
    assert raw(hub, posted(asker, "{}" + space, "Content-Length: 16384")).startswith("HTTP/1.1 404 ")
    assert raw(hub, posted(asker, "{}" + space, "Content-Length: 16385")).startswith("HTTP/1.1 413 ")
    assert raw(hub, posted(asker, "", "Content-Length: 999999999999999999999999")).startswith("HTTP/1.1 413 ")
    assert raw(hub, posted(asker, "{}", "Content-Length: -2")).startswith("HTTP/1.1 400 ")
    assert raw(hub, posted(asker, "{}", "Content-Length: 2", "Content-Length: 3")).startswith("HTTP/1.1 400 ")
    assert raw(hub, posted(asker, "2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked")).startswith("HTTP/1.1 411 ")
    # Two in one breath are answered one after the other.
    one = whole.replace(b"Connection: close\r\n", b"")
    assert raw(hub, one + whole).count("HTTP/1.1 404 ") == 2


def test_what_is_read_costs_by_its_bytes(new_hub):
    hub = new_hub(blocks=600, server__workers=1, server__commands_per_second=1, server__commands_burst=60).start()
    asker, began, answers = Asker(hub, "passenger", "p-reads"), time.monotonic(), []
    while (answer := asker.request("/v1/zones")).status == 200:
        answers.append(3 + len(answer.text) / 16_384)
    assert answer.page["code"] == "rate_limited" and answer.headers["Retry-After"]
    # The one that was too much is sent, and owed.
    assert answers[0] > 6, "else the test says nothing"
    assert sum(answers[:-1]) <= 60 + (time.monotonic() - began) + 1


async def test_an_answer_that_comes_late_is_paid_for_like_any_other(new_hub):
    """Who has no connection and owes nothing has no budget that is kept. Redis takes longer than that."""
    rate = 60
    hub = new_hub(server__workers=1, server__service_commands_per_second=rate, redis__command_timeout_ms=20_000).start()
    desk = Asker(hub, "operator", "desk-late")
    long = {"photo": "https://fleet.example/" + "p" * 450, "capabilities": ["c" * 28 + str(number) for number in range(10, 22)]}
    desk.done("drivers.set", driver="T0", name="N", licence_until=day(30), **long)
    key, ends = hub.key("drivers"), hub.key("driver-ends")
    record, days = hub.redis.hget(key, "T0"), hub.redis.zrange(ends, 0, -1)
    for number in range(1, 100):
        hub.redis.hset(key, f"T{number}", record.replace('"T0"', f'"T{number}"'))
        hub.redis.zadd(ends, {member.removesuffix("T0") + f"T{number}": 0 for member in days})
    # It is paid for when Redis goes on, which may be long before a slow client has read the answer.
    began, count = time.monotonic() + 2.5, 0
    hub.redis.execute_command("CLIENT", "PAUSE", 2_500, "ALL")
    answer = desk.post("drivers.list", ends_by=day(60), limit=100)
    assert len(answer.page["drivers"]) == 100
    cost = len(answer.text) / 4096
    assert 15 < cost < rate - 10, "else the test says nothing"
    # Each costs the command and the request.
    while desk.post("drivers.get", driver="T0").status == 200:
        count += 1
    assert 2 * count <= rate - cost + rate * (time.monotonic() - began) + 2


async def test_a_line_that_is_left_and_taken_up_again_is_read_once(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    asker = Asker(town, "passenger", f"{driver.subject}-asks")

    def readings():
        return town.redis.info("commandstats")["cmdstat_smembers"]["calls"]

    before = readings()
    for _ in range(10):
        await driver.call("subscribe", channel=line.channel)
        await driver.call("unsubscribe", channel=line.channel)
        assert asker.read(f"/v1/lines/{line.id}/buses")["buses"]
    assert readings() - before <= 2, "once for each worker"


async def test_half_a_body_is_waited_for_as_long_as_for_a_head(new_hub):
    hub = new_hub(blocks=2, server__handshake_timeout_ms=300).start()
    asker = Asker(hub, "passenger", "p-slow")
    assert raw(hub, posted(asker, '{"ride"', "Content-Length: 14")) == "", "cut, as who sends no head"


def test_other_pages_may_ask_if_the_settings_say_so(new_hub):
    hub = new_hub(blocks=2, server__allowed_origins=["https://app.example"]).start()
    ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,idempotency-key"}
    allowed = hub.http("/v1/commands/ride.cancel", "OPTIONS", ask | {"Origin": "https://app.example"})
    assert allowed.status == 204 and "POST" in allowed.headers["Access-Control-Allow-Methods"]
    for header in ("Authorization", "Content-Type", "Idempotency-Key"):
        assert header in allowed.headers["Access-Control-Allow-Headers"]
    other = hub.http("/v1/commands/ride.cancel", "OPTIONS", ask | {"Origin": "https://evil.example"})
    assert other.status == 405 and "Access-Control-Allow-Origin" not in other.headers


async def test_a_bus_and_a_request_for_it(town, line):
    driver = BusDriver(town, line)
    tour = await driver.begin()
    counter, citizen = Asker(town, "bus_driver", driver.subject), Asker(town, "passenger", f"{driver.subject}-c")
    assert counter.done("seats.set", "n1", taken=5) == {"seats": 3}
    [bus] = citizen.read(f"/v1/lines/{line.id}/buses")["buses"]
    assert bus["tour"] == tour["tour"] and bus["seats"]["free"] == 3
    stop = line.stops[-1]
    assert citizen.read(f"/v1/lines/{line.id}/stops/{stop}/eta")["arrivals"]
    place = "lat=0&lon=0"
    assert citizen.request(f"/v1/lines/{line.id}/eta?{place}").page["code"] == "off_route"
    request = citizen.done("stop.request", "s1", line=line.id, stop=stop, name="Ada")["request"]
    assert citizen.read("/v1/requests")["requests"][0]["request"] == request
    await driver.until("stop.requested")
    assert counter.done("stop.accept", request=request)["state"] == "accepted"
    assert citizen.read("/v1/requests")["requests"][0]["state"] == "accepted"
    assert citizen.done("stop.cancel", request=request)["state"] == "cancelled"
    counter.refused("tour.end", "not_available")
    await driver.call("tour.end")


def test_a_reading_that_is_not_there(hub):
    asker = Asker(hub, "operator", "o-read")
    for path in ("/v1/vehicles/none", "/v1/lines/none/buses", "/v1/lines/none/eta?lat=1&lon=2", "/v1/vehicles/%zz"):
        assert asker.request(path).status == 404, path
    for path in (
        "/v1/vehicles/a%20b",
        "/v1/lines/none/eta",
        "/v1/lines/none/eta?lat=x&lon=2",
        "/v1/lines/none/eta?lat=1&lat=2&lon=3",
    ):
        assert asker.request(path).status == 400, path
    assert asker.request("/v1/requests").status == 403


def test_openapi_lists_what_can_be_asked(hub):
    answer = hub.http("/v1/openapi.json")
    assert json.loads(answer.text) == OPENAPI and answer.headers["Content-Type"] == "application/json"
    again = hub.http("/v1/openapi.json", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status == 304
    listed = {
        path.removeprefix("/v1/commands/"): re.findall(r"\w+", one["post"]["description"].removeprefix("For ").partition(".")[0])
        for path, one in OPENAPI["paths"].items()
        if path.startswith("/v1/commands/")
    }
    assert {name: set(roles) for name, roles in listed.items()} == {
        name: set(rule["http"]) for name, rule in rules().items() if rule["http"]
    }
    posted = {path for path, one in OPENAPI["paths"].items() if "post" in one and not path.startswith("/v1/commands/")}
    assert posted == {"/v1/guest", "/v1/invitations/accept", "/v1/token/renew"}
    assert OPENAPI["paths"]["/v1/guest"]["post"]["security"] == []
