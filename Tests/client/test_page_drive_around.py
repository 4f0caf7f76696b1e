"""The page of drivers when things are not as usual: a lost link, a keyboard, help, and who is no driver."""

import pytest
from playwright.async_api import expect

from kerbside import patience
from kerbside.browser import DESKTOP, SMALL, Page
from kerbside.hub import Hub
from kerbside.names import fresh
from test_page_drive import asked, confirmed, driving, on_duty, taken

LONG = patience.PROCESS * 1000


@pytest.fixture
def own_city():
    """A city whose hub is killed."""
    hub = Hub(blocks=3)
    try:
        yield hub.start()
        hub.stop()
    finally:
        hub.kill()
        hub.remove()


async def test_m14_the_link_is_lost_and_back_during_a_ride(own_city, cast):
    here = own_city.block()
    async with driving(own_city, here.a.stand) as one:
        page = one.page
        await on_duty(one)
        passenger, _ = await taken(own_city, cast, one, here.a)
        await one.move(here.a.centre)
        await one.sees("You have arrived")
        await passenger.until("ride.arrived")
        own_city.kill()
        await expect(page.locator("#link")).to_contain_text("No connection since")
        await one.sees("You have arrived")
        await page.get_by_role("button", name="Passenger aboard").click()
        await expect(page.locator("#waits")).to_contain_text("Passenger aboard")
        # Not before the hub has said so.
        await expect(page.get_by_role("button", name="Passenger aboard")).to_be_disabled()
        await one.is_well(refused=True)
        own_city.start()
        await expect(page.locator("#link")).to_have_text("", timeout=LONG)
        await expect(page.get_by_role("button", name="End the ride")).to_be_visible(timeout=LONG)
        await expect(page.locator("#waits")).to_have_text("")
        await passenger.resume()
        await passenger.until("ride.aboard")
        # Loaded anew it is as it was.
        await page.reload()
        await expect(page.get_by_role("button", name="End the ride")).to_be_visible()
        await confirmed(page, "End the ride")
        await passenger.until("ride.ended")
        await one.is_well(refused=True)


async def test_u10_the_whole_ride_by_the_keyboard_alone(hub, cast):
    here = hub.block()
    async with driving(hub, here.a.stand, DESKTOP) as one:
        page = one.page

        async def reach(name, role="button"):
            """By Tab alone, and not for ever."""
            wanted = page.get_by_role(role, name=name, exact=True).last
            await wanted.wait_for()
            for _ in range(20):
                await page.keyboard.press("Tab")
                if await wanted.evaluate("(one) => one === document.activeElement"):
                    return
            raise AssertionError(f"{name} is not reached by the keyboard")

        async def press(name, role="button"):
            await reach(name, role)
            await page.keyboard.press("Enter")

        await press("Go on duty", "switch")
        await expect(page.get_by_role("switch")).to_be_checked()
        passenger, _ = await asked(hub, cast, one, here.a)
        # A key that was meant for something else accepts nothing, and takes nothing away.
        await page.keyboard.press("Enter")
        await page.keyboard.press("Escape")
        await expect(page.locator("#offer")).to_be_visible()
        await press("Accept")
        await passenger.until("ride.accepted", taxi=one.subject)
        await one.move(here.a.centre)
        await one.sees("You have arrived")
        await press("Passenger aboard")
        await passenger.until("ride.aboard")
        await press("End the ride")
        await page.get_by_role("dialog").wait_for()
        await press("End the ride")
        await passenger.until("ride.ended")
        await press("Done")
        await one.sees("Place 1")


async def test_m13_help_is_called_and_nobody_else_learns_of_it(hub, cast):
    here = hub.block()
    async with driving(hub, here.a.stand, SMALL) as one:
        page = one.page
        await on_duty(one)
        passenger, ride = await taken(hub, cast, one, here.a)
        sos = page.get_by_role("button", name="SOS")
        await sos.click()
        question = page.get_by_role("dialog", name="Call for help?")
        await expect(question.get_by_role("link", name="Call 112")).to_have_attribute("href", "tel:112")
        await one.is_well()
        await question.get_by_role("button", name="Back").click()
        await expect(page.locator("#waits")).to_have_text("")
        await sos.click()
        await question.get_by_role("button", name="Send the alarm").click()
        await expect(page.locator("#waits")).to_contain_text("Told at")
        office = await cast.operator(hub)
        [raised] = [one_of for one_of in (await office.call("sos.list"))["alarms"] if one_of["subject"] == one.subject]
        assert raised["ride"] == ride and abs(raised["position"]["lat"] - here.a.stand.lat) < 1e-6
        await office.call("sos.acknowledge", sos=raised["sos"], key=fresh("k"))
        await expect(page.locator("#waits")).to_contain_text("The office looks after it.")
        await one.is_well()
        await sos.click()
        await question.get_by_role("button", name="There is no danger").click()
        await expect(page.locator("#waits")).to_contain_text("No danger, you said")
        await office.call("sos.close", sos=raised["sos"], note="All is well.", key=fresh("k"))
        await expect(page.locator("#waits")).to_have_text("")
        assert not [event for event in passenger.pushed if event["type"].startswith("sos")]


async def test_who_is_no_driver_is_told_whom_it_is_for(hub):
    for token, text in ((None, "open the invitation"), (hub.token("passenger", "p-other"), "p-other")):
        async with Page(hub, SMALL, "dark", path="/drive/", token=token) as one:
            await one.sees("This page is for drivers")
            await one.sees(text)
            await expect(one.page.get_by_role("button")).to_have_count(0)
            assert not [url for url in one.links if url.startswith("ws:")]
            await one.is_well()


#: Counts the watches of the device's position.
WATCHES = """
globalThis.watches = 0;
const { watchPosition, clearWatch } = Geolocation.prototype;
Geolocation.prototype.watchPosition = function (...more) {
  watches += 1;
  return watchPosition.apply(this, more);
};
Geolocation.prototype.clearWatch = function (...more) {
  watches -= 1;
  return clearWatch.apply(this, more);
};
"""


async def test_a_sign_in_that_has_ended(hub, cast):
    here = hub.block()
    async with driving(hub, here.a.stand, script=WATCHES) as one:
        await on_duty(one)
        assert await one.page.evaluate("watches") == 1
        office = await cast.operator(hub)
        await office.call("office.session_end", role="driver", subject=one.subject, reason="A lost phone.", revoke=True)
        await one.sees("Your sign-in has ended")
        # Nobody looks for the car any more.
        assert await one.page.evaluate("watches") == 0
        await expect(one.page.get_by_role("switch")).to_have_count(0)


@pytest.mark.parametrize(("why", "said"), [
    ("rate_limited", "Too many rides were given back"), ("outside_zones", "You have left all zones"),
    ("blocked", "The office has blocked you"),
])
async def test_a_ride_that_leaves_its_driver_off_duty_says_why(new_hub, cast, why, said):
    hub = new_hub(dispatch__free_cancels=1).start()
    here = hub.block()
    async with driving(hub, here.a.stand) as one:
        page = one.page
        await on_duty(one)
        passenger, ride = await taken(hub, cast, one, here.a)
        await confirmed(page, "Passenger aboard")
        await passenger.until("ride.aboard")
        if why == "blocked":
            office = await cast.operator(hub)
            await office.call("office.block", role="driver", subject=one.subject, reason="Papers.", key=fresh("k"))
        elif why == "outside_zones":
            await one.move(here.outside)
        await confirmed(page, "End the ride")
        await passenger.until("ride.ended", ride=ride)
        await expect(page.locator("#notes")).to_contain_text(said)
        await expect(page.get_by_role("switch")).not_to_be_checked()
        await one.is_well()


@pytest.mark.parametrize(("cmd", "ok", "words"), [
    ("ride.end", {"state": "unavailable", "reason": "blocked"}, ["drive.note.blocked"]),
    # A reason of a later hub.
    ("ride.end", {"state": "unavailable", "reason": "new"}, ["drive.note.off"]),
    ("ride.end", {"state": "available", "zone": "1"}, []),
    ("ride.noshow", {"state": "unavailable", "reason": "blocked"}, ["drive.note.blocked", "drive.note.noshow.off"]),
    ("ride.noshow", {"state": "available", "zone": "1"}, ["drive.note.noshow"]),
    ("ride.cancelled", {"by": "passenger", "state": "unavailable"}, ["drive.note.off", "drive.note.cancelled"]),
    ("ride.cancelled", {"by": "passenger"}, ["drive.note.cancelled"]),
    ("ride.cancelled", {"by": "driver", "reason": "driver_lost", "state": "unavailable"},
     ["drive.note.off", "drive.note.lost.aboard"]),
])
async def test_what_is_said_when_a_ride_is_over(hub, cmd, ok, words):
    """Of a ride whose passenger is aboard."""
    over = """async ([cmd, ok]) => {
        const { done, nothing, told } = await import('/drive/state.js');
        const job = { ride: 'r_1', state: 'aboard', passengers: 1 };
        const before = told(nothing(), 'snapshot', { state: 'busy', ride: job });
        const { notes } = (cmd.endsWith('ed') ? told : done)(before, cmd, { ride: 'r_1', ...ok }, {});
        return notes.map((one) => one.word);
    }"""
    async with Page(hub, SMALL, path="/drive/") as one:
        assert await one.page.evaluate(over, [cmd, ok]) == words


async def test_q10_where_to_wait(hub, cast):
    here = hub.block()
    async with driving(hub, here.a.stand) as one:
        page = one.page
        await on_duty(one)
        await page.get_by_role("button", name="Where is it worth waiting?").click()
        await one.sees("No zone near by is better")
        await one.is_well()
        await page.get_by_role("button", name="Close").click()
        await expect(page.get_by_text("No zone near by is better")).to_have_count(0)
