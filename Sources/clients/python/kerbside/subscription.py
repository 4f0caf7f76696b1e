"""Something that tells: handlers by type. And a channel that is followed, which comes back by itself."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import re
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from .options import Message, Refused, as_sent

if TYPE_CHECKING:
    from .messages import HubError

#: Gets what is told. If it answers with an awaitable (it is an `async def`), that is run, and the event counts as
#: applied when it is over.
Handler = Callable[[Any], object]
log = logging.getLogger("kerbside")


class Teller:
    """Handlers by type."""

    def __init__(self, fault: Callable[[BaseException], None]) -> None:
        """`fault` is told what a handler raises."""
        self._fault = fault
        self._handlers: dict[str, list[Handler]] = {}
        self._running: set[asyncio.Future[Any]] = set()

    def add(self, type_: str, handler: Handler) -> Callable[[], None]:
        """Calls the handler with the `data` of all of the type; of `*` with each `Message`. What it returns ends it."""
        self._handlers.setdefault(type_, []).append(handler)

        def remove() -> None:
            self._handlers[type_] = [other for other in self._handlers[type_] if other is not handler]

        return remove

    def hears(self, type_: str) -> bool:
        """Whether anybody wants to know."""
        return bool(self._handlers.get(type_))

    def tell(self, type_: str, data: Any, message: Message | None = None) -> list[asyncio.Future[Any]] | None:
        """What goes on in its handlers; None instead if one has raised an error at once."""
        answers: list[asyncio.Future[Any]] = []
        is_done = True
        calls = [(handler, data) for handler in self._handlers.get(type_, ())]
        if message is not None:
            calls += [(handler, message) for handler in self._handlers.get("*", ())]
        for handler, told in calls:
            try:
                answer = handler(told)
            except Exception as error:
                is_done = False
                self._failed(type_, error)
            else:
                if inspect.isawaitable(answer):
                    answers.append(self._run(type_, asyncio.ensure_future(answer)))
        return answers if is_done else None

    def _run(self, type_: str, answer: asyncio.Future[Any]) -> asyncio.Future[Any]:
        def over(_: object) -> None:
            self._running.discard(answer)
            error = None if answer.cancelled() else answer.exception()
            if error is not None:
                self._failed(type_, error)

        self._running.add(answer)
        answer.add_done_callback(over)
        return answer

    def _failed(self, type_: str, error: BaseException) -> None:
        if type_ == "fault":
            log.error("a handler of faults failed", exc_info=error)
        else:
            self._fault(error)


_RESUMED = re.compile(r"(topic|line|events):.*|catalog|office", re.DOTALL)


def is_resumed(channel: str) -> bool:
    """Whether the channel has a history: it goes on where it was [U2]."""
    return _RESUMED.fullmatch(channel) is not None


#: `live`: the hub has answered on this connection. `pending`: it will be asked. `refused`, `closed`: it is over.
SubscriptionState = Literal["pending", "live", "refused", "closed"]


class Subscription:
    """A channel that is followed until it is closed or the hub refuses it, whatever becomes of links.

    `async for message in subscription` reads it: each event and state as a `Message`, and a `gap`, of type `gap`, when
    what is known of the channel is to be forgotten. What comes while the loop is busy waits for it, all of it, in
    memory. The loop ends when the subscription is closed, and raises `Refused` when the hub refuses it. Two loops get
    everything each. A loop gets what comes after it has begun, so begin it before the next `await`.
    """

    def __init__(
        self,
        channel: str,
        fields: Mapping[str, Any],
        ask: Callable[[Subscription], None],
        leave: Callable[[Subscription], None],
        fault: Callable[[BaseException], None],
    ) -> None:
        self.channel = channel
        self.fields: dict[str, Any] = dict(fields)
        self._state: SubscriptionState = "pending"
        self._error: HubError | None = None
        self._ask, self._leave = ask, leave
        self._teller = Teller(fault)
        #: Who is in a loop holds its reader; nobody else does, but while it waits here: then nobody may hold the loop.
        self._readers: weakref.WeakSet[Messages] = weakref.WeakSet()
        self._waiting: set[Messages] = set()

    @property
    def state(self) -> SubscriptionState:
        """Where it is."""
        return self._state

    def on(self, type_: str, handler: Handler) -> Callable[[], None]:
        """Calls the handler with the `data` of what comes; what is returned ends it.

        `type_`: of an event or a state; `*` for all, each as a `Message`; `subscribed` (the reply), `refused` (the
        error) and `gap` (the channel).
        """
        return self._teller.add(type_, handler)

    def change(self, fields: Mapping[str, Any]) -> None:
        """Other fields from now on: a circle that moves, another filter. Does nothing when it is over."""
        if self._state in ("pending", "live"):
            self.fields |= as_sent(fields)
            self._ask(self)

    def close(self) -> None:
        """Not followed any more; loops that read it end."""
        if self._state != "closed":
            self._leave(self)
        self._state = "closed"
        self._end()

    def __aiter__(self) -> Messages:
        """Reads what comes from now on."""
        reader = Messages(self)
        if self._state in ("refused", "closed"):
            reader.end()
        self._readers.add(reader)
        return reader

    @property
    def refusal(self) -> Refused | None:
        """Why the hub does not let it, if it doesn't."""
        cmd = "watch" if self.channel == "near" else "subscribe"
        return None if self._error is None else Refused(cmd, self._error)

    # What the client does with it

    def pend(self) -> None:
        """The hub is to be asked."""
        self._state = "pending"

    def live(self, reply: Any = None) -> None:
        """The hub follows; `reply`: unless hello did it."""
        self._state = "live"
        if reply is not None:
            self._teller.tell("subscribed", reply)

    def refuse(self, error: HubError) -> None:
        """The hub does not let it."""
        self._state, self._error = "refused", error
        self._teller.tell("refused", error)
        self._end()

    @contextlib.contextmanager
    def holding(self, reader: Messages) -> Iterator[None]:
        """While it waits for a message."""
        self._waiting.add(reader)
        try:
            yield
        finally:
            self._waiting.discard(reader)

    def drop(self, reader: Messages) -> None:
        """Nobody reads there any more."""
        self._readers.discard(reader)

    def tell(self, data: Any, message: Message) -> list[asyncio.Future[Any]] | None:
        """What goes on in handlers and loops; None if a handler has raised an error at once."""
        answers = self._teller.tell(message.type, data, message)
        for reader in list(self._readers):
            applied = reader.add(message)
            if answers is not None:
                answers.append(applied)
        return answers

    def _end(self) -> None:
        for reader in list(self._readers):
            reader.end()


class Messages(AsyncIterator[Message]):
    """What comes of a subscription.

    A message counts as applied when the next is asked for, or nobody holds the reader any more.
    """

    def __init__(self, subscription: Subscription) -> None:
        self._subscription = subscription
        #: Messages, and what is set when they are applied; None at the end.
        self._unread: asyncio.Queue[tuple[Message, asyncio.Future[None]] | None] = asyncio.Queue()
        self._applied: asyncio.Future[None] | None = None

    async def __anext__(self) -> Message:
        """The next. Raises `Refused` if the hub has refused the subscription."""
        self._apply()
        with self._subscription.holding(self):
            one = await self._unread.get()
        if one is None:
            self.end()
            raise self._subscription.refusal or StopAsyncIteration
        message, self._applied = one
        return message

    async def aclose(self) -> None:
        """Reads no more. What has come and was not read is not applied."""
        self._subscription.drop(self)
        self._let_go()
        self.end()

    def __del__(self) -> None:
        """A loop that was left has no other end."""
        self._let_go()

    # What the subscription does with it

    def add(self, message: Message) -> asyncio.Future[None]:
        """The answer is set when the message is applied."""
        applied: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._unread.put_nowait((message, applied))
        return applied

    def end(self) -> None:
        """Nothing comes behind."""
        self._unread.put_nowait(None)

    def _apply(self) -> None:
        applied, self._applied = self._applied, None
        if applied is not None and not applied.done() and not applied.get_loop().is_closed():
            applied.set_result(None)

    def _let_go(self) -> None:
        self._apply()
        while not self._unread.empty():
            left = self._unread.get_nowait()
            if left is not None and not left[1].get_loop().is_closed():
                left[1].cancel()
