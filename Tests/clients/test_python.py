"""What only the Python library has: types that are checked, a file for what waits, loops that read, slow handlers."""

import ast
import asyncio
import contextlib
import gc
import inspect
import json
import re
import signal
import stat
import subprocess
import sys
import textwrap
import weakref

import pytest

from kerbside import patience
from links import START, token
from python_library import LIBRARY, ROOT, library, until
from server import Server

ARTICLE = ROOT / "Sources/kerbside/Documentation.docc/BuildingAnApp.md"
OWN, TOPIC = "driver:T1", "topic:city"


def example():
    """The app of the article."""
    section = ARTICLE.read_text().split("### In Python\n")[1].split("\n#")[0]
    lines = re.search(r"(?:^(?: {4}.*)?\n)+?(?=\S)", section[section.index("    import") :], re.MULTILINE)[0]
    return textwrap.dedent(lines)


# The package


def test_types_are_checked_strictly(tmp_path):
    """In the library, and in an app of a few lines: a slip of the pen is found."""
    right = {"request": "(await hub.call('ride.request', {'lat': 45.4, 'lon': 9.1, 'passengers': 2}))['ride'].upper()"}
    wrong = {
        "command": "await hub.call('ride.requst', {})",
        "field": "await hub.call('ride.request', {'lat': 45.4, 'passengers': 2})",
        "reply": "(await hub.call('ride.cancel'))['riede']",
        "event": "hub.on('offer.made', lambda offer: print(offer['riede']))",
        "fix": "hub.position({'lat': 45.4, 'lon': '9.1', 'at': 1})",
    }
    (tmp_path / "example.py").write_text(example())
    for name, text in (right | wrong).items():
        lines = [
            "from kerbside import Kerbside", "async def app() -> None:",
            "    hub = Kerbside('ws://127.0.0.1/v1/connect', lambda refused: None)", f"    {text}",
        ]
        (tmp_path / f"{name}.py").write_text("\n".join(lines))
    names = [f"{name}.py" for name in ("example", *right, *wrong)]
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".build/mypy"), *names]
    result = subprocess.run(
        [*command, str(LIBRARY / "kerbside")], cwd=tmp_path, env={"MYPYPATH": str(LIBRARY)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    found = {line.partition(":")[0] for line in result.stdout.splitlines() if ": error: " in line}
    assert found == {f"{name}.py" for name in wrong}, result.stdout + result.stderr


def test_it_depends_on_nothing_but_websockets():
    for path in (LIBRARY / "kerbside").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module]
            for name in names:
                top = name.partition(".")[0]
                assert top == "websockets" or top in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_all_that_is_public_says_what_it_is():
    for name in library.__all__:
        one = getattr(library, name)
        parts = {name: one} if isinstance(one, type) or inspect.isroutine(one) else {}
        for part, member in vars(one).items() if isinstance(one, type) else ():
            if not part.startswith("_") and (inspect.isroutine(member) or isinstance(member, property)):
                parts[f"{name}.{part}"] = member
        assert not [which for which, what in parts.items() if not what.__doc__]


# Its apps


class Clock(library.SystemClock):
    """The time of the server of the scenarios, and timers that go by themselves."""

    def now(self):
        return START


@contextlib.asynccontextmanager
async def app(server, **options):
    """An app that is live, and what it was told as faults."""
    hub = library.Kerbside(server.url, lambda refused: token(), clock=Clock(), random=lambda: 0, **options)
    hub.faults = []
    hub.on("fault", hub.faults.append)
    async with hub:
        await until(lambda: hub.state == "live")
        yield hub


def run(test):
    async def within():
        async with asyncio.timeout(patience.TEST), Server() as server:
            await test(server)

    asyncio.run(within())


def test_the_app_of_the_article_works(tmp_path):
    async def play(server):
        (tmp_path / "app.py").write_text(example().replace("wss://hub.example/v1/connect", server.url))
        (tmp_path / "token").write_text(token() + "\n")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-u", "app.py", cwd=tmp_path, env={"PYTHONPATH": str(LIBRARY)}, stdout=subprocess.PIPE
        )
        try:
            await until(lambda: any(one.get("channel") == TOPIC for one in server.got))
            assert [one["cmd"] for one in server.got] == ["position", "driver.available", "subscribe"]
            await server.push(OWN, "offer.made", {"ride": "r1", "expires_at": START + 10_000})
            await server.push(TOPIC, "roadworks", {"n": 1})
            await until(lambda: server.got[-1]["cmd"] == "offer.seen")
        finally:
            # Not as Ctrl-C does: what runs in the background of a shell does not hear that.
            process.terminate()
        seen = (await process.communicate())[0].decode()
        assert "live" in seen and "r1" in seen and "roadworks" in seen

    run(play)


# What waits for a link


def test_what_waits_is_in_a_file_that_outlives_the_app(tmp_path):
    """The process is killed at once after the act was kept; the next one sends it."""
    script = (
        "import asyncio, os; from kerbside import FileStorage, Kerbside\n"
        "async def main():\n"
        f"    hub = Kerbside('ws://127.0.0.1:1/v1/connect', lambda refused: {token()!r}, storage=FileStorage('phone.db'))\n"
        "    await hub.start()\n"
        "    hub.call('ride.request', {'lat': 45.4, 'lon': 9.1, 'passengers': 2}, key='k1')\n"
        "    hub.call('ride.cancel', key='k2')\n"
        "    await hub._device.written()\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())"
    )
    command = [sys.executable, "-c", script]
    killed = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(LIBRARY)}, capture_output=True, timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    file = tmp_path / "phone.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    async def again(server):
        storage = library.FileStorage(file)
        async with app(server, storage=storage) as hub:
            await until(lambda: server.done == ["k1", "k2"] and not hub.pending)
        assert await storage.all() == [] and not hub.faults
        storage.close()

    run(again)


def test_a_file_that_cannot_be_read_or_written_stops_nobody(tmp_path):
    async def play(server):
        (tmp_path / "phone.db").write_text("no database, " * 100)
        async with app(server, storage=library.FileStorage(tmp_path / "phone.db")) as hub:
            await hub.call("ride.end", key="k1")
            assert server.done == ["k1"]
        assert hub.faults

    run(play)


def test_a_record_that_cannot_be_read_does_not_cost_the_others():
    async def play(server):
        act = {"cmd": "ride.end", "fields": {}, "key": "k2", "at": START, "until": START + 1000, "who": OWN}
        kept = {"act:1": "no JSON", "act:2": json.dumps(act), "act:3": json.dumps({"cmd": "ride.end"})}
        async with app(server, storage=library.MemoryStorage(kept)) as hub:
            await until(lambda: server.done == ["k2"] and not kept)
        assert len(hub.faults) == 2

    run(play)


def test_what_is_no_command_is_known_at_once():
    async def play(server):
        async with app(server) as hub:
            for fields in ({"at": float("nan")}, {"text": "\ud800"}):
                with pytest.raises(ValueError):
                    hub.call("publish", fields)
            for does in (hub.position, hub.watch):
                with pytest.raises(ValueError):
                    does({"lat": float("inf"), "lon": 9.1})
            with pytest.raises(TypeError):
                hub.call("publish", {"data": {1, 2}})
            with pytest.raises(TypeError, match="by the client itself"):
                hub.call("offer.seen", {"ride": "r1"})
            assert not hub.pending

    run(play)


def test_who_waits_no_more_takes_nothing_back():
    async def play(server):
        async with app(server) as hub:
            server.behaviours["ride.end"] = ["late"]
            ended = []
            hub.on("outcome", ended.append)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await hub.call("ride.end", key="k1")
            await server.release()
            await until(lambda: ended)
            assert (ended[0].key, ended[0].ok, ended[0].error) == ("k1", {"n": 1}, None)

    run(play)


def test_a_refusal_is_raised():
    async def play(server):
        async with app(server) as hub:
            server.behaviours["ride.end"] = [{"error": {"code": "not_available"}}]
            with pytest.raises(library.Refused) as refused:
                await hub.call("ride.end")
            assert refused.value.code == "not_available" and refused.value.error["retry"] is False
        assert not hub.faults

    run(play)


# Handlers and loops


def test_a_handler_may_stop_the_client():
    async def play(server):
        async with app(server) as hub:
            states = []
            hub.on("state", lambda change: states.append(change.state))
            hub.on("notice", lambda _: hub.stop())
            await server.push(OWN, "notice", {})
            await until(lambda: hub.state == "closed" and not server.links)
            assert states == ["closed"]
            await hub.start()
            await until(lambda: hub.state == "live")
        assert not hub.faults

    run(play)


@pytest.mark.parametrize("fails", [False, True])
def test_an_offer_is_seen_when_the_handler_has_begun(fails):
    """Whoever decides may take long; but if it did not even come on the screen, it is not seen."""

    async def play(server):
        decided = asyncio.Event()

        async def ring(_):
            if fails:
                raise RuntimeError("no screen")
            await decided.wait()

        async with app(server) as hub:
            hub.on("offer.made", ring)
            await server.push(OWN, "offer.made", {"ride": "r1", "expires_at": START + 10_000})
            # When the first is answered, the offer has come.
            for _ in range(2):
                await hub.call("vehicle.get", {"vehicle": "T1"})
            assert ("offer.seen" in [one["cmd"] for one in server.got]) is not fails
            assert len(hub.faults) == fails
            decided.set()

    run(play)


def test_what_a_loop_has_not_read_comes_again():
    """With `remembers` the place on the device is that of the last event which the loop has done with."""

    async def play(server):
        kept, read = {}, []
        async with app(server, storage=library.MemoryStorage(kept), remembers=True) as hub:
            one = hub.subscribe(TOPIC, {"since": "0"})
            reading = aiter(one)
            await until(lambda: one.state == "live")
            for number in range(4):
                await server.push(TOPIC, "notice", {"n": number})
            async for message in reading:
                read.append(message.data["n"])
                if len(read) == 2:
                    break
            # Its end is that nobody holds it any more; nor one that was never read.
            del reading
            aiter(one)
        assert kept[f"seq:{TOPIC}"] == server.history[TOPIC][1]["seq"]
        async with app(server, storage=library.MemoryStorage(kept), remembers=True) as hub:
            async for message in hub.subscribe(TOPIC):
                read.append(message.data["n"])
                if len(read) == 4:
                    break
        assert read == [0, 1, 2, 3] and not hub.faults

    run(play)


def test_loops_end_with_their_subscription():
    async def play(server):
        async with app(server) as hub:
            one = hub.subscribe(TOPIC)

            async def read():
                return [message.data["n"] async for message in one]

            readers = [asyncio.create_task(read()) for _ in range(2)]
            await until(lambda: one.state == "live")
            await server.push(TOPIC, "notice", {"n": 1})
            await hub.call("vehicle.get", {"vehicle": "T1"})
            one.close()
            assert await asyncio.gather(*readers) == [[1], [1]]
            assert await read() == [] and one.state == "closed"
            server.behaviours["subscribe"] = [{"error": {"code": "forbidden"}}]
            other = hub.subscribe("topic:private")
            for _ in range(2):
                with pytest.raises(library.Refused, match="forbidden"):
                    async for _ in other:
                        pass

    run(play)


def test_a_loop_that_nobody_holds_goes_on():
    async def play(server):
        read = []

        async def reading(one):
            async for message in one:
                read.append(message.data["n"])

        async with app(server) as hub:
            one = hub.subscribe(TOPIC)
            tasks = weakref.WeakSet([asyncio.create_task(reading(one))])
            await until(lambda: one.state == "live")
            for number in range(3):
                gc.collect()
                await server.push(TOPIC, "notice", {"n": number})
                await until(lambda: len(read) > number)
            assert len(tasks) == 1
            one.close()

    run(play)


def test_a_gap_comes_to_the_loop():
    async def play(server):
        async with app(server) as hub:
            one = hub.subscribe(TOPIC)
            reading = aiter(one)
            await until(lambda: one.state == "live")
            server.forget(TOPIC)
            server.cut()
            assert (await anext(reading)).type == "gap"
            await reading.aclose()

    run(play)


def test_what_nobody_understands_is_told_and_the_link_lives_on():
    async def play(server):
        async with app(server) as hub:
            [link] = server.links
            for text in ("{", "7", '{"ch": "driver:T1"}', '{"ch": "zone:1", "type": 1}', '{"id": 1}', "[" * 100_000):
                await link.socket.send(text)
            await hub.call("vehicle.get", {"vehicle": "T1"})
            assert len(hub.faults) >= 4 and hub.state == "live" and len(server.hellos) == 1

    run(play)
