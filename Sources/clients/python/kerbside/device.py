"""What is kept on the device: acts until they have ended, and the places of channels. Writes go one after the other."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from .outbox import Entry

if TYPE_CHECKING:
    from .storage import Storage

#: Of an act, what is written.
KEPT = ("cmd", "fields", "key", "at", "until", "who")
#: How long `stop` waits for handlers.
PATIENCE_S = 1
Fault = Callable[[BaseException], None]


async def settled(answer: Any) -> Any:
    """What an answer comes to that may be given at once or by an awaitable."""
    return await answer if inspect.isawaitable(answer) else answer


class Chain:
    """Does one thing after the other."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self._last: asyncio.Task[None] | None = None

    def add(self, what: Callable[[], Awaitable[None]]) -> None:
        """Behind all that was added before."""
        self._last = asyncio.create_task(self._then(self._last, what))

    async def done(self, patience_s: float | None = None) -> None:
        """All that was added is done, or has failed, or the patience is over."""
        if self._last is not None:
            await asyncio.wait([self._last], timeout=patience_s)

    async def _then(self, before: asyncio.Task[None] | None, what: Callable[[], Awaitable[None]]) -> None:
        if before is not None:
            await asyncio.wait([before])
        try:
            await what()
        except Exception as error:
            self._fault(error)


class Device:
    """Acts and places in the storage; `remembers`: places, too. What the storage raises is told as a fault."""

    def __init__(self, storage: Storage, remembers: bool, fault: Fault) -> None:
        self._storage = storage
        self._remembers = remembers
        self._fault = fault
        # A handler that takes its time holds back places, and no acts.
        self._acts, self._places = Chain(fault), Chain(fault)
        self._keeping: set[asyncio.Task[None]] = set()

    async def load(self) -> tuple[list[Entry], dict[str, str]]:
        """Acts in their order, and channel → place."""
        acts: list[Entry] = []
        places: dict[str, str] = {}
        try:
            for name, text in sorted(await settled(self._storage.all())):
                if name.startswith("seq:") and self._remembers:
                    places[name.removeprefix("seq:")] = text
                if name.startswith("act:"):
                    self._read(name, text, acts)
        except Exception as error:
            self._fault(error)
        return acts, places

    def _read(self, name: str, text: str, acts: list[Entry]) -> None:
        try:
            row = json.loads(text)
            acts.append(Entry(name=name, is_kept=True, **{field: row[field] for field in KEPT}))
        except (KeyError, TypeError, ValueError) as error:
            # One that can't be read is no reason to lose the others.
            self._remove(name)
            self._fault(error)

    def keep(self, entry: Entry, then: Callable[[], None]) -> None:
        """Calls `then` when the act is kept, or can't be: then it is sent as long as the app lives [O3]."""
        text = json.dumps({field: getattr(entry, field) for field in KEPT})
        try:
            writing = self._storage.put(entry.name, text)
        except Exception as error:
            self._fault(error)
            writing = None
        if writing is None:
            then()
            return
        task = asyncio.create_task(self._keep(writing, then))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def _keep(self, writing: Awaitable[None], then: Callable[[], None]) -> None:
        try:
            await writing
        except Exception as error:
            self._fault(error)
        then()

    def forget(self, entry: Entry) -> None:
        """The act has ended."""
        self._remove(entry.name)

    def _remove(self, name: str) -> None:
        self._acts.add(lambda: settled(self._storage.remove(name)))

    def place(self, channel: str, seq: str, answers: Sequence[asyncio.Future[Any]] = ()) -> None:
        """Applied up to here, when the handlers' answers have come [R5]."""

        async def write() -> None:
            if answers:
                await asyncio.wait(answers)
            # Who stopped reading has not applied it: it comes again in the next life of the app.
            if not any(answer.cancelled() for answer in answers):
                await settled(self._storage.put(f"seq:{channel}", seq))

        if self._remembers:
            self._places.add(write)

    def leave(self, channel: str) -> None:
        """The place of a channel that is not followed any more."""
        if self._remembers:
            self._places.add(lambda: settled(self._storage.remove(f"seq:{channel}")))

    async def written(self) -> None:
        """All is as it should be on the device, but for places of events whose handlers take long."""
        if self._keeping:
            await asyncio.wait(set(self._keeping))
        await self._acts.done()
        await self._places.done(PATIENCE_S)
