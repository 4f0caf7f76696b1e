"""Where the echo server under test is.

KERBSIDE_ECHO=host:port names one that runs (with TLS when KERBSIDE_ECHO_TLS is set); otherwise KERBSIDE_BIN
(default .build/release/kerbside) is started as `kerbside echo --port N` with a free port.
"""

import os
import pathlib
import socket
import subprocess
import time

import pytest

from peer import PATIENCE, Peer

ROOT = pathlib.Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_it_accepts(process, address):
    """Tries until the server accepts, has ended, or patience has."""
    deadline = time.monotonic() + PATIENCE
    while True:
        assert process.poll() is None, f"the echo server ended with status {process.returncode}"
        try:
            socket.create_connection(address, timeout=PATIENCE).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < deadline, "the echo server does not accept connections"
            time.sleep(0.02)


@pytest.fixture(scope="session")
def address():
    given = os.environ.get("KERBSIDE_ECHO")
    if given:
        host, _, port = given.rpartition(":")
        yield host, int(port)
        return
    binary = pathlib.Path(os.environ.get("KERBSIDE_BIN", ROOT / ".build/release/kerbside"))
    if not binary.exists():
        pytest.skip(f"{binary} is not built, and KERBSIDE_ECHO names no echo server")
    address = ("127.0.0.1", free_port())
    process = subprocess.Popen([binary, "echo", "--port", str(address[1])], stdout=subprocess.DEVNULL)
    try:
        wait_until_it_accepts(process, address)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture
def peer(address):
    with Peer(address) as peer:
        yield peer
