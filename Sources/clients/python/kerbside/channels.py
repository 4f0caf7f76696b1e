"""The channels that are read: the own one and those that are followed.

Where each stands, what comes of it and to whom it is told, and how it comes back after a lost link. Rules in brackets
are those of ../../behaviour.md.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .decisions import RECENT, RESUMED
from .feeds import Vehicles, is_feed
from .options import Message
from .outbox import LEFT, Ending
from .subscription import Subscription, Teller, is_resumed, log

if TYPE_CHECKING:
    from .connection import Connection
    from .device import Device
    from .messages import HelloReply
    from .sender import Sender

#: Its own channel carries them, and they are answered by the app itself [A1].
OFFERS = ("offer.made", "seat.requested")


class Channels:
    """`teller`: of the own channel, and of what the client itself has to say. `time`: of the hub."""

    def __init__(
        self,
        connection: Connection,
        sender: Sender,
        device: Device,
        teller: Teller,
        time: Callable[[], int],
        fault: Callable[[BaseException], None],
    ) -> None:
        self.vehicles = Vehicles()
        #: `role:subject`, once it is known: the own channel, unless the role has none.
        self.own = ""
        self._connection, self._sender, self._device, self._teller = connection, sender, device, teller
        self._time, self._fault = time, fault
        self._followed: dict[str, Subscription] = {}
        #: channel → the last `seq` that was applied.
        self._places: dict[str, str] = {}
        #: channel → those of late, in order.
        self._recent: dict[str, dict[str, None]] = {}

    def restore(self, places: Mapping[str, str]) -> None:
        """Those of before the app's start."""
        self._places = {**places, **self._places}

    def resume(self) -> dict[str, str]:
        """What hello resumes, the own channel first [R1, R3]."""
        channels = [one for one in (self.own, *filter(is_resumed, self._followed)) if one in self._places]
        return {channel: self._places[channel] for channel in channels[:RESUMED]}

    def forget(self) -> bool:
        """The hub does not understand a place: begin anew [R6]. Whether there was one."""
        channels = list(self._places)
        self._places.clear()
        for channel in channels:
            self._device.leave(channel)
            self._gap(channel)
        return bool(channels)

    def lost(self) -> None:
        """The link is gone."""
        for one in self._followed.values():
            one.pend()

    def greeted(self, reply: HelloReply) -> None:
        """Hello was answered."""
        for channel, seq in reply["seq"].items():
            self._place(channel, seq)
        # A taxi that came unasked is gone with its ride [F3].
        for channel in self.vehicles.channels:
            if channel not in self._followed and channel not in reply["channels"]:
                self._changed(self.vehicles.leave(channel))
        for one in list(self._followed.values()):
            # What hello has resumed goes on; the others are asked for [U2, U3].
            if is_resumed(one.channel) and one.channel in reply["channels"]:
                one.live()
            else:
                self._ask(one)

    def follow(self, channel: str, fields: Mapping[str, Any]) -> Subscription:
        """The channel's one subscription, with these fields [U4]."""
        known = self._followed.get(channel)
        if known is not None:
            known.change(fields)
            return known
        one = Subscription(channel, fields, self._ask, self._leave, self._fault)
        self._followed[channel] = one
        self._ask(one)
        return one

    def push(self, message: dict[str, Any]) -> None:
        """What came unasked."""
        channel, type_, seq, data = message["ch"], message["type"], message.get("seq"), message.get("data")
        # A passenger's own taxi comes unasked.
        if is_feed(channel) and (channel in self._followed or channel.startswith("vehicle:")):
            self._changed(self.vehicles.apply(message))
        if type_ == "gap":
            self._gap(channel)
            return
        is_own = channel == self.own
        if not is_own and channel not in self._followed:
            return
        told = Message(channel, type_, data, seq, message.get("time", self._time()))
        if seq is not None and not self._is_new(channel, seq):
            return
        answers = self._teller.tell(type_, data, told) if is_own else self._followed[channel].tell(data, told)
        if seq is None:
            return
        if is_own and answers is not None and type_ in OFFERS and self._teller.hears(type_):
            self._shown(data, answers)
        self._place(channel, seq, answers or ())

    def _is_new(self, channel: str, seq: str) -> bool:
        """Each is applied once [R2]."""
        recent = self._recent.setdefault(channel, {})
        if seq in recent:
            return False
        recent[seq] = None
        if len(recent) > RECENT:
            del recent[next(iter(recent))]
        return True

    def _shown(self, offer: Any, answers: Sequence[asyncio.Future[Any]]) -> None:
        """On the screen: its clock starts. Not if it is over long ago."""
        ride = offer.get("ride", offer.get("booking"))
        if ride is None or offer.get("expires_at", math.inf) <= self._time():
            return

        def say() -> None:
            if not any(answer.done() and not answer.cancelled() and answer.exception() for answer in answers):
                self._sender.seen(ride)

        # A coroutine has not begun yet; then it has, and may have failed.
        if answers:
            asyncio.get_running_loop().call_soon(say)
        else:
            say()

    def _place(self, channel: str, seq: str, answers: Sequence[asyncio.Future[Any]] = ()) -> None:
        """Applied up to here."""
        self._places[channel] = seq
        self._device.place(channel, seq, answers)

    def _gap(self, channel: str) -> None:
        self._recent.pop(channel, None)
        one = self._followed.get(channel)
        if channel != self.own and one is None:
            return
        if not self._teller.hears("gap"):
            log.warning("what happened on %s is not known; it begins anew", channel)
        self._teller.tell("gap", channel)
        if one is not None:
            one.tell(channel, Message(channel, "gap", None, None, self._time()))

    def _changed(self, changed: Iterable[str]) -> None:
        ids = list(changed)
        if ids:
            self._teller.tell("vehicles", ids)

    def _ask(self, one: Subscription) -> None:
        one.pend()
        if not self._connection.is_greeted:
            return
        place = self._places.get(one.channel) if is_resumed(one.channel) else None
        fields = one.fields if place is None else {**one.fields, "since": place}
        cmd = "watch" if one.channel == "near" else "subscribe"
        self._sender.ask(cmd, dict(fields), lambda ending: self._answered(one, ending, place))

    def _answered(self, one: Subscription, ending: Ending, since: str | None) -> None:
        """`since`: where it stood when it was asked."""
        if self._followed.get(one.channel) is not one or ending is LEFT:
            return
        if ending.error is not None:
            self._drop(one.channel)
            one.refuse(ending.error)
            return
        # Unless something has come already, which is later.
        seq = ending.ok.get("seq")
        if seq is not None and self._places.get(one.channel) == since:
            self._place(one.channel, seq)
        one.live(ending.ok)

    def _leave(self, one: Subscription) -> None:
        channel = one.channel
        if self._followed.get(channel) is not one:
            return
        self._drop(channel)
        if not self._connection.is_greeted:
            return

        def left(_: Ending) -> None:
            # What was under way meanwhile is gone, too.
            if channel not in self._followed:
                self._changed(self.vehicles.leave(channel))

        if channel == "near":
            self._sender.ask("unwatch", {}, left)
        else:
            self._sender.ask("unsubscribe", {"channel": channel}, left)

    def _drop(self, channel: str) -> None:
        del self._followed[channel]
        self._places.pop(channel, None)
        self._recent.pop(channel, None)
        self._device.leave(channel)
        self._changed(self.vehicles.leave(channel))
