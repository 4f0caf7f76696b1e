"""Commands that have no final reply yet: which is sent next, what a reply means, what is tried again.

Pure: the client sends, keeps and tells. Rules in brackets are those of ../../behaviour.md. Times are Unix ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .decisions import LONGEST_WAIT, NO_REPLY, OUTBOX, Random, retry_of

if TYPE_CHECKING:
    from .messages import HubError


@dataclass(slots=True, eq=False)
class Entry:
    """A command that waits for its end."""

    cmd: str
    fields: dict[str, Any]
    #: When it is given up.
    until: float
    #: Of its record on the device, in the order of acting.
    name: str = ""
    #: Of a command that changes something.
    key: str | None = None
    #: When the person acted.
    at: int = 0
    #: `role:subject` of who acted, as far as it was known.
    who: str | None = None
    #: On the device.
    is_kept: bool = False
    #: Whether it may be sent: what is kept is written first [O3].
    is_stored: bool = True
    #: To its connection: gone with it.
    is_bound: bool = False
    #: Under which it was sent on this connection.
    ids: list[int] = field(default_factory=list)
    #: Not sent again before.
    due: float = 0
    #: Refusals that may be tried again.
    tries: int = 0
    #: Refused, and tried again when due.
    is_put_off: bool = False

    @property
    def family(self) -> str:
        """`ride` of ride.cancel: commands of one family go one after the other [O4]."""
        return self.cmd.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended: with `ok`, or with an `error`."""

    ok: Any = None
    error: HubError | None = None


def refusal(code: str, title: str, detail: str, retry: bool = False) -> HubError:
    """An error of the client's own, in the form of the hub's."""
    # The codes of the contract are the hub's; these are beside them [O9].
    return {"code": code, "title": title, "detail": detail, "retry": retry}  # type: ignore[typeddict-item]


EXPIRED = Ending(error=refusal("expired", "Not sent in time", "There was no link, or no reply, for too long."))
NOT_YOURS = Ending(error=refusal("not_yours", "Of somebody else", "Another person has logged in on this device."))
LEFT = Ending(error=refusal("left", "The link was lost", "It belonged to a connection that has ended."))

Ended = tuple[Entry, Ending]


class Outbox:
    """The commands in the order of acting."""

    def __init__(self, random: Random) -> None:
        self.entries: list[Entry] = []
        #: id on this connection → entry.
        self._ids: dict[int, Entry] = {}
        self._random = random

    @property
    def is_full(self) -> bool:
        """Whether no more acts may wait [O8]."""
        return sum(entry.is_kept for entry in self.entries) >= OUTBOX

    def ready(self, now: int) -> list[Entry]:
        """What is to be sent now."""
        held: set[str] = set()
        ready = []
        for entry in self.entries:
            is_held = entry.key is not None and entry.family in held
            if entry.key is not None:
                held.add(entry.family)
            # Further ahead than any wait: the device's clock was put back.
            is_due = entry.due <= now or entry.due > now + LONGEST_WAIT
            if not is_held and entry.is_stored and is_due:
                ready.append(entry)
        return ready

    def wait_from(self, now: int) -> int | None:
        """ms until to look again; None if nothing waits for its time."""
        moments = (min(entry.due, entry.until) if entry.due > now else entry.until for entry in self.entries)
        following = min(moments, default=math.inf)
        return None if following == math.inf else max(0, int(following - now))

    def sent(self, entry: Entry, number: int, now: int) -> None:
        """It went out under this id."""
        self._ids[number] = entry
        entry.ids.append(number)
        entry.is_put_off = False
        # Without a reply in time it is sent again [O5].
        entry.due = now + min(LONGEST_WAIT, NO_REPLY << min(len(entry.ids) - 1, 20))

    def reply(self, number: int, message: dict[str, Any], now: int) -> list[Ended]:
        """A reply. What has ended, if it has."""
        entry = self._ids.pop(number, None)
        if entry is None or entry not in self.entries:
            return []
        if "ok" in message:
            return [self._end(entry, Ending(ok=message["ok"]))]
        # A refusal counts if it answers the last one [O5].
        if number != entry.ids[-1]:
            return []
        wait = retry_of(message["error"], entry.tries, self._random)
        if wait is None:
            return [self._end(entry, Ending(error=message["error"]))]
        entry.tries += 1
        entry.is_put_off = True
        entry.due = now + wait
        return []

    def lost(self) -> list[Ended]:
        """The connection is gone: what was not answered is sent on the next one."""
        self._ids.clear()
        for entry in self.entries:
            # A wait that the hub has asked for goes on.
            if not entry.is_put_off:
                entry.due = 0
            entry.ids = []
        return self._end_all(lambda entry: entry.is_bound, LEFT)

    def expire(self, now: int) -> list[Ended]:
        """What nobody waits for any more."""
        return self._end_all(lambda entry: entry.until <= now, EXPIRED)

    def belong_to(self, who: str) -> list[Ended]:
        """`who` is connected: others' commands are not theirs to send [O7]."""
        others = self._end_all(lambda entry: entry.who is not None and entry.who != who, NOT_YOURS)
        for entry in self.entries:
            entry.who = who
        return others

    def _end_all(self, ends: Callable[[Entry], bool], ending: Ending) -> list[Ended]:
        return [self._end(entry, ending) for entry in self.entries if ends(entry)]

    def _end(self, entry: Entry, ending: Ending) -> Ended:
        self.entries = [other for other in self.entries if other is not entry]
        return entry, ending
