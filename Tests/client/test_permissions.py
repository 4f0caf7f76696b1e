"""Who may send what: each cell of the hub's one table (`kerbside permissions`) against a running hub."""

import json

import pytest

from kerbside import contract
from kerbside.hub import run
from kerbside.somebody import Somebody


def rules():
    return [json.loads(line) for line in run("permissions", "--json").stdout.splitlines()]


ROLES = ["driver", "passenger", "bus_driver", "operator", "service"]


def test_every_command_of_the_contract_has_its_rule():
    commands = {key.removeprefix("cmd.") for key in contract.DOCUMENT["components"]["messages"] if key.startswith("cmd.")}
    assert {rule["cmd"] for rule in rules()} == commands


@pytest.mark.parametrize("role", ROLES)
async def test_each_cell_is_held(new_hub, role):
    hub = new_hub(blocks=2).start()
    client = Somebody(hub, role)
    await client.enter()
    for rule in rules():
        command = rule["cmd"]
        if command == "hello":
            continue
        reply = await client.tries(command)
        is_forbidden = reply.get("error", {}).get("code") == "forbidden"
        assert is_forbidden == (role not in rule["roles"]), (command, reply)
    client.leaves_open()
