"""What commands write: nothing that others wrote makes a terminal do something; what can't be written is an error; and what is
said where nobody listens goes nowhere."""

import asyncio
import contextlib
import http.client
import json
import pathlib
import subprocess
import time

import pytest
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from kerbside import gtfs, patience
from kerbside.hub import BINARY, descendants, environment, free_port, run

#: The title of the window, the screen cleared, and a text turned round.
EVIL = "\x1b]0;PWN\x07\u009b2J\u202e"
SEEN = r"\u{1b}]0;PWN\u{7}\u{9b}2J\u{202e}"


def is_tame(text):
    return text.replace("\n", "").isprintable()


def test_what_a_feed_says_is_seen_and_not_obeyed(tmp_path):
    path = tmp_path / "feed.zip"
    stops = f"stop_id,stop_name,stop_lat,stop_lon\na,A,{EVIL},9.18\nb,B,45.47,9.19\nc,C,45.48,9.20\n"
    for changed in ({"stops_txt": stops}, {"agency_txt": f"agency_id,agency_name,agency_url,agency_timezone\n1,a,http://a,{EVIL}\n"}):
        path.write_bytes(gtfs.feed(**changed))
        told = run("import", "gtfs", path, "--check")
        assert told.returncode == 1 and is_tame(told.stdout + told.stderr), changed
        assert SEEN in told.stderr, "the reason of the refusal"


async def test_what_a_hub_refuses_is_seen_and_not_obeyed(tmp_path):
    async def refuse(socket):
        with contextlib.suppress(ConnectionClosed):
            async for message in socket:
                error = {"detail": EVIL, "retry": False}
                await socket.send(json.dumps({"id": json.loads(message)["id"], "error": error}))

    token = tmp_path / "token"
    token.write_text("a.b.c")
    token.chmod(0o600)
    async with serve(refuse, "127.0.0.1", 0, subprotocols=["kerbside.v1.json"]) as server:
        port = server.sockets[0].getsockname()[1]
        words = ["tail", "--url", f"ws://127.0.0.1:{port}/v1/connect", "--token-file", str(token)]
        process = await asyncio.create_subprocess_exec(
            str(BINARY), *words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment())
        said, _ = await asyncio.wait_for(process.communicate(), patience.PROCESS)
    assert process.returncode == 1 and SEEN in said.decode() and is_tame(said.decode())


OUTLINE = pathlib.Path(__file__).resolve().parents[2] / "config/zones-example-outline.geojson"
PERSON = ("--role", "driver", "--subject", "T1")


@pytest.mark.parametrize("words", [
    ("token", *PERSON), ("invite", *PERSON), ("invite", *PERSON, "--qr"), ("print-config",), ("permissions",),
    ("zones", "grid", OUTLINE), ("--help",),
])
def test_a_result_that_can_not_be_written_is_an_error(tmp_path, words):
    place = ("--data", tmp_path / "data")
    assert run("token", *PERSON, *place, "--new-secret").returncode == 0
    if words[0] in ("token", "invite", "print-config"):
        words += place
    with pathlib.Path("/dev/full").open("wb") as full:
        told = run(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
        assert told.returncode == 1 and "standard output can't be written: No space left" in told.stderr
        # Whoever can't be told anything is told nothing.
        assert run(*words, capture_output=False, stdout=full, stderr=full).returncode == 1


def closed(redirections, *words):
    """A command with some of 0, 1 and 2 closed."""
    return ["sh", "-c", f'exec "$0" "$@" {redirections}', str(BINARY), *map(str, words)]


def standard_files(pid):
    return [str(pathlib.Path(f"/proc/{pid}/fd/{number}").readlink()) for number in range(3)]


@pytest.mark.parametrize("redirections", ["<&- >&- 2>&-", ">&- 2>&-", "2>&-"])
def test_what_is_closed_takes_no_other_file(tmp_path, redirections):
    told = subprocess.run(
        closed(redirections, "doctor", "--data", tmp_path / "data", "--port", free_port()), env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=patience.PROCESS,
        check=False)
    assert told.returncode in (0, 1)
    port = free_port()
    hub = subprocess.Popen(
        closed(redirections, "serve", "--data", tmp_path / "data", "--port", port, "--workers", 1), env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + patience.PROCESS
        while not is_ready(port):
            assert hub.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        [worker] = [pid for pid, line in descendants(hub.pid).items() if " worker " in line]
        assert standard_files(hub.pid) == standard_files(worker) == ["/dev/null"] * 3
    finally:
        hub.terminate()
        assert hub.wait(patience.PROCESS) == 0


def is_ready(port):
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=patience.MESSAGE)
    try:
        link.request("GET", "/readyz")
        return link.getresponse().status == 200
    except OSError:
        return False
    finally:
        link.close()
