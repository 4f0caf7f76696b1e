"""Client of a Kerbside hub, for asyncio: push for taxis, minibuses and buses.

`Kerbside` keeps one connection and comes back by itself. The types of all messages are in `kerbside.messages`.
"""

from .actions import State, StateChange
from .client import Kerbside
from .feeds import Vehicle, Vehicles
from .options import Clock, Message, Outcome, Refused, SystemClock, TokenSource
from .storage import FileStorage, MemoryStorage, Storage
from .stream import either, event_stream
from .subscription import Subscription, SubscriptionState
from .transport import SUBPROTOCOL, Link, Told, Transport, web_socket

__all__ = [
    "SUBPROTOCOL",
    "Clock",
    "FileStorage",
    "Kerbside",
    "Link",
    "MemoryStorage",
    "Message",
    "Outcome",
    "Refused",
    "State",
    "StateChange",
    "Storage",
    "Subscription",
    "SubscriptionState",
    "SystemClock",
    "TokenSource",
    "Told",
    "Transport",
    "Vehicle",
    "Vehicles",
    "either",
    "event_stream",
    "web_socket",
]
