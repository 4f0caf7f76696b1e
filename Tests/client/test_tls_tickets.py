"""A client that comes back resumes its TLS session by a ticket, at whichever worker; what is no ticket costs nobody a link."""

import base64
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess

import pytest

from kerbside import patience
from kerbside.certificate import der, make_certificate, served
from kerbside.tls_records import hello_with, records, take_record

#: When it begins (8), name (16), and the keys of cipher and MAC (32 each).
KEY_BYTES = 88
VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]


def keys_file(hub):
    return hub.data / "run/tickets"


def names(hub):
    """The names of the keys that the hub has, which stand in tickets in clear."""
    content = keys_file(hub).read_bytes()
    assert content and len(content) % KEY_BYTES == 0
    return [content[at + 8 : at + 24] for at in range(0, len(content), KEY_BYTES)]


def settings(version):
    context = ssl._create_unverified_context()
    context.minimum_version = context.maximum_version = version
    return context


def worker_of(hub, link):
    """The pid of the worker that has the other end."""
    here, there = (f":{port:04X}" for port in (link.getsockname()[1], hub.port))
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines():
        fields = line.split()
        if fields[1].endswith(there) and fields[2].endswith(here):
            name = f"socket:[{fields[9]}]"
            for pid in hub.workers():
                if any(str(entry.readlink()) == name for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir()):
                    return pid
    raise AssertionError("nobody has it")


def visit(hub, context, session=None):
    """One request: (the session, whether it was resumed, the worker)."""
    link = socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE)
    with context.wrap_socket(link, session=session) as secure:
        secure.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        # With TLS 1.3 the ticket comes first.
        assert b" 200 " in secure.recv(1_000)
        return secure.session, secure.session_reused, worker_of(hub, secure)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_session_is_resumed_at_another_worker(tls_hub, version):
    context = settings(version)
    session, is_resumed, first = visit(tls_hub, context)
    assert not is_resumed
    # The kernel chooses the worker.
    visits = [visit(tls_hub, context, session) for _ in range(20)]
    assert {worker for _, _, worker in visits} == set(tls_hub.workers()) and first in tls_hub.workers()
    assert all(is_resumed for _, is_resumed, _ in visits)
    assert not visit(tls_hub, context)[1]


@pytest.mark.parametrize("version", VERSIONS)
async def test_sessions_outlive_workers_a_new_certificate_and_the_hub(tls_hub, version):
    hub, context = tls_hub, settings(version)
    session, *_ = visit(hub, context)
    before, listening = hub.workers(), hub.log.count('"listening"')
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    await hub.until("new workers listen", lambda: hub.log.count('"listening"') >= listening + 2)
    assert set(hub.workers()).isdisjoint(before)
    session, is_resumed, _ = visit(hub, context, session)
    assert is_resumed

    fresh, fresh_key = make_certificate(hub.directory, "fresh")
    shutil.copy(fresh, hub.directory / "server.pem")
    shutil.copy(fresh_key, hub.directory / "server-key.pem")
    await hub.reload()
    assert served(hub)[1] == der(fresh)
    assert all(visit(hub, context, session)[1] for _ in range(10))
    # One that began with the new certificate.
    session, is_resumed, _ = visit(hub, context)
    assert not is_resumed and all(visit(hub, context, session)[1] for _ in range(10))

    hub.stop()
    hub.start()
    assert visit(hub, context, session)[1]
    # Whoever wants to end all sessions deletes the keys.
    hub.stop()
    keys_file(hub).unlink()
    hub.start()
    session, is_resumed, _ = visit(hub, context, session)
    assert not is_resumed
    assert visit(hub, context, session)[1]


def hub_with(new_hub, **more):
    hub = new_hub(**more)
    certificate, key = make_certificate(hub.directory, "server")
    hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
    return hub.start()


@pytest.mark.parametrize("version", VERSIONS)
async def test_keys_change_and_old_tickets_end(new_hub, version):
    """A key each two seconds; a ticket lives twelve times as long, at least. More than two, if this takes long."""
    hub, context = hub_with(new_hub, server__tls__resume_s=24), settings(version)
    session, *_ = visit(hub, context)
    known = set(names(hub))
    assert len(known) >= 2, "one seals, the next one is known"
    # The second of the new ones seals by then.
    await hub.until("two keys more", lambda: len(set(names(hub)) - known) >= 3)
    assert known <= set(names(hub)), "the old ones open still"
    assert all(visit(hub, context, session)[1] for _ in range(10))
    await hub.until("the old keys are forgotten", lambda: known.isdisjoint(names(hub)), within=patience.PROCESS + 30)
    for _ in range(10):
        assert not visit(hub, context, session)[1]
    session, *_ = visit(hub, context)
    assert all(visit(hub, context, session)[1] for _ in range(10))


def test_nobody_else_can_read_the_keys_and_without_tickets_there_are_none(tls_hub):
    hub = tls_hub
    assert keys_file(hub).stat().st_mode & 0o777 == 0o600
    kept = keys_file(hub).read_bytes()
    hub.stop()
    hub.write_config(server__tls__resume_s=0)
    hub.start()
    assert kept and not keys_file(hub).exists()
    for version in VERSIONS:
        context = settings(version)
        session, *_ = visit(hub, context)
        assert not session.has_ticket
        assert not any(visit(hub, context, session)[1] for _ in range(4))


def s_client(hub, *arguments):
    """What openssl's client says of one request."""
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{hub.port}", "-ign_eof", *arguments],
        input=request, check=False, capture_output=True, timeout=patience.MESSAGE,
    )  # fmt: skip
    assert b" 200 " in done.stdout, done.stdout
    return done.stdout


def kept_session(hub, path, version):
    """A session in openssl's own form, as bytes, and where the ticket stands in it."""
    s_client(hub, f"-{version}", "-sess_out", path)
    lines = path.read_text().splitlines()
    session = bytearray(base64.b64decode("".join(line for line in lines if not line.startswith("-"))))
    [at] = {session.find(name) for name in names(hub)} - {-1}
    return session, at


def write_session(path, session):
    text = base64.encodebytes(bytes(session)).decode()
    path.write_text(f"-----BEGIN SSL SESSION PARAMETERS-----\n{text}-----END SSL SESSION PARAMETERS-----\n")


@pytest.mark.parametrize("version", ["tls1_2", "tls1_3"])
def test_a_ticket_that_is_none_costs_a_full_handshake_and_nothing_else(tls_hub, tmp_path, version):
    hub, path = tls_hub, tmp_path / "session"
    session, at = kept_session(hub, path, version)
    said = s_client(hub, f"-{version}", "-sess_in", path)
    assert b"\nReused, TLS" in said
    if version == "tls1_3":
        # Its secret is a new one all the same, and nothing is read ahead of it.
        assert b"Server Temp Key: X25519" in said and b"Early data was not sent" in said and b"Max Early Data: 0" in said
    # The name of another key, another beginning of the cipher, another content, another MAC.
    for place in (0, 15, 16, 31, 32, 100):
        broken = session.copy()
        broken[at + place] ^= 1
        write_session(path, broken)
        assert b"\nNew, TLS" in s_client(hub, f"-{version}", "-sess_in", path), place
    write_session(path, session)
    assert b"\nReused, TLS" in s_client(hub, f"-{version}", "-sess_in", path)


def answer_to(hub, hello):
    """What the hub's answer begins with: 22 is its own hello, 21 an alert."""
    with socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE) as link:
        link.sendall(b"".join(records(hello)))
        return take_record(link)[0]


def test_tickets_by_hand(tls_hub):
    """Each is opened until one is good."""
    hub = tls_hub
    name = names(hub)[0]
    for ticket in (b"x", name, name + bytes(16), name + bytes(16) + b"x" * 200, name + bytes(3_000), bytes(300)):
        assert answer_to(hub, hello_with(tickets=[ticket])) == b"\x16", ticket[:40]
    assert answer_to(hub, hello_with(tickets=[name + os.urandom(200)] * 10)) == b"\x16"
    for many in (60, 110):
        assert answer_to(hub, hello_with(tickets=[name + bytes(16)] * many)) == b"\x15", many
    assert hub.http("/healthz").status == 200
