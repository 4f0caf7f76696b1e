"""Offers that run out, never arrive, come to two phones, or are answered too late. Times are short here."""

import asyncio

import pytest

from conftest import running
from kerbside import patience
from kerbside.client import Client

pytestmark = pytest.mark.usefixtures("encoding")

ANSWER_MS = int(600 * patience.PACE)
SEEN_MS = int(500 * patience.PACE)
GRACE_MS = int(300 * patience.PACE)


@pytest.fixture(scope="module")
def hub():
    yield from running(
        dispatch__offer_timeout_ms=ANSWER_MS,
        dispatch__offer_seen_timeout_ms=SEEN_MS,
        dispatch__accept_grace_ms=GRACE_MS,
    )


async def test_seen_starts_the_clock_and_tells_the_time_left(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    offer = await driver.offered(ride, seen=False)
    assert offer["expires_in_ms"] == ANSWER_MS
    seen = await driver.call("offer.seen", ride=ride)
    assert seen["ride"] == ride and seen["expires_in_ms"] == ANSWER_MS
    again = await driver.call("offer.seen", ride=ride)
    assert again["expires_at"] == seen["expires_at"], "seeing it again gives no more time"
    assert again["expires_in_ms"] <= ANSWER_MS
    await driver.call("offer.accept", ride=ride)


async def test_timeout_counts_as_a_decline(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride)
    await first.expect("offer.withdrawn", ride=ride, reason="expired")
    await second.offered(ride)
    await first.refused("offer.accept", "offer_expired", ride=ride)
    await second.call("offer.accept", ride=ride)
    await passenger.expect("ride.accepted", ride=ride, taxi=second.subject)
    await first.refused("offer.accept", "offer_taken", ride=ride)
    await first.refused("offer.seen", "offer_taken", ride=ride)
    await first.nothing_more()


async def test_timeout_goes_to_the_bottom(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride)
    await first.expect("offer.withdrawn", reason="expired")
    rank = await first.state("queue.rank", lambda d: d["rank"] == 2)
    assert (rank["zone"], rank["size"]) == (here.a.id, 2)
    await second.state("queue.rank", lambda d: d["rank"] == 1)
    await second.offered(ride)
    await passenger.call("ride.cancel")
    await second.expect("offer.withdrawn", reason="cancelled")
    await passenger.until("ride.cancelled")
    await second.offered(await passenger.request(here.a.centre))


async def test_nobody_answers_and_the_passenger_is_told(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.offered(ride)
    await driver.expect("offer.withdrawn", reason="expired")
    await passenger.expect("ride.searching", ride=ride, round=2, reason="next_round")
    await driver.offered(ride)
    await driver.expect("offer.withdrawn", reason="expired")
    await passenger.expect("ride.failed", ride=ride, code="no_driver")
    await driver.nothing_more()


async def test_a_search_that_takes_too_long_fails(new_hub, cast):
    hub = new_hub(dispatch__search_timeout_ms=1000, dispatch__offer_timeout_ms=1000).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    one, two = await cast.rider(hub), await cast.rider(hub)
    asked, waiting = await one.request(here.a.centre), await two.request(here.a.centre)
    await driver.offered(asked, seen=False)
    await one.expect("ride.failed", ride=asked, code="timeout")
    await two.expect("ride.failed", ride=waiting, code="timeout")
    await driver.expect("offer.withdrawn", ride=asked, reason="cancelled")
    await driver.refused("offer.accept", "offer_expired", ride=asked)
    assert await driver.call("driver.available") == {"state": "available", "zone": here.a.id, "rank": 1, "size": 1}


async def test_undelivered_keeps_the_place(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride, seen=False)
    await first.expect("offer.withdrawn", ride=ride, reason="undelivered")
    await second.accept(ride)
    await passenger.expect("ride.accepted", taxi=second.subject)
    # A sign of life, and it is first in line again; those who came later stand behind.
    [third] = await cast.queue(hub, here.a.stand, 1)
    await first.fix()
    await hub.logged("driver.back", driver=first.subject)
    other = await cast.rider(hub)
    await first.accept(await other.request(here.a.centre))
    await third.nothing_more()


async def test_who_shows_no_offer_is_not_available_after_the_third(new_hub, cast):
    hub = new_hub(dispatch__free_cancels=3, dispatch__offer_seen_timeout_ms=SEEN_MS).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    for n in range(3):
        passenger = await cast.rider(hub)
        ride = await passenger.request(here.a.centre)
        await driver.offered(ride, seen=False)
        if n == 2:
            await driver.expect("queue.left", reason="undelivered", zone=here.a.id)
        await driver.expect("offer.withdrawn", ride=ride, reason="undelivered")
        if n < 2:
            await passenger.call("ride.cancel")
            assert (await driver.call("driver.available"))["rank"] == 1
    await passenger.until("ride.failed", ride=ride, code="zone_empty")
    error = await driver.refused("driver.available", "rate_limited")
    assert error["retry_after_ms"] > 0


async def test_who_fetches_nobody_is_told_why_it_is_not_available_after_the_third(new_hub, cast):
    hub = new_hub(dispatch__free_cancels=3).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    for n in range(3):
        passenger = await cast.rider(hub)
        ride = await passenger.request(here.a.centre)
        await driver.accept_next(ride)
        await driver.call("ride.aboard", ride=ride)
        end = await driver.call("ride.end", ride=ride)
        assert end["state"] == ("available" if n < 2 else "unavailable")
    assert end == {"ride": ride, "state": "unavailable", "reason": "rate_limited"}
    error = await driver.refused("driver.available", "rate_limited")
    assert error["retry_after_ms"] > 0


async def test_undelivered_to_the_only_driver_waits_for_its_sign_of_life(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.offered(ride, seen=False)
    await driver.expect("offer.withdrawn", reason="undelivered")
    await passenger.nothing_more()
    await driver.fix()
    await driver.accept(ride)
    await passenger.until("ride.accepted", ride=ride)


async def test_an_answer_within_the_grace_counts(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.expect("offer.made", ride=ride)
    left = (await driver.call("offer.seen", ride=ride))["expires_in_ms"]
    # The one thing that only passing time can show: the deadline is over, the grace is not.
    await asyncio.sleep((left + GRACE_MS / 4) / 1000)
    await driver.call("offer.accept", ride=ride)
    await driver.expect("ride.assigned", ride=ride)
    await passenger.expect("ride.accepted", ride=ride)


async def test_the_offer_outlives_a_cut(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    offer = await driver.offered(ride)
    await driver.cut()
    await driver.resume()
    assert (await driver.call("offer.seen", ride=ride))["expires_at"] <= offer["expires_at"] + ANSWER_MS
    await driver.call("offer.accept", ride=ride)
    await driver.expect("ride.assigned", ride=ride)
    await passenger.expect("ride.accepted", ride=ride)


async def test_an_offer_made_while_the_link_was_dead_is_there_on_resuming(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await driver.cut()
    reply = await passenger.ask("ride.request", **here.a.centre.fields, passengers=1)
    await driver.resume()
    if "error" in reply:  # the hub knew already that nobody was there
        assert reply["error"]["code"] == "zone_empty"
        await passenger.request(here.a.centre)
    await driver.accept()
    await passenger.until("ride.accepted", taxi=driver.subject)


async def test_two_phones_of_one_driver(hub, cast):
    here = hub.block()
    phone = cast.driver(hub, here.a.stand)
    await phone.go_available()
    tablet = phone.twin()
    await tablet.connect()
    again = await tablet.call("driver.available")
    assert (again["rank"], again["size"]) == (1, 1), "one driver has one place"
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await phone.offered(ride)
    await tablet.offered(ride)
    one, two = await asyncio.gather(
        phone.call("offer.accept", ride=ride, key="phone-1"), tablet.call("offer.accept", ride=ride, key="tablet-1")
    )
    assert one == two, "the same answer to both"
    await phone.expect("ride.assigned", **one)
    await tablet.expect("ride.assigned", **two)
    await passenger.expect("ride.accepted", ride=ride)
    await passenger.nothing_more()
    await phone.nothing_more()
    await tablet.nothing_more()
    await tablet.call("ride.aboard", ride=ride)
    assert await phone.call("ride.aboard", ride=ride) == {"ride": ride}
    await passenger.expect("ride.aboard", ride=ride)
    await passenger.nothing_more()


async def test_the_tablet_stays_when_the_phone_is_lost(hub, cast):
    here = hub.block()
    phone = cast.driver(hub, here.a.stand)
    await phone.go_available()
    tablet = phone.twin()
    await tablet.connect()
    await phone.cut()
    await tablet.barrier()
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await tablet.accept(ride)
    await passenger.expect("ride.accepted", taxi=phone.subject)


async def test_the_phone_stays_when_the_tablet_is_lost(hub, cast):
    here = hub.block()
    phone = cast.driver(hub, here.a.stand)
    await phone.go_available()
    tablet = phone.twin()
    await tablet.connect()
    await tablet.cut()
    await phone.fix()  # a sign of life, as apps give it all the time
    await phone.known()
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await phone.accept(ride)
    await passenger.expect("ride.accepted", taxi=phone.subject)


async def test_an_offer_of_another_is_not_found(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride)
    for command in ("offer.seen", "offer.accept", "offer.decline"):
        await second.refused(command, "not_found", ride=ride)
    await first.call("offer.accept", ride=ride)
    for command in ("ride.aboard", "ride.end", "ride.noshow", "ride.cancel"):
        await second.refused(command, "not_found", ride=ride)


async def test_leaving_the_queue_hands_the_offer_on(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride)
    await first.call("driver.unavailable")
    await first.expect("queue.left", zone=here.a.id, reason="unavailable")
    await first.expect("offer.withdrawn", ride=ride, reason="cancelled")
    await second.accept(ride)
    await passenger.expect("ride.accepted", taxi=second.subject)


async def test_a_dead_link_with_an_open_offer_is_known_in_time(new_hub, cast):
    """The app's phone has vanished: no pong. The hub gives the connection up before anyone else would notice."""
    hub = new_hub(
        dispatch__offer_seen_timeout_ms=60_000,
        server__offer_ping_ms=int(150 * patience.PACE),
        server__offer_dead_after_ms=int(400 * patience.PACE),
    ).start()
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await first.offered(ride, seen=False)
    first.ws.transport.pause_reading()
    await hub.logged("driver.away", driver=first.subject, reason="connection_lost")
    assert isinstance(second, Client) and not second.unseen


async def test_a_link_that_answers_pings_lives_through_an_offer(new_hub, cast):
    hub = new_hub(
        dispatch__offer_timeout_ms=int(3000 * patience.PACE),
        dispatch__rounds=1,
        server__offer_ping_ms=300,
        server__offer_dead_after_ms=int(1500 * patience.PACE),
    ).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.offered(ride)
    await driver.expect("offer.withdrawn", ride=ride, reason="expired")
    assert driver.closed is None
    assert "driver.away" not in {row["type"] for _, row in hub.redis.xrange(hub.key("events"))}
