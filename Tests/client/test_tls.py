"""Encrypted: TLS 1.2 and up, certificates from files, new ones without dropping anybody."""

import contextlib
import shutil
import socket
import ssl
import subprocess
import time

import pytest

from kerbside import patience
from kerbside.certificate import der, make_certificate, served
from kerbside.hub import run


async def test_a_ride_over_tls(tls_hub, cast):
    hub = tls_hub
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await driver.drive(here.a.centre)
    await driver.call("ride.aboard")
    await driver.call("ride.end")
    await passenger.until("ride.ended", ride=ride)
    assert hub.http("/readyz").status == 200
    # Larger than one TLS record.
    await driver.send('{"cmd":"driver.unavailable","x":"' + "x" * 60_000 + '"}')
    await driver.barrier()


def test_tls_1_2_and_1_3_are_spoken_and_nothing_older(tls_hub):
    assert served(tls_hub, maximum_version=ssl.TLSVersion.TLSv1_2)[0] == "TLSv1.2"
    assert served(tls_hub)[0] == "TLSv1.3"
    for old in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        with pytest.raises((ssl.SSLError, ConnectionError)) as refused:
            served(tls_hub, minimum_version=ssl.TLSVersion.TLSv1, maximum_version=old)
        assert "NO_PROTOCOLS_AVAILABLE" not in str(refused.value), "it was the hub that refused"


def test_plain_text_on_the_tls_port_is_no_connection(tls_hub):
    with socket.create_connection(("127.0.0.1", tls_hub.port), timeout=patience.MESSAGE) as link:
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            assert b"200" not in link.recv(1000)
    assert tls_hub.http("/healthz").status == 200


def suites():
    """The names of all suites of TLS 1.2 that this machine's OpenSSL has."""
    listed = subprocess.run(
        ["openssl", "ciphers", "-tls1_2", "-s", "ALL:eNULL:@SECLEVEL=0"], check=True, capture_output=True, text=True
    )
    return [name for name in listed.stdout.strip().split(":") if not name.startswith("TLS_")]


def is_modern(name):
    """Secret even when the key is lost later, and authenticated as it is encrypted."""
    return name.startswith("ECDHE-") and "PSK" not in name and ("-GCM-" in name or name.endswith("-CHACHA20-POLY1305"))


@pytest.mark.parametrize("kind", ["ec", "rsa"])
async def test_of_tls_1_2_only_ecdhe_with_authenticated_encryption(tls_hub, kind):
    hub = tls_hub
    fresh, fresh_key = make_certificate(hub.directory, "fresh", kind)
    shutil.copy(fresh, hub.directory / "server.pem")
    shutil.copy(fresh_key, hub.directory / "server-key.pem")
    await hub.reload()
    taken, refused = [], []
    for name in suites():
        context = ssl._create_unverified_context()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.set_ciphers(f"{name}:@SECLEVEL=0")
        except ssl.SSLError:
            continue
        try:
            link = socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE)
            with link, context.wrap_socket(link) as secure:
                taken.append(secure.cipher()[0])
        except (ssl.SSLError, ConnectionError):
            refused.append(name)
    assert taken and all(map(is_modern, taken)), taken
    # Suites of the other kind of key can't be had with this certificate.
    usual = [name for name in suites() if is_modern(name) and ("AES" in name or "CHACHA20" in name)]
    assert {name for name in usual if ("-RSA-" in name) == (kind == "rsa")} == set(taken)
    assert any("CBC" not in name and name.startswith("AES") for name in refused), "static RSA was tried"
    assert "ECDHE-RSA-AES128-SHA" in refused and "ECDHE-ECDSA-AES128-SHA" in refused, "CBC was tried"


def finished(link, came, step):
    """What the step gives once enough has come for it."""
    while True:
        try:
            return step()
        except ssl.SSLWantReadError:
            came.write(link.recv(65_536))


def test_a_hello_may_come_in_pieces_and_in_no_hurry(tls_hub):
    """A handshake begins when the hello is there; until then its socket costs next to nothing."""
    context = ssl._create_unverified_context()
    for size in (1, 4, 5, 100):
        with socket.create_connection(("127.0.0.1", tls_hub.port), timeout=patience.MESSAGE) as link:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            came, goes = ssl.MemoryBIO(), ssl.MemoryBIO()
            secure = context.wrap_bio(came, goes)
            with pytest.raises(ssl.SSLWantReadError):
                secure.do_handshake()
            hello = goes.read()
            # Its head byte by byte. Some hundred segments of a byte are more than the kernel keeps for a socket that nobody reads.
            pieces = [hello[at : at + 1] for at in range(12)] if size == 1 else []
            rest = hello[len(pieces) :]
            for piece in pieces + [rest[at : at + max(4, size)] for at in range(0, len(rest), max(4, size))]:
                link.sendall(piece)
                time.sleep(0.001)
            finished(link, came, secure.do_handshake)
            secure.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            link.sendall(goes.read())
            assert b" 200 " in finished(link, came, lambda: secure.read(100))
    # One that ends in the middle.
    with socket.create_connection(("127.0.0.1", tls_hub.port), timeout=patience.MESSAGE) as link:
        link.sendall(hello[:50])
        link.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            link.recv(1_000)
    assert tls_hub.http("/healthz").status == 200


def s_client(hub, *arguments):
    """openssl's client, connected; what is written to it is sent, but for lines that begin with one of its commands."""
    return subprocess.Popen(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{hub.port}", *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def test_keys_are_agreed_on_over_cheap_groups_only(new_hub):
    """A share of a large group costs the hub a hundred milliseconds and its sender nothing."""
    hub = new_hub()
    # Of RSA: with TLS 1.2 the curve of a certificate's key has to be among the client's groups as well.
    certificate, key = make_certificate(hub.directory, "server", "rsa")
    hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
    hub.start()
    for version in ("-tls1_2", "-tls1_3"):
        for groups, is_taken in (
            ("X25519", True), ("P-256", True), ("P-384:P-256", True),
            ("P-384", False), ("P-521", False), ("X448", False),
        ):  # fmt: skip
            said = s_client(hub, version, "-groups", groups).communicate(b"Q\n", timeout=patience.MESSAGE)[0]
            assert (b"Cipher is ECDHE-" in said or b"Cipher is TLS_" in said) == is_taken, (version, groups, said)
    # Those are for TLS 1.3 only.
    for groups in ("ffdhe2048", "ffdhe8192"):
        said = s_client(hub, "-tls1_3", "-groups", groups).communicate(b"Q\n", timeout=patience.MESSAGE)[0]
        assert b"handshake failure" in said and b"Cipher is TLS_" not in said, (groups, said)


def change_keys(client, times, command):
    """Asks for new keys so often, one record each, as long as the hub is there. How often it did."""
    for done in range(times):
        try:
            client.stdin.write(command + b"\n")
            client.stdin.flush()
        except BrokenPipeError:
            return done
        # It says so when it has; a line is a command only when it is read by itself.
        while (said := client.stdout.readline()) != b"KEYUPDATE\n":
            if not said:
                return done
    return times


@pytest.mark.parametrize("command", [b"k", b"K"])
def test_keys_may_be_changed_but_not_without_end(tls_hub, command):
    """Each change costs the hub more than its sender, who may pack thousands into one packet."""
    client = s_client(tls_hub, "-tls1_3", "-quiet", "-no_ign_eof")
    assert change_keys(client, 10, command) == 10
    client.stdin.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    client.stdin.flush()
    assert b" 200 " in client.stdout.read()
    client.communicate()
    client = s_client(tls_hub, "-tls1_3", "-quiet", "-no_ign_eof")
    # What is on the way when the hub ends it counts for nothing.
    assert 16 <= change_keys(client, 2_000, command) < 1_000
    client.kill()
    client.communicate()
    assert tls_hub.http("/healthz").status == 200


def test_a_key_that_others_can_read_is_refused(new_hub):
    hub = new_hub()
    certificate, key = make_certificate(hub.directory, "server")
    hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
    key.chmod(0o644)
    for command in (["check-config", hub.config], ["serve", "--config", hub.config], ["doctor", "--config", hub.config]):
        result = run(*command)
        assert result.returncode != 0 and f"chmod 600 {key}" in result.stderr
    key.chmod(0o640)
    result = run("check-config", hub.config)
    assert result.returncode == 0 and f"chmod 600 {key}" in result.stderr, "a group is meant to, perhaps"
    key.chmod(0o600)
    assert run("check-config", hub.config).stderr == ""


@pytest.mark.parametrize("kind", ["ec", "rsa"])
async def test_a_new_certificate_is_served_after_sighup_and_old_connections_stay(tls_hub, cast, kind):
    hub = tls_hub
    driver = cast.driver(hub, hub.block().a.stand)
    await driver.go_available()
    old, key = hub.directory / "server.pem", hub.directory / "server-key.pem"
    assert served(hub)[1] == der(old)
    fresh, fresh_key = make_certificate(hub.directory, "fresh", kind)
    shutil.copy(fresh, old)
    shutil.copy(fresh_key, key)
    await hub.reload()
    # Each worker reloads by itself: all of a row of new connections must get the new one.
    assert all(served(hub)[1] == der(fresh) for _ in range(8))
    await driver.barrier()
    newcomer = cast.driver(hub)
    await newcomer.connect()
    assert driver.closed is None


async def test_a_broken_certificate_is_not_taken(tls_hub, cast):
    hub = tls_hub
    driver = cast.driver(hub)
    await driver.connect()
    good = der(hub.directory / "server.pem")
    _, other_key = make_certificate(hub.directory, "other")
    shutil.copy(other_key, hub.directory / "server-key.pem")
    await hub.reload(taken=False)
    assert served(hub)[1] == good
    await driver.barrier()


def test_beyond_loopback_tls_is_required(new_hub):
    hub = new_hub(server__host="0.0.0.0")
    result = run("serve", "--config", hub.config)
    assert result.returncode != 0
    assert "server.host" in result.stderr and "tls" in result.stderr.lower()


@pytest.mark.parametrize("broken", ["certificate", "key"])
def test_a_missing_file_is_named_at_start(new_hub, broken):
    hub = new_hub()
    certificate, key = make_certificate(hub.directory, "server")
    {"certificate": certificate, "key": key}[broken].unlink()
    hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
    result = run("serve", "--config", hub.config)
    assert result.returncode != 0
    assert str({"certificate": certificate, "key": key}[broken]) in result.stderr
