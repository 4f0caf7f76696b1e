"""The tables that a hub's recorder has written, read as they are: from the file of SQLite, or by psql."""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess

from . import patience

#: What names a row of a table; the rows of others have an id.
KEYS = {
    "passages": ("tour", "place"), "gaps": ("found_real",), "taxi_figures": ("zone", "hour"), "seat_figures": ("route", "hour"),
    "stop_figures": ("line", "hour"), "line_figures": ("line", "stop", "hour"),
}
#: All of a city, in no order.
_OF_CITY = "SELECT * FROM {} WHERE city = {}"


def rows(url, data, city, table):
    """key → row: the columns that have a value, without the city and the row's place in the event log.

    url: what `store.url` says; data: the data directory, whose file it is when that is empty.
    """
    if url.startswith(("postgresql://", "postgres://")):
        found = _of_postgres(url, city, table)
    else:
        found = _of_sqlite(url.removeprefix("sqlite://") or pathlib.Path(data) / "records.sqlite", city, table)
    names = KEYS.get(table, ("id",))
    keyed = {}
    for row in found:
        key = tuple(row[name] for name in names)
        if row.get("fare_parts"):
            row["fare_parts"] = json.loads(row["fare_parts"])
        keyed[key if len(key) > 1 else key[0]] = {
            column: value for column, value in row.items() if value is not None and column not in ("city", "event")}
    assert len(keyed) == len(found), f"rows of {table} have the same key"
    return keyed


def _of_sqlite(path, city, table):
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(_OF_CITY.format(table, "?"), (city,))]


def _of_postgres(url, city, table):
    command = ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "-v", "ON_ERROR_STOP=1", "-v", f"city={city}", url]
    query = "SELECT row_to_json(one) FROM (" + _OF_CITY.format(table, ":'city'") + ") AS one;"
    environment = os.environ | {"PGCLIENTENCODING": "UTF8", "PGCONNECT_TIMEOUT": "5"}
    result = subprocess.run(
        command, check=False, capture_output=True, encoding="utf-8", input=query, env=environment, timeout=patience.PROCESS)
    if result.returncode:
        raise OSError(f"psql: {result.stderr.strip()}")
    return [json.loads(line) for line in result.stdout.splitlines()]
