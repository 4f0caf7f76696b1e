"""The page of passengers, in a browser: links and drivers that are lost, favourites, payments, trips, what it costs."""

import contextlib
import json
import re

import pytest
from playwright.async_api import expect

from conftest import running
from kerbside import patience
from kerbside.asker import Asker
from kerbside.browser import DESKTOP, PHONE, SMALL
from kerbside.driver import PunctualDriver
from kerbside.names import fresh
from kerbside.ride_page import TARIFF, RidePage, dated_back, with_stops


@pytest.fixture(scope="module")
def hub():
    yield from running(dispatch__away_grace_ms=300, dispatch__driver_lost_ms=900, **TARIFF)


@pytest.fixture
def own_hub(new_hub):
    """One that is killed."""
    return new_hub(blocks=3, **TARIFF).start()


async def coming(hub, cast, one, here):
    """A taxi is on its way to who is on that page: the driver, the ride."""
    driver = cast.driver(hub, here.a.stand)
    await driver.go_available()
    await one.from_here()
    await one.press("Ask for a taxi")
    taken = await driver.accept()
    await one.titled("Your taxi is coming")
    return driver, taken["ride"]


async def test_ch1_the_hub_is_killed_while_a_taxi_comes_and_all_is_right_again(own_hub, cast):
    here = own_hub.block()
    async with RidePage(own_hub, PHONE, place=here.a.centre) as one:
        driver, ride = await coming(own_hub, cast, one, here)
        own_hub.kill()
        await expect(one.page.locator("#link")).to_contain_text("No connection")
        await expect(one.page.locator("#since")).to_contain_text(re.compile(r"As of \d\d:\d\d"))
        await one.is_well(refused=True)
        own_hub.start()
        await one.page.evaluate("dispatchEvent(new Event('online'))")
        await expect(one.page.locator("#link")).to_have_text("", timeout=patience.PROCESS * 2000)
        await expect(one.page.locator("#since")).to_have_text("")
        await one.titled("Your taxi is coming")
        await driver.resume()
        await driver.drive(here.a.centre.moved(north=400), step=100)
        await one.titled("Your taxi is near")
        await one.press("Take back")
        await one.press("Take it back")
        await driver.until("ride.cancelled", ride=ride)
        await one.titled("Where to?")


@contextlib.asynccontextmanager
async def without_a_link(own_hub, cast):
    """The page of a passenger who has asked for a taxi when there was no link, and the driver who was near."""
    here = own_hub.block()
    driver = cast.driver(own_hub, here.a.stand)
    await driver.go_available()
    async with RidePage(own_hub, PHONE, place=here.a.centre) as one:
        await one.from_here()
        await one.sees("1 free taxi near you")
        own_hub.kill()
        await one.sees("your request is sent as soon as there is one")
        await one.press("Ask for a taxi")
        await one.titled("Waits to be sent")
        yield one, driver


async def test_m14_what_is_asked_without_a_link_is_sent_once_there_is_one(own_hub, cast):
    async with without_a_link(own_hub, cast) as (one, driver):
        await one.sees("it goes out by itself")
        await one.is_well(refused=True)
        own_hub.start()
        await driver.resume()
        await one.page.evaluate("dispatchEvent(new Event('online'))")
        await one.page.get_by_role("heading", name="Looking for a taxi").wait_for(timeout=patience.PROCESS * 2000)
        await driver.until("offer.made")
        asked = own_hub.redis.xrange(own_hub.key("events"))
        assert sum(row["type"] == "ride.requested" for _, row in asked) == 1


async def test_m14_what_waits_to_be_sent_can_be_taken_back(own_hub, cast):
    async with without_a_link(own_hub, cast) as (one, _):
        await one.press("Take back")
        await one.sees("It is taken back as soon as there is a connection.")
        # It is so even for who loads the page anew then; the old one must not be quicker.
        address = one.page.url
        await one.page.goto("about:blank")
        own_hub.start()
        await one.page.goto(address)
        await one.page.get_by_role("heading", name="Where to?").wait_for(timeout=patience.PROCESS * 2000)
        await expect(one.page.locator("#to-from")).to_contain_text("Where I am")
        await own_hub.until("the cancellation", lambda: "ride.cancelled" in [
            row["type"] for _, row in own_hub.redis.xrange(own_hub.key("events"))])
        assert json.loads(own_hub.http(
            "/v1/requests", headers={"Authorization": f"Bearer {one.token}"}).text)["ride"] is None


async def test_c63_of_a_driver_who_is_lost_one_chooses_to_wait_or_to_search(hub, cast):
    here = hub.block()
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        driver, ride = await coming(hub, cast, one, here)
        await driver.cut()
        await one.titled("The driver can’t be reached")
        await one.sees("No word from the driver since")
        await one.is_well()
        await driver.resume()
        await driver.fix()
        await one.titled("Your taxi is coming")
        await expect(one.said).to_have_text("The driver is back, and comes.")
        await driver.cut()
        await one.titled("The driver can’t be reached")
        # With nobody else the driver keeps the ride, and the page says so.
        await one.press("Look for another taxi")
        await one.sees("Nobody is waiting near you who could come.")
        other = cast.driver(hub, here.a.stand)
        await other.go_available()
        await one.press("Look for another taxi")
        await one.titled("Looking for a taxi")
        await one.sees("You are first in line.")
        await other.accept(ride)
        await one.titled("Your taxi is coming")


async def test_r12_a_no_show_and_an_end_by_the_office_are_told_with_the_reason(hub, cast):
    here = hub.block()
    office = await cast.operator(hub)
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        driver, ride = await coming(hub, cast, one, here)
        await driver.drive(here.a.centre, step=200)
        await one.titled("Your taxi is here")
        await driver.known()
        await driver.call("ride.noshow", ride=ride)
        await one.titled("The driver has left")
        await one.sees("counts as a missed ride")
        await one.is_well()
        await one.press("Done")
        await driver.until("queue.joined")
        await one.press("Ask for a taxi")
        taken = (await driver.until("offer.made"))["ride"]
        await driver.call("offer.seen", ride=taken)
        await driver.call("offer.accept", ride=taken)
        await one.titled("Your taxi is here")
        await office.call("office.cancel", ride=taken, reason="The road is closed.")
        await one.titled("The ride is off")
        await one.sees("The road is closed.")
        await one.is_well()


async def test_a_notice_to_all_is_shown_until_it_is_closed(hub, cast):
    office = await cast.operator(hub)
    async with RidePage(hub, PHONE) as one:
        await one.titled("Where to?")
        await office.call("broadcast", to="passengers", text="No rides tonight from 22:00 on.")
        notice = one.page.get_by_role("status").filter(has_text="No rides tonight from 22:00 on.")
        await expect(notice).to_be_visible()
        await one.is_well()
        await one.press("Close")
        await expect(notice).to_have_count(0)


async def test_a_favourite_is_kept_on_the_device_and_removed(hub):
    here = hub.block()
    with_stops(hub, here)
    async with RidePage(hub, PHONE) as one:
        page = one.page
        await one.go("/ride/#from")
        await one.titled("Where from?")
        await page.get_by_label("Stop or favourite").fill("hall")
        await one.press("Town Hall")
        await page.locator("#to-from").click()
        await page.get_by_text("Keep this place as a favourite").click()
        await page.get_by_label("Name, as “Home”").fill("Granny")
        await one.is_well()
        await one.press("Keep and take it")
        await expect(page.locator("#to-from")).to_contain_text("Granny")
        await page.reload()
        await page.locator("#to-to").click()
        await one.titled("Your destination")
        await page.get_by_role("button", name="Granny", exact=False).first.click()
        await expect(page.locator("#to-to")).to_contain_text("Granny")
        await page.locator("#to-to").click()
        await page.get_by_role("button", name="Remove Granny").click()
        await expect(page.get_by_role("button", name="Granny")).to_have_count(0)
        await one.is_well()


async def test_m11_a_digital_payment_is_told_as_it_goes_on(hub, cast):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    await driver.go_available()
    service = Asker(hub, "service", fresh("pay-"))
    service.token = hub.token("service", fresh("pay-"), scope="payments")
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        await one.from_here()
        await one.choose("Digital")
        await one.press("Ask for a taxi")
        ride = (await driver.accept())["ride"]
        await driver.drive(here.a.centre, step=200)
        await driver.call("ride.aboard", ride=ride)
        dated_back(hub, ride, "requested_at")
        dated_back(hub, ride, "aboard_at")
        await driver.drive(here.b.centre, step=200)
        await driver.call("ride.end", ride=ride)
        await one.sees("Digital, not paid yet")
        # What is being filled in stays.
        await one.page.get_by_label("Comment, for the office only").fill("Calm.")
        service.done("payment.report", trip=ride, state="failed")
        await one.sees("Digital, payment failed")
        service.done("payment.report", trip=ride, state="paid")
        await one.sees("Digital, paid")
        await expect(one.page.get_by_label("Comment, for the office only")).to_have_value("Calm.")
        await one.is_well()


async def test_a_place_is_chosen_on_the_map_and_its_pin_moved_by_keys(hub):
    here = hub.block()
    async with RidePage(hub, DESKTOP, place=here.a.centre) as one:
        page = one.page
        await one.from_here()
        area = page.locator("#ground")
        box = await area.bounding_box()
        # 200 pixels east of the middle, where the pickup is.
        await area.click(position={"x": box["width"] / 2 + 200, "y": box["height"] / 2})
        await one.titled("Your destination")
        pin = page.locator(".pin-at")
        tapped = await pin.inner_text()
        lat, lon = map(float, re.findall(r"[0-9.]+", tapped))
        assert lat == pytest.approx(here.a.centre.lat, abs=1e-4) and 0.0005 < lon - here.a.centre.lon < 0.05
        await page.get_by_role("button", name="To", exact=True).press("ArrowUp")
        await expect(pin).not_to_have_text(tapped)
        assert float(re.findall(r"[0-9.]+", await pin.inner_text())[0]) > lat
        await one.is_well()
        await one.press("Take this place")
        await one.titled("Where to?")
        await expect(page.locator("#to-to")).to_contain_text(re.compile(r"\d+\.\d{5}, "))


async def test_m10_trips_come_page_by_page(hub, cast):
    here = hub.block()
    passenger = await cast.rider(hub)
    driver = cast.driver(hub, here.a.stand)
    await driver.go_available()
    for _ in range(22):
        ride = (await passenger.call("ride.request", **here.a.centre.fields, passengers=1))["ride"]
        await driver.accept_next(ride)
        await driver.fix(here.a.centre)
        await driver.call("ride.aboard", ride=ride)
        # Two kilometres by the meter, which need not be driven for that.
        hub.redis.hset(hub.key(f"vehicle:{driver.subject}"), "meter", "2000")
        dated_back(hub, ride, "requested_at")
        dated_back(hub, ride, "aboard_at")
        await driver.call("ride.end", ride=ride)
    async with RidePage(hub, PHONE, subject=passenger.subject) as one:
        await one.goes("Trips")
        rows = one.page.locator("#trips li")
        await expect(rows).to_have_count(20)
        await one.is_well()
        await one.press("Earlier trips")
        await expect(rows).to_have_count(22)
        await expect(one.page.get_by_role("button", name="Earlier trips")).to_have_count(0)
        # Who reads by keyboard goes on with the first of them.
        await expect(rows.nth(20).get_by_role("link")).to_be_focused()


@pytest.mark.parametrize(
    ("language", "title", "send"),
    [("de-AT", "Wohin?", "Taxi rufen"), ("it-IT", "Dove andiamo?", "Chiama un taxi"),
     ("fr-FR", "Où allez-vous ?", "Demander un taxi")])
async def test_u10_it_speaks_the_passengers_language(hub, language, title, send):
    here = hub.block()
    async with RidePage(hub, SMALL, language=language, place=here.a.centre) as one:
        await one.titled(title)
        await one.page.locator("#mine").click()
        await one.press(send)
        await expect(one.page.locator("#problem")).to_be_visible()
        assert await one.page.locator("main [lang=en]").count() == 0
        await one.is_well()


async def test_n5_a_taxi_that_comes_costs_little(new_hub):
    # A minute of the hub takes ten seconds.
    hub = new_hub(blocks=1, clock__scale=6).start()
    here = hub.block()
    far = here.a.centre.moved(north=900)
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        driver = PunctualDriver(hub, fresh("T"), far)
        # 50 m and a fix each 5 s.
        driver.SPEED = 10.0
        await driver.go_available()
        sizes = {"framesent": [], "framereceived": []}

        def count(link):
            link.on("framesent", lambda text: sizes["framesent"].append(len(text.encode())))
            link.on("framereceived", lambda text: sizes["framereceived"].append(len(text.encode())))

        one.page.on("websocket", count)
        await one.page.reload()
        await one.from_here()
        await one.press("Ask for a taxi")
        await driver.accept()
        await one.titled("Your taxi is coming")
        before = {way: len(of) for way, of in sizes.items()}
        for step in range(1, 13):
            await driver.fix(far.moved(north=-50 * step))
        await one.titled("Your taxi is near")
        cost = {way: sum(of[before[way]:]) for way, of in sizes.items()}
        print(f"a minute of a taxi that comes: {cost}")
        assert 1000 < sum(cost.values()) <= 3072


async def test_who_touches_twice_is_asked_once_whether_to_take_it_back(hub, cast):
    here = hub.block()
    async with RidePage(hub, PHONE, place=here.a.centre) as one:
        await coming(hub, cast, one, here)
        await one.page.locator("#cancel").evaluate("(button) => { button.click(); button.click(); }")
        dialog = one.page.get_by_role("dialog")
        await dialog.first.get_by_role("button", name="Keep it").click()
        await expect(dialog).to_have_count(0)


async def test_a_circle_that_is_moved_is_listened_to_once(hub):
    async with RidePage(hub, PHONE) as one:
        count = """async () => {
            const { minibusList } = await import('/ride/near.js');
            let heard = 0;
            const feed = { on: () => { heard += 1; }, close() {} };
            const hub = { watch: () => feed, vehicles: new Map() };
            const list = minibusList({ draft: { from: { lat: 1, lon: 1 }, passengers: 1 }, hub, ground: { vehicles() {} } });
            list.refresh();
            list.refresh();
            return heard;
        }"""
        assert await one.page.evaluate(count) == 1
