"""The page of passengers, in a browser: taxis for a time ahead (V1 to V3) and seats in minibuses (M3 to M7, M17)."""

import datetime

import pytest
from playwright.async_api import expect

from conftest import running
from kerbside.browser import DESKTOP, PHONE, SMALL
from kerbside.ride_page import TARIFF, RidePage
from test_reservations import MINUTE, come, now


@pytest.fixture(scope="module")
def hub():
    yield from running(
        dispatch__away_grace_ms=300, dispatch__driver_lost_ms=900, vehicles__fares=["*: 2km=5.00 10km=12.00 100km=170"], **TARIFF)


def device_clock(**ahead):
    """What the browser's clock, which is this machine's, shows so long from now."""
    return (datetime.datetime.now(datetime.UTC) + datetime.timedelta(**ahead)).astimezone()


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (SMALL, "dark"), (DESKTOP, "light")], ids=["phone", "small", "desktop"])
async def test_v1_reserved_listed_and_taken_back(hub, size, scheme):
    here = hub.block()
    async with RidePage(hub, size, scheme, place=here.a.centre) as one:
        page = one.page
        await one.choose("Later")
        await one.from_here()
        await one.to(here.b.centre)
        await one.sees("About €")
        await one.is_well()
        # Too soon, which the hub says, and the page how to go on.
        soon = device_clock(minutes=30)
        await page.get_by_label("Day").fill(f"{soon:%Y-%m-%d}")
        await page.get_by_label("Time").fill(f"{soon:%H:%M}")
        await one.press("Reserve a taxi")
        await one.sees("too soon for a reservation")
        await one.is_well()
        late = device_clock(hours=3)
        await page.get_by_label("Day").fill(f"{late:%Y-%m-%d}")
        await page.get_by_label("Time").fill(f"{late:%H:%M}")
        await one.press("Reserve a taxi")
        await one.titled("Reserved")
        await expect(page.locator("#reservations li")).to_have_count(1)
        await one.sees("A taxi is looked for from")
        await expect(page.locator("#nav")).to_contain_text("Reserved 1")
        await one.is_well()
        # Whoever loads it anew sees it again.
        await page.reload()
        await expect(page.locator("#reservations li")).to_have_count(1)
        await one.press("Take back")
        await expect(page.get_by_role("dialog")).to_contain_text("That is possible until")
        await one.press("Take it back")
        await one.sees("Nothing is reserved.")
        await one.is_well()


async def test_v2_a_taxi_comes_for_what_was_reserved(new_hub, cast):
    hub = new_hub(blocks=1, **TARIFF).start()
    here = hub.block()
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        page = one.page
        await one.choose("Later")
        await one.from_here()
        await one.to(here.b.centre)
        await one.press("Reserve a taxi")
        await expect(page.locator("#reservations li")).to_have_count(1)
        # On another device: nothing of what was asked for is kept there.
        await page.evaluate(f"localStorage.removeItem('kerbside.ride.{one.subject}.asked')")
        driver = cast.driver(hub, here.a.stand)
        await come(hub, now(hub) + 125 * MINUTE)
        driver.clock = now(hub) - 60_000
        await driver.go_available()
        taken = await driver.accept()
        assert taken["pickup"] == here.a.centre.fields
        await one.sees("A taxi comes.")
        await one.goes("Your taxi is coming")
        await one.titled("Your taxi is coming")
        # Where from and to is known of the reservation.
        await one.sees(f"{here.b.centre.lat:.5f}, {here.b.centre.lon:.5f}")
        await one.is_well()


async def going(hub, cast, here, metres=300):
    """A minibus that comes from the north by the middle of the zone and goes on to the south."""
    place = here.a.centre.moved(north=metres)
    minibus = cast.minibus(hub, place, 4)
    await minibus.go_online()
    await minibus.call("route.set", start=place.moved(north=100).fields, end=place.moved(north=-3000).fields)
    return minibus


@pytest.mark.parametrize(("size", "scheme"), [(SMALL, "light"), (DESKTOP, "dark")], ids=["small", "desktop"])
async def test_m4_a_seat_in_a_minibus_that_was_chosen(hub, cast, size, scheme):
    here = hub.block()
    minibus = await going(hub, cast, here, 800)
    async with RidePage(hub, size, scheme, place=here.a.centre) as one:
        page = one.page
        await one.choose("Minibus")
        await one.from_here()
        await one.to(here.a.centre.moved(north=-900))
        row = page.locator("#minibuses li")
        await expect(row).to_contain_text("4 seats free")
        await expect(row).to_contain_text("800 m away")
        # What it costs, before it is asked for (M18).
        await expect(row).to_contain_text("€5.00")
        # Where it goes: the end of the way that it has announced.
        await expect(row).to_contain_text(f"To {here.a.centre.moved(north=-2200).lat:.3f}")
        await one.is_well()
        # It is seen at once when the driver says so (M5).
        await minibus.call("seats.set", taken=1)
        await expect(row).to_contain_text("3 seats free")
        await row.get_by_role("button", name="Ask for seats").click()
        await one.titled("Asking for seats")
        await one.is_well()
        booking = (await minibus.until("seat.requested"))["booking"]
        await minibus.call("offer.seen", ride=booking)
        await minibus.call("seat.accept", booking=booking)
        await one.titled("Your minibus is coming")
        await one.sees("€5.00")
        await one.is_well()
        await minibus.drive(here.a.centre, step=100)
        await one.titled("Your minibus is here")
        await minibus.call("seat.aboard", booking=booking)
        await one.titled("Have a good trip")
        hub.redis.hincrby(hub.key(f"booking:{booking}"), "requested_at", -600_000)
        await minibus.drive(here.a.centre.moved(north=-700), step=200)
        await minibus.known()
        await minibus.call("seat.end", booking=booking)
        await one.titled("You have arrived")
        await one.sees("€5.00")
        await page.get_by_role("group", name="How was the route?").get_by_label("2 stars").check(force=True)
        await page.get_by_role("group", name="How was the ride?").get_by_label("5 stars").check(force=True)
        await one.press("Send the rating")
        await one.sees("Thank you: 5 stars.")
        await one.is_well()
        rated = await hub.logged("trip.rated", booking=booking)
        assert (rated["stars"], rated["route_stars"]) == (5, 2)


async def test_m17_any_minibus_is_asked_and_the_next_one_takes_it(hub, cast):
    here = hub.block()
    near, far = await going(hub, cast, here), await going(hub, cast, here, 700)
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        await one.choose("Minibus")
        await one.from_here()
        await one.to(here.a.centre.moved(north=-900))
        await one.press("Ask any minibus for seats")
        await one.titled("Asking for seats")
        await one.sees("are asked one after the other, until")
        booking = (await near.until("seat.requested"))["booking"]
        await near.call("offer.seen", ride=booking)
        await near.call("seat.decline", booking=booking)
        await one.sees("The next is asked, until")
        await far.until("seat.requested")
        await far.call("offer.seen", ride=booking)
        await far.call("seat.accept", booking=booking)
        await one.titled("Your minibus is coming")
        await one.press("Take back")
        await one.press("Take it back")
        await one.titled("Where to?")
        await far.until("seat.cancelled")


async def test_m7_of_a_minibus_whose_driver_is_lost_the_seats_can_be_taken_back(hub, cast):
    here = hub.block()
    minibus = await going(hub, cast, here, 800)
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        await one.choose("Minibus")
        await one.from_here()
        await one.to(here.a.centre.moved(north=-900))
        await one.press("Ask any minibus for seats")
        await minibus.take()
        await one.titled("Your minibus is coming")
        await minibus.cut()
        await one.titled("The driver can’t be reached")
        await one.sees("or take the booking back")
        await expect(one.page.get_by_role("button", name="Look for another taxi")).to_have_count(0)
        await one.is_well()
        await one.press("Take back")
        await one.press("Take it back")
        await one.titled("Where to?")
