"""Reserved bits and opcodes are refused; what came before them is answered."""

import pytest

from peer import CLOSE, CONT, PING, TEXT, close_payload, frame


@pytest.mark.parametrize("rsv", range(1, 8))
@pytest.mark.parametrize("opcode", [TEXT, PING, CLOSE])
def test_reserved_bits(peer, opcode, rsv):
    payload = close_payload(1000) if opcode == CLOSE else b"Hello"
    peer.send(frame(opcode, payload, rsv=rsv))
    peer.expect_close(1002)


@pytest.mark.parametrize("chop", [None, 1])
@pytest.mark.parametrize("rsv", [2, 3, 4])
def test_message_before_reserved_bits_is_echoed_and_the_ping_after_is_not_answered(peer, rsv, chop):
    peer.send(frame(TEXT, b"first") + frame(TEXT, b"second", rsv=rsv) + frame(PING), chop=chop)
    peer.expect(TEXT, b"first")
    peer.expect_close(1002)


@pytest.mark.parametrize("opcode", [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
@pytest.mark.parametrize("payload", [b"", b"reserved"])
def test_reserved_opcode(peer, opcode, payload):
    peer.send(frame(opcode, payload))
    peer.expect_close(1002)


@pytest.mark.parametrize("chop", [None, 1])
@pytest.mark.parametrize("opcode", [5, 13])
def test_message_before_a_reserved_opcode_is_echoed(peer, opcode, chop):
    peer.send(frame(TEXT, b"first") + frame(opcode, b"odd") + frame(PING), chop=chop)
    peer.expect(TEXT, b"first")
    peer.expect_close(1002)


def test_wrong_first_byte_fails_before_the_rest_of_the_header_comes(peer):
    peer.send(b"\xc1")
    peer.expect_close(1002)


def test_reserved_opcode_within_a_fragmented_message(peer):
    peer.send(frame(TEXT, b"a", fin=False) + frame(3, b"b") + frame(CONT, b"c"))
    peer.expect_close(1002)
