"""The WebSocket of the Python library: what it tells of the frames, the handshakes and the ends that there are."""

import asyncio
import contextlib
import dataclasses
import ssl

import pytest
from websockets.asyncio.server import serve
from websockets.frames import Frame, Opcode

from kerbside import patience
from kerbside.certificate import make_certificate
from python_library import library, until
from server import SUBPROTOCOL
from socket_cases import ENDS, frames, parts, pinging


class Told(list):
    """What a link has told, in order."""

    def __init__(self):
        super().__init__()
        self.told = library.Told(
            opened=lambda: self.append("opened"),
            heard=lambda: self.append("heard"),
            message=self.append,
            closed=lambda code, reason: self.append((code, reason)),
        )


def run(test):
    async def within():
        async with asyncio.timeout(patience.TEST):
            await test()

    asyncio.run(within())


def told_by(does, **options):
    """What a link has told of a server that does something with its socket, once its end is told, or "over" has come."""

    async def play():
        async with serve(does, "127.0.0.1", 0, **{"subprotocols": [SUBPROTOCOL], "compression": None} | options) as server:
            rows = Told()
            link = library.web_socket(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/connect", rows.told)
            await until(lambda: rows and (isinstance(rows[-1], tuple) or rows[-1] == "over"))
            await (link.close(1000) or asyncio.sleep(0))
            told.append(list(rows))

    told = []
    run(play)
    return told[0]


def test_a_message_in_parts_with_a_ping_between_them():
    assert told_by(parts) == ["opened", "heard", "ünterwegs", "over"]


def test_a_ping_is_answered():
    assert told_by(pinging) == ["opened", "heard", "over"]


@pytest.mark.parametrize(("rows", "end"), ENDS)
def test_how_a_link_ends(rows, end):
    async def does(socket):
        frames(socket, *rows)
        await socket.wait_closed()

    assert told_by(does) == ["opened", end]


def test_a_message_comes_with_the_goodbye():
    """What is sent as an answer has nobody to go to, and that is no fault."""

    async def does(socket):
        frames(socket, Frame(Opcode.TEXT, b"last").serialize(mask=False) + b"\x88\x02\x03\xf4")
        await socket.wait_closed()

    async def play():
        async with serve(does, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL]) as server:
            rows = Told()
            told = dataclasses.replace(rows.told, message=lambda text: (rows.append(text), link.send("an answer")))
            link = library.web_socket(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/", told)
            await until(lambda: len(rows) == 3)
            assert rows == ["opened", "last", (1012, "")]
            await link.close(1000)

    run(play)


def test_a_cut_is_no_goodbye():
    async def does(socket):
        socket.transport.abort()

    rows = told_by(does)
    assert rows[0] == "opened" and rows[1][0] == 1006 and len(rows) == 2


async def nothing(socket):
    await socket.wait_closed()


def test_who_is_no_hub():
    def refuse(connection, _):
        return connection.respond(503, "away\n")

    assert told_by(nothing, process_request=refuse) == [(1006, "HTTP 503")]
    assert told_by(nothing, subprotocols=None) == [(1006, "no hub answers there")]


@pytest.mark.parametrize("answer", [b"HTTP/1.1 101 Switching Protocols\r\n\r\n", b"220 a mail server\r\n", b"\x00" * 20_000, b""])
def test_who_speaks_something_else(answer):
    async def does(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async def play():
        async with await asyncio.start_server(does, "127.0.0.1", 0) as server:
            rows = Told()
            library.web_socket(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/", rows.told)
            await until(lambda: rows)
            await asyncio.sleep(0.05)
            assert [row[0] for row in rows] == [1006]

    run(play)


def test_nobody_is_there():
    async def play():
        rows = Told()
        link = library.web_socket("ws://127.0.0.1:1/v1/connect", rows.told)
        await until(lambda: rows)
        assert rows[0][0] == 1006
        link.send("nobody hears it")
        await link.close(1000)
        # Left before it was there: nothing is told.
        other = library.web_socket("ws://127.0.0.1:1/v1/connect", rows.told)
        await other.close(1000)
        assert len(rows) == 1

    run(play)


def test_goodbye_is_said_and_who_does_not_read_is_left():
    async def play():
        for reads in (True, False):
            ended = asyncio.get_running_loop().create_future()

            async def does(socket, reads=reads, ended=ended):
                if not reads:
                    socket.transport.pause_reading()
                await socket.send("over")
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1.5):
                        await socket.wait_closed()
                ended.set_result(socket.close_code)

            async with serve(does, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL], close_timeout=0.1) as server:
                rows = Told()
                link = library.web_socket(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/", rows.told)
                await until(lambda rows=rows: len(rows) == 2)
                await link.close(1000)
                assert await ended == (1000 if reads else None) and rows == ["opened", "over"]

    run(play)


def test_a_certificate_of_ones_own(tmp_path):
    async def does(socket):
        await socket.send("over")
        await socket.wait_closed()

    async def play():
        certificate, key = make_certificate(tmp_path, "hub")
        of_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        of_server.load_cert_chain(certificate, key)
        ours = ssl.create_default_context(cafile=certificate)
        async with serve(does, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL], ssl=of_server) as server:
            url = f"wss://localhost:{server.sockets[0].getsockname()[1]}/v1/connect"
            rows, others = Told(), Told()
            link = library.web_socket(url, rows.told, ours)
            library.web_socket(url, others.told)
            await until(lambda: len(rows) == 2 and others)
            assert rows == ["opened", "over"]
            # The system does not know it.
            assert others[0][0] == 1006 and "certificate" in others[0][1].lower()
            await link.close(1000)

    run(play)
