"""Large and many messages: up to 16 MiB, whole, in fragments, and in pieces of every size."""

import pytest

from peer import BINARY, CONT, TEXT, frame

MIB = 1 << 20
SIZES = [64 << 10, 256 << 10, MIB, 4 * MIB, 8 * MIB, 16 * MIB]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("opcode", [TEXT, BINARY])
def test_large_message(peer, opcode, size):
    payload = b"BAsd7&jh23" * (size // 10) + b"x" * (size % 10)
    peer.send(frame(opcode, payload))
    peer.expect(opcode, payload)
    peer.close_normally()


@pytest.mark.parametrize("fragment", [64, 256, 1024, 4096, 65536, 4 * MIB])
@pytest.mark.parametrize("opcode", [TEXT, BINARY])
def test_four_mebibytes_in_fragments(peer, opcode, fragment):
    payload = b"*" * (4 * MIB)
    frames = []
    for start in range(0, len(payload), fragment):
        last = start + fragment >= len(payload)
        frames.append(frame(opcode if start == 0 else CONT, payload[start : start + fragment], fin=last))
    peer.send(b"".join(frames))
    peer.expect(opcode, payload)
    peer.close_normally()


@pytest.mark.parametrize("chop", [64, 128, 256, 512, 1024, 2048])
@pytest.mark.parametrize("opcode", [TEXT, BINARY])
def test_one_mebibyte_in_pieces(peer, opcode, chop):
    payload = b"*" * MIB
    peer.send(frame(opcode, payload), chop)
    peer.expect(opcode, payload)
    peer.close_normally()


@pytest.mark.parametrize("size", [0, 16, 64, 256, 1024, 4096])
@pytest.mark.parametrize("opcode", [TEXT, BINARY])
def test_thousand_messages_one_after_the_other(peer, opcode, size):
    payload = b"*" * size
    data = frame(opcode, payload)
    for _ in range(1000):
        peer.send(data)
        peer.expect(opcode, payload)
    peer.close_normally()
