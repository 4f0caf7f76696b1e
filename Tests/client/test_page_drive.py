"""The page of drivers of taxis, in a browser: the other side is a passenger's app."""

import re

import pytest
from playwright.async_api import expect

from kerbside.browser import DESKTOP, PHONE, SMALL, Page
from kerbside.names import fresh
from kerbside.proxy import Proxy

TARIFF = {"fares__flag_fall": 3.5, "fares__per_km": 1.2, "fares__extra_passenger": 1, "fares__extra_from": 2}


def driving(hub, place, size=PHONE, subject=None, **options):
    """The page of a driver who has signed in, and whose phone is at `place`."""
    subject = subject or fresh("T")
    one = Page(hub, size, path="/drive/", token=hub.token("driver", subject), place=place, **options)
    one.subject = subject
    return one


async def on_duty(one):
    await one.page.get_by_role("switch").click()
    await expect(one.page.get_by_role("switch")).to_be_checked()


async def asked(hub, cast, one, zone, **fields):
    """A passenger has asked, and the page shows it over all."""
    passenger = await cast.rider(hub)
    ride = await passenger.request(zone.centre, **fields)
    await expect(one.page.locator("#offer")).to_be_visible()
    return passenger, ride


async def taken(hub, cast, one, zone, **fields):
    passenger, ride = await asked(hub, cast, one, zone, **fields)
    await one.page.get_by_role("button", name="Accept").click()
    await passenger.until("ride.accepted", taxi=one.subject)
    await one.sees("Drive to the pickup")
    return passenger, ride


async def confirmed(page, name):
    """Touches a button that asks first, and the one of the same name in its question."""
    await page.get_by_role("button", name=name).click()
    await page.get_by_role("dialog").get_by_role("button", name=name).click()


@pytest.fixture
def here(hub):
    return hub.block()


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (SMALL, "dark"), (DESKTOP, "light")], ids=["phone", "small", "desktop"])
async def test_r3_r4_r6_r10_r11_from_the_request_to_the_fare(new_hub, cast, size, scheme):
    hub = new_hub(**TARIFF).start()
    here = hub.block()
    async with driving(hub, here.a.stand, size, scheme=scheme) as one:
        page = one.page
        await one.sees("Off duty")
        await one.is_well()
        await on_duty(one)
        await one.sees(f"Zone {here.a.id}")
        await one.sees("Place 1")
        await one.is_well()
        passenger, ride = await asked(hub, cast, one, here.a, passengers=2, destination=here.b.centre.fields, payment="digital")
        offer = page.get_by_role("dialog", name="New ride")
        await expect(offer).to_contain_text("2 passengers")
        await expect(offer).to_contain_text(f"Zone {here.a.id}")
        # Nothing of it lies beyond the screen.
        for name in ("Accept", "Decline"):
            await expect(offer.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
        assert re.fullmatch(r"\d+", await page.locator("#seconds").inner_text())
        await one.is_well()
        # The page has shown it, and said so.
        await hub.until("it was seen", lambda: hub.redis.hget(hub.key(f"ride:{ride}"), "seen") == "1")
        await offer.get_by_role("button", name="Accept").click()
        await passenger.until("ride.accepted", taxi=one.subject)
        await expect(offer).to_be_hidden()
        await one.sees("Drive to the pickup")
        await one.sees("700 m")
        await one.sees("south")
        await one.sees("pays digitally")
        at = here.a.centre.fields
        await expect(page.get_by_role("link", name="Navigate")).to_have_attribute("href", re.compile(rf"^geo:{at['lat']}"))
        await one.is_well()
        await one.move(here.a.centre)
        await passenger.until("ride.arrived")
        await one.sees("You have arrived")
        await one.is_well()
        await page.get_by_role("button", name="Passenger aboard").click()
        await passenger.until("ride.aboard", passengers=2)
        await one.sees("To the destination")
        await one.is_well()
        # Nobody takes anybody anywhere within a minute.
        key = hub.key(f"ride:{ride}")
        for moment in ("requested_at", "aboard_at"):
            hub.redis.hincrby(key, moment, -600_000)
        await one.move(here.b.centre)
        car = hub.key(f"vehicle:{one.subject}")
        await hub.until("it is there", lambda: abs(float(hub.redis.hget(car, "lon")) - here.b.centre.lon) < 1e-4)
        await page.get_by_role("button", name="End the ride").click()
        question = page.get_by_role("dialog", name="Is the ride over?")
        await one.is_well()
        await question.get_by_role("button", name="Back").click()
        await one.sees("To the destination")
        await page.get_by_role("button", name="End the ride").click()
        await question.get_by_role("button", name="paid in cash").click()
        end = await passenger.until("ride.ended", ride=ride)
        assert end["payment"] == {"method": "cash", "state": "paid"}
        await one.sees(f"€{end['fare']['amount'] / 100:.2f}")
        await one.sees("Flag fall€3.50")
        await one.sees("Paid in cash")
        await one.sees("Place 1")
        await one.is_well()
        await page.get_by_role("button", name="4 stars").click()
        await one.sees("You gave 4 stars")
        await page.get_by_role("button", name="Done").click()
        await expect(page.locator("#ended")).to_have_count(0)
        assert sum(url.startswith("ws:") for url in one.links) == 1


async def test_r5_declined_and_run_out(new_hub, cast):
    hub = new_hub(dispatch__offer_timeout_ms=2000).start()
    here = hub.block()
    [other] = await cast.queue(hub, here.a.stand, 1)
    async with driving(hub, here.a.stand) as one:
        page = one.page
        await on_duty(one)
        await one.sees("Place 2")
        await other.call("driver.unavailable")
        await one.sees("Place 1")
        await other.call("driver.available")
        passenger, ride = await asked(hub, cast, one, here.a)
        await page.get_by_role("button", name="Decline").click()
        await expect(page.locator("#offer")).to_be_hidden()
        await other.accept_next(ride)
        # What one has declined oneself needs no words.
        await expect(page.locator("#notes li")).to_have_count(0)
        await passenger.until("ride.accepted", taxi=other.subject)
        passenger, ride = await asked(hub, cast, one, here.a)
        await one.sees("The request ran out without your answer")
        await passenger.call("ride.cancel", ride=ride)
        await expect(page.locator("#offer")).to_be_hidden()
        await one.is_well()
        note = page.locator("#notes li", has_text="ran out")
        await note.get_by_role("button", name="OK").click()
        await expect(note).to_have_count(0)


async def test_an_offer_that_is_taken_back_while_it_is_accepted(hub, cast, here):
    async with driving(hub, here.a.stand) as one:
        await on_duty(one)
        passenger, ride = await asked(hub, cast, one, here.a)
        await passenger.call("ride.cancel", ride=ride)
        await one.sees("The request was taken back.")
        await expect(one.page.locator("#offer")).to_be_hidden()
        await one.sees("Place 1")


async def test_q9_why_one_can_not_go_on_duty(hub, cast, here):
    office = await cast.operator(hub)
    subject = fresh("T")
    await office.call("drivers.set", driver=subject, name="Ada Rossi", licence_until="2020-01-31")
    for language, text in (("en-US", "2020-01-31"), ("de-DE", "Fragen Sie die Zentrale")):
        async with driving(hub, here.a.stand, SMALL, subject, language=language) as one:
            await one.page.get_by_role("switch").click()
            await one.sees(text)
            await one.sees("licence")
            await expect(one.page.get_by_role("switch")).not_to_be_checked()
            await one.is_well()


async def test_n7_without_a_position_it_is_said_what_to_do(hub, here):
    async with driving(hub, None) as one:
        await one.page.get_by_role("switch").click()
        await one.sees("Allow it in the settings")
        await expect(one.page.get_by_role("switch")).not_to_be_checked()
        await one.is_well()
    async with driving(hub, here.outside) as one:
        await one.page.get_by_role("switch").click()
        await one.sees("This was not possible")
        await expect(one.page.get_by_role("switch")).not_to_be_checked()


async def test_r12_nobody_comes(new_hub, cast):
    hub = new_hub(dispatch__noshow_wait_ms=3000).start()
    here = hub.block()
    async with driving(hub, here.a.stand) as one:
        page = one.page
        await on_duty(one)
        passenger, ride = await taken(hub, cast, one, here.a)
        nobody = page.get_by_role("button", name="Nobody came")
        await expect(nobody).to_have_count(0)
        await one.move(here.a.centre)
        await one.sees("You have arrived")
        await confirmed(page, "Nobody came")
        await one.sees("is possible in 0:0")
        await expect(nobody).to_be_disabled()
        await one.is_well()
        await expect(nobody).to_be_enabled()
        await confirmed(page, "Nobody came")
        await passenger.until("ride.cancelled", ride=ride, by="driver", reason="noshow")
        await one.sees("Noted: nobody came")
        await one.sees("Place 1")


async def test_r12_given_back_cancelled_and_taken_by_the_office(hub, cast, here):
    office = await cast.operator(hub)
    async with driving(hub, here.a.stand, DESKTOP) as one:
        page = one.page
        await on_duty(one)
        passenger, ride = await taken(hub, cast, one, here.a)
        await page.get_by_role("button", name="Give back").click()
        await page.get_by_role("dialog").get_by_role("button", name="Back", exact=True).click()
        await one.sees("Drive to the pickup")
        await passenger.call("ride.cancel", ride=ride)
        await one.sees("The passenger has cancelled.")
        await one.sees("Place 1")
        passenger, ride = await taken(hub, cast, one, here.a)
        await office.call("office.cancel", ride=ride, reason="The street is closed.", key=fresh("k"))
        await one.sees("The street is closed.")
        await one.sees("The office has taken this ride")
        await one.is_well()
        passenger, ride = await taken(hub, cast, one, here.a)
        await page.get_by_role("button", name="Give back").click()
        await page.get_by_role("dialog").get_by_role("button", name="Give back").click()
        await passenger.until("ride.searching", reason="driver_cancelled")
        await one.sees("You have given it back.")
        await office.call("broadcast", to="drivers", zone=here.a.id, text="The station <b>square</b> is closed.", key=fresh("k"))
        await one.sees("The station <b>square</b> is closed.")
        await one.is_well()


async def test_far_from_the_pickup_nobody_is_aboard_by_a_slip(hub, cast, here):
    async with driving(hub, here.a.stand) as one:
        page = one.page
        await on_duty(one)
        passenger, _ = await taken(hub, cast, one, here.a)
        await page.get_by_role("button", name="Passenger aboard").click()
        question = page.get_by_role("dialog", name="really aboard")
        await expect(question).to_contain_text("700 m")
        await one.is_well()
        await page.keyboard.press("Escape")
        await expect(question).to_have_count(0)
        await one.sees("Drive to the pickup")
        await page.get_by_role("button", name="Passenger aboard").click()
        await question.get_by_role("button", name="Passenger aboard").click()
        await passenger.until("ride.aboard")
        await one.sees("Ask the passenger where to go")
        await confirmed(page, "End the ride")
        await passenger.until("ride.ended")
        await one.sees("too short to count")


async def test_where_no_websocket_goes_through_it_drives_all_the_same(hub, cast, here):
    async with Proxy(hub) as proxy, driving(hub, here.a.stand, port=proxy.port) as one:
        await one.page.get_by_role("switch").click()
        # Two WebSockets have come to nothing before.
        await expect(one.page.get_by_role("switch")).to_be_checked()
        passenger, ride = await taken(hub, cast, one, here.a)
        await one.move(here.a.centre)
        await passenger.until("ride.arrived", ride=ride)
        assert proxy.refused == 2
        # The browser says itself that it was refused.
        one.faults = [fault for fault in one.faults if "403" not in fault]
        await one.is_well()
