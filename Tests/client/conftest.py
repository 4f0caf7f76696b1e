"""Fixtures: hubs, and the loop that a coroutine test runs on."""

import asyncio
import inspect
import time
import zlib

import pytest

from kerbside import bus as buses, patience
from kerbside.browser import Chromium
from kerbside.certificate import make_certificate
from kerbside.client import EVERYONE, Client
from kerbside.driver import Driver
from kerbside.hub import Hub
from kerbside.ledger import check_city
from kerbside.minibus import Minibus
from kerbside.names import fresh
from kerbside.operator import Operator
from kerbside.passenger import Passenger
from kerbside.postgres import BIN, Postgres
from kerbside.push_service import Browser, PushService
from kerbside.stops import serve

#: The two encodings of a connection; the marks of a test that is played in both, and of one that sends what only JSON can say.
ENCODINGS = ("json", "protobuf")
IN_BOTH = pytest.mark.parametrize("encoding", ENCODINGS, indirect=True)
IN_JSON = pytest.mark.parametrize("encoding", ["json"], indirect=True)


def encoding_of(name):
    """That of the test of this name: the same each time, and the other one for half of them."""
    return ENCODINGS[zlib.crc32(name.encode()) % 2]


@pytest.fixture
def encoding(request):
    """What the clients of a test speak.

    A module that says `pytestmark = pytest.mark.usefixtures("encoding")` is played in both encodings and takes no longer for it:
    each test has one of them, by its name, or both if it is marked `IN_BOTH`. test_encodings.py sees to it that both occur.
    """
    Client.spoken = getattr(request, "param", None) or encoding_of(request.node.name)
    yield Client.spoken
    Client.spoken = "json"


async def play(test, arguments):
    """A coroutine to its end, where all that its clients got is held against what was sent, and they go."""
    try:
        async with asyncio.timeout(patience.TEST):
            await test(**arguments)
            for client in EVERYONE:
                if client.breach is not None:
                    raise client.breach
                if client.closed is None and client.start is not None and client.hub.process is not None:
                    await client.settled()
    finally:
        clients = EVERYONE.copy()
        EVERYONE.clear()
        await asyncio.gather(*(client.close() for client in clients), return_exceptions=True)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """A coroutine test runs on a loop of its own; those of pages on that of their browser."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    test = play(pyfuncitem.obj, arguments)
    if pyfuncitem.path.name.startswith("test_page_"):
        Chromium.play(test)
    else:
        asyncio.run(test)
    return True


def pytest_sessionfinish():
    Chromium.end()


def running(check=True, ready=True, make=Hub, **settings):
    """A hub for the fixtures of a module: started, given to the tests, stopped cleanly, its books checked."""
    hub = make(**settings)
    try:
        hub.start(ready)
        yield hub
        if check and hub.process is not None:
            check_city(hub)
        hub.stop()
    finally:
        hub.kill()
        hub.remove()


def community(*lines, **settings):
    """The same, with the lines of a small community, as many as are said."""
    found, text = buses.community(*lines)
    for hub in running(**settings):
        buses.load(hub, text)
        hub.lines = iter(found)
        yield hub


@pytest.fixture(scope="module")
def town():
    """A village whose lines run in different ways."""
    yield from serve()


@pytest.fixture
def line(town):
    """A line that nobody else uses; its bus comes every hour."""
    return next(town.lines["hourly"])


@pytest.fixture(scope="session")
def hub():
    """The hub that all tests share which need no settings of their own: the defaults, but services may be quick, too."""
    yield from running(blocks=160, server__service_commands_per_second=100_000)


@pytest.fixture
def one_hour():
    """All of the test is within one hour of the clock, and so within one day: near the end of an hour it waits for the next.

    For what is counted by hours or days, or runs at full hours.
    """
    left = 3600 - time.time() % 3600
    if left < 90 * patience.PACE:
        time.sleep(left + 1)


@pytest.fixture
def new_hub():
    """Makes hubs that live for one test. Not started; stopped, if still running, at the end."""
    hubs = []

    def make(**settings):
        hubs.append(Hub(**{"blocks": 10} | settings))
        return hubs[-1]

    try:
        yield make
        for hub in hubs:
            hub.stop()
    finally:
        for hub in hubs:
            hub.kill()
            hub.remove()


@pytest.fixture
def tls_hub():
    """A hub that serves `server.pem`, whose pair lies in its directory."""
    hub = Hub(blocks=10)
    try:
        certificate, key = make_certificate(hub.directory, "server")
        hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
        hub.start()
        yield hub
        hub.stop()
    finally:
        hub.kill()
        hub.remove()


@pytest.fixture
def postgres():
    if BIN is None:
        pytest.skip("no postgresql is installed")
    server = Postgres().start()
    try:
        yield server
    finally:
        server.remove()


@pytest.fixture
def city(new_hub):
    """A hub of two workers without lines."""
    return new_hub(blocks=3).start()


class Cast:
    """Makes drivers and passengers with names that nobody else has."""

    def __init__(self, driver=Driver, passenger=Passenger):
        self._driver, self._passenger = driver, passenger

    def driver(self, hub, at=None):
        return self._driver(hub, fresh("T"), at)

    def minibus(self, hub, at, seats=14):
        return Minibus(hub, fresh("M"), at, seats)

    def passenger(self, hub):
        return self._passenger(hub, fresh("p"))

    async def operator(self, hub, role="operator"):
        """One who sees all, and is connected."""
        operator = Operator(hub, fresh(f"{role}-"), role)
        await operator.connect()
        return operator

    async def queue(self, hub, at, count):
        """`count` drivers, available in this order."""
        drivers = [self.driver(hub, at) for _ in range(count)]
        for driver in drivers:
            await driver.go_available()
        return drivers

    async def rider(self, hub):
        """A passenger that is connected."""
        passenger = self.passenger(hub)
        await passenger.connect()
        return passenger

    async def on_a_ride(self, hub):
        """(driver, passenger, ride), the driver on its way, of whom nothing is unseen."""
        here = hub.block()
        [driver] = await self.queue(hub, here.a.stand, 1)
        rider = await self.rider(hub)
        ride = await rider.request(here.a.centre)
        await driver.accept(ride)
        await rider.until("ride.accepted", ride=ride)
        for one in (driver, rider):
            one.skip()
        return driver, rider, ride


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A push service."""
    service = PushService(tmp_path_factory.mktemp("pushes"))
    yield service
    service.close()


@pytest.fixture
def browser(service):
    """One that is to be woken by it."""
    service.answers.clear()
    return Browser(service)


@pytest.fixture
def topic():
    """A shared event channel that nobody else uses."""
    return fresh("topic:t-")


@pytest.fixture
def cast():
    return Cast()
