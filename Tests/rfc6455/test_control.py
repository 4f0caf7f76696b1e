"""Pings and pongs: payload, size, number, pieces, and between fragments."""

import pytest

from peer import BINARY, CONT, PING, PONG, TEXT, frame


@pytest.mark.parametrize("payload", [b"", b"Hello, world!", bytes([0, 255, 254, 253, 252, 251, 0, 255]), b"\xfe" * 125])
def test_ping_is_answered_with_its_payload(peer, payload):
    peer.send(frame(PING, payload))
    peer.expect(PONG, payload)
    peer.close_normally()


@pytest.mark.parametrize("form", [None, 16])
@pytest.mark.parametrize("size", [126, 65535])
def test_ping_of_more_than_125_bytes_is_refused(peer, size, form):
    peer.send(frame(PING, b"\xfe" * size, length_form=form))
    peer.expect_close(1002)


def test_ping_in_single_bytes(peer):
    peer.send(frame(PING, b"\xfe" * 125), chop=1)
    peer.expect(PONG, b"\xfe" * 125)
    peer.close_normally()


@pytest.mark.parametrize("payload", [b"", b"unsolicited"])
def test_unsolicited_pong_is_ignored(peer, payload):
    peer.send(frame(PONG, payload) + frame(PING, b"then"))
    peer.expect(PONG, b"then")
    peer.close_normally()


@pytest.mark.parametrize("chop", [None, 1])
def test_ten_pings_are_answered_in_order(peer, chop):
    pings = [f"payload-{n}".encode() for n in range(10)]
    peer.send(b"".join(frame(PING, ping) for ping in pings), chop=chop)
    for ping in pings:
        peer.expect(PONG, ping)
    peer.close_normally()


def test_pongs_and_messages_keep_their_order(peer):
    for n in range(200):
        peer.send(frame(TEXT, b"m%d" % n) + frame(PING, b"p%d" % n))
    for n in range(200):
        peer.expect(TEXT, b"m%d" % n)
        peer.expect(PONG, b"p%d" % n)
    peer.close_normally()


def test_ping_within_a_large_message_is_answered_before_it_ends(peer):
    peer.send(frame(BINARY, b"a" * 200_000, fin=False) + frame(PING, b"here?"))
    peer.expect(PONG, b"here?")
    peer.send(frame(CONT, b"b" * 200_000))
    peer.expect(BINARY, b"a" * 200_000 + b"b" * 200_000)
    peer.close_normally()


@pytest.mark.parametrize("opcode", [PING, PONG])
def test_fragmented_control_frame_is_refused(peer, opcode):
    peer.send(frame(opcode, b"part", fin=False) + frame(CONT, b"rest"))
    peer.expect_close(1002)
