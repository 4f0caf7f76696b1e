"""What README.md and the articles say is so: their examples, tables, names of settings, metrics and decisions."""

import asyncio
import contextlib
import json
import re
import shutil
import time

import pytest
import yaml
from websockets.asyncio.client import connect

from conftest import running
from kerbside import contract, patience
from kerbside.certificate import make_certificate
from kerbside.client import SUBPROTOCOL, parse
from kerbside.hub import ROOT, run
from kerbside.somebody import Somebody

CATALOG = ROOT / "Sources/kerbside/Documentation.docc"
README = ROOT / "README.md"
APP = CATALOG / "BuildingAnApp.md"
PAGES = [README, ROOT / "SECURITY.md", *sorted(CATALOG.glob("*.md"))]
#: Where a message begins: who (nobody, where there is only one), and which way. It may go on in the lines below.
BEGIN = re.compile(r"^ {4,}(?:(\w) )?([→←]) (.*)$")
ROLES = ["driver", "bus driver", "passenger", "operator", "service"]


def conversation(page):
    """(who, whether it is sent by an app, message)"""
    found = []
    is_open = False
    for line in page.read_text().splitlines():
        if begin := BEGIN.match(line):
            found.append((begin[1], begin[2] == "→", [begin[3]]))
        elif is_open and line.startswith("    "):
            found[-1][2].append(line.strip())
        is_open = begin is not None or (is_open and line.startswith("    "))
    # A comment may follow.
    return [(who, is_sent, parse(re.sub(r" {2,}# .*$", "", "".join(lines)))) for who, is_sent, lines in found]


def table(page, heading):
    """The rows of the first table below a heading, its own two left out."""
    section = re.split(rf"^##+ {heading}$", page.read_text(), flags=re.MULTILINE)[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows if not set("".join(row)) <= set("-: ")]


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_message_is_one_of_the_contract(page):
    asked = {}
    for who, is_sent, message in conversation(page):
        if is_sent:
            contract.check_command(message)
            asked[who, message.get("id")] = message["cmd"]
        elif "id" in message:
            contract.check_reply(asked[who, message["id"]], message)
        else:
            contract.check_push(message)


class Actor:
    """One end of a conversation: all that came is kept."""

    def __init__(self, socket):
        self.socket, self.received = socket, []

    async def until(self, matches):
        """The first message that matches; it and all before it are forgotten."""
        async with asyncio.timeout(patience.PROCESS):
            while not any(map(matches, self.received)):
                self.received.append(parse(await self.socket.recv()))
        at = next(index for index, message in enumerate(self.received) if matches(message))
        message = self.received[at]
        del self.received[at]
        return message


#: What is another each time.
VOLATILE = {"session", "time", "seq", "at", "expires_at", "requested_at", "ride", "token", "eta_s"}


def shape(value):
    """The message without what is another each time, but with its names."""
    if not isinstance(value, dict):
        return value
    return {name: None if name in VOLATILE else shape(part) for name, part in value.items()}


async def test_the_first_conversation_goes_as_readme_says(new_hub):
    # The default, also where others are given more time.
    hub = new_hub(city__id="example", dispatch__offer_timeout_ms=10_000)
    shutil.copy(ROOT / "config/zones-example.geojson", hub.directory / "zones.geojson")
    hub.start()
    tokens = {}
    for words in re.findall(r"^    kerbside (token .*)$", README.read_text(), re.MULTILINE):
        made = run(*words.split(), "--config", hub.config, check=True).stdout.strip()
        hub.given_tokens.add(made)
        tokens[words.split()[words.split().index("--role") + 1][0].upper()] = made
    told = conversation(README)
    assert len(told) > 15 and {who for who, _, _ in told} == set(tokens) == {"D", "P"}
    ride, moved = None, 0
    async with contextlib.AsyncExitStack() as links:
        actors = {}
        for who, is_sent, message in told:
            if who not in actors:
                actors[who] = Actor(await links.enter_async_context(connect(hub.url, subprotocols=[SUBPROTOCOL])))
            actor = actors[who]
            if is_sent:
                if message["cmd"] == "position":
                    # No car is faster than positions.max_speed_mps.
                    await asyncio.sleep(max(0, 5 - (time.monotonic() - moved)))
                    moved = time.monotonic()
                values = {"token": tokens[who], "at": int(time.time() * 1000), "ride": ride}
                await actor.socket.send(json.dumps(message | {name: values[name] for name in values if name in message}))
                if "id" in message:
                    # The next command goes when this one has been answered.
                    reply = await actor.until(lambda found: found.get("id") == message["id"])
                    assert "ok" in reply, reply
                    ride = reply["ok"].get("ride", ride)
                    actor.received.insert(0, reply)
            else:
                key = "id" if "id" in message else "type"
                found = await actor.until(lambda found: found.get(key) == message[key])
                assert shape(found) == shape(message)


def test_the_table_of_commands_is_whole():
    rows = table(APP, "Commands")[1:]
    definitions = contract.SCHEMAS["commands.json"]["$defs"]
    assert sorted(names(row[0])[0] for row in rows) == contract.COMMANDS
    for command, _, fields, _ in rows:
        definition = definitions[names(command)[0]]
        expected = {name: name in definition["required"] for name in definition["properties"]}
        told = {name: rest != "?" for name, rest in re.findall(r"`(\w+)`(\??)", fields)}
        assert told == {name: needed for name, needed in expected.items() if name not in ("cmd", "id", "key")}, command


@pytest.mark.parametrize("role", ROLES)
async def test_the_table_of_commands_says_who_may(new_hub, role):
    hub = new_hub(blocks=2)
    hub.start()
    client = Somebody(hub, role.replace(" ", "_"))
    await client.enter()
    for cell, who, _, _ in table(APP, "Commands")[1:]:
        command = names(cell)[0]
        if command == "hello":
            continue
        reply = await client.tries(command)
        may = who == "all" or role in who.split(", ")
        assert (reply.get("error", {}).get("code") != "forbidden") == may, (command, reply)
    client.leaves_open()


def test_the_table_of_commands_over_http_is_whole():
    plural = {f"{role}s": role.replace(" ", "_") for role in ROLES}
    rules = [json.loads(line) for line in run("permissions", "--json", check=True).stdout.splitlines()]
    told = {}
    for cell, people in table(APP, "Commands over HTTP")[1:]:
        # Operators who ask for others are named behind a semicolon.
        who = people.partition(";")[0]
        roles = {*plural.values()} if who == "everybody" else {plural[one] for one in who.split(", ")}
        for name in names(cell):
            family = name.removesuffix("…")
            meant = [rule["cmd"] for rule in rules if rule["cmd"] == name or (family != name and rule["cmd"].startswith(family))]
            told |= dict.fromkeys(meant or [name], roles)
    assert told == {rule["cmd"]: set(rule["http"]) for rule in rules if rule["http"]}


def test_what_a_friend_sees_of_a_ride_is_all_that_is_told():
    answer = json.loads((ROOT / "Sources/Hub/HTTP/openapi.json").read_text())["paths"]["/v1/follow"]["get"]["responses"]["200"]
    fields = answer["content"]["application/json"]["schema"]["properties"]
    [said] = re.findall(r"Whoever has the link is shown .*?`\.", APP.read_text())
    assert sorted(names(said)) == sorted([*fields, *fields["state"]["enum"]])


def test_the_tables_of_events_are_whole():
    told = {name for row in table(APP, "Events") for name in names(row[0])}
    shared = {"message", "snapshot", "gap"}
    expected = {
        message["name"]
        for key, message in contract.DOCUMENT["components"]["messages"].items()
        if key.startswith(("driver.", "passenger.", "line.", "catalog.", "office.", "state."))
    }
    assert told == expected | shared


def test_the_article_of_events_is_the_catalogue():
    catalogue = contract.SCHEMAS["city-events.json"]["$defs"]
    told = {names(row[0])[0]: row[3] for row in table(CATALOG / "Events.md", "Names")[1:]}
    assert {name: set(names(cell)) for name, cell in told.items()} == {
        name: set(event["properties"]["data"]["properties"]) for name, event in catalogue.items()
    }
    for name, cell in told.items():
        fields = catalogue[name]["properties"]["data"]["properties"]
        assert set(re.findall(r"\*`([^`]+)`", cell)) == {field for field, its in fields.items() if its.get("x-personal")}, name
    explained = {names(row[0])[0] for row in table(CATALOG / "Events.md", "Fields")[1:]}
    assert explained == {field for cell in told.values() for field in names(cell)}


def test_the_tables_of_codes_are_those_of_the_contract():
    errors = {names(code)[0]: (retry == "yes", meaning) for code, retry, meaning in table(APP, "Errors")[1:]}
    assert errors == {code: (row["retry"], row["meaning"]) for code, row in contract.ERROR_CODES.items()}
    closes = {code: (meaning, back) for code, meaning, back in table(APP, "Close codes")[1:]}
    assert closes.pop("none, 1006, any other")
    assert closes == {str(code): (row["meaning"], row["reconnect"]) for code, row in contract.CLOSE_CODES.items()}


@pytest.fixture(scope="module")
def pushing(tmp_path_factory):
    """A hub that sends pushes, which none does unless it is told who answers for them, and speaks TLS."""
    certificate, key = make_certificate(tmp_path_factory.mktemp("tls"), "server")
    tls = {"server__tls__certificate": str(certificate), "server__tls__key": str(key)}
    yield from running(push__subject="mailto:office@example.org", **tls)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_settings_and_metrics_are_there(page, hub, pushing):
    sections = yaml.safe_load((ROOT / "config/kerbside.yaml").read_text())

    def is_there(name):
        node = sections
        for part in name.split("."):
            if not isinstance(node, dict) or part not in node:
                return False
            node = node[part]
        return True

    text = page.read_text()
    named = re.findall(r"`((?:" + "|".join(sections) + r")(?:\.[a-z_]+)+)[`:]", text)
    # A command, an event or a file may begin as a section of the settings does.
    assert not [name for name in named if not is_there(name) and "_" in name]
    # The recorder is a process of its own, and says how it stands a moment later.
    hub.wait_until("the recorder is there", lambda: "kerbside_records_lag_seconds" in hub.http("/metrics").text)
    pushing.wait_until("so is who sends pushes", lambda: "kerbside_push_waiting" in pushing.http("/metrics").text)
    kinds = {name for one in (hub, pushing) for name in re.findall(r"^# TYPE (\w+)", one.http("/metrics").text, re.MULTILINE)}
    for name in re.findall(r"`[^`]*?\b(kerbside_[a-z_]+|process_[a-z_]+)", text):
        assert name in kinds or name.removesuffix("_bucket") in kinds, name


def test_subcommands_are_there():
    known = set(re.findall(r"^  ([a-z-]+) ", run("--help", check=True).stdout.split("SUBCOMMANDS")[1], re.MULTILINE))
    for page in PAGES:
        for name in re.findall(r"(?:^ +|\(|`)kerbside ([a-z][a-z-]+)", page.read_text(), re.MULTILINE):
            assert name in known, f"{page.name}: kerbside {name}"


def test_decisions_are_numbered_and_named_by_number():
    numbers = [int(n) for n in re.findall(r"^### (\d+)\. ", (CATALOG / "Decisions.md").read_text(), re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    folders = ("Sources", "Tests", "tools", "config")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*") if file.is_file()]
    for file in [*PAGES, *files]:
        with contextlib.suppress(UnicodeDecodeError):
            for found in re.findall(r"\bdecisions? (\d+)(?:\s+to\s+(\d+))?", file.read_text(), re.IGNORECASE):
                assert all(int(n) in numbers for n in found if n), f"{file}: decision {found}"
