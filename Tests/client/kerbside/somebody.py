"""Somebody of any role, who tries what may be refused."""

import time

from . import contract
from .client import Client
from .feeds import Picture
from .names import fresh
from .protobuf import Binary


def sample(command):
    """The fields of the contract's first example of a command."""
    payload = contract.DOCUMENT["components"]["messages"][f"cmd.{command}"]["examples"][0]["payload"]
    return {name: value for name, value in payload.items() if name not in ("cmd", "id", "key", "token")}


class Somebody(Client):
    """What it only tries is not settled: it says hello as any other command."""

    def __init__(self, hub, role):
        self.role = role
        super().__init__(hub, fresh(f"{role}-"))
        if role == "service":
            self.token = hub.token(role, self.subject, scope="payments")

    async def enter(self):
        await self.open()
        assert "ok" in await self.ask("hello", token=self.token)

    async def tries(self, command):
        """The reply to the contract's example of a command, as far as it can be sent by anybody."""
        fields = sample(command)
        if "channel" in fields:
            fields["channel"] = "topic:anything"
        if command == "position":
            fields["at"] = int(time.time() * 1000)
        if command == "watch":
            self.pictures["near"] = Picture("near")
        return await self.ask(command, **fields)

    def leaves_open(self):
        """Nothing is settled of what was only tried."""
        self.hello_reply = None


class BinarySomebody(Binary, Somebody):
    """The same in Protocol Buffers."""
