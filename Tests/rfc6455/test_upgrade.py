"""The opening handshake of the echo server, good and bad."""

import base64

import pytest

from peer import TEXT, Peer, connect, frame

KEY = base64.b64encode(b"0123456789abcdef").decode()
GOOD = {
    "Host": "localhost", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": KEY,
}


def ask(address, changes, request="GET / HTTP/1.1"):
    """The status line and headers of the answer to a request that differs from a good one in `changes`."""
    headers = {name: value for name, value in {**GOOD, **changes}.items() if value is not None}
    with connect(address) as client:
        lines = [request] + [f"{name}: {value}" for name, value in headers.items()]
        client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        data = b""
        while b"\r\n\r\n" not in data:
            more = client.recv(65536)
            assert more, "ended without an answer"
            data += more
        return data.decode()


def test_accepts(address):
    answer = ask(address, {})
    assert answer.startswith("HTTP/1.1 101 ")
    assert "Sec-WebSocket-Accept: BACScCJPNqyz+UBoqMH89VmURoA=" in answer


@pytest.mark.parametrize("changes", [
    {"Upgrade": "WebSocket"}, {"Connection": "keep-alive, Upgrade"}, {"Connection": "UPGRADE"},
    {"Upgrade": "h2c, websocket"},
], ids=repr)
def test_accepts_other_spellings(address, changes):
    assert ask(address, changes).startswith("HTTP/1.1 101 ")


@pytest.mark.parametrize("changes, status", [
    ({"Sec-WebSocket-Version": "8"}, "426"),
    ({"Sec-WebSocket-Version": None}, "426"),
    ({"Sec-WebSocket-Key": None}, "400"),
    ({"Sec-WebSocket-Key": "short"}, "400"),
    ({"Sec-WebSocket-Key": "!" * 22 + "=="}, "400"),
    ({"Host": None}, "400"),
    ({"Origin": "https://elsewhere.example"}, "403"),
    ({"Content-Length": "5, 6"}, "400"),
], ids=repr)
def test_refuses(address, changes, status):
    assert ask(address, changes).split(" ")[1] == status


def test_wrong_version_says_the_right_one(address):
    assert "Sec-WebSocket-Version: 13" in ask(address, {"Sec-WebSocket-Version": "8"})


def test_unknown_upgrade_is_plain_http(address):
    assert ask(address, {"Upgrade": "h2c"}).startswith("HTTP/1.1 200 ")
    assert ask(address, {"Upgrade": "nonsense/1"}).startswith("HTTP/1.1 200 ")


def test_post_is_refused(address):
    assert ask(address, {}, "POST / HTTP/1.1").split(" ")[1] == "400"


def test_frame_in_the_same_write_as_the_request(address):
    with connect(address) as client:
        lines = ["GET / HTTP/1.1"] + [f"{name}: {value}" for name, value in GOOD.items()]
        client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + frame(TEXT, b"early"))
        data = b""
        while not data.endswith(b"\x81\x05early"):
            more = client.recv(65536)
            assert more, data
            data += more
        assert data.startswith(b"HTTP/1.1 101 ")


def test_request_in_single_bytes(address):
    with connect(address) as client:
        lines = ["GET / HTTP/1.1"] + [f"{name}: {value}" for name, value in GOOD.items()]
        for byte in ("\r\n".join(lines) + "\r\n\r\n").encode():
            client.sendall(bytes([byte]))
        assert client.recv(65536).startswith(b"HTTP/1.1 101 ")


def test_extension_is_not_agreed_on(address):
    with Peer(address, headers=["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"]) as peer:
        peer.send(frame(TEXT, b"plain"))
        peer.expect(TEXT, b"plain")
