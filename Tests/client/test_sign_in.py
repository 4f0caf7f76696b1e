"""Tokens of the hub's own: guests and renewal over HTTP (B20)."""

import json
import time

from kerbside import contract
from kerbside.bus import BusDriver
from kerbside.member import Member
from kerbside.names import fresh


def post(hub, path, token=None, body=None):
    answer = hub.http(path, "POST", {"Authorization": f"Bearer {token}"} if token else {}, body)
    return answer, json.loads(answer.text)


def guest(hub):
    answer, got = post(hub, "/v1/guest")
    assert answer.status == 200 and answer.headers["Cache-Control"] == "no-store"
    return got


def test_b20_a_guest_gets_a_token_of_its_own(hub):
    first, second = guest(hub), guest(hub)
    assert first["role"] == "passenger" and first["subject"].startswith("guest-") and len(first["subject"]) == 37
    assert first["subject"] != second["subject"]
    assert 3_500_000 < first["expires_at"] - time.time() * 1000 <= 3_600_000


def test_b20_a_guest_asks_for_little(hub):
    token = guest(hub)["token"]
    for name, fields in (("ride.request", {"lat": 1.0, "lon": 1.0, "passengers": 1}), ("reservation.list", {}), ("sos", {})):
        answer, got = post(hub, f"/v1/commands/{name}", token, None)
        if fields:
            answer = hub.http(
                f"/v1/commands/{name}", "POST",
                {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}, json.dumps(fields),
            )
            got = json.loads(answer.text)
        assert (answer.status, got["code"]) == (403, "forbidden") and "without an account" in got["detail"], (name, got)
    # A line that is not there is looked for.
    answer = hub.http("/v1/lines/none/eta?lat=1&lon=1", headers={"Authorization": f"Bearer {token}"})
    assert answer.status == 404 and json.loads(answer.text)["code"] == "not_found"


def test_a_page_of_another_host_makes_no_guests(hub):
    for origin in ("https://elsewhere.example", "null"):
        answer = hub.http("/v1/guest", "POST", {"Origin": origin})
        assert answer.status == 403 and "server.allowed_origins" in json.loads(answer.text)["detail"]
    assert hub.http("/v1/guest", "POST", {"Origin": f"http://127.0.0.1:{hub.port}"}).status == 200


def test_guests_can_be_turned_off(new_hub):
    hub = new_hub(tokens__guests_per_hour=0).start()
    answer, got = post(hub, "/v1/guest")
    assert (answer.status, got["code"]) == (403, "forbidden")
    contract.check_problem(got)


def test_a_token_is_renewed_and_others_are_not(hub):
    first = guest(hub)
    answer, got = post(hub, "/v1/token/renew", first["token"])
    assert answer.status == 200 and got["subject"] == first["subject"] and got["expires_at"] >= first["expires_at"]
    answer, _ = post(hub, "/v1/token/renew", got["token"])
    assert answer.status == 200
    for token, status in ((None, 401), (first["token"][:-3] + "AAA", 401), (hub.token("passenger", "P1"), 403)):
        answer, got = post(hub, "/v1/token/renew", token)
        assert answer.status == status, got
        contract.check_problem(got)
    assert hub.http("/v1/token/renew").status == 405 and hub.http("/v1/guest").status == 405


async def test_a_revoked_sign_in_is_not_renewed(hub, cast):
    first = guest(hub)
    _, second = post(hub, "/v1/token/renew", first["token"])
    office = await cast.operator(hub)
    await office.call("office.session_end", role="passenger", subject=first["subject"], reason="test", revoke=True)
    await hub.until("refused", lambda: all(
        post(hub, "/v1/token/renew", got["token"])[0].status == 401 for got in (first, second) for _ in range(8)
    ))


async def test_b20_a_guest_asks_for_a_stop_and_the_way_back_and_no_more(town, line):
    """Who can be somebody else in a moment must not fill a bus' list."""
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.go(100)
    token = guest(town)["token"]

    def ask(metres):
        body = {"line": line.id, "name": "Ada"} | line.at(metres).fields
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        answer = town.http("/v1/commands/stop.request", "POST", headers, json.dumps(body))
        return answer.status, json.loads(answer.text)

    asked = [ask(metres) for metres in (1500, 2500, 3500)]
    assert [status for status, _ in asked] == [200, 200, 409], asked
    assert asked[2][1]["code"] == "already_requested" and "2 open requests" in asked[2][1]["detail"]


async def test_c60_one_guest_takes_nothing_from_the_others_of_its_network(new_hub):
    hub = new_hub(server__commands_per_second=20, server__commands_burst=60).start()

    def one():
        member = Member(hub, "passenger")
        member.token = hub.token("passenger", f"guest-aabbccdd-{fresh('')}", guest=True, began=int(time.time()))
        return member

    loud, refused = one(), 0
    await loud.connect()
    for _ in range(400):
        await loud.send({"cmd": "vehicle.get", "vehicle": "x"})
    # Closed, or all but closed: its own is used up, and what is left of the network's is for others.
    for _ in range(6):
        quiet = one()
        await quiet.connect()
        answer = await quiet.ask("subscribe", channel="line:none")
        refused += answer.get("error", {}).get("code") == "rate_limited"
        await quiet.close()
    assert not refused


async def test_c60_guests_of_one_network_keep_nobody_out_of_a_worker(new_hub, cast):
    """Anybody can be a guest: one of the network that has the most makes room, and is told so."""
    hub = new_hub(server__workers=1, server__max_connections=20).start()
    guests = []
    for _ in range(20):
        guests.append(Member(hub, "passenger"))
        guests[-1].token = hub.token("passenger", f"guest-aabbccdd-{fresh('')}", guest=True, began=int(time.time()))
        await guests[-1].connect()
    driver = cast.driver(hub)
    await driver.connect(local_addr=("127.0.0.2", 0))
    await driver.barrier()
    await hub.until("one is told", lambda: any(one.closed for one in guests))
    assert [one.closed for one in guests if one.closed] == [
        (1013, "the hub is full, and guests make room; come back in some seconds")
    ]


def test_b20_guests_behind_a_proxy_of_this_machine_are_told_apart_by_its_header(hub, new_hub):
    known = new_hub(tokens__guests_per_hour=2, server__real_ip_header="X-Forwarded-For", server__workers=1).start()

    def mark(at, address):
        answer = at.http("/v1/guest", "POST", {"X-Forwarded-For": address})
        return answer.status, answer.status == 200 and json.loads(answer.text)["subject"].split("-")[1]

    status, one = mark(known, "192.0.2.1")
    # What stands before the last address is what the proxy was told.
    assert (status, mark(known, "198.51.100.7, 192.0.2.1")) == (200, (200, one))
    assert mark(known, "192.0.2.1")[0] == 429
    other, wide = mark(known, "2001:db8:1:2::7"), mark(known, "2001:db8:1:9::8")
    assert other == wide and other[0] == 200 and other[1] != one, "an IPv6 network is one"
    # A port is none of the address.
    assert [mark(known, f"192.0.2.9:{port}")[0] for port in (1000, 1001, 65_535)] == [200, 200, 429]
    assert mark(known, "192.0.2.9")[0] == 429
    assert mark(known, "[2001:db8:1:7::1]:99") == (429, False) == mark(known, "[2001:db8:1:8::1]"), "the IPv6 network again"
    # What can't be read is limited, all of it together, and said once.
    unread = ["nobody", "192.0.2.1, unknown", "192.0.2.10:x", "192.0.2.11:", "[192.0.2.1", "fe80::1%eth0", "192.0.2.12,", ""]
    assert [mark(known, named)[0] for named in unread] == [200, 200] + [429] * 6

    def said():
        return [json.loads(line)["named"] for line in known.log.splitlines() if "what the proxy names is no address" in line]

    known.wait_until("it is said", said)
    assert said() == ["nobody"]
    # Where no header is believed each guest stands alone, whatever it says.
    assert mark(hub, "192.0.2.1")[1] != mark(hub, "192.0.2.1")[1]
