"""The command line: what it says when something is missing or is given otherwise than expected."""

import pathlib
import socket
import subprocess

import pytest

from kerbside.hub import BINARY, environment, free_port, run
from kerbside.passenger import Passenger


def test_a_token_of_a_hub_that_is_not_here_is_not_made_in_silence(tmp_path):
    nowhere = tmp_path / "data"
    words = ("token", "--role", "passenger", "--subject", "p1")
    result = run(*words, "--data", nowhere)
    assert result.returncode != 0 and result.stdout == ""
    for word in (str(nowhere), "--data", "--new-secret"):
        assert word in result.stderr
    assert not nowhere.exists()
    made = run(*words, "--data", nowhere, "--new-secret")
    assert made.returncode == 0 and made.stdout.count(".") == 2
    assert (nowhere / "token.secret").stat().st_mode & 0o777 == 0o600
    assert run(*words, "--data", nowhere).returncode == 0


async def test_a_hub_that_is_started_later_takes_the_secret_that_was_made(new_hub):
    hub = new_hub(blocks=2)
    made = run("token", "--role", "passenger", "--subject", "p1", "--config", hub.config, "--new-secret", check=True)
    hub.given_tokens.add(made.stdout.strip())
    hub.start()
    await Passenger(hub, "p1", token=made.stdout.strip()).connect()


def test_a_token_for_longer_than_tokens_live_is_an_error(hub):
    words = ("token", "--role", "service", "--subject", "s1", "--config", hub.config)
    assert run(*words, "--for", "31d").returncode == 0
    result = run(*words, "--for", "32d")
    assert result.returncode != 0 and "tokens.max_life_s" in result.stderr and result.stdout == ""
    assert run(*words, "--for", "32d", "--set", "tokens.max_life_s=31536000").returncode == 0


def test_doctor_knows_a_hub_that_runs(hub, tmp_path):
    told = run("doctor", "--config", hub.config)
    assert told.returncode == 0, told.stdout
    [port] = [line for line in told.stdout.splitlines() if "port:" in line]
    assert port.startswith("good") and ("a hub runs here" in port or "a hub runs with the data directory" in port)
    # The hub of another city is not this one.
    told = run("doctor", "--port", hub.port, "--data", tmp_path / "data", "--set", f"city.id={hub.city[:4]}")
    [port] = [line for line in told.stdout.splitlines() if "can't be had" in line]
    assert port.startswith("poor")
    # A port that somebody else has is a fault.
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        told = run("doctor", "--port", other.getsockname()[1], "--data", tmp_path / "data")
    [port] = [line for line in told.stdout.splitlines() if "can't be had" in line]
    assert port.startswith("poor")


@pytest.mark.parametrize("command", [["replay"], ["eta-accuracy", "taxis"]])
@pytest.mark.parametrize("form", [["--utc-offset", "-420"], ["--utc-offset=-420"], ["--utc-offset", "60"]])
def test_an_offset_to_the_west_is_a_number(tmp_path, command, form):
    result = run(*command, tmp_path / "nothing.csv", *form)
    assert "nothing.csv can't be read: No such file or directory" in result.stderr, result.stderr


@pytest.mark.parametrize("command", [["replay"], ["import", "yaml", "--check"]])
def test_what_never_ends_is_read_no_further_than_a_bound(command):
    result = run(*command, "/dev/zero")
    assert result.returncode == 1 and "/dev/zero can't be read: larger than 512 MiB" in result.stderr, result.stderr


def test_a_pipe_that_never_ends_is_read_no_further_than_a_bound():
    with pathlib.Path("/dev/zero").open("rb") as endless:
        result = run("import", "yaml", "--check", "-", stdin=endless)
    assert result.returncode == 1 and "standard input can't be read: larger than 512 MiB" in result.stderr, result.stderr


def test_a_place_in_the_south_and_west_is_a_place(hub):
    result = run("lines", "set-stop", "nowhere", "--lat", "-33.9", "--lon", "-70.6", "--config", hub.config)
    assert "nowhere" in result.stderr and "Usage" not in result.stderr, result.stderr


NOTHING = {
    "a recording": ["replay", "{}/nothing.csv"],
    "a recording of buses": ["replay", "--buses", "{}/no/where"],
    "a folder without a recording": ["replay", "--buses", "{}"],
    "a feed": ["import", "gtfs", "{}/nothing.zip", "--check"],
    "a folder without a feed": ["import", "gtfs", "{}", "--check"],
    "lines": ["import", "yaml", "{}/nothing.yaml", "--check"],
    "zones": ["zones", "check", "{}/nothing.geojson"],
    "an outline": ["zones", "grid", "{}/nothing.geojson"],
    "a place for zones": ["zones", "grid", "{}/outline.geojson", "-o", "{}/no/zones.geojson"],
    "a configuration": ["check-config", "{}/nothing.yaml"],
    "a recording of tours": ["eta-accuracy", "{}/nothing.zip", "--positions", "{}/p.csv", "--passages", "{}/q.csv"],
    "a hub's lines": ["lines", "list", "--data", "{}/nothing"],
    "a hub's figures": ["stats", "--data", "{}/nothing"],
    "a hub's audit": ["audit", "--data", "{}/nothing"],
    "a hub's events": ["tail", "--data", "{}/nothing"],
    "a hub": ["simulate", "--for", "1s", "--data", "{}/nothing", "--port", "{port}"],
    "a hub to measure": ["bench", "fanout", "--url", "ws://127.0.0.1:{port}/v1/connect", "--data", "{}/nothing"],
    "a configuration to serve": ["serve", "--config", "{}/nothing.yaml"],
    "a place for data": ["serve", "--data", "/proc/nothing"],
    "a configuration to look at": ["doctor", "--config", "{}/nothing.yaml"],
}


@pytest.mark.parametrize("what", NOTHING)
def test_what_is_missing_is_said_in_words(tmp_path, what):
    outline = {"type": "Polygon", "coordinates": [[[9, 45], [9.1, 45], [9.1, 45.1], [9, 45.1], [9, 45]]]}
    (tmp_path / "outline.geojson").write_text(str(outline).replace("'", '"'))
    words = [word.replace("{port}", str(free_port())).replace("{}", str(tmp_path)) for word in NOTHING[what]]
    result = run(*words, cwd=tmp_path)
    text = result.stdout + result.stderr
    assert result.returncode != 0, text
    assert text.strip()
    for word in ("NSCocoa", "Error Domain", "UserInfo", "Swift.", "Fatal error", "NSPOSIX"):
        assert word not in text, text


def test_who_has_no_recording_is_told_where_there_are_some(tmp_path):
    for words in (["replay", tmp_path / "nothing.csv"], ["replay", "--buses", tmp_path / "nothing"]):
        result = run(*words)
        assert "nothing" in result.stderr and "kerbside replay --help" in result.stderr
    told = run("replay", "--help").stdout
    assert "Where there are recordings" in told


PLAIN = "redis:\n  url: redis://:secret@10.0.0.1:6379\n"


def test_a_redis_elsewhere_in_clear_text_is_said_loudly(tmp_path):
    file = tmp_path / "kerbside.yaml"
    file.write_text(PLAIN)
    told = run("check-config", file)
    assert told.returncode != 0
    for word in ("10.0.0.1", "clear text", "redis.allow_plain", "stunnel"):
        assert word in told.stderr
    assert "secret" not in told.stderr
    file.write_text(PLAIN + "  allow_plain: true\n")
    assert run("check-config", file).returncode == 0
    for place in ("127.0.0.1", "[::1]", "localhost"):
        file.write_text(PLAIN.replace("10.0.0.1", place))
        assert run("check-config", file).returncode == 0
    file.write_text(PLAIN.replace("10.0.0.1", "127.0.0.1.example.com"))
    assert run("check-config", file).returncode != 0

    # The hub starts all the same, and says it first. Nobody is at that address.
    words = ["serve", "--data", str(tmp_path / "data"), "--port", "0"]
    words += ["--set", "redis.url=redis://192.0.2.1:6379", "--set", "log.format=json"]
    process = subprocess.Popen([str(BINARY), *words], env=environment(), stderr=subprocess.PIPE, text=True)
    try:
        line = process.stderr.readline()
        assert '"warning"' in line and "redis.allow_plain" in line
    finally:
        process.terminate()
        process.communicate()
