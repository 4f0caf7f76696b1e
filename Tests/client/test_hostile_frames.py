"""Frames that RFC 6455 forbids, and unusual ones that it allows: each closed with its code, or served."""

import json

import pytest

from kerbside.frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawSocket, close, frame

BARRIER = b'{"id":7,"cmd":"offer.seen","ride":"no-such-ride"}'
BIG = 65_536

FORBIDDEN = {
    "unmasked text": (frame(TEXT, BARRIER, masked=False), 1002),
    "unmasked ping": (frame(PING, b"x", masked=False), 1002),
    "reserved bit 1": (frame(TEXT, BARRIER, rsv=4), 1002),
    "reserved bit 2": (frame(TEXT, BARRIER, rsv=2), 1002),
    "reserved bit 3": (frame(TEXT, BARRIER, rsv=1), 1002),
    "all reserved bits": (frame(TEXT, BARRIER, rsv=7), 1002),
    "opcode 3": (frame(3, BARRIER), 1002),
    "opcode 7": (frame(7), 1002),
    "opcode 11": (frame(11), 1002),
    "opcode 15": (frame(15, b"x"), 1002),
    "ping in fragments": (frame(PING, b"x", fin=False), 1002),
    "close in fragments": (frame(CLOSE, b"", fin=False), 1002),
    "ping of 126 bytes": (frame(PING, b"x" * 126), 1002),
    "close of 126 bytes": (frame(CLOSE, b"\x03\xe8" + b"x" * 124), 1002),
    "continuation of nothing": (frame(CONTINUATION, BARRIER), 1002),
    "a new text inside a text": (frame(TEXT, b'{"id"', fin=False) + frame(TEXT, b":7}"), 1002),
    "close of one byte": (frame(CLOSE, b"\x03"), 1002),
    "close code 0": (close(0), 1002),
    "close code 999": (close(999), 1002),
    "close code 1005": (close(1005), 1002),
    "close code 1006": (close(1006), 1002),
    "close code 1015": (close(1015), 1002),
    "close code 2999": (close(2999), 1002),
    "close code 65535": (close(65535), 1002),
    "close reason not utf-8": (close(1000, b"\xff\xfe"), 1007),
    "binary": (frame(BINARY, BARRIER), 1003),
    "empty binary": (frame(BINARY), 1003),
    "text not utf-8": (frame(TEXT, b'{"cmd":"\xff"}'), 1007),
    "an encoded surrogate": (frame(TEXT, b'{"cmd":"\xed\xa0\x80"}'), 1007),
    "an overlong slash": (frame(TEXT, b'{"cmd":"\xc0\xaf"}'), 1007),
    "beyond U+10FFFF": (frame(TEXT, b'{"cmd":"\xf4\x90\x80\x80"}'), 1007),
    "cut in a character": (frame(TEXT, b'{"cmd":"\xe2\x82'), 1007),
    "not utf-8 over fragments": (frame(TEXT, b'{"cmd":"\xe2', fin=False) + frame(CONTINUATION, b'\x28\xa1"}'), 1007),
    "one byte too many": (frame(TEXT, b" " * (BIG + 1)), 1009),
    "two megabytes": (frame(TEXT, b" " * 2_000_000), 1009),
    "a length of 2^62": (frame(TEXT, b" " * 100_000, length=1 << 62), 1009),
    "fragments beyond the limit": (
        frame(TEXT, b" " * 30_000, fin=False)
        + frame(CONTINUATION, b" " * 30_000, fin=False)
        + frame(CONTINUATION, b" " * 30_000),
        1009,
    ),
    "some empty fragments, then too much": (
        frame(TEXT, b"", fin=False) + frame(CONTINUATION, b"", fin=False) * 50 + frame(CONTINUATION, b" " * 70_000),
        1009,
    ),
    "endless empty fragments": (frame(TEXT, b"", fin=False) + frame(CONTINUATION, b"", fin=False) * 500, 1008),
}


async def raw_driver(hub, cast):
    socket = RawSocket(hub)
    status, headers = await socket.handshake()
    assert status == 101 and headers["sec-websocket-protocol"] == "kerbside.v1.json"
    driver = cast.driver(hub)
    return await socket.hello(driver.token)


@pytest.mark.parametrize("name", FORBIDDEN)
async def test_forbidden_frames_close_with_their_code(hub, cast, name):
    data, code = FORBIDDEN[name]
    async with await raw_driver(hub, cast) as socket:
        await socket.send(data)
        assert await socket.closing() == code
        await socket.send(close(code))
        await socket.ended()


async def test_a_length_of_2_to_the_63_is_refused(hub, cast):
    """The most significant bit must be 0: a broken frame, and too big as well."""
    async with await raw_driver(hub, cast) as socket:
        await socket.send(frame(TEXT, b"x" * 1000, length=1 << 63))
        assert await socket.closing() in (1002, 1009)


PIECES = [BARRIER[i : i + 5] for i in range(0, len(BARRIER), 5)]
ALLOWED = {
    "whole": frame(TEXT, BARRIER),
    "with a 16-bit length": frame(TEXT, BARRIER + b" " * 200),
    "as large as allowed": frame(TEXT, BARRIER + b" " * (BIG - len(BARRIER))),
    "in two fragments": frame(TEXT, BARRIER[:9], fin=False) + frame(CONTINUATION, BARRIER[9:]),
    "in many fragments": frame(TEXT, b"", fin=False)
    + b"".join(frame(CONTINUATION, piece, fin=False) for piece in PIECES)
    + frame(CONTINUATION),
    "with pings in between": frame(TEXT, PIECES[0], fin=False)
    + b"".join(frame(PING, b"now") + frame(CONTINUATION, piece, fin=False) for piece in PIECES[1:])
    + frame(CONTINUATION),
    "after an unasked pong": frame(PONG, b"nobody asked") + frame(TEXT, BARRIER),
    "a character cut by fragments": frame(TEXT, b'{"id":7,"x":"\xe2\x82', fin=False)
    + frame(CONTINUATION, b'\xac","cmd":"offer.seen","ride":"no-such-ride"}'),
}


@pytest.mark.parametrize("name", ALLOWED)
async def test_unusual_frames_are_served(hub, cast, name):
    async with await raw_driver(hub, cast) as socket:
        await socket.send(ALLOWED[name])
        pongs = 0
        while True:
            opcode, payload = await socket.frame()
            if opcode == TEXT:
                break
            assert (opcode, payload) == (PONG, b"now")
            pongs += 1
        # Of pings that are read at once the latest is answered (RFC 6455, 5.5.3).
        assert 1 <= pongs < len(PIECES) if "pings" in name else pongs == 0
        reply = json.loads(payload)
        assert reply["id"] == 7 and reply["error"]["code"] == "not_found"


async def test_byte_by_byte(hub, cast):
    async with await raw_driver(hub, cast) as socket:
        for byte in frame(TEXT, BARRIER):
            await socket.send(bytes([byte]))
        assert (await socket.message())["id"] == 7


async def test_a_thousand_messages_in_one_write(hub, cast):
    async with await raw_driver(hub, cast) as socket:
        await socket.send(b"".join(frame(TEXT, BARRIER.replace(b":7,", b":%d," % n)) for n in range(1000)))
        assert sorted([(await socket.message())["id"] for _ in range(1000)]) == list(range(1000))


@pytest.mark.parametrize("payload", [b"", b"x", b"x" * 125, bytes(range(125))], ids=["0", "1", "125", "bytes"])
async def test_a_ping_gets_a_pong_with_its_payload(hub, cast, payload):
    async with await raw_driver(hub, cast) as socket:
        await socket.send(frame(PING, payload))
        assert await socket.frame() == (PONG, payload)


@pytest.mark.parametrize("code", [1000, 1001, 1011, 3000, 3999, 4000, 4999])
async def test_a_close_is_answered_and_the_hub_hangs_up(hub, cast, code):
    async with await raw_driver(hub, cast) as socket:
        await socket.send(close(code, b"done"))
        assert await socket.closing() == code
        await socket.ended()


async def test_an_empty_close_is_answered(hub, cast):
    async with await raw_driver(hub, cast) as socket:
        await socket.send(frame(CLOSE))
        assert await socket.closing() in (1000, 1005)
        await socket.ended()


async def test_what_follows_a_close_is_ignored(hub, cast):
    async with await raw_driver(hub, cast) as socket:
        await socket.send(close(1000) + frame(TEXT, BARRIER) + frame(PING, b"x"))
        opcode, _ = await socket.frame()
        assert opcode == CLOSE
        await socket.ended()


async def test_the_hub_lives_after_all_that(hub, cast):
    driver = cast.driver(hub)
    await driver.connect()
    await driver.barrier()
    assert hub.http("/healthz").status == 200
