"""The first minute of somebody new: a city that lives, and three pages that are signed in. The picture of README.md is taken here.

`KERBSIDE_PICTURES=<directory>` keeps it: `Sources/kerbside/Documentation.docc/Resources` is where it stands.
"""

import asyncio
import os
import pathlib
import signal
import socket
import subprocess
import types

import pytest
from playwright.async_api import expect

from kerbside import patience
from kerbside.browser import DESKTOP, Page
from kerbside.hub import BINARY, environment

#: The control room's map with vehicles that wait and such that drive passengers.
PICTURE = "control-room.png"


@pytest.fixture
def demo(tmp_path):
    """A hub without any configuration, and the city that `kerbside demo` plays in it; the address that it prints."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = ["--data", str(tmp_path / "data"), "--port", str(port)]
    processes = []

    def start(command, *more):
        log = (tmp_path / f"{command}.log").open("w+")
        process = subprocess.Popen([BINARY, command, *arguments, *more], env=environment(), stdout=log, stderr=subprocess.STDOUT)
        processes.append(process)
        return log

    start("serve")
    try:
        yield lambda *more: start("demo", *more), types.SimpleNamespace(port=port)
    finally:
        for process in reversed(processes):
            process.send_signal(signal.SIGTERM)
            process.wait(patience.PROCESS)


def first_line(log):
    return pathlib.Path(log.name).read_text().partition("\n")[0]


async def address(log):
    """What the log begins with."""
    async with asyncio.timeout(patience.PROCESS):
        while not (line := first_line(log)).startswith("http"):
            await asyncio.sleep(0.1)
    return line


async def test_n7_an_address_shows_a_city_that_lives_and_signs_in(demo):
    play, hub = demo
    for _ in range(int(patience.PROCESS * 10)):
        try:
            socket.create_connection(("127.0.0.1", hub.port)).close()
            break
        except OSError:
            await asyncio.sleep(0.1)
    link = await address(play("--requests", "2", "--for", "5m"))
    assert link.startswith(f"http://127.0.0.1:{hub.port}/join/#")
    async with Page(hub, DESKTOP, path=link.partition(str(hub.port))[2]) as one:
        page = one.page
        await one.sees("You are invited to sign in on this device as:")
        await one.is_well()
        await page.get_by_role("button", name="Sign in here").click()
        await one.sees("Signed in on this device:")
        await one.is_well()
        for path in ("/drive/", "/ride/"):
            other = await one.context.new_page()
            await other.goto(f"http://127.0.0.1:{hub.port}{path}")
            await expect(other.locator("main")).not_to_contain_text("invitation")
            await other.close()
        await one.go("/control/")
        await expect(page.locator(".legend")).to_contain_text("with a ride", timeout=patience.PROCESS * 1000)
        # Until there is something to look at.
        rides = "() => Number(/with a ride: (\\d+)/.exec(document.querySelector('.legend')?.textContent)?.[1]) >= 12"
        await page.wait_for_function(rides, timeout=4 * patience.PROCESS * 1000)
        await one.is_well()
        if directory := os.environ.get("KERBSIDE_PICTURES"):
            # Until they are all over the place.
            await asyncio.sleep(40)
            await page.screenshot(path=pathlib.Path(directory) / PICTURE)
