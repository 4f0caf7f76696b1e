"""The closing handshake: codes, reasons, what may follow, and who ends the stream."""

import pytest

from peer import BINARY, CLOSE, CONT, PING, TEXT, Peer, close_payload, frame

VALID_CODES = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
INVALID_CODES = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]


def test_message_then_close(peer):
    peer.send(frame(TEXT, b"Hello World!"))
    peer.expect(TEXT, b"Hello World!")
    peer.close_normally()


def test_message_and_close_in_one_write(peer):
    peer.send(frame(TEXT, b"Hello World!") + frame(CLOSE, close_payload(1000)))
    peer.expect(TEXT, b"Hello World!")
    peer.expect_close(1000)


def test_second_close_frame_is_ignored(peer):
    peer.send(frame(CLOSE, close_payload(1000)) + frame(CLOSE, close_payload(1001)))
    peer.expect_close(1000)


def test_ping_after_close_is_not_answered(peer):
    peer.send(frame(CLOSE, close_payload(1000)) + frame(PING, b"late"))
    peer.expect_close(1000)


def test_message_after_close_is_not_echoed(peer):
    peer.send(frame(CLOSE, close_payload(1000)) + frame(TEXT, b"late"))
    peer.expect_close(1000)


def test_close_within_a_fragmented_message(peer):
    peer.send(frame(TEXT, b"fragment1", fin=False) + frame(CLOSE, close_payload(1000)) + frame(CONT, b"fragment2"))
    peer.expect_close(1000)


def test_large_message_then_close_then_ping(peer):
    payload = b"BAsd7&jh23" * 26214
    peer.send(frame(TEXT, payload) + frame(CLOSE, close_payload(1000)) + frame(PING))
    peer.expect(TEXT, payload)
    peer.expect_close(1000)


def test_close_without_code(peer):
    peer.send(frame(CLOSE))
    peer.expect_close(None, 1000)


def test_close_with_half_a_code(peer):
    peer.send(frame(CLOSE, b"a"))
    peer.expect_close(1002)


def test_close_with_reason(peer):
    peer.send(frame(CLOSE, close_payload(1000, b"Hello World!")))
    peer.expect_close(1000)


def test_close_with_the_longest_reason(peer):
    peer.send(frame(CLOSE, close_payload(1000, b"*" * 123)))
    peer.expect_close(1000)


def test_close_with_a_reason_that_is_too_long(peer):
    peer.send(frame(CLOSE, close_payload(1000, b"*" * 124)))
    peer.expect_close(1002)


@pytest.mark.parametrize("chop", [None, 1])
@pytest.mark.parametrize("code", VALID_CODES)
def test_valid_code_is_given_back(peer, code, chop):
    peer.send(frame(CLOSE, close_payload(code)), chop=chop)
    peer.expect_close(code)


@pytest.mark.parametrize("reason", [b"", b"reason"])
@pytest.mark.parametrize("code", INVALID_CODES)
def test_invalid_code_is_refused(peer, code, reason):
    peer.send(frame(CLOSE, close_payload(code, reason)))
    peer.expect_close(1002)


def test_fragmented_close_is_refused(peer):
    peer.send(frame(CLOSE, close_payload(1000), fin=False))
    peer.expect_close(1002)


def test_server_ends_the_stream_even_if_the_client_goes_on_sending(peer):
    peer.send(frame(CLOSE, close_payload(1000)) + frame(BINARY, b"x" * 300_000))
    peer.expect_close(1000)


def test_server_answers_others_after_a_client_has_gone_without_a_close_frame(address):
    for _ in range(20):
        with Peer(address) as gone:
            gone.send(frame(TEXT, b"half")[:5])
    with Peer(address) as peer:
        peer.send(frame(TEXT, b"still here"))
        peer.expect(TEXT, b"still here")
        peer.close_normally()
