"""Text must be UTF-8, and stops being accepted at the first byte that is wrong."""

import pytest

from peer import BINARY, CLOSE, CONT, PING, PONG, TEXT, Peer, close_payload, frame, mask

GREEK = "κόσμε".encode()
MIXED = "Hello-µ@ßöäüàá-UTF-8!!".encode()

VALID = [
    b"", b"\0", b"~", b"\x7f", b"\xc2\x80", b"\xdf\xbf", b"\xe0\xa0\x80", b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xef\xbf\xbd",
    b"\xef\xbf\xbf", b"\xef\xbf\xbe", b"\xf0\x90\x80\x80", b"\xf4\x8f\xbf\xbf", b"\xf0\x9f\xbf\xbe", b"\xf4\x8f\xbf\xbe",
    GREEK, MIXED, "\U0001f695 taxi".encode(), b"\xef\xb7\x90", b"\xf0\x9f\xbf\xbf",
]

INVALID = [
    b"\x80", b"\xbf", b"\x80\xbf", b"\x80\xbf\x80\xbf\x80\xbf", b"\xc0\x80", b"\xc0\xaf", b"\xc1\xbf", b"\xe0\x80\x80",
    b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xf0\x80\x80\x80", b"\xf0\x80\x80\xaf", b"\xf0\x8f\xbf\xbf", b"\xf8\x88\x80\x80\x80",
    b"\xf8\x87\xbf\xbf\xbf", b"\xfc\x84\x80\x80\x80\x80", b"\xfc\x83\xbf\xbf\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf7\xbf\xbf\xbf",
    b"\xfb\xbf\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf\xbf", b"\xed\xa0\x80", b"\xed\xad\xbf", b"\xed\xae\x80", b"\xed\xaf\xbf",
    b"\xed\xb0\x80", b"\xed\xbe\x80", b"\xed\xbf\xbf", b"\xed\xa0\x80\xed\xb0\x80", b"\xed\xaf\xbf\xed\xbf\xbf", b"\xfe", b"\xff",
    b"\xfe\xfe\xff\xff", b"\xc2", b"\xe0\xa0", b"\xf0\x90\x80", b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited",
    b"\xce", b"\xce\xba\xe1", b"\xce\xba\xe1\xbd", b"abc\xc2", b"\xc2a", b"\xe1\x80a", b"\xf1\x80\x80a", b"\xf5\x80\x80\x80",
]


@pytest.mark.parametrize("chop", [None, 1])
@pytest.mark.parametrize("text", VALID, ids=repr)
def test_valid_text_comes_back(peer, text, chop):
    peer.send(frame(TEXT, text), chop=chop)
    peer.expect(TEXT, text)
    peer.close_normally()


@pytest.mark.parametrize("text", VALID, ids=repr)
def test_valid_text_in_fragments_of_one_byte_comes_back(peer, text):
    data = frame(TEXT, b"", fin=False)
    data += b"".join(frame(CONT, bytes([byte]), fin=False) for byte in text)
    peer.send(data + frame(CONT, b""))
    peer.expect(TEXT, text)
    peer.close_normally()


@pytest.mark.parametrize("chop", [None, 1])
@pytest.mark.parametrize("text", INVALID, ids=repr)
def test_invalid_text_is_refused(peer, text, chop):
    peer.send(frame(TEXT, text), chop=chop)
    peer.expect_close(1007)


@pytest.mark.parametrize("text", INVALID, ids=repr)
def test_invalid_text_in_fragments_is_refused(peer, text):
    data = frame(TEXT, b"", fin=False)
    data += b"".join(frame(CONT, bytes([byte]), fin=False) for byte in text)
    peer.send(data + frame(CONT, b""))
    peer.expect_close(1007)


@pytest.mark.parametrize("text", INVALID, ids=repr)
def test_invalid_text_is_not_looked_at_in_a_binary_message(peer, text):
    peer.send(frame(BINARY, text))
    peer.expect(BINARY, text)
    peer.close_normally()


def test_fails_at_the_fragment_with_the_wrong_byte_without_waiting_for_the_message(peer):
    peer.send(frame(TEXT, GREEK, fin=False))
    peer.send(frame(CONT, b"\xf4\x90\x80\x80", fin=False))
    peer.expect_close(1007)


def test_fails_at_a_first_byte_that_can_begin_nothing(peer):
    peer.send(frame(TEXT, GREEK, fin=False))
    peer.send(frame(CONT, b"\xf5", fin=False))
    peer.expect_close(1007)


def test_fails_within_a_frame_that_is_still_coming(peer):
    text = GREEK + b"\xf4\x90" + b"\x80\x80edited"
    whole = frame(TEXT, text)
    # Header, key and everything up to the byte that makes it invalid; the rest is never sent.
    peer.send(whole[: 6 + len(GREEK) + 2])
    peer.expect_close(1007)


def test_is_patient_with_a_character_that_is_still_coming(peer):
    whole = frame(TEXT, GREEK + b"\xf4\x8f\xbf\xbf")
    peer.send(whole[: 6 + len(GREEK) + 1])
    peer.send(whole[6 + len(GREEK) + 1 :])
    peer.expect(TEXT, GREEK + b"\xf4\x8f\xbf\xbf")
    peer.close_normally()


def test_character_split_over_fragments_with_a_ping_between(peer):
    peer.send(frame(TEXT, b"\xf0\x9f", fin=False) + frame(PING, b"\xff\xfe") + frame(CONT, b"\x9a\x95"))
    peer.expect(PONG, b"\xff\xfe")
    peer.expect(TEXT, b"\xf0\x9f\x9a\x95")
    peer.close_normally()


def test_check_starts_anew_with_each_message(peer):
    peer.send(frame(TEXT, b"ok") + frame(BINARY, b"\xc2") + frame(TEXT, b"\xc2\xa9"))
    peer.expect(TEXT, b"ok")
    peer.expect(BINARY, b"\xc2")
    peer.expect(TEXT, b"\xc2\xa9")
    peer.close_normally()


def test_wrong_byte_at_every_offset_of_a_long_text(address):
    for offset in [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 4095, 4096, 65535, 65536, 99_999]:
        text = bytearray(b"a" * 100_000)
        text[offset] = 0xFF
        with Peer(address) as peer:
            peer.send(frame(TEXT, bytes(text)))
            peer.expect_close(1007)


@pytest.mark.parametrize("reason", INVALID, ids=repr)
def test_reason_of_a_close_frame_is_checked_too(peer, reason):
    peer.send(frame(CLOSE, close_payload(1000, reason)))
    peer.expect_close(1007)


def test_mask_helper_is_its_own_inverse():
    assert mask(mask(MIXED, b"\x01\x02\x03\x04"), b"\x01\x02\x03\x04") == MIXED
