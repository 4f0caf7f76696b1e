"""A thousand want fourteen seats at once, and a worker dies in the middle: each seat is sold once, each client has one answer."""

import asyncio
import random

import pytest

from kerbside.minibus import trip

pytestmark = pytest.mark.alone

CLIENTS, SEATS = 1000, 14
ANSWERS = ("seat.confirmed", "seat.declined")


async def promise(minibus, count):
    """The driver takes whoever it is asked for, through cuts, until `count` seats are promised; the bookings."""
    taken, cursor, loop = {}, 0, asyncio.get_running_loop()
    end = loop.time() + 60
    while sum(taken.values()) < count:
        assert loop.time() < end, f"only {taken} after a minute"
        if minibus.closed:
            await minibus.back()
        if cursor == len(minibus.events):
            await asyncio.sleep(0.002)
            continue
        event = minibus.events[cursor]
        cursor += 1
        if event["type"] != "seat.requested":
            continue
        booking = event["data"]["booking"]
        try:
            await minibus.steadily("offer.seen", ride=booking)
        except AssertionError as error:  # promised before a cut, which took the reply
            assert "offer_expired" in str(error)
        await minibus.steadily("seat.accept", booking=booking, key=f"{booking}-a")
        taken[booking] = event["data"]["passengers"]
    return taken


async def want(passenger, minibus, place, passengers=1):
    """Books as an app on a bad line does; True if the driver is asked, False if the seats are gone."""
    fields = trip(place, place.moved(north=-2000), passengers) | {"key": f"{passenger.subject}-b"}
    while True:
        try:
            if passenger.closed:
                await passenger.back()
            reply = await passenger.ask("seat.book", vehicle=minibus.subject, **fields)
        except Exception:  # cut in the middle: the key makes it safe to send again
            if passenger.breach:
                raise
            continue
        if "ok" in reply:
            return True
        if reply["error"]["code"] == "seats_full":
            return False
        # Its driver's worker may be the one that was killed.
        is_away = "can not be reached" in reply["error"]["detail"]
        assert reply["error"]["retry"] or is_away, reply
        await asyncio.sleep(0.02)


async def crowd(hub, cast, count):
    passengers = [cast.passenger(hub) for _ in range(count)]
    for start in range(0, count, 100):
        await asyncio.gather(*(passenger.connect() for passenger in passengers[start : start + 100]))
    return passengers


@pytest.mark.parametrize("size", ["one", "parties"])
async def test_a_thousand_bookings_for_fourteen_seats_and_a_worker_killed(new_hub, cast, size):
    hub = new_hub(server__max_connections_per_address=0, log__level="info").start()
    zone = hub.block().a
    minibus = cast.minibus(hub, zone.stand, SEATS)
    await minibus.go_online()
    passengers = await crowd(hub, cast, CLIENTS)
    wishes = [1 if size == "one" else random.randint(1, 4) for _ in passengers]
    answered = 0

    async def one(passenger, wish):
        nonlocal answered
        is_asked = await want(passenger, minibus, zone.centre, wish)
        answered += 1
        return is_asked

    async def kill():
        while answered < CLIENTS // 3:
            await asyncio.sleep(0.001)
        await hub.kill_workers(random.choice(hub.workers()))

    driver = asyncio.create_task(promise(minibus, SEATS if size == "one" else SEATS - 3))
    asked, _ = await asyncio.gather(asyncio.gather(*map(one, passengers, wishes)), kill())
    if size == "one":
        sold = await driver
    else:  # whoever holds seats is promised them; the last one or two seats may fit nobody who asked
        held = sum(wish for wish, is_asked in zip(wishes, asked, strict=True) if is_asked)
        driver.cancel()
        await asyncio.gather(driver, return_exceptions=True)
        sold = await promise(minibus, held)
    for client in (minibus, *passengers):
        if client.closed:
            await client.back()
        await client.settled()

    seats = sum(sold.values())
    taken, held, booked = minibus.books()
    assert (taken, held, booked) == (seats, 0, seats) and seats <= SEATS
    if size == "one":
        assert seats == SEATS, "exactly the seats that exist"
    confirmed = []
    for passenger, is_asked in zip(passengers, asked, strict=True):
        answers = [event for event in passenger.events if event["type"] in ANSWERS]
        assert len(answers) == (1 if is_asked else 0), (passenger.subject, is_asked, passenger.events)
        confirmed += [event["data"]["booking"] for event in answers if event["type"] == "seat.confirmed"]
    assert sorted(confirmed) == sorted(sold), "each promise has reached its passenger, once"
