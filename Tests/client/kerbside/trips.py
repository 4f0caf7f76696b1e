"""The trips that a hub has recorded, and those of its event log."""

import json
import re

from .event_log import whole
from .hub import run
from .trip_log import trips_of


def of_log(hub):
    """ride → its row, from the event log in the hub's Redis."""
    rows = [row for _, row in hub.redis.xrange(hub.key("events"))]
    return trips_of((row["type"], int(row["time"]), whole(row)) for row in rows)


def of_store(hub, *arguments):
    """ride → its row, as the hub has recorded it."""
    result = run("trips", "--config", hub.config, "--json", "--number", 1_000_000, *arguments)
    assert result.returncode == 0, result.stderr
    return {trip["id"]: trip for trip in map(json.loads, result.stdout.splitlines())}


def figure(hub, name):
    """What the recorder says of itself; None while it says nothing."""
    found = re.search(rf"^kerbside_records_{name}{{[^}}]*}} (\S+)$", hub.http("/metrics").text, re.MULTILINE)
    return float(found[1]) if found else None


async def recorded(hub):
    """Waits until all that the log tells of is recorded; answers it, as it is the same."""

    def is_all():
        return figure(hub, "active") == 1 and figure(hub, "lag_events") == 0 and of_store(hub) == of_log(hub)

    await hub.until("recorded", is_all)
    return of_store(hub)
