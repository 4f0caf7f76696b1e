"""What only the Swift library has: types that are checked, no dependency, and a WebSocket of its own."""

import asyncio
import contextlib
import json
import re
import ssl
import subprocess
import textwrap

import pytest
from websockets.asyncio.server import serve

from app import LIBRARIES
from kerbside import patience
from kerbside.certificate import make_certificate
from python_library import ROOT
from server import SUBPROTOCOL
from socket_cases import ENDS, frames, parts, pinging

[PROGRAM] = LIBRARIES["swift"]
LIBRARY = ROOT / "Sources/clients/swift"
ARTICLE = ROOT / "Sources/kerbside/Documentation.docc/BuildingAnApp.md"


# The package


def example():
    """The app of the article."""
    section = ARTICLE.read_text().split("### In Swift\n")[1].split("\n#")[0]
    return textwrap.dedent(re.search(r"(?:^(?: {4}.*)?\n)+?(?=\S)", section[section.index("    import") :], re.MULTILINE)[0])


def test_types_are_checked(tmp_path):
    """The app of the article compiles, and a slip of the pen does not."""
    modules = subprocess.run(["readlink", "-f", PROGRAM], capture_output=True, text=True, check=True).stdout
    modules = f"{modules.rpartition('/')[0]}/Modules"
    apps = {
        "right": "let ride = try await hub.call(Commands.RideRequest(lat: 45.4, lon: 9.1, passengers: 2)).ride.count",
        "waits": "await hub.on(Gap.self) { await Task.yield(); print($0.channel) }",
        "command": "try await hub.call(Commands.RideRequst())",
        "field": "try await hub.call(Commands.RideRequest(lat: 45.4, passengers: 2))",
        "reply": "try await hub.call(Commands.RideCancel()).riede",
        "event": "await hub.on(Events.OfferMade.self) { print($0.riede) }",
        "own": "try await hub.call(Commands.OfferSeen())",
    }
    head = "import KerbsideClient\nfunc app(_ hub: Kerbside) async throws {\n"
    for name, text in apps.items():
        (tmp_path / f"{name}.swift").write_text(f"{head}    {text}\n}}\n")
    (tmp_path / "main.swift").write_text(example())
    found = set()
    for name in [*apps, "main"]:
        command = ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules, "-I", str(ROOT / "Sources/COpenSSL")]
        result = subprocess.run([*command, f"{name}.swift"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        if result.returncode:
            assert f"{name}.swift:" in result.stderr, result.stderr
            found.add(name)
    assert found == set(apps) - {"right", "waits"}


def test_it_depends_on_nothing():
    """`FoundationNetworking` is a part of Foundation on Linux."""
    for path in (LIBRARY / "KerbsideClient").rglob("*.swift"):
        imported = set(re.findall(r"^\s*(?:public )?import (\w+)", path.read_text(), re.MULTILINE))
        assert imported <= {"Foundation", "FoundationNetworking"}, path


# Its WebSocket


class Link:
    """The program of the scenarios, as one link; what it has told, in order."""

    def __init__(self, url, *authorities):
        self._arguments = ["socket", url, *map(str, authorities)]
        self.rows, self._process, self._reader = [], None, None

    async def __aenter__(self):
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(PROGRAM, *self._arguments, stdin=pipe, stdout=pipe, limit=1 << 25)
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_):
        self._process.stdin.close()
        await self._process.wait()
        await self._reader

    async def _read(self):
        async for line in self._process.stdout:
            self.rows.append(json.loads(line))

    def say(self, line):
        self._process.stdin.write(f"{line}\n".encode())

    async def until(self, condition):
        async with asyncio.timeout(patience.PROCESS):
            while not condition(self.rows):
                await asyncio.sleep(0.01)
        return self.rows


def run(test):
    async def within():
        async with asyncio.timeout(patience.TEST):
            return await test()

    return asyncio.run(within())


def port_of(server):
    return server.sockets[0].getsockname()[1]


def is_over(rows):
    return rows and (rows[-1] == {"message": "over"} or "closed" in rows[-1])


def told_by(does, **options):
    """What a link has told of a server that does something with its socket, once its end is told, or "over" has come."""

    async def play():
        kind = {"subprotocols": [SUBPROTOCOL], "compression": None} | options
        async with serve(does, "127.0.0.1", 0, **kind) as server, Link(f"ws://127.0.0.1:{port_of(server)}/v1/connect") as link:
            return list(await link.until(is_over))

    return run(play)


def closed(code, reason):
    return {"closed": [code, reason]}


def test_a_message_in_parts_with_a_ping_between_them():
    assert told_by(parts) == ["opened", "heard", {"message": "ünterwegs"}, {"message": "over"}]


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 3_000_000])
def test_messages_of_all_sizes_go_and_come(size):
    async def does(socket):
        await socket.send(await socket.recv())
        await socket.wait_closed()

    async def play():
        options = {"subprotocols": [SUBPROTOCOL], "max_size": None}
        async with serve(does, "127.0.0.1", 0, **options) as server, Link(f"ws://127.0.0.1:{port_of(server)}/") as link:
            await link.until(lambda rows: rows == ["opened"])
            link.say("x" * size)
            rows = await link.until(lambda rows: len(rows) > 1)
            assert rows[1] == {"message": "x" * size}

    run(play)


def test_a_ping_is_answered():
    assert told_by(pinging) == ["opened", "heard", {"message": "over"}]


@pytest.mark.parametrize(
    ("rows", "end"),
    [
        *ENDS,
        pytest.param([b"\x81\x7f" + b"\xff" * 8], (1006, "broken frames"), id="larger than any"),
        pytest.param([b"\x89\x7e\x00\x7e"], (1006, "broken frames"), id="a ping that is too long"),
    ],
)
def test_how_a_link_ends(rows, end):
    async def does(socket):
        frames(socket, *rows)
        await socket.wait_closed()

    assert told_by(does) == ["opened", closed(*end)]


def test_a_cut_is_no_goodbye():
    async def does(socket):
        socket.transport.abort()

    rows = told_by(does)
    assert rows[0] == "opened" and rows[1]["closed"][0] == 1006 and len(rows) == 2


async def nothing(socket):
    await socket.wait_closed()


def test_who_is_no_hub():
    def refuse(connection, _):
        return connection.respond(503, "away\n")

    assert told_by(nothing, process_request=refuse) == [closed(1006, "HTTP 503")]
    assert told_by(nothing, subprotocols=None) == [closed(1006, "no hub answers there")]


@pytest.mark.parametrize("answer", [b"HTTP/1.1 101 Switching Protocols\r\n\r\n", b"220 a mail server\r\n", b"\x00" * 20_000, b""])
def test_who_speaks_something_else(answer):
    async def does(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async def play():
        async with await asyncio.start_server(does, "127.0.0.1", 0) as server, Link(f"ws://127.0.0.1:{port_of(server)}/") as link:
            rows = await link.until(is_over)
            assert [row["closed"][0] for row in rows] == [1006]

    run(play)


def test_nobody_is_there():
    async def play():
        async with Link("ws://127.0.0.1:1/v1/connect") as link:
            rows = await link.until(is_over)
            assert rows[0]["closed"][0] == 1006
            link.say("nobody hears it")
            link.say("1000")
        assert len(rows) == 1

    run(play)


@pytest.mark.parametrize("reads", [True, False])
def test_goodbye_is_said_and_who_does_not_read_is_left(reads):
    async def play():
        ended = asyncio.get_running_loop().create_future()

        async def does(socket):
            if not reads:
                socket.transport.pause_reading()
            await socket.send("over")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.5):
                    await socket.wait_closed()
            ended.set_result(socket.close_code)

        options = {"subprotocols": [SUBPROTOCOL], "close_timeout": 0.1}
        async with serve(does, "127.0.0.1", 0, **options) as server, Link(f"ws://127.0.0.1:{port_of(server)}/") as link:
            await link.until(is_over)
            link.say("1000")
            assert await ended == (1000 if reads else None)
            assert link.rows == ["opened", {"message": "over"}]

    run(play)


def test_a_certificate_of_ones_own(tmp_path):
    async def does(socket):
        await socket.send(await socket.recv())
        await socket.send("over")
        await socket.wait_closed()

    async def play():
        certificate, key = make_certificate(tmp_path, "hub")
        of_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        of_server.load_cert_chain(certificate, key)
        async with serve(does, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL], ssl=of_server, max_size=None) as server:
            url = f"wss://localhost:{port_of(server)}/v1/connect"
            async with Link(url, certificate) as link, Link(url) as other:
                await link.until(lambda rows: rows == ["opened"])
                link.say("x" * 3_000_000)
                rows = await link.until(is_over)
                assert rows == ["opened", {"message": "x" * 3_000_000}, {"message": "over"}]
                # The system does not know it.
                [end] = await other.until(is_over)
                assert end["closed"][0] == 1006 and "certificate" in end["closed"][1].lower()

    run(play)
