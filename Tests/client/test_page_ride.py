"""The page of passengers, in a browser: from the wish to the rating, and what may come between (R1 to R12, R15, R16, M10)."""

import pytest
from playwright.async_api import expect

from conftest import running
from kerbside.browser import DESKTOP, PHONE, SMALL, Page
from kerbside.ride_page import TARIFF, RidePage, dated_back, registered, with_stops


@pytest.fixture(scope="module")
def hub():
    yield from running(dispatch__away_grace_ms=300, dispatch__driver_lost_ms=900, dispatch__rounds=1, **TARIFF)


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (SMALL, "dark"), (DESKTOP, "light")], ids=["phone", "small", "desktop"])
async def test_r9_a_whole_ride_from_the_wish_to_the_rating(hub, cast, size, scheme):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    office = await registered(hub, cast, driver)
    await driver.go_available()
    async with RidePage(hub, size, scheme, place=here.a.centre) as one:
        page = one.page
        await one.titled("Where to?")
        await one.is_well()
        await one.from_here()
        await one.sees("1 free taxi near you")
        await one.to(here.b.centre)
        await page.get_by_role("button", name="One passenger more").click()
        await one.choose("Room for a wheelchair")
        await one.sees("About €")
        await one.is_well()
        await one.press("Ask for a taxi")
        offer = await driver.until("offer.made")
        assert (offer["passengers"], offer["needs"]) == (2, ["wheelchair"])
        await one.titled("Looking for a taxi")
        # It repeats what was asked (R15).
        await one.sees("2 passengers")
        await one.sees("Room for a wheelchair")
        await one.is_well()
        ride = offer["ride"]
        await driver.call("offer.seen", ride=ride)
        taken = await driver.call("offer.accept", ride=ride)
        assert taken["pickup"] == here.a.centre.fields and taken["destination"]["lat"] == pytest.approx(here.b.centre.lat)
        await one.titled("Your taxi is coming")
        for text in ("Ada Rossi", "AB 123 CD", "white Skoda Octavia", " min"):
            await one.sees(text)
        assert await one.ears() == [2, 1]
        await expect(one.said).to_have_text("A taxi has accepted and is coming.")
        await one.is_well()
        await driver.drive(here.a.centre.moved(north=450), step=100)
        await one.titled("Your taxi is near")
        await expect(one.said).to_have_text("Less than 500 metres away now.")
        assert await one.ears() == [4, 2]
        await one.is_well()
        await driver.drive(here.a.centre, step=100)
        await one.titled("Your taxi is here")
        assert await one.ears() == [9, 3]
        await one.sees("Compare the number plate")
        await one.is_well()
        await driver.call("ride.aboard", ride=ride)
        await one.titled("Have a good trip")
        await one.is_well()
        dated_back(hub, ride, "requested_at")
        await driver.drive(here.b.centre, step=200)
        await driver.known()
        dated_back(hub, ride, "aboard_at")
        end = await driver.call("ride.end", ride=ride)
        await one.titled("You have arrived")
        amount = f"€{end['fare']['amount'] / 100:.2f}"
        for text in (amount, end["receipt"], "Basic fare", "More passengers", "Cash, paid"):
            await one.sees(text)
        await one.is_well()
        # Loaded anew it is still there.
        await page.reload()
        await one.titled("You have arrived")
        await one.press("Send the rating")
        await one.sees("Choose one to five stars first.")
        await page.get_by_label("4 stars").check(force=True)
        await page.get_by_label("Comment, for the office only").fill("Calm.")
        await one.press("Send the rating")
        await one.sees("Thank you: 4 stars.")
        await one.is_well()
        assert (await office.call("trips.list", role="passenger", subject=one.subject))["trips"][0]["trip"] == ride
        rated = await hub.logged("trip.rated", ride=ride)
        assert (rated["stars"], rated["text"]) == (4, "Calm.")
        await one.press("Done")
        await one.titled("Where to?")
        await one.goes("Trips")
        await page.get_by_role("link", name=amount).click()
        await one.titled("Receipt")
        await one.sees("Thank you: 4 stars.")
        await one.is_well()


async def test_r1_nobody_is_free_and_the_passenger_waits_until_somebody_is(hub, cast):
    here = hub.block()
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        await one.from_here()
        await one.press("Ask for a taxi")
        await one.sees("No taxi is free now")
        await one.is_well()
        await one.press("Ask, and wait until one is free")
        await one.titled("Looking for a taxi")
        await one.sees("Whoever becomes free is asked, until")
        await one.is_well()
        driver = cast.driver(hub, here.a.stand)
        await driver.go_available()
        await driver.until("offer.made")
        await driver.call("offer.seen", ride=driver.events[-1]["data"]["ride"])
        await driver.call("offer.accept", ride=driver.events[-1]["data"]["ride"])
        await one.titled("Your taxi is coming")


async def test_r5_all_decline_and_there_are_ways_on(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        await one.from_here()
        await one.press("Ask for a taxi")
        offer = await driver.offered()
        await driver.call("offer.decline", ride=offer["ride"])
        await one.titled("No taxi was found")
        await one.sees("nobody took it")
        await one.is_well()
        for name in ("Look for a minibus", "Reserve for later", "Ask, and wait until one is free"):
            await expect(one.page.get_by_role("button", name=name)).to_be_visible()
        await one.press("Try again")
        await one.titled("Where to?")
        await expect(one.page.locator("#to-from")).to_contain_text("Where I am")


@pytest.mark.parametrize("stage", ["searching", "coming", "here", "aboard"])
async def test_r12_taken_back_at_each_step_after_a_question(hub, new_hub, cast, stage):
    if stage == "aboard":
        # That time is short at the other hub, and may be over before the question is answered.
        hub = new_hub(**TARIFF).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        await one.from_here()
        await one.press("Ask for a taxi")
        offer = await driver.offered()
        await one.titled("Looking for a taxi")
        words = "It costs nothing."
        if stage != "searching":
            await driver.call("offer.accept", ride=offer["ride"])
            await one.titled("Your taxi is coming")
            words = "Somebody is on the way to you."
        if stage in ("here", "aboard"):
            await driver.drive(here.a.centre, step=200)
            await one.titled("Your taxi is here")
            words = "this counts as cancelled late"
        if stage == "aboard":
            await driver.call("ride.aboard", ride=offer["ride"])
            await one.titled("Have a good trip")
            words = "it can be taken back two minutes after"
        await one.press("Take back")
        dialog = one.page.get_by_role("dialog")
        await expect(dialog).to_contain_text(words)
        await one.is_well()
        await one.press("Keep it")
        await expect(dialog).to_have_count(0)
        await one.press("Take back")
        await one.press("Take it back")
        if stage == "aboard":
            # The city lets it be taken back after `dispatch.driver_lost_ms`.
            await one.sees("not possible as things stand")
            await one.is_well()
            return
        await one.titled("Where to?")
        await expect(one.said).to_have_text("Taken back.")
        await driver.until("ride.cancelled" if stage != "searching" else "offer.withdrawn")


async def test_r16_where_the_device_is_not_sure_the_place_is_confirmed_on_the_map(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    async with RidePage(hub, PHONE, place=here.a.centre, accuracy=120) as one:
        page = one.page
        await one.press("Use where I am now")
        await one.titled("Where from?")
        await one.sees("known to within 120 m only")
        await one.is_well()
        # 40 m north by the buttons, 20 m east by the keys.
        await page.get_by_role("button", name="20 m north").click()
        await page.get_by_role("button", name="20 m north").press("ArrowUp")
        await page.get_by_role("button", name="20 m north").press("ArrowRight")
        await one.press("Take this place")
        await one.titled("Where to?")
        await one.press("Ask for a taxi")
        taken = await driver.accept()
        wanted = here.a.centre.moved(north=40, east=20)
        assert wanted.distance(type(wanted)(**taken["pickup"])) < 1


async def test_by_keyboard_alone(hub, cast):
    here = hub.block()
    with_stops(hub, here)
    [driver] = await cast.queue(hub, here.a.stand, 1)
    async with RidePage(hub, PHONE) as one:
        page = one.page
        key = page.keyboard.press

        async def reach(locator, most=25):
            """By the tab key from where the focus is."""
            for _ in range(most):
                if await locator.evaluate("(node) => node === document.activeElement"):
                    return
                await key("Tab")
            raise AssertionError(f"{locator} is not reached by the tab key")

        await reach(page.locator("#to-from"))
        await key("Enter")
        await one.titled("Where from?")
        await reach(page.get_by_label("Stop or favourite"))
        await page.keyboard.type("town")
        await reach(page.get_by_role("button", name="Town Hall"))
        await key("Enter")
        await one.titled("Where to?")
        await reach(page.locator("#to-to"))
        await key("Enter")
        await reach(page.get_by_label("Stop or favourite"))
        await page.keyboard.type("mill")
        await reach(page.get_by_role("button", name="Old Mill"))
        await key("Enter")
        await one.titled("Where to?")
        await one.sees("About €")
        await reach(page.locator("#send"))
        await key("Enter")
        taken = await driver.accept()
        assert taken["pickup"] == here.a.centre.fields
        await one.titled("Your taxi is coming")
        await driver.drive(here.a.centre, step=200)
        await one.titled("Your taxi is here")
        await driver.call("ride.aboard", ride=taken["ride"])
        await one.titled("Have a good trip")
        dated_back(hub, taken["ride"], "requested_at")
        dated_back(hub, taken["ride"], "aboard_at")
        await driver.drive(here.b.centre, step=200)
        await driver.call("ride.end", ride=taken["ride"])
        await one.titled("You have arrived")
        await one.sees("Basic fare")
        await reach(page.get_by_label("1 star"))
        for _ in range(4):
            await key("ArrowRight")
        await reach(page.locator("#rate"))
        await key("Enter")
        await one.sees("Thank you: 5 stars.")
        await reach(page.locator("#on-done"))
        await key("Enter")
        await one.titled("Where to?")


async def test_r16_where_the_device_was_a_while_ago_no_taxi_is_sent(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        await one.from_here()
        # The page lay in a pocket for six minutes, and who has it went on.
        await one.page.evaluate("{ const now = Date.now; Date.now = () => now() + 360_000; }")
        await one.move(here.a.centre.moved(north=300))
        await one.press("Ask for a taxi")
        await one.titled("Where from?")
        await one.press("Use where I am now")
        await one.press("Ask for a taxi")
        taken = await driver.accept()
        assert taken["pickup"]["lat"] == pytest.approx(here.a.centre.moved(north=300).lat, abs=1e-5)


@pytest.mark.parametrize("role", [None, "driver", "guest"])
async def test_u7_whoever_has_no_account_of_a_passenger_is_told_what_to_do(hub, role):
    if role == "guest":
        one = RidePage(hub, PHONE, subject="guest-0123456789abcdef0123456789abcdef")
    else:
        one = RidePage(hub, PHONE, role=role) if role else Page(hub, PHONE, path="/ride/")
    async with one:
        await one.sees("invitation")
        await expect(one.page.get_by_role("link", name="Buses, without an account")).to_be_visible()
        await expect(one.page.get_by_role("button")).to_have_count(0)
        assert not one.links
        await one.is_well()
