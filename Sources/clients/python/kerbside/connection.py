"""The one connection: its four states, when it is opened, renewed, given up.

It decides and returns actions; the client carries them out. No socket, no clock, no storage here: each method is told
the time, Unix ms. Rules in brackets are those of ../../behaviour.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .actions import Action, AskToken, Close, Hello, Lost, Open, Ping, Renew, SetTimer, State, StateChange, Timer
from .decisions import (
    LONGEST_TIMER,
    NOW,
    OPENING,
    PONG,
    QUIET_MARGIN,
    STABLE,
    Advice,
    Random,
    advice_of,
    claims_of,
    longest_wait,
    renewal_of,
    wait_of,
)

if TYPE_CHECKING:
    from .messages import HelloReply, HubError


class Connection:
    """The connection's decisions; `take` has what is to be done."""

    def __init__(self, random: Random) -> None:
        self.state: State = "closed"
        #: The link in use, 0 for none.
        self.link = 0
        #: Whether the link's hello was answered.
        self.is_greeted = False
        self.token: str | None = None
        #: The hub's clock less ours, ms.
        self.offset = 0
        self._random = random
        self._last = 0
        self._greeted_at = self._heard_at = 0
        self._quiet = 30_000
        self._is_asking = self._is_pinged = False
        #: The token that the link goes by, that which is to take its place, and the one that the hub has refused.
        self._said: str | None = None
        self._offered: str | None = None
        self._refused: str | None = None
        self._advice: Advice = NOW
        self._failures = self._hellos = self._token_failures = 0
        self._actions: list[Action] = []

    def take(self) -> list[Action]:
        """What has been decided since this was asked last."""
        actions, self._actions = self._actions, []
        return actions

    def start(self, now: int) -> None:
        """The app wants a connection."""
        if self.state == "closed":
            self._failures = 0
            self._connect(now)

    def stop(self, reason: str = "stopped") -> None:
        """The app wants none."""
        if self.state != "closed":
            self._drop()
            self._stop("retry", "token")
            self._enter("closed", reason)

    def wake(self, now: int) -> None:
        """The network may be back: don't sit out a wait that nobody asked for [B4]."""
        if self.state == "waiting" and self._advice.rule == "now":
            self._connect(now)
        elif self.is_greeted:
            self._ping()

    def opened(self, link: int, now: int) -> None:
        """A socket is open."""
        if link == self.link:
            self._hellos = 0
            self._heard_at = now
            self._hello()

    def heard(self, link: int, now: int) -> None:
        """Something came, if only a ping of the hub."""
        if link != self.link:
            return
        self._heard_at = now
        if self._is_pinged:
            self._stop("pong")
        self._is_pinged = False

    def greeted(self, reply: HelloReply, now: int) -> None:
        """Hello was answered."""
        self.is_greeted = True
        self._greeted_at = now
        self._token_failures = 0
        self._refused = None
        self.offset = reply["time"] - now
        self._quiet = int(reply["heartbeat_s"] * 1000) + QUIET_MARGIN
        self._stop("opening", "hello")
        self._set("quiet", self._quiet)
        # A newer one may have come while this hello was under way.
        if self.token != self._said:
            self._set("renew", 0)
        else:
            self._renew_later(now)
        self._enter("live", "")

    def answered(self, reply: dict[str, Any], now: int) -> None:
        """The link goes by the new token from now on, or by the old one as long as that counts [T3]."""
        offered, self._offered = self._offered, None
        if "ok" in reply:
            self._said = offered
            self._token_failures = 0
            self.offset = reply["ok"]["time"] - now
            self._renew_later(now)
            return
        if not reply["error"]["retry"]:
            self._refused = offered
            self.token = self._said
        self._token_failures += 1
        self._set("token", longest_wait(self._token_failures + 1))

    def refused(self, error: HubError) -> None:
        """Hello was refused. What the hub means to be final it says by closing [S4]."""
        if error["code"] == "bad_message":
            self._drop()
            self._enter("closed", "bad_message")
        elif error["retry"]:
            self._hellos += 1
            said = error.get("retry_after_ms")
            wait = wait_of(NOW, self._hellos, self._random) if said is None else said
            self._set("opening", wait + OPENING)
            self._set("hello", wait)

    def lost(self, link: int, code: int, reason: str, now: int) -> None:
        """A link has ended, by whomever."""
        if link != self.link:
            return
        advice = advice_of(code, reason)
        why = f"{code} {reason}".strip()
        if self.is_greeted and now - self._greeted_at >= STABLE:
            self._failures = 0
        self.link = 0
        self._drop()
        if advice.rule == "stop":
            self._enter("closed", why)
            return
        if advice.rule == "token":
            self._refused = self._said
            if self.token == self._said:
                self.token = None
        self._advice = advice
        wait = wait_of(advice, self._failures, self._random)
        self._failures += 1
        self._enter("waiting", why, wait)
        self._set("retry", wait)

    def got_token(self, token: str | None) -> None:
        """The app's answer: a token, or None if there is none to be had [T1]."""
        self._is_asking = False
        if self.state == "closed":
            return
        if token is None or token == self._refused or (self.is_greeted and token == self._said):
            if self.link or self.state == "waiting":
                self.token_failed()
            else:
                self._enter("closed", "no token")
            return
        self.token = token
        self._token_failures = 0
        if self.is_greeted:
            self._renew()
        elif self.state == "connecting" and not self.link:
            self._open()

    def token_failed(self) -> None:
        """The app could not get a token: it is asked again [T4]."""
        self._is_asking = False
        # Without a link nothing can go on; with one that is not greeted yet, or between two, there is time enough.
        if self.state in ("closed", "waiting") or (self.link and not self.is_greeted):
            return
        self._token_failures += 1
        wait = wait_of(NOW, self._token_failures + 1, self._random)
        if not self.is_greeted:
            self._enter("waiting", "no token yet", wait)
        self._set("token", wait)

    def fired(self, timer: Timer, now: int) -> None:
        """A timer's time has come."""
        match timer:
            case "retry":
                self._connect(now)
            case "hello":
                self._hello()
            case "renew" | "token":
                if self.is_greeted:
                    self._renew()
                else:
                    self._connect(now)
            case "quiet":
                left = self._heard_at + self._quiet - now
                # More than the whole: the device's clock was put back.
                is_quiet = left <= 0 or left > self._quiet
                self._set("quiet", self._quiet if is_quiet else left)
                if is_quiet:
                    self._ping()
            case "pong" | "opening":
                # Neither an answer to a ping nor to hello: the link is dead, whatever the system says [P2, S3].
                self._actions.append(Close(self.link, 1000))
                self.lost(self.link, 1006, "no answer to a ping" if timer == "pong" else "no answer to hello", now)

    def _connect(self, now: int) -> None:
        self._stop("retry", "token")
        self._enter("connecting", "")
        end = claims_of(self.token or "").end
        if self.token is None or (end is not None and end <= now + self.offset):
            self._ask()
        else:
            self._open()

    def _open(self) -> None:
        self._enter("connecting", "")
        self._last += 1
        self.link = self._last
        self._actions.append(Open(self.link))
        self._set("opening", OPENING)

    def _hello(self) -> None:
        if self.link and self.token is not None:
            self._set("opening", OPENING)
            self._said = self.token
            self._actions.append(Hello(self.token))

    def _renew_later(self, now: int) -> None:
        renewal = renewal_of(self._said or "", now + self.offset)
        if renewal is not None:
            # A random part, as tokens of one moment end at one moment.
            left = max(0, renewal - now - self.offset)
            self._set("renew", min(LONGEST_TIMER, int(left * (1 - self._random() / 10))))

    def _renew(self) -> None:
        """On the living connection [T3]."""
        if self.token is None or self.token == self._said:
            self._ask()
        elif self._offered is None:
            self._offered = self.token
            self._actions.append(Renew(self.token))

    def _ask(self) -> None:
        if not self._is_asking:
            self._is_asking = True
            self._actions.append(AskToken(self._refused))

    def _ping(self) -> None:
        self._is_pinged = True
        self._actions.append(Ping())
        self._set("pong", PONG)

    def _drop(self) -> None:
        """Leaves the link, if there is one."""
        if self.link:
            self._actions.append(Close(self.link, 1000))
        self.link = 0
        self.is_greeted = self._is_pinged = False
        self._offered = None
        self._stop("opening", "hello", "quiet", "pong", "renew", "token")
        self._actions.append(Lost())

    def _enter(self, state: State, reason: str, wait: int = 0) -> None:
        if state != self.state or state == "waiting":
            self.state = state
            self._actions.append(StateChange(state, reason, wait))

    def _set(self, timer: Timer, ms: int) -> None:
        self._actions.append(SetTimer(timer, ms))

    def _stop(self, *timers: Timer) -> None:
        self._actions += [SetTimer(timer) for timer in timers]
