"""A wrong setting is told with its file, its line, and what was expected; right ones count."""

import json
import re
import resource
import subprocess

import pytest
import yaml

from kerbside import city, patience
from kerbside.hub import BINARY, environment, run

WRONG = {
    "an unknown section": ("server:\n  port: 0\nsevrer:\n  port: 1\n", 3, "sevrer"),
    "an unknown key": ("server:\n  prot: 8080\n", 2, "prot"),
    "a word for a number": ("server:\n  host: 127.0.0.1\n  port: high\n", 3, "server.port"),
    "out of range": ("server:\n  port: 70000\n", 2, "server.port"),
    "a negative time": ("dispatch:\n  # ten seconds\n  offer_timeout_ms: -1\n", 3, "dispatch.offer_timeout_ms"),
    "a list for a number": ("dispatch:\n  rounds: [1, 2]\n", 2, "dispatch.rounds"),
    "a number for a section": ("dispatch: 5\n", 1, "dispatch"),
    "a word that is no choice": ("redis:\n  fsync: sometimes\n", 2, "redis.fsync"),
    "a broken url": ("redis:\n  url: ftp://example\n", 2, "redis.url"),
    "a zones file that is not there": ("zones:\n  file: nowhere.geojson\n", 2, "zones.file"),
    "a city id with a brace": ("city:\n  id: 'mi{l}ano'\n", 2, "city.id"),
    "not YAML": ("server:\n  port: 1\n bad: [\n", 3, ""),
    "a tab": ("server:\n\tport: 1\n", 2, ""),
    "a key twice": ("server:\n  port: 1\n  port: 2\n", "[23]", "port"),
    "a key in its section and by its whole name": (
        "server:\n  port: 1\nserver.port: 2\n", 3, "server.port: given more than once, also at "),
    "loopback left without TLS": ("server:\n  host: 0.0.0.0\n", 2, "server.host"),
    "a scaled clock beyond loopback": ("clock:\n  scale: 0\n", 2, "clock.scale"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_setting_is_told_with_its_line(tmp_path, name):
    text, line, key = WRONG[name]
    file = tmp_path / "kerbside.yaml"
    file.write_text(text)
    result = run("check-config", file)
    assert result.returncode != 0
    assert re.search(rf"kerbside\.yaml:{line}\b", result.stderr), result.stderr
    assert key in result.stderr
    started = run("serve", "--config", file)
    assert started.returncode != 0 and re.search(rf"kerbside\.yaml:{line}\b", started.stderr), "the same"


def test_all_problems_are_told_at_once(tmp_path):
    file = tmp_path / "kerbside.yaml"
    file.write_text("server:\n  port: high\ndispatch:\n  rounds: 0\nnonsense: 1\n")
    result = run("check-config", file)
    assert result.returncode != 0
    for line in (2, 4, 5):
        assert f"kerbside.yaml:{line}" in result.stderr


def test_a_good_file_is_good(new_hub):
    result = run("check-config", new_hub().config)
    assert result.returncode == 0, result.stderr


def malformed(hub, what):
    """Damages one of the files that the configuration names; what is to be said of it."""
    file = hub.directory / "damaged"
    if what == "the zones":
        (hub.directory / "zones.geojson").write_text("{}")
        return "zones.geojson"
    if what == "zones without an end":
        (hub.directory / "zones.geojson").unlink(missing_ok=True)
        (hub.directory / "zones.geojson").symlink_to("/dev/zero")
        return "larger than 32 MiB"
    if what == "revoked tokens":
        file.write_text("# a phone was stolen\ndriver T1 yesterday\n")
        hub.write_config(tokens__revoked_file=str(file))
        return f"{file}:2"
    if what == "a public key":
        file.write_text("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n")
        hub.write_config(tokens__public_keys=[{"kid": "theirs", "file": str(file)}])
        return str(file)
    if what == "a certificate":
        file.write_text("none")
        file.chmod(0o600)
        hub.write_config(server__tls__certificate=str(file), server__tls__key=str(file))
        return str(file)
    hub.data.mkdir(mode=0o700)
    secret = hub.data / "token.secret"
    secret.write_text("nonsense\n")
    secret.chmod(0o600)
    return "token.secret:1"


@pytest.mark.parametrize(
    "what", ["the zones", "zones without an end", "revoked tokens", "a public key", "a certificate", "the secret"])
def test_a_file_that_no_hub_takes_is_not_good(new_hub, what):
    hub = new_hub()
    named = malformed(hub, what)
    result = run("check-config", hub.config)
    assert result.returncode != 0 and "good" not in result.stdout
    assert named in result.stderr
    told = run("doctor", "--config", hub.config)
    assert any("UNFIT" in line and named in line for line in told.stdout.splitlines()), told.stdout


def test_more_connections_than_open_files_are_told_of(new_hub):
    """It is no fault: the service may have another limit."""
    hub = new_hub(server__max_connections=1_000_000)
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = min(files, 100_000)

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 1_000), most))

    words = f"server.max_connections is 1000000, but the limit of open files leaves {most - 128}"
    result = run("check-config", hub.config, preexec_fn=limit)
    assert result.returncode == 0 and words in result.stderr
    told = run("doctor", "--config", hub.config, preexec_fn=limit)
    assert any(line.startswith("poor") and words in line for line in told.stdout.splitlines()), told.stdout


def test_a_file_that_is_not_there(tmp_path):
    result = run("serve", "--config", tmp_path / "nowhere.yaml")
    assert result.returncode != 0 and "nowhere.yaml" in result.stderr


def printed(*arguments, **variables):
    result = run("print-config", *arguments, env=environment(**variables))
    assert result.returncode == 0, result.stderr
    return yaml.safe_load(result.stdout)


def test_flags_over_environment_over_file(tmp_path):
    file = tmp_path / "kerbside.yaml"
    file.write_text("server:\n  port: 1001\n  workers: 3\ndispatch:\n  rounds: 4\n")
    shown = printed("--config", file, "--port", 3003, KERBSIDE_SERVER_PORT="2002", KERBSIDE_SERVER_WORKERS="5")
    assert (shown["server"]["port"], shown["server"]["workers"], shown["dispatch"]["rounds"]) == (3003, 5, 4)


def test_what_is_printed_can_be_read_again(tmp_path):
    text = run("print-config").stdout
    file = tmp_path / "kerbside.yaml"
    file.write_text(text)
    assert run("check-config", file).returncode == 0
    assert yaml.safe_load(run("print-config", "--config", file).stdout) == yaml.safe_load(text)


def test_the_defaults_are_those_of_the_contract():
    shown = printed()
    server, dispatch = shown["server"], shown["dispatch"]
    assert (server["host"], server["hello_timeout_ms"], server["max_message_bytes"]) == ("127.0.0.1", 10_000, 65_536)
    assert (server["ping_ms"], server["offer_ping_ms"], server["offer_dead_after_ms"]) == (25_000, 4_000, 7_000)
    assert (dispatch["offer_timeout_ms"], dispatch["offer_seen_timeout_ms"], dispatch["rounds"]) == (10_000, 3_000, 2)
    assert (dispatch["away_grace_ms"], dispatch["recovery_ms"], dispatch["zone_exit_fixes"]) == (60_000, 1_800_000, 3)
    assert (dispatch["max_passengers"], dispatch["zone_exit_ms"]) == (3, 180_000)


def test_a_wrong_variable_is_named():
    result = run("print-config", env=environment(KERBSIDE_SERVER_PORT="high"))
    assert result.returncode != 0 and "KERBSIDE_SERVER_PORT" in result.stderr


def overlapping():
    """Two blocks, the second zone of the first moved half over the first zone."""
    zones = json.loads(city.geojson(1))
    for point in zones["features"][1]["geometry"]["coordinates"][0]:
        point[0] = round(point[0] - 0.01, 6)
    return zones


def bow_tie():
    zones = json.loads(city.geojson(1))
    ring = zones["features"][2]["geometry"]["coordinates"][0]
    ring[1], ring[2] = ring[2], ring[1]
    return zones


@pytest.mark.parametrize("make, names", [(overlapping, ["0a", "0b"]), (bow_tie, ["0c"])], ids=["overlap", "bow tie"])
def test_broken_zones_are_refused_by_name(new_hub, make, names):
    hub = new_hub()
    (hub.directory / "zones.geojson").write_text(json.dumps(make()))
    for command in (["serve", "--config", hub.config], ["zones", "check", hub.directory / "zones.geojson"]):
        result = run(*command)
        assert result.returncode != 0
        for name in names:
            assert name in result.stderr + result.stdout, result.stderr


def test_broken_zones_are_repaired_where_that_is_allowed(new_hub):
    hub = new_hub(zones__repair=True)
    (hub.directory / "zones.geojson").write_text(json.dumps(overlapping()))
    hub.start()
    assert "0b" in hub.log and "repair" in hub.log.lower()


def test_help_is_complete():
    overview = run("--help")
    assert overview.returncode == 0
    for command in (
        "serve",
        "token",
        "check-config",
        "print-config",
        "replay",
        "simulate",
        "tail",
        "echo",
        "zones",
        "bench",
    ):
        assert re.search(rf"^  {command}\b", overview.stdout, re.MULTILINE), f"{command} is not in --help"
        assert run(command, "--help").returncode == 0


def test_an_unknown_command_says_what_there_is():
    result = run("drive")
    assert result.returncode not in (0, -6, -11) and result.stderr


def test_the_binary_never_asks_a_terminal(tmp_path):
    """With no input and no configuration it starts or ends by itself."""
    result = subprocess.run(
        [str(BINARY), "token", "--role", "king", "--subject", "x"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patience.PROCESS, cwd=tmp_path, env=environment(),
        check=False,
    )  # fmt: skip
    assert result.returncode != 0 and "driver" in result.stderr


WRONG_TOKENS = [
    ["--role", "king", "--subject", "x"],
    ["--role", "driver", "--subject", "x y"],
    ["--role", "driver", "--subject", "x", "--city", "a b"],
    ["--role", "driver", "--subject", "x", "--kind", "ship"],
    ["--role", "driver", "--subject", "x", "--seats", "5"],
    ["--role", "driver", "--subject", "x", "--for", "long"],
    ["--role", "driver", "--subject", "x", "--set", "city"],
]


@pytest.mark.parametrize("words", WRONG_TOKENS, ids=" ".join)
def test_who_asks_wrongly_for_a_token_is_sent_to_its_help(words, tmp_path):
    result = run("token", *words, cwd=tmp_path)
    assert result.returncode == 64
    assert "See 'kerbside token --help'" in result.stderr


@pytest.mark.parametrize("what", ["revoked_file", "public_keys"])
def test_who_may_write_to_it_would_decide_whose_tokens_count(new_hub, what):
    hub = new_hub()
    file = hub.directory / "theirs"
    if what == "revoked_file":
        file.write_text("driver T1 2026-11-22T06:00:00Z\n")
        hub.write_config(tokens__revoked_file=str(file))
    else:
        key = subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519"], capture_output=True, check=True).stdout
        file.write_bytes(subprocess.run(["openssl", "pkey", "-pubout"], input=key, capture_output=True, check=True).stdout)
        hub.write_config(tokens__public_keys=[{"kid": "theirs", "file": str(file), "issuer": "theirs", "audience": "kerbside"}])
    file.chmod(0o644)
    assert run("check-config", hub.config).returncode == 0
    file.chmod(0o646)
    result = run("check-config", hub.config)
    assert result.returncode != 0 and f"tokens.{what}: others can write to {file}" in result.stderr
    # Who can write to its directory can put another one in its place.
    file.chmod(0o644)
    for mode, is_good in ((0o1777, True), (0o777, False)):
        hub.directory.chmod(mode)
        result = run("check-config", hub.config)
        assert (result.returncode == 0) == is_good, oct(mode)
    assert f"tokens.{what}: others can write to {hub.directory}" in result.stderr


def test_who_may_read_a_password_in_the_configuration_or_write_to_it_is_told_of(new_hub):
    hub = new_hub(store__url="postgresql://hub:secret@127.0.0.1/records")
    said = "store.url: others can read the password in it"
    for mode, reads, writes in ((0o600, False, False), (0o640, False, False), (0o644, True, False), (0o646, True, True)):
        hub.config.chmod(mode)
        result = run("check-config", hub.config)
        assert result.returncode == 0 and "secret" not in result.stderr
        assert (said in result.stderr, "others can write to it" in result.stderr) == (reads, writes), oct(mode)
    hub.write_config(store__url="none")
    hub.config.chmod(0o644)
    assert said not in run("check-config", hub.config).stderr
