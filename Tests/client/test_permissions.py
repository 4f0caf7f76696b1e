"""Who may send what: each cell of the hub's one table (`kerbside permissions`) against a running hub."""

import json
import time

import pytest

from kerbside import contract
from kerbside.client import Client
from kerbside.feeds import Picture
from kerbside.hub import run


def rules():
    return [json.loads(line) for line in run("permissions", "--json").stdout.splitlines()]


ROLES = ["driver", "passenger", "bus_driver", "operator", "service"]


class Somebody(Client):
    def __init__(self, hub, role):
        self.role = role
        super().__init__(hub, f"{role}-of-the-table")


def test_every_command_of_the_contract_has_its_rule():
    commands = {key.removeprefix("cmd.") for key in contract.DOCUMENT["components"]["messages"] if key.startswith("cmd.")}
    assert {rule["cmd"] for rule in rules()} == commands


@pytest.mark.parametrize("role", ROLES)
async def test_each_cell_is_held(new_hub, role):
    hub = new_hub(blocks=2).start()
    client = Somebody(hub, role)
    await client.open()
    assert "ok" in await client.ask("hello", token=client.token)
    examples = contract.DOCUMENT["components"]["messages"]
    for rule in rules():
        command = rule["cmd"]
        if command == "hello":
            continue
        payload = examples[f"cmd.{command}"]["examples"][0]["payload"]
        fields = {name: value for name, value in payload.items() if name not in ("cmd", "id", "key")}
        if "channel" in fields:
            fields["channel"] = "topic:anything"
        if command == "position":
            fields["at"] = int(time.time() * 1000)
        if command == "watch":
            client.pictures["near"] = Picture("near")
        reply = await client.ask(command, **fields)
        is_forbidden = reply.get("error", {}).get("code") == "forbidden"
        assert is_forbidden == (role not in rule["roles"]), (command, reply)
    client.hello_reply = None  # nothing is settled of what was only tried
