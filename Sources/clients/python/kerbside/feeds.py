"""Feeds of vehicles, each by the rules of the contract, merged into one map. Pure.

Rules in brackets are those of ../../behaviour.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A vehicle as it was last seen.

    `lat`, `lon`: WGS 84. `heading`: degrees from north. `seats`: free ones. `at`: when the fix was taken, Unix ms by
    the hub's clock. What is not known is None.
    """

    id: str
    lat: float
    lon: float
    heading: float | None
    state: Literal["available", "busy", "unavailable"]
    seats: int | None
    at: int
    freshness: Literal["live", "stale"]
    kind: Literal["taxi", "minibus", "bus"]
    route: str | None


def whole(row: list[Any]) -> Vehicle:
    """Of a row with all its fields; those that are left out at its end are as always."""
    id_, lat, lon, heading, state, seats, at, freshness, kind, route = [*row, None, None, None][:10]
    return Vehicle(id_, lat, lon, heading, state, seats, at, freshness or "live", kind or "taxi", route)


_FEED = re.compile(r"near|city|(zone|vehicle):.*", re.DOTALL)


def is_feed(channel: str) -> bool:
    """Whether vehicles come on the channel."""
    return _FEED.fullmatch(channel) is not None


class Vehicles(Mapping[str, Vehicle]):
    """All vehicles that any feed shows, by id: read it as a dict."""

    def __init__(self) -> None:
        self._merged: dict[str, Vehicle] = {}
        #: channel → id → vehicle.
        self._feeds: dict[str, dict[str, Vehicle]] = {}

    def __getitem__(self, id_: str) -> Vehicle:
        return self._merged[id_]

    def __iter__(self) -> Iterator[str]:
        return iter(self._merged)

    def __len__(self) -> int:
        return len(self._merged)

    def __repr__(self) -> str:
        return f"Vehicles({self._merged!r})"

    @property
    def channels(self) -> list[str]:
        """Those that show something."""
        return list(self._feeds)

    def apply(self, message: dict[str, Any]) -> list[str]:
        """Applies a `snapshot` or `positions`. The ids that have changed or gone."""
        known = self._feeds.get(message["ch"])
        if message["type"] == "snapshot":
            feed: dict[str, Vehicle] = {}
            changed = dict.fromkeys(known or ())
        elif known is None or message["type"] != "positions":
            # Nothing can be made of changes to what is not known [F2].
            return []
        else:
            feed, changed = known, {}
        self._feeds[message["ch"]] = feed
        for id_ in message.get("gone", ()):
            feed.pop(id_, None)
            changed[id_] = None
        for row in message["data"]:
            id_ = row[0]
            if len(row) > 5:
                feed[id_] = whole(row)
            elif id_ in feed:
                at = message["time"] - row[4]
                feed[id_] = replace(feed[id_], lat=row[1], lon=row[2], heading=row[3], at=at)
            else:
                continue
            changed[id_] = None
        return self._merge(changed)

    def leave(self, channel: str) -> list[str]:
        """A feed is not followed any more. The ids that have changed or gone."""
        return self._merge(self._feeds.pop(channel, ()))

    def _merge(self, ids: Iterable[str]) -> list[str]:
        """Of several feeds the newest row counts [F4]."""
        merged = list(ids)
        for id_ in merged:
            seen = [feed[id_] for feed in self._feeds.values() if id_ in feed]
            if seen:
                # Of equal ones the last.
                self._merged[id_] = max(reversed(seen), key=lambda vehicle: vehicle.at)
            else:
                self._merged.pop(id_, None)
        return merged
