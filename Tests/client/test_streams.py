"""Server-sent events where no WebSocket goes through: the same messages, the same ends.

What is said goes by requests to any worker."""

import asyncio
import contextlib
import http.client
import json

import pytest

import test_walkthrough
from conftest import Cast
from kerbside import patience
from kerbside.names import fresh
from kerbside.streams import StreamedDriver, StreamedPassenger


@pytest.fixture
def cast():
    return Cast(StreamedDriver, StreamedPassenger)


async def test_a_ride(hub, cast):
    """Of two who have nothing else."""
    await test_walkthrough.test_request_accept_near_arrived_aboard_end(hub, cast)


def post(hub, path, body="", token=None, **headers):
    fields = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        fields["Authorization"] = f"Bearer {token}"
    return hub.http(f"/v1/stream{path}", "POST", fields, body.encode())


async def test_after_a_cut_it_resumes_without_a_hole_or_a_double(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await passenger.cut()
    passenger.token = hub.token("passenger", passenger.subject)
    await passenger.resume()
    ride = await passenger.request(here.a.centre)
    await driver.offered(ride)
    await passenger.cut()
    await driver.call("offer.accept", ride=ride)
    await driver.drive(here.a.centre)
    await driver.barrier()
    await passenger.resume()
    await passenger.until("ride.arrived", ride=ride)
    types = [event["type"] for event in passenger.events]
    assert types.index("ride.accepted") < types.index("ride.near") < types.index("ride.arrived") and len(set(types)) == len(types)


async def test_what_it_says_reaches_it_by_any_worker(hub, cast):
    driver = cast.driver(hub)
    await driver.connect()
    for _ in range(20):
        await driver.barrier()
    head = "\n".join(driver.ws.head).lower()
    assert "content-type: text/event-stream" in head and "cache-control: no-store" in head and "content-length" not in head


async def test_the_hub_closes_it_with_a_code_and_words(hub, cast):
    driver = cast.driver(hub)
    driver.token = "x.y.z"
    await driver.open()
    await driver.send({"id": 1, "cmd": "hello", "token": "x.y.z"})
    driver.expect_reply(1, "hello")
    code, reason = await driver.wait_closed()
    assert code == 4401 and reason


async def test_a_line_each_and_hello_by_the_header(hub, cast):
    subject = cast.driver(hub).subject
    token = hub.token("driver", subject)
    greeted, snapshot = await asyncio.to_thread(read_some, hub, token, "", 2)
    assert (greeted["id"], greeted["ok"]["subject"], snapshot["type"]) == (1, subject, "snapshot")
    hello = {"id": 7, "cmd": "hello", "token": token}
    lines = "\r\n".join(map(json.dumps, [hello, {"id": 2, "cmd": "subscribe", "channel": "topic:news"}, {"id": 3, "cmd": "no"}]))
    replies = {one["id"]: one for one in await asyncio.to_thread(read_some, hub, token, lines, 4) if "id" in one}
    assert replies[7]["ok"]["subject"] == subject and replies[2]["ok"]["channel"] == "topic:news"
    assert replies[3]["error"]["code"] == "unknown_command"
    # A stranger's body is not answered line by line.
    many = post(hub, "", "{}\n" * 17)
    assert many.status == 400 and "16" in many.text


def read_some(hub, token, body, count):
    """The first messages of a stream."""
    with streaming(hub, token, body) as messages:
        return [next(messages) for _ in range(count)]


@contextlib.contextmanager
def streaming(hub, token, body):
    """The messages of a stream, as they come."""
    link = http.client.HTTPConnection(hub.address, hub.port, timeout=patience.MESSAGE)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    link.request("POST", "/v1/stream", body, headers)
    answer = link.getresponse()
    assert answer.status == 200
    lines = iter(lambda: answer.fp.readline().decode().strip(), None)
    yield (json.loads(line[6:]) for line in lines if line.startswith("data: "))
    link.close()


async def test_pings_come_as_comments_and_who_takes_them_stays(new_hub, cast):
    hub = new_hub(server__ping_ms=500, server__dead_after_ms=1_500).start()
    driver = cast.driver(hub)
    await driver.connect()
    await asyncio.sleep(4)
    assert driver.ws.comments >= 4 and driver.closed is None
    await driver.barrier()
    before = hub.metric("kerbside_connections")
    await driver.cut()
    await hub.until("noticed", lambda: hub.metric("kerbside_connections") < before)


async def test_an_alarm_goes_through_whatever_is_left_of_the_rate(new_hub, cast):
    hub = new_hub(server__commands_per_second=5, server__commands_burst=20).start()
    passenger = await cast.rider(hub)
    refused = 0
    while refused < 20:  # by each worker
        refused += post(hub, f"/{passenger.ws.session}", json.dumps({"cmd": "nothing"}), passenger.token).status == 429
    alarm = {"id": 900, "cmd": "sos", "key": "k", **hub.block().a.centre.fields}
    passenger.expect_reply(900, "sos")
    assert post(hub, f"/{passenger.ws.session}", json.dumps(alarm), passenger.token).status == 202
    await hub.logged("sos.raised", subject=passenger.subject)


def test_a_token_that_allows_less_does_not_speak_for_one_that_allows_more(hub):
    name = fresh("S-")
    more, less = hub.token("service", name, scope="payments"), hub.token("service", name)
    with streaming(hub, more, "") as messages:
        path = f"/{next(messages)['ok']['session']}"
        for _ in range(6):  # by each worker
            assert post(hub, path, '{"id": 2, "cmd": "nothing"}', less).status == 404
        assert post(hub, path, '{"id": 3, "cmd": "nothing"}', more).status == 202
        assert next(messages)["id"] == 3


async def test_with_nothing_said_it_is_left(hub, cast):
    driver = cast.driver(hub)
    await driver.connect()
    assert post(hub, f"/{driver.ws.session}", "", driver.token).status == 202
    assert (await driver.wait_closed())[0] == 1000


def test_what_is_said_to_a_stream_that_is_gone_is_not_taken(hub):
    """Whichever worker is asked: who presses for help must not believe that it was heard."""
    token = hub.token("passenger", fresh("p-"))
    with streaming(hub, token, "") as messages:
        session = next(messages)["ok"]["session"]
    alarm = json.dumps({"id": 2, "cmd": "sos"})
    assert post(hub, f"/{session}", "", token).status in (202, 404)  # it has left, or is left now
    for _ in range(6):
        answer = post(hub, f"/{session}", alarm, token)
        assert answer.status == 404 and "open another one" in answer.text, answer.text


async def test_nobody_speaks_for_another(hub, cast):
    driver, other = cast.driver(hub), cast.driver(hub)
    await driver.connect()
    await other.connect()
    message = json.dumps({"id": 7, "cmd": "driver.unavailable"})
    for _ in range(6):  # by each worker
        assert post(hub, f"/{driver.ws.session}", message, other.token).status == 404
    await driver.barrier()
    assert post(hub, f"/{driver.ws.session}", message).status == 401
    assert post(hub, f"/{driver.ws.session}", message, "x.y.z").status == 401
    assert post(hub, "/nobody.1", message, driver.token).status == 404
    assert post(hub, "/" + "x" * 5000, message, driver.token).status == 404
    assert post(hub, "", message, driver.token, Content_Type="text/plain").status == 415
    assert hub.http("/v1/stream").status == 405
    assert post(hub, "", message, origin="https://evil.example").status == 403
    assert post(hub, "s", message).status in (404, 405)
    await driver.nothing_more()
