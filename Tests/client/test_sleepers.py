"""Phones that sleep: their connection is there, or was, and what it was told was not seen (Web Push)."""

import time

import pytest

from conftest import running
from kerbside import patience
from kerbside.waking import asking, pushed


@pytest.fixture(scope="module")
def hub(service):
    yield from running(blocks=10, **service.settings)


def awake(hub):
    """Who would be missed if its worker died."""
    return {channel for key in hub.redis.keys(hub.key("awake:*")) for channel in hub.redis.smembers(key)}


async def test_a_phone_that_fell_asleep_is_pushed_what_it_may_not_have_seen(hub, cast, browser):
    passenger, driver, ride, _ = await asking(hub, cast, browser)
    await driver.accept(ride)
    told = await passenger.event()
    assert not browser.got
    await passenger.cut()
    assert await pushed(browser) == [told]


async def test_a_phone_that_slept_as_its_worker_died_is_pushed_what_it_may_not_have_seen(hub, cast, browser):
    passenger, driver, ride, _ = await asking(hub, cast, browser)
    await driver.accept(ride)
    told = await passenger.event()
    assert passenger.channel in awake(hub)
    await hub.kill_workers(*hub.workers())
    assert await pushed(browser) == [told]
    assert passenger.channel not in awake(hub)


async def test_who_is_back_before_the_worker_is_missed_gets_no_push(hub, cast, browser):
    passenger, driver, ride, _ = await asking(hub, cast, browser)
    await driver.accept(ride)
    await passenger.event()
    workers = {worker for worker, _ in hub.redis.zrange(hub.key("workers"), 0, -1, withscores=True)}
    await hub.kill_workers(*hub.workers())
    await passenger.back()
    await hub.until("they are missed", lambda: not workers & set(hub.redis.zrange(hub.key("workers"), 0, -1)), patience.PROCESS)
    assert hub.redis.xlen(hub.key("wakings")) == 0 and not browser.got
    await passenger.close()
    await hub.until("it has left", lambda: passenger.channel not in awake(hub))


async def test_a_phone_whose_token_ended_as_it_slept_is_pushed_what_it_may_not_have_seen(hub, cast, browser):
    passenger = cast.passenger(hub)
    passenger.token = hub.token("passenger", passenger.subject, exp=int(time.time() + 4 * patience.PACE))
    passenger, driver, ride, _ = await asking(hub, cast, browser, passenger)
    await driver.accept(ride)
    told = await passenger.event()
    assert (await passenger.wait_closed())[0] == 4410
    assert await pushed(browser) == [told]


async def test_a_phone_that_slept_as_the_hub_restarted_is_pushed_what_it_may_not_have_seen(new_hub, service, cast, browser):
    hub = new_hub(**service.settings).start()
    passenger, driver, ride, _ = await asking(hub, cast, browser)
    await driver.accept(ride)
    told = await passenger.event()
    hub.stop()
    assert (await passenger.wait_closed())[0] == 1012
    hub.start()
    assert await pushed(browser) == [told]
