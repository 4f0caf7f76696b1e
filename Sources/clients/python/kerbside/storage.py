"""Where the client keeps what must survive the end of the app: names and texts."""

from __future__ import annotations

import asyncio
import os
import pathlib
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

T = TypeVar("T")
Kept = list[tuple[str, str]]


class Storage(Protocol):
    """A method may answer at once or by an awaitable. What it raises is told as `fault`."""

    def all(self) -> Kept | Awaitable[Kept]:
        """All names with their texts."""

    def put(self, name: str, text: str) -> Awaitable[None] | None:
        """Keeps a text, in the place of the one before; done when it is safe."""

    def remove(self, name: str) -> Awaitable[None] | None:
        """Keeps it no more; no error if it was not kept."""


class MemoryStorage:
    """Gone with the process."""

    def __init__(self, kept: dict[str, str] | None = None) -> None:
        self._kept = {} if kept is None else kept

    def all(self) -> Kept:
        """All names with their texts."""
        return list(self._kept.items())

    def put(self, name: str, text: str) -> None:
        """Keeps a text."""
        self._kept[name] = text

    def remove(self, name: str) -> None:
        """Keeps it no more."""
        self._kept.pop(name, None)


class FileStorage:
    """A file of SQLite, for one app and one hub; only the user may read it.

    Each change is on the disk before it counts as done. A thread of its own writes, so that the event loop waits for no
    disk.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = pathlib.Path(path)
        self._thread = ThreadPoolExecutor(1, "kerbside-storage")
        self._opened: sqlite3.Connection | None = None

    async def all(self) -> Kept:
        """All names with their texts. Raises `sqlite3.Error` or `OSError` if the file can't be read."""
        return await self._within(lambda file: file.execute("SELECT name, text FROM kept ORDER BY name").fetchall())

    async def put(self, name: str, text: str) -> None:
        """Keeps a text. Raises `sqlite3.Error` if the disk is full, say."""
        await self._within(lambda file: file.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, text)))

    async def remove(self, name: str) -> None:
        """Keeps it no more."""
        await self._within(lambda file: file.execute("DELETE FROM kept WHERE name = ?", (name,)))

    def close(self) -> None:
        """Waits for what was begun, and lets the file go. The next use opens it again."""
        self._thread.submit(self._let_go).result()

    async def _within(self, what: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: what(self._open()))

    def _open(self) -> sqlite3.Connection:
        if self._opened is None:
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            # Without a transaction around it each statement is one by itself.
            file = sqlite3.connect(self._path, isolation_level=None)
            try:
                file.execute("PRAGMA synchronous = FULL")
                file.execute("CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, text TEXT NOT NULL)")
            except sqlite3.Error:
                file.close()
                raise
            self._opened = file
        return self._opened

    def _let_go(self) -> None:
        if self._opened is not None:
            self._opened.close()
        self._opened = None
