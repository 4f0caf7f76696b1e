"""Who may send what: each cell of the hub's one table (`kerbside permissions`) against a running hub."""

import json

import pytest

from kerbside import contract
from kerbside.hub import run
from kerbside.somebody import BinarySomebody, Somebody


def rules():
    return [json.loads(line) for line in run("permissions", "--json").stdout.splitlines()]


ROLES = ["driver", "passenger", "bus_driver", "operator", "service"]


def test_every_command_of_the_contract_has_its_rule():
    commands = {key.removeprefix("cmd.") for key in contract.DOCUMENT["components"]["messages"] if key.startswith("cmd.")}
    assert {rule["cmd"] for rule in rules()} == commands


@pytest.mark.parametrize("kind", [Somebody, BinarySomebody])
@pytest.mark.parametrize("role", ROLES)
async def test_each_cell_is_held(new_hub, role, kind):
    hub = new_hub(blocks=2).start()
    client = kind(hub, role)
    await client.enter()
    for rule in rules():
        command = rule["cmd"]
        if command == "hello":
            continue
        reply = await client.tries(command)
        is_forbidden = reply.get("error", {}).get("code") == "forbidden"
        assert is_forbidden == (role not in rule["roles"]), (command, reply)
    client.leaves_open()


async def test_a_guest_may_do_what_is_for_guests_and_no_more(new_hub):
    """Of what their channel decides, the channel's own tests tell."""
    hub = new_hub(blocks=2).start()
    guest = Somebody(hub, "passenger")
    given = json.loads(hub.http("/v1/guest", "POST").text)
    guest.token, guest.subject = given["token"], given["subject"]
    await guest.enter()
    theirs = {"line.eta", "vehicle.get", "stop.request", "stop.cancel", "watch", "unwatch"}
    for rule in rules():
        if rule["cmd"] == "hello" or rule["objects"] == "channel":
            continue
        reply = await guest.tries(rule["cmd"])
        is_forbidden = reply.get("error", {}).get("code") == "forbidden"
        assert is_forbidden == (rule["cmd"] not in theirs), (rule["cmd"], reply)
    guest.leaves_open()
