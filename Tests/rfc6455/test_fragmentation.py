"""Messages in several frames, right and wrong."""

import pytest

from peer import BINARY, CONT, PING, PONG, TEXT, frame

CHOPS = [None, 1]


@pytest.mark.parametrize("opcode", [PING, PONG])
def test_control_frame_in_two_fragments(peer, opcode):
    peer.send(frame(opcode, b"fragment1", fin=False) + frame(CONT, b"fragment2"))
    peer.expect_close(1002)


@pytest.mark.parametrize("chop", CHOPS)
def test_two_fragments(peer, chop):
    peer.send(frame(TEXT, b"fragment1", fin=False) + frame(CONT, b"fragment2"), chop=chop)
    peer.expect(TEXT, b"fragment1fragment2")
    peer.close_normally()


@pytest.mark.parametrize("chop", CHOPS)
def test_ping_between_two_fragments(peer, chop):
    peer.send(frame(TEXT, b"fragment1", fin=False) + frame(PING, b"ping") + frame(CONT, b"fragment2"), chop=chop)
    peer.expect(PONG, b"ping")
    peer.expect(TEXT, b"fragment1fragment2")
    peer.close_normally()


@pytest.mark.parametrize("chop", CHOPS)
@pytest.mark.parametrize("fin", [True, False])
def test_continuation_with_nothing_to_continue(peer, fin, chop):
    peer.send(frame(CONT, b"non-continuation", fin=fin) + frame(TEXT, b"Hello, world!"), chop=chop)
    peer.expect_close(1002)


@pytest.mark.parametrize("chop", CHOPS)
@pytest.mark.parametrize("fin", [True, False])
def test_continuation_after_a_finished_message(peer, fin, chop):
    peer.send(
        frame(TEXT, b"fragment1", fin=False) + frame(CONT, b"fragment2") + frame(CONT, b"fragment3", fin=fin)
        + frame(TEXT, b"fragment4"), chop=chop)
    peer.expect(TEXT, b"fragment1fragment2")
    peer.expect_close(1002)


@pytest.mark.parametrize("chop", CHOPS)
@pytest.mark.parametrize("opcode", [TEXT, BINARY])
def test_new_message_within_a_message(peer, opcode, chop):
    peer.send(frame(TEXT, b"fragment1", fin=False) + frame(opcode, b"fragment2"), chop=chop)
    peer.expect_close(1002)


@pytest.mark.parametrize("chop", CHOPS)
def test_five_fragments_with_pings_between(peer, chop):
    parts = [b"fragment%d" % n for n in range(1, 6)]
    data = frame(TEXT, parts[0], fin=False) + frame(CONT, parts[1], fin=False)
    data += frame(PING, b"ping1")
    data += frame(CONT, parts[2], fin=False) + frame(CONT, parts[3], fin=False)
    data += frame(PING, b"ping2") + frame(CONT, parts[4])
    peer.send(data, chop=chop)
    peer.expect(PONG, b"ping1")
    peer.expect(PONG, b"ping2")
    peer.expect(TEXT, b"".join(parts))
    peer.close_normally()


def test_ping_within_fragments_is_answered_at_once(peer):
    peer.send(frame(TEXT, b"fragment1", fin=False) + frame(CONT, b"fragment2", fin=False) + frame(PING, b"1"))
    peer.expect(PONG, b"1")
    peer.send(frame(CONT, b"fragment3", fin=False) + frame(PING, b"2"))
    peer.expect(PONG, b"2")
    peer.send(frame(CONT, b"fragment5"))
    peer.expect(TEXT, b"fragment1fragment2fragment3fragment5")
    peer.close_normally()


def test_empty_fragments(peer):
    peer.send(frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) + frame(CONT, b""))
    peer.expect(TEXT, b"")
    peer.send(frame(TEXT, b"", fin=False) + frame(CONT, b"middle", fin=False) + frame(CONT, b""))
    peer.expect(TEXT, b"middle")
    peer.send(frame(BINARY, b"", fin=False) + frame(CONT, b"end"))
    peer.expect(BINARY, b"end")
    peer.close_normally()


def test_automatic_fragmentation_of_a_large_text(peer):
    text = b"*" * 65536
    data = b""
    for start in range(0, len(text), 1300):
        piece = text[start : start + 1300]
        data += frame(TEXT if start == 0 else CONT, piece, fin=start + 1300 >= len(text))
    peer.send(data)
    peer.expect(TEXT, text)
    peer.close_normally()
