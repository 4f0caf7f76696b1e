"""Sends commands, and tells how they have ended. outbox.py decides, this does it.

Rules in brackets are those of ../../behaviour.md.
"""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .decisions import OF_CONNECTION, OUTBOX, OUTBOX_AGE, QUESTION_AGE, SEEN_AGE, Random, is_question
from .options import Outcome, Refused, as_sent
from .outbox import Ended, Ending, Entry, Outbox, refusal

if TYPE_CHECKING:
    from .connection import Connection
    from .device import Device
    from .options import Clock
    from .subscription import Teller

Then = Callable[[Ending], None]


class Sender:
    """`send`: a message on the link in use. `wait`: to look again after so many ms, with None not at all."""

    def __init__(
        self,
        connection: Connection,
        device: Device,
        teller: Teller,
        clock: Clock,
        random: Random,
        send: Callable[[Mapping[str, Any]], None],
        wait: Callable[[int | None], None],
    ) -> None:
        self._connection, self._device, self._teller, self._clock = connection, device, teller, clock
        self._send, self._wait = send, wait
        self.outbox = Outbox(random)
        #: What the connection has decided is being done: what is due waits until that is over.
        self.is_held = False
        self._waiting: dict[Entry, Then] = {}
        self._id = self._acts = 0

    def next_id(self) -> int:
        """Of a command; never the same twice."""
        self._id += 1
        return self._id

    def call(self, who: str, cmd: str, fields: Mapping[str, Any], key: str | None) -> asyncio.Future[Any]:
        """The app's own commands; `who`: acts, as far as it is known. See `Kerbside.call`."""
        if cmd in OF_CONNECTION:
            raise TypeError(f"{cmd} is sent by the client itself")
        written = as_sent(fields)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # Who doesn't look at it is told by `outcome`.
        future.add_done_callback(lambda over: over.cancelled() or over.exception())
        is_act = not is_question(cmd)
        if is_act and self.outbox.is_full:
            full = refusal("outbox_full", "Too much waits", f"{OUTBOX} commands wait for a link.", retry=True)
            future.set_exception(Refused(cmd, full))
            return future
        now = self._clock.now()
        entry = Entry(cmd, written, now + (OUTBOX_AGE if is_act else QUESTION_AGE), at=now)
        if is_act:
            self._acts += 1
            entry.key = key or str(uuid.uuid4())
            entry.name = f"act:{now:015d}-{self._acts:09d}-{entry.key}"
            entry.who = who or None
            entry.is_kept, entry.is_stored = True, False

        def then(ending: Ending) -> None:
            if future.done():
                return
            if ending.error is None:
                future.set_result(ending.ok)
            else:
                future.set_exception(Refused(cmd, ending.error))

        self._add(entry, then)
        return future

    def ask(self, cmd: str, fields: dict[str, Any], then: Then) -> None:
        """A command of this connection, which ends with it."""
        self._add(Entry(cmd, fields, math.inf, is_bound=True), then)

    def seen(self, ride: str) -> None:
        """An offer is on the screen [A1]."""
        self._add(Entry("offer.seen", {"ride": ride}, self._clock.now() + SEEN_AGE))

    def restore(self, acts: list[Entry]) -> None:
        """Those of before the app's start; what was done since comes behind."""
        later = self.outbox.entries
        names = {entry.name for entry in later}
        self.outbox.entries = [*(act for act in acts if act.name not in names), *later]

    def pump(self) -> None:
        """Sends what is due, and looks again when the next is."""
        if self.is_held:
            return
        now = self._clock.now()
        self._end(self.outbox.expire(now))
        if self._connection.is_greeted:
            for entry in self.outbox.ready(now):
                number = self.next_id()
                self.outbox.sent(entry, number, now)
                key = {} if entry.key is None else {"key": entry.key}
                self._send({"id": number, "cmd": entry.cmd, **entry.fields, **key})
        self._wait(self.outbox.wait_from(now))

    def reply(self, message: dict[str, Any]) -> None:
        """What the hub has answered to one of them."""
        self._end(self.outbox.reply(message["id"], message, self._clock.now()))

    def lost(self) -> None:
        """The link is gone."""
        self._end(self.outbox.lost())

    def belong_to(self, who: str) -> None:
        """`who` is connected."""
        self._end(self.outbox.belong_to(who))

    def _add(self, entry: Entry, then: Then | None = None) -> None:
        self.outbox.entries.append(entry)
        if then is not None:
            self._waiting[entry] = then
        if entry.is_stored:
            self.pump()
            return

        def stored() -> None:
            entry.is_stored = True
            self.pump()

        self._device.keep(entry, stored)

    def _end(self, ended: list[Ended]) -> None:
        for entry, ending in ended:
            if entry.is_kept:
                self._device.forget(entry)
            then = self._waiting.pop(entry, None)
            if then is not None:
                then(ending)
            if entry.key is not None:
                self._teller.tell("outcome", Outcome(entry.cmd, entry.fields, entry.key, ending.ok, ending.error))
