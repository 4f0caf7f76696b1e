"""Hellos of TLS, byte by byte: what is read of them, and who waits for the rest."""

import contextlib
import os
import pathlib
import signal
import socket
import struct
import time

import pytest

from kerbside import patience
from kerbside.certificate import make_certificate
from kerbside.tls_records import hello_with, records, take_record


def answer_to(hub, sent):
    """What the hub's answer to a hello begins with: 22 is its own, 21 an alert; b"" when it has closed."""
    with socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE) as link:
        link.sendall(sent)
        try:
            return link.recv(1)
        except ConnectionError:
            return b""


def test_a_hello_is_one_record_with_short_lists(tls_hub):
    """OpenSSL looks up each offered key in the list of groups: 64 KB of both take a hundred milliseconds."""
    assert answer_to(tls_hub, b"".join(records(hello_with()))) == b"\x16"
    assert answer_to(tls_hub, b"".join(records(hello_with(keys=20, groups=100)))) == b"\x16"
    assert answer_to(tls_hub, b"".join(records(hello_with(keys=20, groups=200)))) == b"\x15"
    assert answer_to(tls_hub, b"".join(records(hello_with(keys=900, groups=100)))) == b"\x15"
    assert answer_to(tls_hub, b"".join(records(hello_with(keys=1_800)))) == b"", "longer than 8 KiB"
    for first in (1, 4, 100):
        assert answer_to(tls_hub, b"".join(records(hello_with(), first))) == b"", "two records"
    assert tls_hub.http("/healthz").status == 200


# Sent ahead of a repeated hello, for the sake of boxes on the way (RFC 8446 D.4).
CHANGE = b"\x14\x03\x03\0\x01\x01"


def asked_again(hub, source="127.0.0.1"):
    """A connection whose hello has no key that the hub takes, and is to be repeated."""
    link = socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE, source_address=(source, 0))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.sendall(b"".join(records(hello_with(keys=0))))
    kind, answer = take_record(link)
    assert kind == b"\x16" and bytes.fromhex("CF21AD74E59A6111") in answer, (kind, answer)
    assert take_record(link)[0] == b"\x14"
    return link


def test_a_repeated_hello_is_one_record_too(tls_hub):
    """OpenSSL takes memory for what a hello announces, up to 130 KB."""

    def answer(*pieces):
        with asked_again(tls_hub) as link:
            for piece in pieces:
                link.sendall(piece)
                time.sleep(0.01)
            return take_record(link)[0]

    hello = b"".join(records(hello_with()))
    for pieces in ((hello,), (CHANGE + hello,), (CHANGE, hello), (CHANGE[:3], CHANGE[3:] + hello[:7], hello[7:])):
        assert answer(*pieces) == b"\x16", pieces
    assert answer(b"".join(records(hello_with(padding=7_000)))) == b"\x16"
    assert answer(b"".join(records(hello_with(padding=9_000)))) == b"", "longer than 8 KiB"
    assert answer(b"".join(records(hello_with(padding=5_000), 4_000))) == b"", "two records"
    assert tls_hub.http("/healthz").status == 200


async def test_a_hello_is_repeated_after_a_reload(tls_hub):
    """libwebsockets ended the process: it looks for the vhost by a certificate's context, which a reload has changed."""
    pids = tls_hub.workers()
    await tls_hub.reload()
    # As many as reach both workers.
    for _ in range(16):
        with asked_again(tls_hub) as link:
            link.sendall(b"".join(records(hello_with())))
            assert take_record(link)[0] == b"\x16"
    with asked_again(tls_hub) as link:
        link.sendall(b"".join(records(hello_with(keys=900, groups=100))))
        assert take_record(link)[0] in (b"", b"\x14", b"\x15"), "it is judged as the first is"
    assert tls_hub.workers() == pids


@pytest.mark.parametrize("length", [0, 1])
def test_data_before_the_handshake_is_done_ends_the_connection(tls_hub, length):
    """OpenSSL would skip it in one call, of empty records as many as come: a worker did nothing else meanwhile."""
    record = b"\x17\x03\x03" + length.to_bytes(2, "big") + bytes(length)
    with socket.create_connection(("127.0.0.1", tls_hub.port), timeout=patience.MESSAGE) as link:
        link.sendall(b"".join(records(hello_with(early=True))))
        with contextlib.suppress(ConnectionError):
            link.sendall(record * 100)
        kinds = []
        while kind := take_record(link)[0]:
            kinds.append(kind)
        assert b"\x16" in kinds, "the hello is answered"
    assert tls_hub.http("/healthz").status == 200


def test_many_repeated_hellos_take_turns(tls_hub):
    """None is refused because of the others, as many as come at once."""
    links = [asked_again(tls_hub, f"127.0.7.{n % 4 + 1}") for n in range(60)]
    pids = tls_hub.workers()
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        for link in links:
            link.sendall(b"".join(records(hello_with())))
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    answers = [take_record(link)[0] for link in links]
    for link in links:
        link.close()
    assert answers == [b"\x16"] * len(links), answers


def descriptors(hub):
    return sum(len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir())) for pid in hub.workers())


def test_who_waits_to_repeat_a_hello_has_one_descriptor(tls_hub):
    """A second one is counted by no limit."""
    before = descriptors(tls_hub)
    links = [asked_again(tls_hub) for _ in range(20)]
    # What was open before may have been closed meanwhile.
    assert descriptors(tls_hub) <= before + len(links)
    for link in links:
        link.sendall(b"".join(records(hello_with())))
        assert take_record(link)[0] == b"\x16"
        link.close()


@pytest.mark.parametrize("sent", [3, 60])
async def test_who_breaks_off_within_a_hello_leaves_its_place(new_hub, sent):
    """A reset may be there before the beginning of the hello is looked at."""
    hub = new_hub(server__workers=1, server__handshake_timeout_ms=120_000)
    certificate, key = make_certificate(hub.directory, "server")
    hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
    hub.start()
    before = descriptors(hub)
    for _ in range(50):
        link = socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE)
        link.sendall(b"".join(records(hello_with()))[:sent])
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        link.close()
    await hub.until("all places are free", lambda: descriptors(hub) <= before)
