"""Before the first message: the upgrade, the origin, the token."""

import asyncio
import base64
import hashlib
import os

import pytest
from websockets.exceptions import InvalidStatus

from conftest import running
from kerbside import patience, tokens
from kerbside.frames import TEXT, RawSocket, frame


@pytest.fixture(scope="module")
def hub():
    yield from running(
        server__allowed_origins=["https://taxi.example", "http://localhost:5173"],
        server__handshake_timeout_ms=int(1000 * patience.PACE),
        server__hello_timeout_ms=int(1000 * patience.PACE),
    )


async def test_the_upgrade_is_answered_by_the_letter(hub):
    async with RawSocket(hub) as socket:
        key = base64.b64encode(os.urandom(16)).decode()
        status, headers = await socket.handshake(Sec_WebSocket_Key=key)
        accept = base64.b64encode(
            hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        ).decode()
        assert status == 101
        assert headers["sec-websocket-accept"] == accept
        assert headers["sec-websocket-protocol"] == "kerbside.v1.json"
        assert (headers["upgrade"].lower(), headers["connection"].lower()) == ("websocket", "upgrade")
        assert "sec-websocket-extensions" not in headers, "no compression was asked for"


async def test_the_known_subprotocol_is_chosen_from_several(hub):
    async with RawSocket(hub) as socket:
        status, headers = await socket.handshake(Sec_WebSocket_Protocol="chat, kerbside.v1.json, superchat")
        assert (status, headers.get("sec-websocket-protocol")) == (101, "kerbside.v1.json")


@pytest.mark.parametrize("offer", ["chat", "kerbside.v2.json", "KERBSIDE.V1.JSON"])
async def test_an_unknown_subprotocol_is_never_echoed(hub, offer):
    async with RawSocket(hub) as socket:
        status, headers = await socket.handshake(Sec_WebSocket_Protocol=offer)
        assert "sec-websocket-protocol" not in headers
        assert status is None or 400 <= status < 500, "a hub that does not speak it says so"


@pytest.mark.parametrize(
    "change",
    [
        {"path": "/"},
        {"path": "/v1"},
        {"path": "/v1/connect/"},
        {"path": "/v2/connect"},
        {"path": "/v1/connect/../connect2"},
        {"method": "POST"},
        {"Sec_WebSocket_Version": "8"},
        {"Sec_WebSocket_Version": None},
        {"Sec_WebSocket_Key": None},
        {"Upgrade": "h2c"},
        {"Upgrade": None, "Connection": "close"},
    ],
    ids=str,
)
async def test_a_wrong_upgrade_is_no_connection(hub, change):
    async with RawSocket(hub) as socket:
        status, _ = await socket.handshake(**change)
        assert status != 101
    assert hub.http("/healthz").status == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://taxi.example", "https://taxi.example.evil.example",
               "https://taxi.example:8443", "null", "https://eviltaxi.example", "file://"]
)  # fmt: skip
async def test_a_foreign_origin_is_refused_with_403(hub, origin):
    async with RawSocket(hub) as socket:
        status, _ = await socket.handshake(Origin=origin)
        assert status == 403


async def test_allowed_origins_and_none_are_let_in(hub):
    own = f"http://127.0.0.1:{hub.port}"
    for origin in ("https://taxi.example", "http://localhost:5173", own, None):
        async with RawSocket(hub) as socket:
            status, _ = await socket.handshake(Origin=origin)
            assert status == 101, origin


def test_pages_of_allowed_origins_may_read_the_lists(hub):
    """Who may connect may read what the lists say, and whether they have changed; other pages may not."""
    page = {"Origin": "https://taxi.example"}
    answer = hub.http("/v1/lines", headers=page)
    assert answer.status == 200 and answer.headers["Access-Control-Allow-Origin"] == "https://taxi.example"
    assert "ETag" in answer.headers["Access-Control-Expose-Headers"] and answer.headers["Vary"] == "Origin"
    assert hub.http("/v1/nowhere", headers=page).headers["Access-Control-Allow-Origin"], "errors, too"
    asked = page | {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "if-none-match"}
    answer = hub.http("/v1/lines", method="OPTIONS", headers=asked)
    assert answer.status == 204 and "If-None-Match" in answer.headers["Access-Control-Allow-Headers"]
    foreign = {"Origin": "https://evil.example"}
    answer = hub.http("/v1/lines", headers=foreign)
    assert answer.headers["Access-Control-Allow-Origin"] is None and answer.headers["Vary"] == "Origin"
    assert hub.http("/v1/lines", method="OPTIONS", headers=asked | foreign).status == 405
    assert hub.http("/v1/lines", method="OPTIONS", headers=page).status == 405, "nothing was asked"


async def test_the_token_in_the_header(hub, cast):
    driver = cast.driver(hub)
    await driver.open(headers={"Authorization": f"Bearer {driver.token}"})
    reply = await driver.call("hello")
    assert reply["subject"] == driver.subject
    await driver.barrier()


async def test_a_bad_token_in_the_header(hub, cast):
    driver = cast.driver(hub)
    try:
        await driver.open(headers={"Authorization": "Bearer not.a.token"})
        await driver.send({"id": 5, "cmd": "hello"})
        driver.expect_reply(5, "hello")
        assert (await driver.wait_closed())[0] == 4401
    except InvalidStatus as refused:
        assert refused.response.status_code == 401


@pytest.mark.parametrize("query", ["token", "access_token", "bearer", "authorization"])
async def test_a_token_in_the_url_is_ignored(hub, cast, query):
    driver = cast.driver(hub)
    async with RawSocket(hub) as socket:
        status, _ = await socket.handshake(path=f"/v1/connect?{query}={driver.token}")
        assert status == 101
        await socket.send(frame(TEXT, b'{"id":1,"cmd":"hello"}'))
        reply = await socket.message()
        assert reply["error"]["code"] == "unauthenticated"
        assert await socket.closing() == 4401


COMMANDS_BEFORE_HELLO = [
    {"cmd": "driver.available"},
    {"cmd": "position", "lat": 45.01, "lon": 9.01, "at": 1},
    {"cmd": "ride.request", "lat": 45.01, "lon": 9.01, "passengers": 1},
    {"cmd": "subscribe", "channel": "driver:T1"},
]


@pytest.mark.parametrize("message", COMMANDS_BEFORE_HELLO, ids=lambda m: m["cmd"])
async def test_hello_comes_first(hub, cast, message):
    driver = cast.driver(hub)
    await driver.open()
    await driver.refused(message["cmd"], "unauthenticated", **{k: v for k, v in message.items() if k != "cmd"})
    await driver.hello()
    await driver.barrier()


async def test_silence_is_closed_with_4408(hub, cast):
    driver = cast.driver(hub)
    await driver.open()
    assert (await driver.wait_closed())[0] == 4408


async def test_refused_commands_are_no_hello(hub, cast):
    driver = cast.driver(hub)
    await driver.open()
    await driver.refused("driver.available", "unauthenticated")
    assert (await driver.wait_closed())[0] == 4408


def forged(hub, kind):
    """A token that must not be believed."""
    kid, secret = next(iter(tokens.secrets(hub.data / "token.secret").items()))
    good = tokens.claims("driver", "T1", hub.city)
    head = {"alg": "HS256", "typ": "JWT", "kid": kid}

    def without(name):
        return {key: value for key, value in good.items() if key != name}

    part = tokens.sign(good, kid, secret).split(".")
    made = {
        "garbage": "garbage",
        "empty parts": "..",
        "two parts": ".".join(part[:2]),
        "four parts": ".".join([*part, "x"]),
        "another secret": tokens.sign(good, kid, b"x" * 32),
        "an empty secret": tokens.sign(good, kid, b""),
        "an unknown kid": tokens.sign(good, "unheard-of", secret),
        "no kid": tokens.sign(good, kid, secret, header={"alg": "HS256", "typ": "JWT"}),
        "alg none": tokens.sign(good, kid, secret, header=head | {"alg": "none"}),
        "alg none, unsigned": tokens.sign(good, kid, secret, header=head | {"alg": "none"}).rpartition(".")[0] + ".",
        "alg HS512": tokens.sign(good, kid, secret, header=head | {"alg": "HS512"}),
        "alg RS256 with the secret": tokens.sign(good, kid, secret, header=head | {"alg": "RS256"}),
        "changed claims": ".".join([part[0], tokens.encoded(b'{"sub":"T2","role":"operator"}'), part[2]]),
        "a cut signature": ".".join([*part[:2], part[2][:-6]]),
        "expired": tokens.sign(good | {"exp": good["iat"] - 10}, kid, secret),
        "no expiry": tokens.sign(without("exp"), kid, secret),
        "expiry a string": tokens.sign(good | {"exp": "tomorrow"}, kid, secret),
        "no subject": tokens.sign(without("sub"), kid, secret),
        "empty subject": tokens.sign(good | {"sub": ""}, kid, secret),
        "subject with a line break": tokens.sign(good | {"sub": "T1\nT2"}, kid, secret),
        "subject very long": tokens.sign(good | {"sub": "T" * 65}, kid, secret),
        "no role": tokens.sign(without("role"), kid, secret),
        "an unknown role": tokens.sign(good | {"role": "emperor"}, kid, secret),
    }
    return made if kind is None else made[kind]


FORGERIES = """garbage|empty parts|two parts|four parts|another secret|an empty secret|an unknown kid|no kid|alg none
alg none, unsigned|alg HS512|alg RS256 with the secret|changed claims|a cut signature|expired|no expiry|expiry a string
no subject|empty subject|subject with a line break|subject very long|no role|an unknown role"""
FORGERIES = [name for line in FORGERIES.splitlines() for name in line.split("|")]


@pytest.mark.parametrize("kind", FORGERIES)
async def test_a_token_that_is_not_valid_is_closed_with_4401(hub, cast, kind):
    driver = cast.driver(hub)
    await driver.open()
    driver.token = forged(hub, kind)
    reply = driver.expect_reply(5, "hello")
    await driver.send({"id": 5, "cmd": "hello", "token": driver.token})
    assert (await driver.wait_closed())[0] == 4401
    assert not reply.done() or reply.result()["error"]["code"] == "unauthenticated"


@pytest.mark.parametrize("token", [5, "", {}, "x" * 10_000])
async def test_a_token_of_a_wrong_type_is_a_bad_message(hub, cast, token):
    driver = cast.driver(hub)
    await driver.open()
    await driver.refused("hello", "bad_message", "token", token=token)
    await driver.hello()


async def test_a_token_of_another_city_is_closed_with_4403(hub, cast):
    driver = cast.driver(hub)
    driver.token = hub.token("driver", driver.subject, city="elsewhere")
    await driver.open()
    driver.expect_reply(5, "hello")
    await driver.send({"id": 5, "cmd": "hello", "token": driver.token})
    assert (await driver.wait_closed())[0] == 4403


async def test_a_token_that_expires_closes_its_connection_with_4410(hub, cast):
    driver = cast.driver(hub)
    driver.token = hub.token("driver", driver.subject, exp=int(tokens.claims("", "", "")["iat"]) + 2)
    await driver.connect()
    assert (await driver.wait_closed())[0] == 4410
    driver.token = hub.token("driver", driver.subject)
    await driver.resume()
    await driver.barrier()


async def test_a_token_that_is_valid_stays(hub, cast):
    """The connection with a longer token outlives the one with a shorter."""
    short, long = cast.driver(hub), cast.driver(hub)
    short.token = hub.token("driver", short.subject, exp=int(tokens.claims("", "", "")["iat"]) + 2)
    await asyncio.gather(short.connect(), long.connect())
    await short.wait_closed()
    await long.barrier()


async def test_a_handshake_that_is_never_finished_is_ended(hub):
    async with RawSocket(hub) as socket:
        await socket.connect()
        await socket.send(b"GET /v1/connect HTTP/1.1\r\nHost: x\r\n")
        await socket.ended()


async def test_a_connection_that_says_nothing_is_ended(hub):
    async with RawSocket(hub) as socket:
        await socket.connect()
        await socket.ended()


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
        b"\x00" * 1000,
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET " + b"/x" * 40_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 5000 + b"\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    ids=["TLS on the plain port", "zeros", "HTTP 9.9", "a long path", "a long header", "many headers", "HTTP/2"],
)
async def test_what_is_no_http_is_no_connection(hub, data):
    async with RawSocket(hub) as socket:
        await socket.connect()
        await socket.send(data)
        status, _ = await socket.response()
        assert status != 101
    assert hub.http("/healthz").status == 200
