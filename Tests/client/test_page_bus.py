"""The page of bus drivers, in a browser: a tour from its choice to its end, with those who ask for a stop on the way."""

import pytest
from playwright.async_api import expect

from kerbside import patience
from kerbside.browser import DESKTOP, PHONE, SMALL, Page
from kerbside.bus import BusDriver
from kerbside.stops import rider, serve
from kerbside.wheel import Wheel

LONG = patience.PROCESS * 1000


@pytest.fixture
def own_town():
    """A village whose hub is killed, and in which a bus need not wait for long."""
    yield from serve(stops__wait_ms=1000, stops__quiet_ms=0)


def asked(one):
    return one.page.locator(".asked")


def promised(one):
    return one.page.locator(".promised")


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (SMALL, "dark"), (DESKTOP, "light")], ids=["phone", "small", "desktop"])
async def test_b2_b13_a_tour_from_its_choice_to_its_end(town, line, size, scheme):
    citizen = await rider(town, line)
    async with Wheel(town, line, size, scheme) as one:
        await one.choose()
        await one.sees("To East")
        await one.is_well()
        assert await one.counts("awake") == 0
        await one.press("start")
        await one.is_on_tour()
        await one.next_is(line.stops[0])
        await one.has("awake", 1)
        await one.is_well()
        await one.drive(400)
        await one.next_is(line.stops[1])
        await expect(one.page.locator(".when time")).to_be_visible()
        # B7: who asks is seen at once, rings once, and is read aloud once.
        request = await citizen.ask_for(stop=line.stops[2], name="Bea", passengers=2, help=["wheelchair"])
        await expect(asked(one)).to_contain_text(line.stops[2])
        await expect(asked(one).locator(".help")).to_have_text("wheelchair")
        await one.has("said", [["en", f"{line.stops[2]}: 2 people want to get on, wheelchair"]])
        await one.has("rung", 1)
        await one.is_well()
        await one.press("accept")
        await citizen.until("stop.accepted", request=request)
        await expect(asked(one)).to_have_count(0)
        await expect(promised(one)).to_contain_text("Bea")
        await expect(promised(one).locator(".help")).to_have_text("wheelchair")
        await one.drive(1200)
        await one.next_is(line.stops[2])
        await expect(one.page.locator(".calls")).to_have_text("Stop: 2 people get on")
        await one.is_well()
        await one.drive(2000)
        await citizen.until("stop.arrived", request=request)
        await one.press("complete")
        await citizen.until("stop.completed", request=request)
        await expect(promised(one)).to_have_count(0)
        # B3: seats, as they were tapped, in one message.
        for _ in range(2):
            await one.page.get_by_role("button", name="One seat more").click()
        await expect(one.page.locator(".count strong")).to_have_text("2 of 8")
        assert await one.counts("rung") == 1 and len(await one.counts("said")) == 1
        await one.press("end")
        await expect(one.page.get_by_role("dialog")).to_contain_text("End the tour?")
        await one.is_well()
        await one.agree()
        await one.sees("The tour is over.")
        await one.has("awake", 0)
        await one.is_well()


async def test_b9_a_stop_is_declined_only_when_that_was_meant(town, line):
    citizen = await rider(town, line)
    async with Wheel(town, line, PHONE) as one:
        await one.begin()
        await one.drive(300)
        request = await citizen.ask_for(2500)
        await expect(asked(one)).to_contain_text(f"500 m from {line.stops[2]}")
        await one.press("decline")
        await one.page.keyboard.press("Escape")
        await expect(asked(one).locator("button[name=accept]")).to_be_visible()
        await one.press("decline")
        await expect(one.page.get_by_role("dialog")).to_contain_text("can’t be undone")
        await one.agree()
        await citizen.until("stop.declined", request=request)
        await expect(asked(one)).to_have_count(0)
        # What was promised can be taken back.
        request = await citizen.ask_for(3000)
        await one.press("accept")
        await citizen.until("stop.accepted", request=request)
        await one.page.get_by_role("button", name="I can’t stop there after all").click()
        await one.agree()
        await citizen.until("stop.declined", request=request)
        await one.sees("None now.")


async def test_b10_nobody_came(own_town):
    line = next(own_town.lines["hourly"])
    citizen = await rider(own_town, line)
    async with Wheel(own_town, line, PHONE) as one:
        await one.begin()
        await one.drive(300)
        request = await citizen.ask_for(stop=line.stops[1], name="Cara")
        await one.press("accept")
        await citizen.until("stop.accepted", request=request)
        # Too early: it is said why not, and she is still on the list.
        await one.press("noshow")
        await one.agree()
        await expect(one.page.get_by_role("alert")).to_be_visible()
        await expect(promised(one)).to_contain_text("Cara")
        await one.is_well()
        await one.drive(1000)
        await citizen.until("stop.arrived", request=request)

        async def is_taken():
            # As long as it stands there.
            await one.move(line.at(1001))
            await one.press("noshow")
            await expect(one.page.get_by_role("dialog")).to_contain_text("Cara did not come?")
            await one.agree()
            await expect(one.page.locator(".sending")).to_have_count(0)
            return await promised(one).count() == 0

        await own_town.until("the wait", is_taken, patience.PROCESS * 2)
        await citizen.until("stop.noshow", request=request)


async def test_b10_all_of_one_place_are_answered_at_once_and_ring_once(town, line):
    first, second = await rider(town, line), await rider(town, line)
    async with Wheel(town, line, SMALL) as one:
        await one.begin()
        await one.drive(300)
        requests = [await first.ask_for(stop=line.stops[3], name="Ada"), await second.ask_for(stop=line.stops[3], name="Bea")]
        await expect(asked(one)).to_contain_text("Bea")
        await expect(asked(one)).to_contain_text("Ada")
        await one.press("accept")
        for citizen, request in zip((first, second), requests, strict=True):
            await citizen.until("stop.accepted", request=request)
        await expect(promised(one).locator("ul li")).to_have_count(2)
        assert await one.counts("rung") == 1
        await one.press("complete", 1)
        await expect(promised(one).locator("ul li")).to_have_count(1)
        await one.is_well()


async def test_m14_a_lost_link_is_said_and_what_was_done_takes_effect(own_town):
    line = next(own_town.lines["hourly"])
    citizen = await rider(own_town, line)
    async with Wheel(own_town, line, PHONE, "dark") as one:
        page = one.page
        await one.begin()
        await one.drive(400)
        request = await citizen.ask_for(stop=line.stops[3])
        await expect(asked(one)).to_be_visible()
        own_town.kill()
        await expect(page.locator("#link")).to_contain_text("No connection since")
        await one.press("accept")
        await page.get_by_role("button", name="One seat more").click()
        await expect(page.locator("#waiting")).to_contain_text("I stop, Seats taken")
        await expect(page.locator(".wish")).to_have_text("1 is being sent")
        # What the hub has not confirmed is not shown as if it had.
        await expect(page.locator(".count strong")).to_have_text("0 of 8")
        await expect(promised(one)).to_have_count(0)
        await expect(asked(one)).to_contain_text("being sent")
        await one.move(line.at(700))
        await one.is_well(refused=True)
        own_town.start()
        await expect(page.locator("#link")).to_have_text("", timeout=LONG)
        await expect(page.locator(".count strong")).to_have_text("1 of 8", timeout=LONG)
        await expect(promised(one)).to_contain_text("Ada", timeout=LONG)
        await expect(page.locator("#waiting")).to_be_empty()
        await citizen.resume()
        await citizen.until("stop.accepted", request=request)
        one.metres = 700
        await one.drive(1300)
        await one.next_is(line.stops[2])
        assert await one.counts("rung") == 1
        await one.is_well(refused=True)


async def test_a_page_that_is_loaded_anew_finds_its_tour_and_does_not_ring_again(own_town):
    line = next(own_town.lines["hourly"])
    citizen = await rider(own_town, line)
    async with Wheel(own_town, line, PHONE) as one:
        await one.begin()
        await one.drive(1500)
        await citizen.ask_for(stop=line.stops[3])
        await one.has("rung", 1)
        await one.page.get_by_role("button", name="Read aloud").click()
        await one.page.reload()
        await one.next_is(line.stops[2])
        await expect(asked(one)).to_contain_text(line.stops[3])
        # Browsers make no sound before the first touch.
        await one.sees("Touch the screen once")
        await one.is_well()
        await one.page.locator("h1").click()
        await expect(one.page.get_by_text("Touch the screen once")).to_have_count(0)
        assert await one.counts("rung") == 0
        # What was muted stays so; the bell does not.
        await (await rider(own_town, line)).ask_for(3500)
        await expect(asked(one)).to_contain_text("and 1 more place")
        await one.has("rung", 1)
        assert await one.counts("said") == []
        await expect(one.page.get_by_role("button", name="Read aloud")).to_have_attribute("aria-pressed", "false")
        await one.drive(1700)


async def test_u10_a_whole_tour_by_the_keyboard_alone(town, line):
    citizen = await rider(town, line)

    async with Wheel(town, line, SMALL, language="de-AT") as one:
        page, keys = one.page, one.page.keyboard

        async def reach(name):
            """By the Tab key, to the button or field of that name."""
            for _ in range(40):
                await keys.press("Tab")
                if await page.evaluate("document.activeElement?.name") == name:
                    return
            raise AssertionError(f"{name} is not reached")

        await expect(page.locator("select[name=bus]")).to_be_visible()
        await reach("bus")
        await keys.type(line.bus)
        await expect(page.locator("select[name=line]")).to_have_value(line.id)
        await reach("run")
        await reach("start")
        await keys.press("Enter")
        await one.is_on_tour()
        await one.drive(300)
        request = await citizen.ask_for(stop=line.stops[2], help=["wheelchair"])
        await one.has("said", [["de", f"{line.stops[2]}: 1 Person möchte einsteigen, Rollstuhl"]])
        await page.locator("#title").focus()
        await reach("accept")
        await keys.press("Enter")
        await citizen.until("stop.accepted", request=request)
        await reach("complete")
        await one.drive(2000)
        # Who waits there keeps the place, whatever is drawn anew.
        await citizen.until("stop.arrived", request=request)
        await keys.press("Enter")
        await citizen.until("stop.completed", request=request)
        await page.locator("#title").focus()
        await reach("seat")
        await keys.press("Enter")
        await expect(page.locator(".count strong")).to_have_text("1 von 8")
        await reach("skip")
        await keys.press("Enter")
        await keys.press("Tab")
        await keys.press("Enter")
        await one.next_is(line.stops[3])
        await one.is_well()
        await reach("end")
        await keys.press("Enter")
        await keys.press("Tab")
        await keys.press("Enter")
        await one.sees("Die Fahrt ist beendet")


@pytest.mark.parametrize(("role", "text"), [(None, "Open on this device the invitation"), ("passenger", "somebody else")])
async def test_u7_it_is_for_bus_drivers_only(town, role, text):
    token = role and town.token(role, "somebody")
    async with Page(town, PHONE, path="/bus/", token=token) as one:
        await one.sees(text)
        await expect(one.page.get_by_role("button")).to_have_count(0)
        assert not one.links
        await one.is_well()


async def test_b2_a_bus_that_somebody_drives_is_refused_in_the_drivers_language(town, line):
    async with Wheel(town, line, PHONE, "dark", "de-DE") as one:
        await one.choose()
        driver = BusDriver(town, line)
        await driver.begin()
        # The other bus has that departure: it is not offered as the next one, but it can be taken.
        await expect(one.page.locator(".run").first).to_contain_text(f"unterwegs mit Bus {line.bus}")
        if await one.page.locator("input[name=run]:checked").count() == 0:
            await one.page.locator("input[name=run]").first.check()
        await one.press("start")
        await expect(one.page.get_by_role("alert")).to_contain_text("Diesen Bus fährt schon jemand")
        await one.is_well()
        await driver.call("tour.end")
        await one.begin()
        await one.next_is(line.stops[0])


async def test_where_the_bus_is_must_be_allowed(town, line):
    async with Wheel(town, line, PHONE, place=None) as one:
        await one.begin()
        await one.sees("this page may not know it")
        await one.is_well()


async def test_m13_an_alarm_asks_first_and_says_who_has_heard_it(town, line, cast):
    office = await cast.operator(town)
    await office.call("subscribe", channel="office")
    async with Wheel(town, line, PHONE) as one:
        await one.begin()
        await one.drive(300)
        sos = one.page.get_by_role("button", name="SOS")
        await sos.click()
        await one.is_well()
        await one.page.get_by_role("button", name="Back", exact=True).click()
        await sos.click()
        await one.agree()
        await expect(one.page.locator("#alarm")).to_contain_text("The office has your alarm.")
        raised = await office.wait(
            lambda: next((m["data"] for m in office.pushed if m["type"] == "sos.raised"), None), "the alarm")
        assert raised["subject"] == one.subject and abs(raised["position"]["lon"] - line.at(300).fields["lon"]) < 0.001
        await one.page.reload()
        # The hub has told it of its tour, so it hears of the alarm, too.
        await one.is_on_tour()
        await expect(one.page.locator("#alarm")).to_contain_text("The office has your alarm.")
        await office.call("sos.acknowledge", sos=raised["sos"])
        await expect(one.page.locator("#alarm")).to_contain_text("looks after it")
        await one.is_well()
        await office.call("sos.close", sos=raised["sos"], note="All is well.")
        await expect(one.page.locator("#alarm")).to_contain_text("closed")
        await one.page.get_by_role("button", name="I have read it").click()
        await expect(one.page.locator("#alarm")).to_be_empty()


async def test_the_office_writes_to_drivers_and_ends_a_tour(town, line, cast):
    office = await cast.operator(town)
    async with Wheel(town, line, PHONE) as one:
        await one.begin()
        await office.call("broadcast", to="bus_drivers", text="The market is closed.")
        await one.sees("The market is closed.")
        await one.has("said", [["en", "The market is closed."]])
        await one.is_well()
        await one.page.reload()
        await one.sees("The market is closed.")
        await one.page.get_by_role("button", name="I have read it").click()
        await expect(one.page.get_by_text("The market is closed.")).to_have_count(0)
        await one.is_on_tour()
        await office.call("tour.end", tour=one.tour)
        await one.sees("The office has ended the tour.")


async def test_a_stop_that_was_passed_by_hand_is_one_stop_for_who_touches_twice(town, line):
    async with Wheel(town, line, PHONE) as one:
        await one.begin()
        passed = one.page.locator("button[name=passed]")
        assert await passed.evaluate("(button) => { button.click(); return button.disabled; }")
        await one.next_is(line.stops[1])
        await expect(passed).to_be_enabled()


async def test_a_sign_in_that_has_ended_looks_for_no_bus(town, line, cast):
    office = await cast.operator(town)
    async with Wheel(town, line, PHONE) as one:
        await one.begin()
        await one.has("awake", 1)
        await office.call("office.session_end", role="bus_driver", subject=one.subject, reason="A lost phone.", revoke=True)
        await expect(one.page.locator("#link")).not_to_be_empty()
        await one.has("awake", 0)
