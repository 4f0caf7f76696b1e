"""`kerbside tail` over the network: the same events, with the token of an operator or a service."""

import os
import signal
import subprocess

import pytest

from kerbside import patience
from kerbside.follower import PERSONAL, add, write
from kerbside.hub import BINARY, environment, run


def url(hub):
    return f"ws://127.0.0.1:{hub.port}/v1/connect"


def keep(path, token):
    """A file that nobody else may read."""
    path.write_text(token)
    path.chmod(0o600)


@pytest.fixture
def town(new_hub):
    return new_hub(blocks=3).start()


@pytest.fixture
def tail(tmp_path):
    """Starts one for a hub; what it has printed is in its file."""
    running = []

    def start(hub, *words, role="service", **claims):
        token, said = (tmp_path / f"{name}-{len(running)}" for name in ("token", "said"))
        keep(token, hub.token(role, f"tail-{len(running)}", **claims) + "\n")
        with said.open("w") as out:
            process = subprocess.Popen(
                [str(BINARY), "tail", "--url", url(hub), "--token-file", str(token), *words],
                stdout=out, stderr=subprocess.STDOUT, env=environment(),
            )
        running.append(process)
        return said

    yield start
    for process in running:
        process.send_signal(signal.SIGINT)
        process.wait(10)


def rides(said):
    """The rides that it has printed, in order."""
    return [line.split('"ride":"')[1].split('"')[0] for line in said.read_text().splitlines() if '"ride":"' in line]


async def test_it_comes_back_where_it_was(town, tail):
    write(town, 600)
    said = tail(town, "ride.searching", "--since", "0")
    await town.until("caught up", lambda: len(rides(said)) == 600, patience.PROCESS)
    for turn in range(2):
        write(town, 25, 600 + 50 * turn)
        await town.kill_workers(*town.workers())
        write(town, 25, 625 + 50 * turn)
    await town.until("all", lambda: len(rides(said)) >= 700, patience.PROCESS)
    assert rides(said) == [f"r_{n}" for n in range(700)]


async def test_it_chooses_and_names_persons_to_whom_the_token_may(town, tail):
    chosen = tail(town, ">?zone=14", "--ride", "r_2", "--since", "0")
    plain = tail(town, "ride.requested", "--since", "0", role="operator")
    full = tail(town, "ride.requested", "--since", "0", scope=PERSONAL)
    write(town, 6)
    data = {"ride": "r_9", "passenger": "ada", "zone": "14", "passengers": 1, "lat": 45.5, "lon": 9.5}
    add(town.redis, town, "ride.requested", data)
    await town.until("told", lambda: rides(full) == rides(plain) == ["r_9"] and rides(chosen) == ["r_2"], patience.PROCESS)
    assert "ada" in full.read_text() and "ada" not in plain.read_text()


def begin(command, out):
    return subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env=environment())


#: (type, data), and which of them each option leaves.
EVENTS = [
    ("ride.accepted", {"ride": "r_1", "zone": "14", "driver": "T1", "passenger": "ada"}),
    ("ride.accepted", {"ride": "r_2", "zone": "15", "driver": "T2", "passenger": "bob"}),
    ("seat.confirmed", {"booking": "b_1", "driver": "T1", "passenger": "bob", "passengers": 1}),
    ("tour.started", {"tour": "t_1", "bus": "B1", "line": "52", "driver": "d1", "pattern": "x"}),
    ("stop.accepted", {"request": "s_1", "line": "52", "tour": "t_1", "citizen": "ada"}),
]
LEFT = {
    ("--driver", "T1"): [0, 2], ("--driver", "B1"): [3], ("--driver", "T1", "--driver", "T2"): [0, 1, 2], ("--line", "52"): [3, 4],
    ("--passenger", "ada"): [0, 4], ("--passenger", "bob", "--driver", "T1"): [2], ("--ride", "r_2"): [1], ("--ride", "b_1"): [2],
    ("--ride", "s_1"): [4], ("--zone", "14"): [0],
}


@pytest.mark.parametrize("role", ["operator", "service", None])
async def test_each_option_leaves_events_that_name_what_it_says(town, tail, tmp_path, role):
    """Over the network, and from the store of this machine."""
    for kind, data in EVENTS:
        add(town.redis, town, kind, data)
    here, said = [], {}
    try:
        for words in LEFT:
            if role:
                said[words] = tail(town, *words, "--since", "0", role=role, scope=PERSONAL)
                continue
            said[words] = tmp_path / f"here-{len(here)}"
            with said[words].open("w") as out:
                command = [str(BINARY), "tail", *words, "--config", str(town.config)]
                here.append(begin(command, out))

        def told(words):
            """The events by their places, as they are told by their ids."""
            lines = [line for line in said[words].read_text().splitlines() if not line.startswith("kerbside: ")]
            return [place for line in lines for place, (kind, data) in enumerate(EVENTS)
                    if kind in line and all(f'"{value}"' in line for value in data.values() if isinstance(value, str))]

        for words, places in LEFT.items():
            await town.until(f"{words}", lambda words=words, places=places: len(told(words)) >= len(places), patience.PROCESS)
            assert told(words) == places, words
        # What comes later is chosen the same way.
        add(town.redis, town, *EVENTS[2])
        for words, places in LEFT.items():
            more = [2] if 2 in places else []
            await town.until(f"{words}", lambda words=words, whole=places + more: told(words) == whole, patience.PROCESS)
    finally:
        for process in here:
            process.terminate()
            process.wait(patience.PROCESS)


def test_who_reads_no_more_ends_it_quietly(town, tmp_path):
    write(town, 3000)
    keep(tmp_path / "token", town.token("service", "s1"))
    command = [str(BINARY), "tail", "--url", url(town), "--token-file", str(tmp_path / "token"), "--since", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True) as tail:
        assert tail.stdout.readline()
        tail.stdout.close()
        assert tail.wait(patience.PROCESS) == 141 and not tail.stderr.read()


async def test_what_can_choose_nothing_is_said(town, tail):
    zone = town.block().a.id
    said = tail(town, ">", "--zone", "none", "--zone", zone, "--passenger", "ada", "--since", "0")
    full = tail(town, ">", "--zone", zone, "--passenger", "ada", "--since", "0", scope=PERSONAL)
    there = {"ride": "r_1", "passenger": "ada", "zone": zone, "passengers": 1, "lat": 45.5, "lon": 9.5}
    add(town.redis, town, "ride.requested", there)
    await town.until("told", lambda: "--zone none: the city has no such zone now" in said.read_text(), patience.PROCESS)
    assert "--passenger: nothing will come" in said.read_text() and said.read_text().count("kerbside: ") == 2
    await town.until("chosen", lambda: rides(full) == ["r_1"], patience.PROCESS)
    assert "kerbside: " not in full.read_text()


def test_a_zone_that_is_not_there_is_said_here_too(town):
    here = subprocess.Popen(
        [str(BINARY), "tail", ">", "--zone", "none", "--config", str(town.config)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=environment(), text=True)
    assert "--zone none: the city has no such zone now" in here.stderr.readline()
    # Perhaps before it listens to signals; SIGINT may be ignored until then, as in a shell's background.
    here.terminate()
    here.communicate(timeout=patience.PROCESS)


def test_an_unknown_event_is_answered_with_what_is_near_and_how_tail_is_used():
    result = run("tail", "rides.*")
    assert result.returncode == 64 and "the nearest are ride.*" in result.stderr and "Usage: kerbside tail" in result.stderr


def test_what_is_wrong_is_said(town, tmp_path):
    token, bare, pipe = (tmp_path / name for name in ("token", "bare", "pipe"))
    keep(token, town.token("passenger", "p1"))
    bare.write_text(town.token("service", "s1"))
    bare.chmod(0o644)
    os.mkfifo(pipe, 0o600)
    for words, says in [
        (["--url", url(town)], "--token-file"), (["--since", "0"], "--url"),
        (["--url", url(town), "--token-file", tmp_path / "none"], "can't be read"),
        (["--url", url(town), "--token-file", token], "for operators and services"),
        (["--url", url(town), "--token-file", bare], "others can use it (mode 644), and whoever reads it"),
        (["--url", url(town), "--token-file", pipe], "isn't a file"),
        (["--url", "ws://192.0.2.1/v1/connect", "--token-file", token], "wss://"),
        (["--url", "http://127.0.0.1", "--token-file", token], "ws:// or wss://"),
        (["--url", "ws://127.0.0.1:1/v1/connect", "--token-file", token], "127.0.0.1:1"),
    ]:
        result = run("tail", *map(str, words))
        assert result.returncode != 0 and says in result.stdout + result.stderr, (words, result)
