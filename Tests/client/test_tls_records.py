"""What a connection may cost after its hello: OpenSSL works off all records that are there in one call."""

import asyncio
import functools
import json
import socket
import ssl
import time

import pytest

from kerbside import patience
from kerbside.certificate import make_certificate
from kerbside.client import SUBPROTOCOL
from kerbside.frames import TEXT, RawSocket, frame
from kerbside.tls_records import Records, hello_with, listed, records, take_record

V12 = b"\x03\x03"


@pytest.fixture
def hub(new_hub):
    """It waits longer for a handshake and for a hello than a test waits for a message."""
    far = {"server__handshake_timeout_ms": 600_000, "server__hello_timeout_ms": 600_000}
    return started(new_hub, server__commands_per_second=20, **far)


def started(new_hub, **settings):
    hub = new_hub(server__workers=1, **settings)
    certificate, key = make_certificate(hub.directory, "server")
    hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
    return hub.start()


def hello_of_1_2():
    """A hello of TLS 1.2 with one suite."""
    extensions = [(13, listed(2, [b"\x04\x03"])), (10, listed(2, [b"\0\x1d", b"\0\x17"])), (11, listed(1, [b"\0"]))]
    body = b"\x03\x03" + bytes(32) + listed(1, []) + listed(2, [b"\xc0\x2b"]) + listed(1, [b"\0"])
    body += listed(2, [number.to_bytes(2, "big") + listed(2, [value]) for number, value in extensions])
    return b"\x01" + listed(3, [body])


def greeted(hub):
    """A connection that owes the hub the second half of its handshake."""
    link = socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.sendall(b"".join(records(hello_of_1_2())))
    while True:
        kind, content = take_record(link)
        assert kind == b"\x16", (kind, content)
        # ServerHelloDone may share a record with what comes before it.
        if content.endswith(b"\x0e\0\0\0"):
            return link


def test_a_handshake_is_not_cut_into_a_thousand_records(hub):
    """Each costs the hub more than a byte costs its sender."""
    exchange = b"\x10" + (2_000).to_bytes(3, "big") + bytes(2_000)
    with greeted(hub) as link:
        link.sendall(b"".join(records(exchange[:50], *[1] * 49, version=V12)))
        link.settimeout(0.5)
        with pytest.raises(TimeoutError):
            link.recv(1)
        link.settimeout(patience.MESSAGE)
        link.sendall(b"".join(records(exchange[50:200], *[1] * 149, version=V12)))
        assert take_record(link)[0] in (b"", b"\x15"), "it waits for no more"
    assert hub.http("/healthz").status == 200


async def test_a_message_in_a_thousand_records_is_heard_in_whole_and_its_sender_held_back(hub, cast):
    """Each record costs 8 µs, of which no price of a message knows: a subject has so many a second (decision 151)."""
    context = ssl.create_default_context(cafile=hub.directory / "server.pem")
    context.check_hostname = False
    raws = [RawSocket(hub), RawSocket(hub)]
    for raw in raws:
        raw.connect = functools.partial(connected, raw, context)
        status, _ = await raw.handshake()
        assert status == 101
        await raw.hello(hub.token("driver", "crumbs"))
    driver = cast.driver(hub)
    await driver.connect()
    for raw in raws:
        # Each write of a TLS stream is a record of its own.
        for byte in frame(TEXT, b'{"id":1,"cmd":"queue.get"}' + b" " * 400):
            raw.writer.write(bytes([byte]))
    await driver.barrier()
    for raw in raws:
        reply = await raw.message()
        assert reply["id"] == 1, reply
        raw.drop()
    assert hub.metric("kerbside_crumbling_connections_total") >= 1


async def connected(raw, context):
    raw.reader, raw.writer = await asyncio.open_connection("localhost", raw.hub.port, ssl=context)
    return raw


def request(path, *headers, body=b""):
    method = "POST" if body else "GET"
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


UPGRADE = request(
    "/v1/connect", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", f"Sec-WebSocket-Protocol: {SUBPROTOCOL}",
)  # fmt: skip


def begin(hub, link, kind, token):
    """What the connection is to be; a stream's session."""
    hello = json.dumps({"id": 1, "cmd": "hello", "token": token}).encode()
    if kind in ("stranger", "websocket"):
        link.send(UPGRADE)
        assert link.has(b" 101 ")
    if kind == "websocket":
        link.send(frame(TEXT, hello))
        assert link.has(b'"id":1')
    if kind == "stream":
        link.send(request("/v1/stream", "Content-Type: application/json", body=hello))
        return json.loads(link.has(b"\n\n").rpartition(b"data: ")[2])["ok"]["session"]
    return None


@pytest.mark.parametrize("kind", ["requests", "stream", "websocket"])
def test_records_without_a_byte_cut_a_connection_of_which_nobody_counts_the_pieces(hub, tmp_path, kind):
    """64 in its life besides one before each with bytes: OpenSSL works off 32 of them in a read, of which no byte tells. Of whoever
    said hello each is a piece of its subject's (decisions 151, 152)."""
    token, link = hub.token("service", "empty"), Records(hub, tmp_path)
    ask = json.dumps({"id": 2, "cmd": "vehicle.get", "vehicle": "nobody"}).encode()
    session = begin(hub, link, kind, token)

    def is_answered(empty):
        """Whether it is there after so many records without a byte and one with some."""
        said = {"requests": request("/healthz"), "stream": b"x", "websocket": frame(TEXT, ask)}[kind]
        link.send(*[b""] * empty, said)
        if kind == "stream":
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            hub.http(f"/v1/stream/{session}", "POST", headers, ask)
        return link.has(b" 200 " if kind == "requests" else b'"id":2')

    assert is_answered(32) and is_answered(0) and is_answered(32) and is_answered(1)
    assert bool(is_answered(8)) == (kind != "requests")
    link.close()


@pytest.mark.parametrize("kind", ["stranger", "websocket", "stream"])
def test_half_a_key_update_cuts_a_connection_to_which_something_is_to_be_said(new_hub, tmp_path, kind):
    """OpenSSL writes nothing before the rest has come, while the kernel says that there is room. Only pings are sent here, and
    nobody is given up for silence."""
    far = {"server__hello_timeout_ms": 600_000, "server__dead_after_ms": 600_000}
    hub = started(new_hub, server__ping_ms=300, **far)
    link = Records(hub, tmp_path)
    begin(hub, link, kind, hub.token("service", "half"))
    link.send(b"\x18\0\0\1", kind=b"\x16")
    link.has(b"nothing that a hub says")
    link.close()
    assert hub.metric("kerbside_socket_writes_total") < 1_000


def written_alone(write, sent, size=1):
    """How much of it the hub let be written, so much at a time and each to be read by itself."""
    for begin in range(0, len(sent), size):
        try:
            write(sent[begin : begin + size])
        except ConnectionError:
            return begin
        time.sleep(0.0005)
    return len(sent)


@pytest.mark.parametrize("kind", ["handshake", "requests", "stranger"])
def test_a_record_byte_by_byte_cuts_whom_nobody_knows(hub, tmp_path, kind):
    """OpenSSL gives nothing of half a record, so nobody was told of 16,000 reads. 1,024 are for a request, or for a hello."""
    if kind == "handshake":
        link = socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.sendall(b"".join(records(hello_with())))
        assert take_record(link)[0] == b"\x16"
        # As long as one may be, of nobody's.
        record, write = b"\x17\x03\x03\x41\0" + bytes(16_640), link.sendall
    else:
        link = Records(hub, tmp_path)
        begin(hub, link, kind, None)
        record, write = link.sealed(bytes(16_384)), link.write
    assert 1_000 < written_alone(write, record[:-1]) < len(record) - 1
    link.close()
    assert hub.http("/healthz").status == 200


def test_records_byte_by_byte_hold_back_their_sender(hub, tmp_path):
    """Each part is a piece of its subject's, which may have 500 a second; nothing is lost, and nobody cut."""
    links = [Records(hub, tmp_path) for _ in range(6)]
    for link in links:
        begin(hub, link, "websocket", hub.token("driver", "bytes"))
    assert hub.metric("kerbside_crumbling_connections_total") == 0
    waiting = [link.sealed(frame(TEXT, b'{"id":2,"cmd":"queue.get"}' + b" " * 1_000)) for link in links]
    for at in range(600):
        for link, record in zip(links, waiting, strict=True):
            link.write(record[at : at + 1])
        time.sleep(0.0005)
    for link, record in zip(links, waiting, strict=True):
        link.write(record[600:])
        assert link.has(b'"id":2')
        link.close()
    assert hub.metric("kerbside_crumbling_connections_total") >= 1


@pytest.mark.parametrize("kind", ["requests", "stranger", "websocket"])
def test_what_comes_in_many_parts_is_answered(hub, tmp_path, kind):
    """On a bad link a record comes in some ten; here in a hundred, which takes a share of a turn for each."""
    link, token = Records(hub, tmp_path), hub.token("driver", "parts")
    begin(hub, link, kind, token)
    ask = {"id": 2, "cmd": "queue.get"} if kind == "websocket" else {"id": 2, "cmd": "hello", "token": token}
    said = request("/healthz", "X: " + "x" * 1_500) if kind == "requests" else frame(TEXT, json.dumps(ask).encode() + b" " * 900)
    for _ in range(3 if kind != "stranger" else 1):
        record = link.sealed(said)
        assert written_alone(link.write, record, len(record) // 100) == len(record)
        assert link.has(b" 200 " if kind == "requests" else b'"id":2')
    link.close()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_handshake_goes_on_byte_by_byte(hub, version):
    """What follows the hello is read in shares of a turn."""
    context = ssl.create_default_context(cafile=hub.settings["server.tls.certificate"])
    context.minimum_version = context.maximum_version = version
    came, goes = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(came, goes, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def play(step, *arguments):
            """A step of OpenSSL's, whatever has to come for it."""
            while True:
                try:
                    result = step(*arguments)
                except ssl.SSLWantReadError:
                    result = None
                sent = goes.read()
                assert written_alone(link.sendall, sent) == len(sent)
                if result is not None:
                    return result
                assert came.write(link.recv(65_536))

        play(lambda: tls.do_handshake() or True)
        play(tls.write, request("/healthz"))
        assert b" 200 " in play(tls.read, 65_536)
