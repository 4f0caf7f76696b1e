"""What stands between a client and the hub in some networks."""

import asyncio


class Proxy:
    """Between the apps and the hub, as in an office: it lets no WebSocket through."""

    def __init__(self, hub):
        self.hub, self.refused, self._tasks = hub, 0, set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"ws://127.0.0.1:{self.port}/v1/connect"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if b"upgrade: websocket" in head.lower():
                self.refused += 1
                writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            there, to = await asyncio.open_connection(self.hub.address, self.hub.port)
            to.write(head)
            await asyncio.gather(self._pass(reader, to), self._pass(there, writer))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _pass(self, reader, writer):
        try:
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        finally:
            writer.close()
