"""The Python library in the process of the tests."""

import asyncio
import importlib.util
import pathlib
import sys

from kerbside import patience

ROOT = pathlib.Path(__file__).parents[2]
LIBRARY = ROOT / "Sources/clients/python"


def _load():
    """By a name of its own: `kerbside` is the client of the hub's tests here."""
    spec = importlib.util.spec_from_file_location("kerbside_library", LIBRARY / "kerbside/__init__.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


library = _load()


async def until(condition):
    async with asyncio.timeout(patience.PROCESS):
        while not condition():
            await asyncio.sleep(0.01)
