"""What an app does on a bad line, and while the hub is away: it tries again."""

import asyncio
import time

from . import patience


class Stubborn:
    """The part of an app that does not give up; of a `Client`."""

    @property
    def worker(self):
        """The worker that serves this connection."""
        return self.hello_reply["session"].rpartition(".")[0]

    async def connect_to(self, worker=None, other_than=None):
        """Connects until it is that worker, or another than that one."""
        for _ in range(200):
            await self.connect()
            if self.worker == worker or (worker is None and self.worker != other_than):
                return self
        raise AssertionError(f"200 connections, and none to {worker or f'another worker than {other_than}'}")

    async def back(self):
        """The app's own behaviour: try again until it works, then resume."""
        while True:
            try:
                return await self.resume()
            except Exception:  # whatever a dying hub does to a connection
                if self.breach:
                    raise
                await asyncio.sleep(0.05)

    async def steadily(self, command, **fields):
        """Sends a command with its key until it is answered, as an app on a bad line does."""
        end = time.monotonic() + patience.PROCESS
        while True:
            assert time.monotonic() < end, f"{command} was never served"
            if self.closed:
                await self.back()
            try:
                reply = await self.ask(command, **fields)
            except Exception:  # cut in the middle: the key makes it safe to send again
                if self.breach:
                    raise
                continue
            if "ok" in reply:
                return reply["ok"]
            assert reply["error"]["retry"], f"{command} {fields}: {reply}"
            await asyncio.sleep(0.02)
