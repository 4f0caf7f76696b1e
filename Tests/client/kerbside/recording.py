"""A village that keeps records in either database, and what the tests of them need."""

import os
import signal
import sqlite3

import pytest

from . import bus as buses, tables
from .event_log import whole
from .names import fresh
from .postgres import BIN, Postgres
from .stops import village
from .trip_log import FOLDS
from .watcher import Watcher

#: Nobody is hurried, nor is the disk; a Redis that is killed has written all that was read; each way has its price.
SETTINGS = {
    "dispatch__offer_seen_timeout_ms": 60_000, "dispatch__offer_timeout_ms": 300_000, "redis__fsync": "always",
    "redis__command_timeout_ms": 20_000,
    "fares__flag_fall": 3.5, "fares__per_km": 1.2, "vehicles__fares": ["*: 2km=5.00 10km=12.00"],
}
#: All that have rows of events.
TABLES = (
    "trips", "bookings", "stop_requests", "tours", "passages", "audit", "alarms", "reports", "notices", "drivers", "vehicles",
)


def recording(kind, running, **more):
    """A hub with lines whose records are in SQLite or PostgreSQL, for a module. running: of conftest; more: settings."""
    if kind == "postgres" and BIN is None:
        pytest.skip("no postgresql is installed")
    server = Postgres().start() if kind == "postgres" else None
    try:
        for hub in running(server__workers=2, **SETTINGS, **more, **({"store__url": server.url} if server else {})):
            lines, text = village()
            buses.load(hub, text)
            hub.lines = iter(lines["hourly"])
            yield hub
    finally:
        if server:
            server.remove()


async def recorded(hub):
    """table → its rows, as soon as all that the event log has is in them; what follows from the log alone is held against it."""

    def of(table):
        return tables.rows(hub.settings.get("store.url", ""), hub.data, hub.city, table)

    def is_all():
        found.extend(hub.redis.xrange(hub.key("events")))
        try:
            [cursor] = of("cursors").values() or [{}]
        except (sqlite3.OperationalError, OSError):
            # A recorder that has just begun has no tables yet.
            return found.clear()
        if found and cursor.get("id") == found[-1][0]:
            return True
        return found.clear()

    found = []
    await hub.until("all is recorded", is_all)
    assert of("gaps") == {}, "something is missing"
    known = {table: of(table) for table in TABLES}
    for table, fold in FOLDS.items():
        log = fold((row["type"], int(row["time"]), whole(row)) for _, row in found)
        kept = known[table]
        wrong = [(row, log.get(row), kept.get(row)) for row in {**log, **kept} if log.get(row) != kept.get(row)]
        assert not wrong, f"{table}: (its id, as the log tells of it, as it is recorded): {wrong}"
    return known


def recorder(hub):
    """The pid of its recorder; None while there is none."""
    found = [pid for pid, line in hub.processes().items() if " recorder" in line]
    return found[0] if found else None


async def storm(hub):
    """The recorder and Redis are killed; until both are back."""
    old = recorder(hub), hub.redis_pid()
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    await hub.until("a recorder again", lambda: recorder(hub) not in (None, old[0]))
    await hub.until("Redis again", lambda: hub.redis_pid() not in (None, old[1]))
    hub._redis = None
    await hub.until("ready", hub.is_ready)


async def shaken(hub, *clients):
    """The recorder and the worker of the first of them are killed; until both are back, and so are all who were at that worker."""
    name, old = clients[0].worker, recorder(hub)
    [worker] = [pid for pid, line in hub.processes().items() if f" worker --name {name}" in line]
    os.kill(old, signal.SIGKILL)
    await hub.kill_workers(worker)
    await hub.until("a recorder again", lambda: recorder(hub) not in (None, old))
    await hub.until("ready", hub.is_ready)
    for client in clients:
        if client.worker == name:
            await client.wait_closed()
            await client.back()


def when(client, kind, **data):
    """When the client was told so for the first time, by the hub's clock, ms."""
    times = [m["time"] for m in client.pushed if m["type"] == kind and m["data"] == m["data"] | data]
    assert times, f"{client.subject} was not told of {kind} {data}"
    return times[0]


async def watcher(hub):
    """An operator who reads `office`."""
    office = Watcher(hub, fresh("office-"))
    await office.watch()
    return office


async def acts(office):
    """What the audit has of this operator, by id."""
    entries = (await office.call("office.audit", limit=100))["entries"]
    return {entry["id"]: entry for entry in entries if entry["operator"] == office.subject}
