"""Modules that use the fixture `encoding` are played in both encodings, whichever of their tests has which."""

import ast
import pathlib
import re

import pytest

from conftest import ENCODINGS, encoding_of
from kerbside.client import Client
from kerbside.passenger import Passenger

HERE = pathlib.Path(__file__).parent


def modules():
    """Module → the names of its tests that have the encoding that follows from their names; not those with parameters."""
    found = {}
    for file in HERE.glob("test_*.py"):
        text = file.read_text()
        if not re.search(r'^pytestmark = .*usefixtures\("encoding"\)', text, re.MULTILINE):
            continue
        functions = [
            node for node in ast.parse(text).body
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_")
        ]
        marked = ("IN_", "parametrize")
        found[file.stem] = [
            node.name for node in functions
            if not any(word in ast.unparse(mark) for mark in node.decorator_list for word in marked)
        ]
    return found


def test_in_each_module_both_encodings_occur():
    """As a test has its encoding by its name, one that is renamed may be the last of the other: then mark one `IN_BOTH`."""
    assert len(modules()) >= 8
    for module, names in modules().items():
        assert {encoding_of(name) for name in names} == set(ENCODINGS), f"{module} is played in one encoding only: {names}"


@pytest.mark.parametrize("encoding", ENCODINGS, indirect=True)
async def test_what_a_client_speaks_is_what_its_test_has(hub, encoding):
    passenger = Passenger(hub, f"p-{encoding}")
    await passenger.connect()
    assert passenger.ws.subprotocol == passenger.twin().subprotocol == f"kerbside.v1.{encoding}"


async def test_who_has_no_encoding_speaks_json(hub):
    assert Client.spoken == "json"
    passenger = Passenger(hub, "p-plain")
    await passenger.connect()
    assert passenger.ws.subprotocol == "kerbside.v1.json"
