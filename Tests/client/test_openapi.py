"""The hub keeps to what openapi.json says: it is asked with drawn fields, as each role and without a token (B17, X3, U7)."""

import asyncio
import collections
import json
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

from conftest import play
from kerbside import patience
from kerbside.existing import TARIFF, existing
from kerbside.hub import ROOT, environment, run
from kerbside.names import fresh
from kerbside.stops import serve

HERE = pathlib.Path(__file__).parent
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, methods in json.loads((ROOT / "Sources/Hub/HTTP/openapi.json").read_text())["paths"].items()
    for method, operation in methods.items()
}
NOBODY = "nobody"
ROLES = ["operator", "passenger", "driver", "bus_driver", "service", NOBODY]
SCOPES = {"service": {"scope": "payments events:personal"}}
#: Whose tokens are others than those of roles, and what is answered to those.
OTHER_TOKENS = {
    "GET /v1/follow": {401, 404},
    "POST /v1/invitations/accept": {401},
    "POST /v1/token/renew": {401, 403},
}
REFUSED = {401, 403}
#: Fields that name what there is in half of all examples.
FIELDS = {key.rpartition(".")[2] for key in tomllib.loads((HERE / "schemathesis.toml").read_text())["parameters"]} - {"role"}
#: What is asked once with few examples: what is refused at once, and what everybody gets alike, which nobody asks in full.
FEW = """
[[operations]]
include-path = %s
generation = { mode = "positive", max-examples = 3 }
phases.coverage.enabled = false
"""


def is_public(operation):
    return operation["security"] == []


def may(role, operation):
    """Whether the document says that a role may ask this."""
    if is_public(operation):
        return True
    text = re.sub(r" The command .*", "", operation.get("description", "For all roles."))
    return role != NOBODY and ("all roles" in text or role in re.findall(r"(\w+?)s?\b", text))


@pytest.fixture(scope="module")
def town():
    """One that lets as many guests in as ask."""
    yield from serve(tokens__guests_per_hour=100_000, **TARIFF)


def asked(town, role, *options):
    """Two of operation → status → how often: of what was asked as its schemas say, and of those that name what there is.

    Nothing was found."""
    subject, there = fresh(f"{role}-"), {}
    asyncio.run(play(existing, {"hub": town, "role": role, "subject": subject, "into": there}))
    config, answers = town.directory / f"{role}.toml", town.directory / f"{role}.json"
    few = [label.split()[1] for label, one in OPERATIONS.items() if not may(role, one) or (role != NOBODY and is_public(one))]
    dictionaries = "".join(f"[dictionaries.{field}]\nvalues = {json.dumps(known)}\n" for field, known in there["ids"].items())
    config.write_text((HERE / "schemathesis.toml").read_text() + FEW % json.dumps(few) + dictionaries)
    # Operators take turns, as 60 acts a minute are too few; what others have is the subject's.
    names = [] if role == NOBODY else [f"{subject}-{n}" for n in range(4)] if role == "operator" else [subject]
    found = subprocess.run(
        [
            pathlib.Path(sys.executable).parent / "schemathesis",
            *("--config-file", config),
            *("run", f"http://{town.address}:{town.port}/v1/openapi.json"),
            *options,
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=town.directory,
        env=environment(
            PYTHONPATH=str(HERE),
            ANSWERS=str(answers),
            EXISTING=json.dumps([one for known in there["ids"].values() for one in known]),
            CALLER=json.dumps(there["caller"]),
            TOKENS=json.dumps([town.token(role, name, **SCOPES.get(role, {})) for name in names]),
            # A table of all characters takes longer to make than most of what is asked.
            HYPOTHESIS_STORAGE_DIRECTORY=str(ROOT / ".build/hypothesis"),
        ),
        timeout=patience.PROCESS * 20,
    )
    assert found.returncode == 0, found.stdout[-8000:] + found.stderr[-2000:]
    counts, named = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for label, status, names_something, count in json.loads(answers.read_text()):
        counts[label][status] += count
        if names_something:
            named[label][status] += count
    return counts, named


def must_name(operation):
    """Whether nothing can be asked there without naming something."""
    body = operation.get("requestBody", {"content": {"application/json": {"schema": {}}}})["content"]["application/json"]["schema"]
    needed = {one["name"] for one in operation["parameters"] if one.get("required")} | set(body.get("required", []))
    return bool(FIELDS & needed.union(*(one["required"] for one in body.get("oneOf", []))))


def check_named(role, named):
    """Where something must be named, more was done than to look for it: it was done, or could not be as things were."""
    for label, operation in OPERATIONS.items():
        if label not in OTHER_TOKENS and not is_public(operation) and may(role, operation) and must_name(operation):
            said = f"{role}: {label}: of what there is {dict(named[label])}"
            assert any(status in (200, 409) for status in named[label]), said


def check(role, counts):
    """Each operation was tried, and refused to whom it is not for."""
    rules = {rule["cmd"]: rule for rule in map(json.loads, run("permissions", "--json").stdout.splitlines())}
    for label, operation in OPERATIONS.items():
        said = f"{role}: {label}: {dict(counts[label])}"
        statuses = set(counts[label]) - {429}
        assert statuses, f"never tried, {said}"
        if label in OTHER_TOKENS:
            assert statuses <= OTHER_TOKENS[label], said
        elif may(role, operation):
            # Of few examples some may come too fast, and none be on behalf of somebody.
            is_for_others = role == "operator" and "with `on_behalf_of`" in operation.get("description", "")
            assert statuses - REFUSED or 429 in counts[label] or is_for_others, f"always refused, {said}"
        elif role == NOBODY:
            assert statuses == {401}, f"not refused, {said}"
        elif role in rules.get(label.rpartition("/")[2], {}).get("roles", []):
            # 403: on behalf of somebody.
            assert 409 in statuses and statuses <= {400, 403, 409}, f"not sent to the WebSocket, {said}"
        else:
            # What the schemas can't say is looked at before the role is.
            assert statuses & REFUSED and not statuses - REFUSED - {400}, f"not refused, {said}"


@pytest.mark.lengthy
@pytest.mark.parametrize("role", ROLES)
def test_b17_x3_u7_schemathesis_finds_nothing(town, role):
    # The phase "coverage" asks the same each time: the test below has it.
    counts, named = asked(town, role, "--phases", "examples,fuzzing")
    check(role, counts)
    if role != NOBODY:
        check_named(role, named)


@pytest.mark.parametrize("role", ["operator", "passenger"])
def test_b17_x3_u7_schemathesis_finds_nothing_at_the_edges(town, role):
    """Every bound and every kind of mistake, and a few examples."""
    check(role, asked(town, role, "--max-examples", "5")[0])
