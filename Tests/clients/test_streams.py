"""Of streams: what random walks do not show."""

import asyncio

import pytest

from app import LIBRARIES, PATIENCE, Process
from links import token
from server import Server


class Phone:
    """An app in a network that lets no WebSocket through."""

    def __init__(self, name, server, process):
        self.name, self.server, self.process = name, server, process

    @property
    def lines(self):
        return self.process.lines

    async def do(self, what, **fields):
        return await self.process.do(what, self.name, **fields)

    async def begin(self):
        self.server.blocks = "refuse"
        await self.do("new", url=self.server.url, clock=self.server.now, tokens=[token()], way="either")
        await self.do("start")
        while not self.server.living():
            await self.server.time(self, 1000)
        return self

    async def call(self, command, key):
        await self.do("call", cmd=command, key=key)


async def until(condition):
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_alarm_does_not_wait_for_what_is_put_off_meanwhile(library):
    """[H2] It comes while a request is under way, which then is put off: for longer than that of another app."""

    async def alarm():
        async with Server() as server, Server() as other, Process(library) as process:
            phone, slow = await Phone("phone", server, process).begin(), await Phone("slow", other, process).begin()
            server.streams.behaviours = [{"busy": 5, "held": True}]
            await phone.call("seats.set", "before")
            await until(lambda: server.living()[0].is_held)
            await phone.call("sos", "alarm")
            other.streams.behaviours = [{"busy": 1}]
            await slow.call("seats.set", "other")
            await until(lambda: not other.streams.behaviours)
            server.streams.release()
            await until(lambda: other.done)
            assert server.done[:1] == ["alarm"]

    asyncio.run(alarm())
