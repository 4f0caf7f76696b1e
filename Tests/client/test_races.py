"""Two want the same ride to go different ways in the same instant: one wins, the other is told, a thousand times."""

import asyncio
import random

import pytest

from conftest import running
from kerbside import patience

pytestmark = pytest.mark.alone

#: Sanitised builds take several times as long; a race that the other build has lost once in a thousand they need not find.
LANES, TURNS = 50, 20 if patience.SCALE == 1 else 4
ANSWER_MS = int(250 * patience.PACE)


@pytest.fixture(scope="module")
def hub():
    yield from running(
        blocks=80,
        dispatch__offer_timeout_ms=ANSWER_MS,
        dispatch__offer_seen_timeout_ms=60_000,
        dispatch__accept_grace_ms=0,
        dispatch__rounds=1,
        log__level="info",
    )


@pytest.fixture(scope="module")
def patient_hub():
    """No offer runs out here."""
    yield from running(blocks=80, dispatch__offer_timeout_ms=60_000, dispatch__rounds=1, log__level="info")


class Staircase:
    """Seeks the instant at which either may win: earlier after a loss, later after a win; in halved steps once that has turned,
    in longer ones while it does not (a busy machine may be far off)."""

    def __init__(self):
        self.offset, self.step, self._last, self._same = 0.0, 0.016, None, 0

    def next(self, won):
        self._same = self._same + 1 if won == self._last else 0
        if self._last is not None and won != self._last:
            self.step = max(self.step / 2, 0.0005)
        elif self._same >= 3:
            self.step = min(self.step * 2, 0.064)
        self._last = won
        self.offset += self.step if won else -self.step


async def lanes(hub, cast, turn):
    """Runs `turn(driver, passenger, place, aim)` TURNS times in each of LANES zones; the outcomes."""
    blocks = [hub.block() for _ in range((LANES + 2) // 3)]
    places = [zone for block in blocks for zone in (block.a, block.b, block.c)][:LANES]

    async def lane(zone):
        driver, passenger, aim = cast.driver(hub, zone.stand), cast.passenger(hub), Staircase()
        await asyncio.gather(driver.go_available(), passenger.connect())
        outcomes = []
        for _ in range(TURNS):
            won = await turn(driver, passenger, zone, aim)
            aim.next(won)
            outcomes.append(won)
            await asyncio.gather(driver.nothing_more(), passenger.nothing_more())
        return outcomes

    return [outcome for outcomes in await asyncio.gather(*map(lane, places)) for outcome in outcomes]


async def test_accept_against_timeout_has_one_winner_a_thousand_times(hub, cast):
    async def turn(driver, passenger, zone, aim):
        ride = await passenger.request(zone.centre)
        await driver.expect("offer.made", ride=ride)
        left = (await driver.call("offer.seen", ride=ride))["expires_in_ms"]
        await asyncio.sleep(max(0, left / 1000 + aim.offset))
        reply = await driver.ask("offer.accept", ride=ride)
        if "ok" in reply:
            await driver.expect("ride.assigned", **reply["ok"])
            await passenger.expect("ride.accepted", ride=ride, taxi=driver.subject)
            await passenger.call("ride.cancel", ride=ride)
            await passenger.expect("ride.cancelled", ride=ride)
            await driver.expect("ride.cancelled", ride=ride, by="passenger")
            await driver.expect("queue.joined", reason="restored")
            return True
        assert reply["error"]["code"] == "offer_expired", reply
        await driver.expect("offer.withdrawn", ride=ride, reason="expired")
        await passenger.expect("ride.failed", ride=ride, code="no_driver")
        return False

    outcomes = await lanes(hub, cast, turn)
    assert len(outcomes) == LANES * TURNS
    assert 0 < sum(outcomes) < LANES * TURNS, f"{sum(outcomes)} of {LANES * TURNS} accepted: this was no race"


async def test_accept_against_cancel_has_one_order_a_thousand_times(patient_hub, cast):
    async def turn(driver, passenger, zone, aim):
        ride = await passenger.request(zone.centre)
        await driver.expect("offer.made", ride=ride)
        await driver.call("offer.seen", ride=ride)

        async def late(delay, call):
            await asyncio.sleep(max(0, delay))
            return await call

        delay = aim.offset + random.uniform(-0.0005, 0.0005)
        accept, cancel = await asyncio.gather(
            late(delay, driver.ask("offer.accept", ride=ride)), late(-delay, passenger.ask("ride.cancel", ride=ride))
        )
        assert cancel.get("ok") == {"ride": ride, "state": "cancelled"}, f"nobody is aboard, and yet {cancel}"
        if "ok" in accept:
            await driver.expect("ride.assigned", ride=ride)
            await driver.expect("ride.cancelled", ride=ride, by="passenger")
            await driver.expect("queue.joined", reason="restored")
            await passenger.expect("ride.accepted", ride=ride, taxi=driver.subject)
        else:
            assert accept["error"]["code"] == "offer_expired", accept
            await driver.expect("offer.withdrawn", ride=ride, reason="cancelled")
        await passenger.expect("ride.cancelled", ride=ride, by="passenger")
        return "ok" in accept

    outcomes = await lanes(patient_hub, cast, turn)
    assert len(outcomes) == LANES * TURNS
    assert 0 < sum(outcomes) < LANES * TURNS, f"{sum(outcomes)} of {LANES * TURNS} accepted: this was no race"


async def test_decline_against_timeout_ends_the_offer_once(hub, cast):
    async def turn(driver, passenger, zone, aim):
        ride = await passenger.request(zone.centre)
        await driver.expect("offer.made", ride=ride)
        left = (await driver.call("offer.seen", ride=ride))["expires_in_ms"]
        await asyncio.sleep(max(0, left / 1000 + aim.offset))
        reply = await driver.ask("offer.decline", ride=ride)
        if "error" in reply:
            assert reply["error"]["code"] == "offer_expired", reply
            await driver.expect("offer.withdrawn", ride=ride, reason="expired")
        await passenger.expect("ride.failed", ride=ride, code="no_driver")
        return "ok" in reply

    outcomes = await lanes(hub, cast, turn)
    assert 0 < sum(outcomes) < LANES * TURNS, f"{sum(outcomes)} of {LANES * TURNS} declined: this was no race"


async def test_two_passengers_want_the_last_driver(patient_hub, cast):
    """Whoever is first in Redis is first; the driver gets one offer, and both are told where they stand."""
    hub = patient_hub
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    one, two = await cast.rider(hub), await cast.rider(hub)
    for _ in range(20):
        rides = await asyncio.gather(one.request(here.a.centre), two.request(here.a.centre))
        first = await driver.offered(seen=False)
        assert first["ride"] in rides
        await driver.nothing_more()
        await asyncio.gather(one.call("ride.cancel"), two.call("ride.cancel"))
        await one.until("ride.cancelled")
        await two.until("ride.cancelled")
        await driver.until("offer.withdrawn", ride=first["ride"])
        await driver.settled()
        driver.skip()
