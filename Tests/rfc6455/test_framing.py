"""Messages in one frame: sizes around every boundary of the length forms, and delivery in pieces."""

import pytest

from peer import BINARY, TEXT, frame

SIZES = [0, 1, 125, 126, 127, 128, 65535, 65536]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("opcode", [TEXT, BINARY])
def test_message_of_each_size_comes_back(peer, opcode, size):
    payload = b"*" * size if opcode == TEXT else bytes(i & 0xFF for i in range(size))
    peer.send(frame(opcode, payload))
    peer.expect(opcode, payload)
    peer.close_normally()


@pytest.mark.parametrize("chop", [1, 997])
@pytest.mark.parametrize("size", [0, 1, 125, 126, 1000, 65536])
def test_message_in_pieces_comes_back(peer, size, chop):
    if chop == 1 and size > 1000:
        pytest.skip("65536 writes of one byte say no more than 1000")
    payload = bytes(i % 251 for i in range(size))
    peer.send(frame(BINARY, payload), chop=chop)
    peer.expect(BINARY, payload)
    peer.close_normally()


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535])
@pytest.mark.parametrize("form", [16, 64])
def test_length_that_is_not_in_its_shortest_form_is_refused(peer, size, form):
    if form == 16 and size >= 126:
        pytest.skip("this is its shortest form")
    peer.send(frame(BINARY, b"x" * size, length_form=form))
    peer.expect_close(1002)


def test_length_with_the_highest_bit_is_refused(peer):
    peer.send(b"\x82\xff" + b"\xff" * 8 + b"\0\0\0\0")
    peer.expect_close(1002)


def test_unmasked_frame_is_refused(peer):
    peer.send(frame(TEXT, b"hello", masked=False))
    peer.expect_close(1002)


def test_mask_of_zeros_and_every_alignment(peer):
    for size in range(40):
        payload = bytes(range(size))
        peer.send(b"\x82" + bytes([0x80 | size]) + b"\0\0\0\0" + payload)
        peer.expect(BINARY, payload)
    peer.close_normally()


def test_many_messages_in_one_write_come_back_in_order(peer):
    messages = [f"message {n}".encode() for n in range(1000)]
    peer.send(b"".join(frame(TEXT, message) for message in messages))
    for message in messages:
        peer.expect(TEXT, message)
    peer.close_normally()


def test_message_longer_than_any_limit_is_refused_at_its_header(peer):
    peer.send(b"\x82\xff" + (1 << 40).to_bytes(8, "big") + b"\0\0\0\0")
    peer.expect_close(1009)
