"""What a client is made with, what it tells, and how it refuses."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .messages import HubError

#: Asked whenever a token is needed, one time after the other, with the one that the hub took no more, if there is one.
#: None: there is none, log in first. What it raises says that the login service can't be reached: it is asked again.
TokenSource = Callable[[str | None], str | Awaitable[str | None] | None]


def as_sent(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as they are now. Raises `TypeError` or `ValueError` for what is no JSON or no Unicode."""
    written: dict[str, Any] = json.loads(json.dumps(fields, allow_nan=False, ensure_ascii=False).encode())
    return written


class Clock(Protocol):
    """The time, and timers."""

    def now(self) -> int:
        """Unix ms."""

    def set(self, ms: int, call: Callable[[], object]) -> Any:
        """Calls after so many ms; answers with what `clear` takes."""

    def clear(self, timer: Any) -> None:
        """It is not called any more."""


class SystemClock:
    """The clock of the system; timers are those of the running event loop."""

    def now(self) -> int:
        """Unix ms."""
        return time.time_ns() // 1_000_000

    def set(self, ms: int, call: Callable[[], object]) -> asyncio.TimerHandle:
        """Calls after so many ms."""
        return asyncio.get_running_loop().call_later(ms / 1000, call)

    def clear(self, timer: asyncio.TimerHandle) -> None:
        """It is not called any more."""
        timer.cancel()


@dataclass(frozen=True, slots=True)
class Message:
    """What came on a channel.

    An event has a `seq`, its place in the history of the channel; a state has none. `time`: Unix ms by the hub's clock.
    A `gap` says that what is known of the channel is to be forgotten.
    """

    ch: str
    type: str
    data: Any
    seq: str | None
    time: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an act has ended, whoever sent it and when: with `ok`, or with an `error` if that is not None."""

    cmd: str
    fields: dict[str, Any]
    key: str
    ok: Any
    error: HubError | None


class Refused(Exception):
    """What a command or a subscription was refused with.

    `code`, `error["detail"]` and `error["retry"]` are as the hub said it, or one of the client's own codes:
    `outbox_full` (100 acts wait), `expired` (there was no link for too long), `not_yours` (another person has logged
    in), `left` (its connection has ended).
    """

    def __init__(self, cmd: str, error: HubError) -> None:
        super().__init__(f"{cmd}: {error['code']}: {error['detail']}")
        self.cmd = cmd
        self.error = error
        self.code: str = error["code"]
