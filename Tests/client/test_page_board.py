"""The board of a stop, in a browser: what leaves next, live, untouched, and never as live what is not."""

import time

import pytest
from playwright.async_api import expect

from kerbside import bus as buses, patience
from kerbside.browser import PHONE, SMALL, Page
from kerbside.bus import SPACING, BusDriver
from kerbside.stops import serve, village

SCREEN = {"width": 1920, "height": 1080}


@pytest.fixture
def own_town():
    """A village whose hub is killed."""
    yield from serve()


async def seen_now(driver, metres):
    """Where the bus is at this moment; the clocks of other fixes are minutes behind."""
    await driver.fix(driver.line.at(metres), after_ms=255_000)


def first(one):
    return one.page.locator(".departures li").first


@pytest.mark.parametrize(
    ("size", "scheme"),
    [(SCREEN, "dark"), (SCREEN, "light"), (PHONE, "light"), (SMALL, "dark")],
    ids=["dark", "light", "phone", "small"],
)
async def test_b4_a_bus_drives_through_and_the_board_tells(town, line, size, scheme):
    driver = BusDriver(town, line)
    async with Page(town, size, scheme, path=f"/board/{line.stops[1]}") as one:
        page = one.page
        await expect(page.get_by_role("heading", name=line.stops[1])).to_be_visible()
        await expect(first(one)).to_contain_text("by the timetable")
        # The village is in UTC.
        shown, now = await page.locator("#clock").inner_text(), time.time()
        assert shown in {time.strftime("%H:%M", time.gmtime(at)) for at in (now - 2, now)}
        await one.is_well()
        await driver.begin()
        await driver.go(100)
        await expect(first(one)).to_contain_text("estimate")
        await seen_now(driver, 200)
        await expect(first(one)).to_contain_text("live")
        await expect(first(one)).to_contain_text("many seats free")
        await expect(first(one)).to_contain_text("seen")
        await expect(first(one)).to_contain_text("East")
        await driver.call("seats.set", taken=8)
        await expect(first(one)).to_contain_text("no seat free")
        await one.is_well()
        assert sum(url.startswith("ws:") for url in one.links) == 1
        await driver.go(SPACING + 300)
        await expect(first(one)).not_to_contain_text("live")
        await expect(first(one)).to_contain_text("by the timetable")
        await one.is_well()


async def test_a_lost_link_is_said_and_nothing_is_called_live(own_town):
    line = next(own_town.lines["hourly"])
    driver = BusDriver(own_town, line)
    await driver.begin()
    await driver.go(100)
    await seen_now(driver, 200)
    async with Page(own_town, SCREEN, "dark", path=f"/board/{line.stops[2]}") as one:
        page = one.page
        await expect(first(one)).to_contain_text("live")
        own_town.kill()
        await expect(page.get_by_role("status")).to_contain_text("No connection since")
        await expect(first(one)).to_contain_text("not live")
        await expect(page.locator(".departures strong")).to_have_count(0)
        await expect(first(one).locator(".minutes")).to_have_text("")
        await one.is_well(refused=True)
        own_town.start()
        await expect(page.get_by_role("status")).to_have_text("", timeout=patience.PROCESS * 1000)
        await driver.resume()
        await driver.fix(line.at(300))
        await expect(page.locator(".departures strong")).to_have_text("live", timeout=patience.PROCESS * 1000)


async def test_b1_all_lines_of_a_stop_and_the_name_in_full(new_hub):
    lines, text = village()
    one, other = lines["hourly"][:2]
    text["stops"][one.stops[1]]["name"] = name = "Hauptbahnhof, Ausgang Washingtonplatz"
    run = text["lines"][other.id]["runs"][0]
    run["headsign"] = "Wissenschaftspark am Güterbahnhof"
    run["stops"][1] = {one.stops[1]: run["stops"][1][other.stops[1]]}
    del text["stops"][other.stops[1]]
    hub = new_hub().start()
    buses.load(hub, text)
    for size in (SCREEN, SMALL):
        async with Page(hub, size, language="fr-FR", path=f"/board/{one.stops[1]}") as board:
            rows = board.page.locator(".departures li")
            await expect(rows.filter(has_text=f"{one.id}East").first).to_be_visible()
            await expect(rows.filter(has_text=f"{other.id}Wissenschaftspark").first).to_be_visible()
            await expect(board.page.get_by_role("heading", name=name)).to_be_visible()
            assert await rows.nth(4).is_visible() and await rows.nth(5).is_visible() == (size is SMALL)
            # On a screen nobody scrolls.
            for part in ("html", "main"):
                hidden = await board.page.locator(part).evaluate("(one) => one.scrollHeight - one.clientHeight")
                assert size is SMALL or hidden <= 0, part
            await board.is_well()


async def test_what_is_not_known_yet_is_not_nothing(town, line):
    async with Page(town, PHONE, path="/board/") as one:
        await one.page.route_web_socket("**", lambda link: link.close())
        for path in ("**/v1/stream", "**/v1/lines/**"):
            await one.page.route(path, lambda asked: asked.abort("connectionrefused"))
        await one.go(f"/board/{line.stops[1]}")
        await expect(one.page.get_by_role("heading", name=line.stops[1])).to_be_visible()
        await expect(one.page.get_by_role("status")).to_contain_text("No connection.")
        async with one.page.expect_request("**/v1/lines/**", timeout=patience.PROCESS * 1000):
            pass
        await expect(one.page.locator(".departures")).to_be_empty()
        await one.is_well(refused=True)


async def test_n4_where_no_web_socket_goes_through_the_board_is_live_all_the_same(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.go(100)
    await seen_now(driver, 200)
    async with Page(town, SCREEN, path="/board/") as one:
        await one.page.route_web_socket("**", lambda link: link.close())
        await one.go(f"/board/{line.stops[2]}")
        await expect(one.page.get_by_role("status")).to_have_text("", timeout=patience.PROCESS * 1000)
        await driver.fix(line.at(300))
        await expect(first(one)).to_contain_text("live")
        await expect(first(one)).not_to_contain_text("not live")
        await one.is_well()


async def test_n4_where_nothing_goes_through_that_stays_open_the_board_reads_and_says_when(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.go(100)
    await driver.call("seats.set", taken=8)
    await seen_now(driver, 200)
    async with Page(town, SCREEN, "dark", path="/board/") as one:
        page, blocked = one.page, [True]

        def reached(link):
            if blocked[0]:
                return link.close()
            return link.connect_to_server()

        await page.route_web_socket("**", reached)
        await page.route("**/v1/stream", lambda asked: asked.abort("connectionrefused") if blocked[0] else asked.continue_())
        await one.go(f"/board/{line.stops[2]}")
        await expect(page.get_by_role("status")).to_contain_text("read at", timeout=patience.PROCESS * 1000)
        shown, now = await page.get_by_role("status").inner_text(), time.time()
        assert any(time.strftime("%H:%M", time.gmtime(at)) in shown for at in (now, now - 30))
        # The bus is known, with its seats; nothing is called live, and no minutes are counted.
        await expect(first(one)).to_contain_text("not live")
        await expect(first(one)).to_contain_text("no seat free")
        await expect(page.locator(".departures strong")).to_have_count(0)
        await expect(first(one).locator(".minutes")).to_have_text("")
        await one.is_well(refused=True)
        # It is read again by itself, and as soon as there is a link, that tells.
        await driver.call("seats.set", taken=0)
        await expect(first(one)).to_contain_text("many seats free", timeout=patience.PROCESS * 2000)
        blocked[0] = False
        await expect(page.get_by_role("status")).to_have_text("", timeout=patience.PROCESS * 2000)
        await driver.fix(line.at(300))
        await expect(first(one)).to_contain_text("live")
        await expect(first(one)).not_to_contain_text("not live")
        await one.is_well(refused=True)


async def test_where_nobody_gets_on_nothing_leaves(town, line):
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.go(100)
    async with Page(town, PHONE, path=f"/board/{line.stops[-1]}") as one:
        await one.sees("Nothing leaves from here")
        await one.is_well()


async def test_without_a_stop_one_is_chosen(town, line):
    async with Page(town, SMALL, "dark", language="de-DE", path="/board/") as one:
        page = one.page
        await one.sees("Haltestelle wählen")
        await one.is_well()
        link = page.get_by_role("link", name=line.stops[1])
        await link.focus()
        await page.keyboard.press("Enter")
        await one.sees("nach Fahrplan")
        assert page.url.endswith(f"/board/{line.stops[1]}")
        await one.is_well()
        await one.go(f"/board/#{line.stops[2]}")
        await expect(page.get_by_role("heading", name=line.stops[2])).to_be_visible()
        await one.sees("nach Fahrplan")


async def test_n7_a_stop_that_does_not_exist(town):
    async with Page(town, PHONE, path="/board/nowhere") as one:
        await one.sees("This does not exist")
        await one.is_well(refused=True)
        await one.page.get_by_role("link", name="Choose a stop").click()
        await expect(one.page.get_by_role("heading", name="Choose a stop")).to_be_visible()


@pytest.mark.parametrize(("size", "scheme"), [(SCREEN, "dark"), (PHONE, "light"), (SMALL, "dark")], ids=["desk", "phone", "small"])
async def test_b4_the_same_without_scripts(town, line, size, scheme):
    async with Page(town, size, scheme, path="/text/") as one:
        page = one.page
        await one.is_well()
        await page.get_by_label("Find a stop by its name").fill(line.stops[1].lower())
        await page.keyboard.press("Enter")
        await page.get_by_role("link", name=line.stops[1], exact=True).click()
        await expect(page.get_by_role("heading", name=line.stops[1])).to_be_visible()
        await expect(page.get_by_role("listitem").first).to_contain_text("To East")
        await one.is_well()
        await page.get_by_role("link", name="All stops").click()
        await expect(page.get_by_role("listitem")).to_have_count(100)
