"""An app on one of the client libraries: a process that is told what to do by lines of JSON, and tells what it sees.

It waits for nothing but the hub: its clock goes on when it is told. Each library has such a program (`javascript/run.js`,
`python/run.py`, `swift`, which is built); what it understands is what their `do` has.
"""

import asyncio
import json
import os
import pathlib
import subprocess
import sys

from kerbside import patience

HERE = pathlib.Path(__file__).parent
BUILD = HERE.parents[1] / ".build"
#: As `swift build -c release` or `swift build --product swift-client-app` makes it; KERBSIDE_SWIFT_APP is another.
SWIFT = next(filter(pathlib.Path.exists, [BUILD / kind / "swift-client-app" for kind in ("release", "debug")]), "swift-client-app")
#: library → how its program is started.
LIBRARIES = {
    "javascript": ["node", str(HERE / "javascript/run.js")],
    "python": [sys.executable, str(HERE / "python/run.py")],
    "swift": [os.environ.get("KERBSIDE_SWIFT_APP", str(SWIFT))],
}
#: Seconds for what is due at once.
PATIENCE = patience.PROCESS


def matches(seen, wanted):
    """Whether it has all that is wanted; in an object there may be more."""
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(name in seen and matches(seen[name], one) for name, one in wanted.items())
    if isinstance(wanted, list):
        return isinstance(seen, list) and len(seen) == len(wanted) and all(map(matches, seen, wanted))
    return seen == wanted


class Process:
    """The program, with any number of apps in it."""

    def __init__(self, library):
        self.library = library
        self._process, self._reader, self._number, self._waiting = None, None, 0, {}
        #: app → what it has seen and the test has not looked at: kind → [what].
        self.seen = {}
        self.lines = 0
        self._news = asyncio.Event()
        self.failure = None

    async def __aenter__(self):
        self._process = await asyncio.create_subprocess_exec(
            *LIBRARIES[self.library], stdin=subprocess.PIPE, stdout=subprocess.PIPE, limit=1 << 24
        )
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_):
        self._process.stdin.close()
        await self._process.wait()
        await self._reader

    async def _read(self):
        async for line in self._process.stdout:
            row = json.loads(line)
            if "failed" in row:
                self._fail(row["failed"])
            elif "done" in row:
                self._waiting.pop(row["done"]).set_result(row)
            else:
                self.lines += 1
                self.seen.setdefault(row.pop("app"), {}).setdefault(row.pop("saw"), []).append(row)
            self._news.set()
        self._fail(f"{self.library} has ended")

    def _fail(self, why):
        self.failure = AssertionError(why)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(self.failure)
        self._news.set()

    async def do(self, what, app="app", **fields):
        """Has an app do something; the answer."""
        if self.failure:
            raise self.failure
        self._number += 1
        future = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        line = json.dumps({"n": self._number, "app": app, "do": what, **fields})
        self._process.stdin.write(line.encode() + b"\n")
        async with asyncio.timeout(PATIENCE):
            return await future

    async def see(self, kind, wanted, app="app"):
        """The next of its kind that the app sees, which must be this one."""
        rows = self.seen.setdefault(app, {}).setdefault(kind, [])
        try:
            async with asyncio.timeout(PATIENCE):
                while not rows:
                    if self.failure:
                        raise self.failure
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{app} never saw {kind} {wanted}; what else it saw: {self.seen[app]}") from None
        row = rows.pop(0)
        assert matches(row, wanted), f"{app} saw {kind} {row}, not {wanted}"
        return row

    async def until(self, kind, wanted, app="app"):
        """As `see`, but others of the kind may come before it."""
        while True:
            row = await self.see(kind, {}, app)
            if matches(row, wanted):
                return row

    def take(self, kind, app="app"):
        """All of the kind that was not looked at."""
        return self.seen.get(app, {}).pop(kind, [])

    def left(self, *kinds, app="app"):
        """What nobody has looked at."""
        return {kind: rows for kind in kinds if (rows := self.seen.get(app, {}).get(kind))}
