"""What the connection has decided is to be done. The client does it.

A link is a number: that of a socket, never given twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: `closed`: nobody wants it, or it may not come back by itself. `connecting`: a token, a socket or the reply to hello
#: is awaited. `live`: greeted. `waiting`: until the next attempt.
State = Literal["closed", "connecting", "live", "waiting"]
Timer = Literal["retry", "opening", "hello", "quiet", "pong", "renew", "token"]


@dataclass(frozen=True, slots=True)
class StateChange:
    """The connection has entered `state`: why, and for `waiting` for how many ms."""

    state: State
    reason: str
    wait: int = 0


@dataclass(frozen=True, slots=True)
class Open:
    """A socket is to be opened."""

    link: int


@dataclass(frozen=True, slots=True)
class Close:
    """A socket is to be left, with this code."""

    link: int
    code: int


@dataclass(frozen=True, slots=True)
class Hello:
    """The link is greeted with this token."""

    token: str


@dataclass(frozen=True, slots=True)
class Renew:
    """The living link goes by this token from now on."""

    token: str


@dataclass(frozen=True, slots=True)
class Ping:
    """The hub is asked for a sign of life."""


@dataclass(frozen=True, slots=True)
class Lost:
    """What belonged to the link is over."""


@dataclass(frozen=True, slots=True)
class AskToken:
    """The app is asked for a token; `refused`: the one that the hub took no more."""

    refused: str | None


@dataclass(frozen=True, slots=True)
class SetTimer:
    """`ms` None: stopped."""

    timer: Timer
    ms: int | None = None


Action = StateChange | Open | Close | Hello | Renew | Ping | Lost | AskToken | SetTimer
