"""The page of drivers in a minibus: seats counted with one thumb, and bookings in the order of their stops."""

import pytest
from playwright.async_api import expect

from kerbside.browser import DESKTOP, PHONE, SMALL, Page
from kerbside.minibus import book
from kerbside.names import fresh
from kerbside.ride_page import with_stops
from test_page_drive import driving, on_duty


def minibus(hub, place, size=PHONE, **options):
    subject = fresh("M")
    token = hub.token("driver", subject, kind="minibus", seats=14)
    one = Page(hub, size, path="/drive/", token=token, place=place, **options)
    one.subject = subject
    return one


async def free(one, count):
    await expect(one.page.locator("#seats .number")).to_have_text(f"{count}free of 14")


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (SMALL, "dark"), (DESKTOP, "light")], ids=["phone", "small", "desktop"])
async def test_m4_m5_seats_and_bookings(new_hub, cast, size, scheme):
    hub = new_hub(vehicles__fares=["*: 5km=12.00"]).start()
    zone = hub.block().a
    async with minibus(hub, zone.stand, size, scheme=scheme) as one:
        page = one.page
        await on_duty(one)
        await one.sees("You can be booked")
        await free(one, 14)
        await one.is_well()
        for _ in range(3):
            await page.get_by_role("button", name="One seat less").click()
        await free(one, 11)
        await page.get_by_role("button", name="One seat more").click()
        await free(one, 12)
        key = hub.key(f"vehicle:{one.subject}")
        await hub.until("two are taken", lambda: hub.redis.hget(key, "taken") == "2")
        first, second = await cast.rider(hub), await cast.rider(hub)
        offer = page.get_by_role("dialog", name="Seats wanted")
        booking = await book(first, one, zone.centre, zone.centre.moved(north=-900), 2)
        await expect(offer).to_contain_text("2 passengers")
        await expect(offer).to_contain_text("€24.00")
        await expect(offer).to_contain_text("To the pickup")
        await one.is_well()
        await offer.get_by_role("button", name="Accept").click()
        await first.until("seat.confirmed", booking=booking)
        await one.sees("Your stops")
        await free(one, 10)
        other = await book(second, one, zone.centre.moved(north=300), zone.centre.moved(north=-500))
        await offer.get_by_role("button", name="Decline").click()
        await second.until("seat.declined", booking=other)
        other = await book(second, one, zone.centre.moved(north=300), zone.centre.moved(north=-500))
        await offer.get_by_role("button", name="Accept").click()
        await second.until("seat.confirmed", booking=other)
        # The second is on the way to the first, and gets off before it.
        stops = page.locator("#bookings li h3")
        await expect(stops).to_have_text(["Pick up", "Pick up", "Let off", "Let off"])
        await expect(page.locator("#bookings li").first).to_contain_text("1 passenger")
        await one.is_well()
        await one.move(zone.centre.moved(north=300))
        await second.until("seat.arrived")
        await one.sees("You have arrived: pick up")
        await page.get_by_role("button", name="Aboard").first.click()
        await second.until("seat.aboard", booking=other)
        await expect(stops).to_have_text(["Pick up", "Let off", "Let off"])
        await one.move(zone.centre)
        await first.until("seat.arrived")
        await page.get_by_role("button", name="Nobody came").click()
        await page.get_by_role("dialog").get_by_role("button", name="Nobody came").click()
        await first.until("seat.cancelled", booking=booking)
        await one.move(zone.centre.moved(north=-500))
        await page.get_by_role("button", name="Got off").click()
        await page.get_by_role("dialog").get_by_role("button", name="End the ride").click()
        await second.until("seat.ended", booking=other)
        await one.sees("The ride is over")
        await free(one, 12)
        await one.is_well()
        await page.get_by_role("switch").click()
        await one.sees("Off duty")


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "dark"), (SMALL, "light"), (DESKTOP, "dark")], ids=["phone", "small", "desktop"])
async def test_m8_the_route_is_chosen_and_changed(new_hub, cast, size, scheme):
    hub = new_hub(vehicles__fares=["*: 5km=12.00"]).start()
    here = hub.block()
    with_stops(hub, here)
    async with minibus(hub, here.a.stand, size, scheme=scheme) as one:
        page = one.page
        key = hub.key(f"vehicle:{one.subject}")
        question = page.get_by_role("dialog", name="Which route do you drive?")
        listed, written = question.get_by_label("Your route"), question.get_by_label("Name of the route")
        take = question.get_by_role("button", name="Drive it")
        await one.sees("No route")
        await one.is_well()
        # Before one is on duty, by the keyboard.
        await page.get_by_role("button", name="Choose a route").press("Enter")
        await expect(listed).to_be_focused()
        await expect(listed.locator("option")).to_have_text(["No route", "1", "Another one …"])
        await expect(written).to_be_hidden()
        await one.is_well()
        await listed.select_option(label="1")
        await take.press("Enter")
        await expect(page.locator("#route .name")).to_have_text("1")
        await expect(page.locator("#route")).not_to_contain_text("does not know where you go")
        assert hub.redis.hget(key, "route") == "L1"
        await on_duty(one)
        passenger = await cast.rider(hub)
        booking = await book(passenger, one, here.a.centre, here.a.centre.moved(north=-900))
        await page.get_by_role("dialog", name="Seats wanted").get_by_role("button", name="Accept").click()
        await passenger.until("seat.confirmed", booking=booking)
        # Another name, which the hub can take.
        await page.get_by_role("button", name="Change the route").click()
        await listed.select_option(label="Another one …")
        await expect(take).to_be_disabled()
        await written.fill("Nord über Süd")
        await expect(take).to_be_disabled()
        await written.fill("N2-North")
        await one.is_well()
        await take.click()
        await expect(page.locator("#route .name")).to_have_text("N2-North")
        await one.sees("does not know where you go")
        await passenger.until("route.changed", booking=booking, route="N2-North")
        await one.is_well()
        # Who leaves it as it is changes nothing.
        await page.get_by_role("button", name="Change the route").click()
        await expect(written).to_have_value("N2-North")
        await question.get_by_role("button", name="Back").click()
        await page.reload()
        await expect(page.locator("#route .name")).to_have_text("N2-North")
        await page.get_by_role("button", name="Change the route").click()
        await listed.select_option(label="No route")
        await take.click()
        await expect(page.locator("#route .name")).to_have_text("No route")
        await passenger.until("route.changed", booking=booking, route=None)
        # The hub tells no more than three changes in a minute.
        await page.get_by_role("button", name="Choose a route").click()
        await listed.select_option(label="1")
        await take.click()
        await one.sees("The route has changed 3 times")
        await expect(page.locator("#route .name")).to_have_text("No route")
        await one.is_well()


async def test_m8_a_way_of_another_app_is_shown_and_a_taxi_has_no_route(hub, cast):
    here = hub.block()
    app = cast.minibus(hub, here.a.stand)
    await app.go_online()
    await app.call("route.set", start=here.a.stand.fields, end=here.b.centre.fields)
    await app.close()
    async with Page(hub, PHONE, path="/drive/", token=app.token, place=here.a.stand) as one:
        await expect(one.page.locator("#route .name")).to_have_text("A way of your own")
        await one.is_well()
    async with driving(hub, here.a.stand) as one:
        await on_duty(one)
        await expect(one.page.locator("#route")).to_have_count(0)
