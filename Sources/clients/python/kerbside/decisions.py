"""What is decided by figures alone: how long to wait, whether to come back, what a refusal means. No state, no effects.

Rules in brackets are those of ../../behaviour.md. All times are in ms.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .messages import HubError

#: The longest first wait after a lost link, and the longest of all [B1].
FIRST_WAIT = 250
LONGEST_WAIT = 30_000
#: A link that was live for so long has worked: the next wait is a first one [B2].
STABLE = 10_000
#: From the opening of a socket to the reply to hello [S3].
OPENING = 10_000
#: A hub that names no spread, and the longest spread that is believed [C2].
RESTART_SPREAD = 5_000
LONGEST_SPREAD = 60_000
OVERLOAD_SPREAD = 30_000
FLOOD_WAIT = 10_000
#: A reply that has not come: the command is sent again [O5].
NO_REPLY = 4_000
#: First wait after a refusal that may be tried again, and the longest wait that is not left to people [O6].
REFUSAL_WAIT = 500
LONGEST_REFUSAL_WAIT = 30_000
#: Commands that wait, and how long one may [O8]. The hub knows a key for 24 h.
OUTBOX = 100
OUTBOX_AGE = 23 * 3_600_000
QUESTION_AGE = 30_000
SEEN_AGE = 10_000
#: Silence beyond the hub's own heartbeat, and how long an answer to a ping may take [P1].
QUIET_MARGIN = 5_000
PONG = 10_000
#: A token is renewed so long before its end, or at a fifth of its life if that is shorter [T2].
RENEW_BEFORE = 60_000
#: Channels in one hello [R3].
RESUMED = 16
#: Places of a channel that are known, so that none is applied twice [R2].
RECENT = 256

#: The longest timer that is set; a later one is set again.
LONGEST_TIMER = 2**31 - 1

#: 0 ≤ x < 1.
Random = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Advice:
    """What a close code asks for [C1].

    `stop`: not by itself. `token`: with a new token. `now`: by the back-off alone. `spread`: at a random moment within
    `ms`. `after`: `ms` later.
    """

    rule: Literal["stop", "token", "now", "spread", "after"]
    ms: int = 0


STOP, TOKEN, NOW = Advice("stop"), Advice("token"), Advice("now")
ADVICE = {
    1000: STOP,
    1002: STOP,
    1003: STOP,
    1007: STOP,
    1008: STOP,
    1009: STOP,
    1012: Advice("spread", RESTART_SPREAD),
    1013: Advice("spread", OVERLOAD_SPREAD),
    4401: TOKEN,
    4403: STOP,
    4408: NOW,
    4409: STOP,
    4410: TOKEN,
    4420: NOW,
    4429: Advice("after", FLOOD_WAIT),
}


def longest_wait(failures: int) -> int:
    """The longest of the waits after so many attempts without success [B1]."""
    return min(LONGEST_WAIT, FIRST_WAIT << min(failures, 20))


def advice_of(code: int, reason: str) -> Advice:
    """What to do after a link has ended with this code, 1006 if there was none."""
    said = re.search(r"retry_ms=([0-9]{1,9})\Z", reason) if code == 1012 else None
    if said and int(said[1]) <= LONGEST_SPREAD:
        return Advice("spread", int(said[1]))
    return ADVICE.get(code, NOW)


def wait_of(advice: Advice, failures: int, random: Random) -> int:
    """ms until the next attempt [B1, B3]; `failures`: attempts since a link was stable."""
    if advice.rule == "spread":
        return int(random() * advice.ms + (random() * longest_wait(failures) if failures else 0))
    return int((advice.ms if advice.rule == "after" else 0) + random() * longest_wait(failures))


TRIED_AGAIN = ("unavailable", "internal", "zones_unknown", "rate_limited")


def retry_of(error: HubError, tries: int, random: Random) -> int | None:
    """ms after which a refused command is sent again with its key; None if the refusal is the end of it [O6].

    `tries`: refusals of it before.
    """
    if error["code"] not in TRIED_AGAIN:
        return None
    said = error.get("retry_after_ms")
    if said is not None:
        return said if said <= LONGEST_REFUSAL_WAIT else None
    most = min(LONGEST_REFUSAL_WAIT, REFUSAL_WAIT << min(tries, 20))
    return int(most * (0.5 + random() / 2))


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token says of itself: `sub`, `role`, and its end in ms."""

    sub: str = ""
    role: str = ""
    end: float | None = None


def claims_of(token: str) -> Claims:
    """The claims of a token, as far as it can be read; the hub alone says whether it is valid."""
    part = token.partition(".")[2].partition(".")[0]
    try:
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        return Claims()
    if not isinstance(claims, dict):
        return Claims()
    sub, role, exp = (claims.get(name) for name in ("sub", "role", "exp"))
    # Beyond that no clock goes, and no figure of it is exact.
    end = exp * 1000 if isinstance(exp, int | float) and abs(exp) < 10**12 else None
    return Claims(sub if isinstance(sub, str) else "", role if isinstance(role, str) else "", end)


def own_of(token: str | None) -> str:
    """Whose a token is, as `role:subject`; empty if it can't be read."""
    claims = claims_of(token or "")
    return f"{claims.role}:{claims.sub}" if claims.role and claims.sub else ""


def renewal_of(token: str, now: float) -> float | None:
    """The moment at which a token is renewed, by the hub's clock; None for one whose end is not known [T2].

    `now`: when it was got.
    """
    end = claims_of(token).end
    return None if end is None else end - min(RENEW_BEFORE, max(0, end - now) / 5)


#: Commands that change nothing: asked anew after a lost link, never kept, without a key [O1].
_QUESTION = re.compile(r".*\.(get|list|eta|of|estimate)|office\.(queue|driver|ride|audit)", re.DOTALL)


def is_question(command: str) -> bool:
    """Whether the command only asks."""
    return _QUESTION.fullmatch(command) is not None


#: Commands that belong to one connection: the client sends them by itself [O1].
OF_CONNECTION = ("hello", "subscribe", "unsubscribe", "watch", "unwatch", "position", "offer.seen")
