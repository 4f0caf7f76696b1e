"""What commands write: nothing that others wrote makes a terminal do something."""

import asyncio
import contextlib
import json
import subprocess

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from kerbside import gtfs, patience
from kerbside.hub import BINARY, environment, run

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
    async with serve(refuse, "127.0.0.1", 0, subprotocols=["kerbside.v1.json"]) as server:
        port = server.sockets[0].getsockname()[1]
        words = ["tail", "--url", f"ws://127.0.0.1:{port}/v1/connect", "--token-file", str(token)]
        process = await asyncio.create_subprocess_exec(
            str(BINARY), *words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment())
        said, _ = await asyncio.wait_for(process.communicate(), patience.PROCESS)
    assert process.returncode == 1 and SEEN in said.decode() and is_tame(said.decode())
