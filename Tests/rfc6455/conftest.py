"""Where the echo server under test is.

KERBSIDE_ECHO=host:port names one that runs (with TLS when KERBSIDE_ECHO_TLS is set); otherwise KERBSIDE_BINARY (default .build/debug/kerbside) is started
as `kerbside echo --port 0`, and has to print the port as the last number of its first line.
"""

import os
import pathlib
import re
import subprocess

import pytest

from peer import Peer

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def address():
    given = os.environ.get("KERBSIDE_ECHO")
    if given:
        host, _, port = given.rpartition(":")
        yield host, int(port)
        return
    binary = pathlib.Path(os.environ.get("KERBSIDE_BINARY", ROOT / ".build/debug/kerbside"))
    if not binary.exists():
        pytest.skip(f"{binary} is not built, and KERBSIDE_ECHO names no echo server")
    process = subprocess.Popen([binary, "echo", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        numbers = re.findall(r"\d+", line)
        assert numbers, f"the echo server did not say its port: {line!r}"
        yield "127.0.0.1", int(numbers[-1])
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture
def peer(address):
    with Peer(address) as peer:
        yield peer
