"""The page of lines, in a browser: watched and asked for a stop by somebody without an account (B20)."""

import pytest
from playwright.async_api import expect

from kerbside.browser import DESKTOP, PHONE, SMALL, Page
from kerbside.bus import BusDriver


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (SMALL, "dark"), (DESKTOP, "light")], ids=["phone", "small", "desktop"])
async def test_b20_a_citizen_watches_a_line_and_is_fetched(town, line, size, scheme):
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.go(100)
    async with Page(town, size, scheme) as one:
        page = one.page
        await one.sees(line.id)
        await page.get_by_label("Find a stop").fill(line.stops[3])
        await page.get_by_role("link", name=line.stops[3]).first.wait_for()
        await one.is_well()
        await one.go(f"/line/#{line.id}")
        await one.sees(f"Bus {line.bus}")
        await one.sees("many seats free")
        await one.is_well()
        await page.get_by_role("link", name=line.stops[2]).click()
        await page.get_by_label("Your name").fill("Ada")
        await page.get_by_label("wheelchair").check()
        await one.is_well()
        await page.get_by_role("button", name="Ask for this stop").click()
        asked = await driver.until("stop.requested")
        [shown] = asked["places"][0]["requests"]
        assert (shown["name"], shown["help"]) == ("Ada", ["wheelchair"])
        await one.sees("waits for the driver")
        await driver.call("stop.accept", request=asked["request"])
        await one.sees("the bus will stop")
        await one.is_well()
        await driver.go(1990)
        await one.sees("the bus is here")
        await driver.call("stop.complete", request=asked["request"])
        await one.sees("you are on the bus")
        await one.is_well()


async def test_by_keyboard_alone_and_over_a_lost_link(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.go(100)
    async with Page(town, PHONE) as one:
        page = one.page
        await one.sees(line.id)
        await one.go(f"/line/#{line.id}/{line.stops[2]}")
        await one.sees("Ask the bus to stop")
        # From the title on: the name, the wheelchair, the button.
        await page.keyboard.press("Tab")
        await page.keyboard.type("Bea")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        # Offline: it waits on the device, and goes out when the link is back.
        await town.kill_workers(*town.workers())
        await page.keyboard.press("Enter")
        await town.until("ready", lambda: town.http("/readyz").status == 200)
        await driver.resume()
        asked = await driver.until("stop.requested")
        # Told again, as one who was away, it is without the list.
        assert "places" not in asked or asked["places"][0]["requests"][0]["name"] == "Bea"
        await one.sees("waits for the driver")
        page.on("dialog", lambda dialog: dialog.accept())
        await page.get_by_role("button", name="Take back").click()
        await driver.until("stop.withdrawn", request=asked["request"])
        await one.sees("taken back")


async def test_u10_from_the_search_to_a_request_taken_back_by_the_keyboard_alone(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.go(100)
    async with Page(town, SMALL, "dark") as one:
        page, keys = one.page, one.page.keyboard

        async def reach(what):
            """By the Tab key alone, to the element for which that holds."""
            for _ in range(60):
                await keys.press("Tab")
                if await page.evaluate(f"((one) => {what})(document.activeElement)"):
                    return
            raise AssertionError(f"nothing is reached for which {what}")

        await one.sees(line.id)
        await reach("one.type === 'search'")
        await keys.type(line.stops[2])
        await page.get_by_role("link", name=line.stops[2]).wait_for()
        await reach(f"one.textContent.startsWith('{line.stops[2]}')")
        await keys.press("Enter")
        await one.sees("Ask the bus to stop")
        await reach("one.type === 'text'")
        await keys.type("Cleo")
        await reach("one.type === 'checkbox'")
        await keys.press("Space")
        await keys.press("Enter")
        asked = await driver.until("stop.requested")
        [shown] = asked["places"][0]["requests"]
        assert (shown["name"], shown["help"]) == ("Cleo", ["wheelchair"])
        await driver.call("stop.accept", request=asked["request"])
        await one.sees("the bus will stop")
        page.on("dialog", lambda dialog: dialog.accept())
        await page.get_by_role("heading", level=1).focus()
        await reach("one.textContent === 'Take back'")
        await keys.press("Enter")
        await driver.until("stop.withdrawn", request=asked["request"])
        await one.sees("taken back")
        await one.is_well()


async def test_u10_it_speaks_the_readers_language_and_keeps_another_that_is_chosen(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.go(100)
    async with Page(town, SMALL, language="de-AT") as one:
        page = one.page
        await one.go(f"/line/#{line.id}")
        await one.sees("Richtung East")
        await one.sees("viele Plätze frei")
        assert await page.evaluate("document.documentElement.lang") == "de"
        await page.get_by_role("link", name="Zurück").wait_for()
        await one.is_well()
        await page.get_by_label("Sprache").select_option("Italiano")
        await one.sees("Direzione East")
        await one.sees("molti posti liberi")
        assert await page.evaluate("document.documentElement.lang") == "it"
        await one.go(f"/line/?lang=fr#{line.id}/{line.stops[2]}")
        await one.sees("Demander au bus de s’arrêter")
        await one.is_well()
        # What was chosen is kept; what an address says is for that once.
        await one.go(f"/line/#{line.id}/{line.stops[2]}")
        await one.sees("Chiedi all’autobus di fermarsi")


async def test_what_a_catalog_lacks_is_said_in_english_and_marked_so(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    async with Page(town, PHONE, language="zu") as one:
        page = one.page
        await expect(page.get_by_role("heading", level=1)).to_have_text("Amabhasi")
        await expect(page.locator("h2 [lang=en]")).to_have_text("Lines")
        await one.is_well()
        await one.go(f"/line/#{line.id}")
        await one.sees(f"Ibhasi {line.bus} · on time")
        await expect(page.get_by_text("on time")).to_have_attribute("lang", "en")
        await one.is_well()


@pytest.mark.parametrize(("language", "text"), [("en-US", "Go back and choose again"), ("de-DE", "Das gibt es nicht")])
async def test_n7_what_goes_wrong_says_what_to_do(town, language, text):
    async with Page(town, PHONE, language=language) as one:
        await one.go("/line/#nowhere")
        await one.sees(text)
        await one.page.get_by_role("link", name="Try again" if language == "en-US" else "Noch einmal versuchen").wait_for()


@pytest.mark.parametrize("path", ["/line/#%E0%A4%A", "/line/#a/%", "/board/#%"])
async def test_an_address_that_can_not_be_decoded_breaks_no_page(town, path):
    async with Page(town, PHONE, path=path) as one:
        await one.sees("does not exist")
        await one.is_well(refused=True)


async def test_a_request_is_sent_once_by_who_touches_twice(town, line):
    async with Page(town, PHONE, path=f"/line/#{line.id}/{line.stops[2]}") as one:
        await one.page.get_by_label("Your name").fill("Ada")
        send = one.page.locator("form.card button")
        assert await send.evaluate("(button) => { button.click(); return button.disabled; }")
        await expect(send).to_be_enabled()
