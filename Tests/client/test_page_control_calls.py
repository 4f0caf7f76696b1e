"""The control room on the telephone, in danger, and in the evening: callers, alarms, reports, figures."""

from playwright.async_api import expect

from kerbside import figures
from kerbside.browser import DESKTOP, PHONE, SMALL
from kerbside.bus import BusDriver
from kerbside.minibus import trip
from kerbside.names import numbers
from kerbside.room import REASON, Room

#: Counts what sounds, as a test has no ears.
EAR = """
() => {
  const make = AudioContext.prototype.createOscillator;
  globalThis.tones = 0;
  AudioContext.prototype.createOscillator = function () { globalThis.tones += 1; return make.call(this); };
}
"""


async def fill(page, name="Ada Rossi"):
    """Who telephones; the number."""
    number = f"+39 02 {next(numbers)}"
    form = page.locator(".call-form")
    await form.get_by_label("Name").fill(name)
    await form.get_by_label("Telephone number").fill(number)
    return number


async def choose_the_middle(page):
    """By the keyboard alone."""
    await page.locator("#map").focus()
    await page.keyboard.press("Enter")


async def test_b18_a_caller_is_fetched_and_has_a_receipt(city, cast):
    here = city.block()
    [driver] = await cast.queue(city, here.a.centre, 1)
    async with Room(city, "#call") as one:
        page = one.page
        await expect(page.locator(".legend")).to_contain_text("free: 1")
        await one.is_well()
        number = await fill(page)
        await one.button("Ask for it")
        await one.sees("Where from? Choose the pickup")
        await choose_the_middle(page)
        pickup = page.get_by_role("button", name="Pickup", exact=True)
        await expect(pickup).to_be_visible()
        await expect(page.locator(".call-form").get_by_label("Pickup", exact=True)).to_have_value("Chosen on the map")
        await one.is_well()
        # The pin is moved by the keyboard, and where it is then is where the taxi comes.
        await pickup.focus()
        await page.keyboard.press("ArrowUp")
        await one.button("Ask for it")
        await one.says("Asked for Ada Rossi.")
        told = await driver.accept()
        ride = told["ride"]
        assert told["contact"] == {"name": "Ada Rossi", "number": number}
        assert told["pickup"]["lat"] > here.a.centre.lat
        calls = page.get_by_role("list", name="Callers")
        await expect(calls).to_contain_text("a driver is looked for")
        await expect(calls).to_contain_text(f"accepted · vehicle {driver.subject}")
        await one.is_well()
        await driver.drive(here.a.centre.moved(north=30))
        await driver.call("ride.aboard")
        await expect(calls).to_contain_text("passengers aboard")
        await driver.drive(here.b.centre, step=200)
        await driver.known()
        # It was asked for ten minutes ago: what is over at once took nobody anywhere.
        for field in ("requested_at", "aboard_at"):
            city.redis.hincrby(city.key(f"ride:{ride}"), field, -600_000)
        await driver.call("ride.end", payment="cash")
        await expect(calls).to_contain_text("ended")
        await calls.get_by_role("button", name="Receipt").click()
        receipt = page.locator(".receipt")
        await expect(receipt).to_contain_text(driver.subject)
        await expect(receipt).to_contain_text("cash")
        await one.is_well()


async def test_b18_a_caller_calls_again_and_takes_it_back(city, cast):
    here = city.block()
    [driver] = await cast.queue(city, here.a.centre, 1)
    async with Room(city, "#call", PHONE, scheme="dark") as one:
        page = one.page
        await expect(page.locator(".legend")).to_contain_text("free: 1")
        await fill(page, "Bob")
        await choose_the_middle(page)
        await one.button("Ask for it")
        await driver.accept()
        await expect(page.get_by_role("list", name="Callers")).to_contain_text("accepted")
        # Whoever loads the page finds the calls there.
        await page.reload()
        calls = page.get_by_role("list", name="Callers")
        await expect(calls).to_contain_text("Bob")
        await one.button("Take back")
        await one.is_well()
        await one.agree("Take back")
        assert (await driver.until("ride.cancelled"))["by"] == "passenger"
        await expect(calls).to_contain_text("cancelled")
        await expect(calls.get_by_role("button", name="Take back")).to_have_count(0)
        await one.is_well()


async def test_b18_seats_and_a_stop_for_callers(town, cast, line):
    here = town.block()
    minibus = cast.minibus(town, here.a.stand)
    await minibus.go_online()
    bus = BusDriver(town, line)
    await bus.begin()
    await bus.go(100)
    async with Room(town, "#call") as one:
        page = one.page
        await expect(page.locator(".legend")).to_contain_text("minibuses: 1")
        await fill(page, "Eva")
        await page.get_by_label("What is wanted").select_option("A bus that stops")
        await page.get_by_role("combobox", name="Line").select_option(line.id)
        await page.get_by_role("combobox", name="Stop").select_option(line.stops[3])
        await one.is_well()
        await one.button("Ask for it")
        asked = await bus.until("stop.requested")
        assert asked["places"][0]["requests"][0]["name"] == "Eva"
        calls = page.get_by_role("list", name="Callers")
        await expect(calls).to_contain_text("waits for an answer")
        await bus.call("stop.accept", request=asked["request"])
        await expect(calls).to_contain_text("the bus will stop")
        await one.show("Rides")
        await expect(one.group("On the way to the pickup")).to_contain_text("Stop on request")
        await one.is_well()
        await one.go(f"/control/#bus/{line.bus}")
        await one.sees("8/8")
        await one.is_well()
        await one.button("End the tour")
        await one.agree("End the tour")
        await bus.until("tour.ended")
        rider = await cast.rider(town)
        booking = (await rider.call("seat.book", vehicle=minibus.subject, **trip(here.a.centre, here.b.centre)))["booking"]
        await one.go("/control/#rides")
        where = f"Zone {here.a.id} · {minibus.subject}"
        await expect(one.group("Looking for a driver")).to_contain_text(f"waits for an answer · {where}")
        await minibus.until("seat.requested", booking=booking)
        await minibus.call("seat.accept", booking=booking)
        await one.page.get_by_role("link", name=booking).click()
        await one.button("Cancel")
        await one.agree("Cancel", **{REASON: "The road is closed."})
        await rider.until("seat.cancelled", booking=booking)
        await one.is_well()


async def test_n7_an_alarm_stands_above_all_and_sounds_until_it_is_taken(city, cast):
    here = city.block()
    [driver] = await cast.queue(city, here.a.stand, 1)
    rider = await cast.rider(city)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    async with Room(city, "#zones") as one:
        page = one.page
        await page.evaluate(EAR)
        await expect(page.locator(".legend")).to_contain_text("with a ride: 1")
        raised = await rider.call("sos", **here.a.centre.fields, text="He does not stop.")
        alarm = page.get_by_role("alert")
        await expect(alarm).to_contain_text("He does not stop.")
        await expect(alarm).to_contain_text(driver.subject)
        await expect(page).to_have_title("SOS · Control room")
        # A browser is mute until somebody touches the page; that is said.
        sound = page.get_by_role("button", name="turn the sound on")
        await expect(sound).to_be_visible()
        await one.is_well()
        await sound.click()
        await page.wait_for_function("() => tones > 1")
        await expect(sound).to_have_count(0)
        await expect(page.get_by_role("img", name="Here somebody is in danger")).to_be_visible()
        await alarm.get_by_role("button", name="I look after it").click()
        await rider.until("sos.acknowledged", sos=raised["sos"])
        await expect(page.get_by_role("alert")).to_have_count(0)
        taken = page.get_by_role("region", name=f"SOS {rider.subject}")
        await expect(taken).to_contain_text("looks after it since")
        await expect(page).to_have_title("Control room")
        before = await page.evaluate("tones")
        await page.wait_for_timeout(2500)
        assert await page.evaluate("tones") == before, "it still sounds"
        await one.is_well()
        await rider.call("sos.cancel")
        await expect(taken).to_contain_text("its sender said that there is no danger")
        # Who comes later sees it, too.
        await page.reload()
        await expect(taken).to_contain_text("He does not stop.")
        await taken.get_by_role("button", name="Close the alarm").click()
        await one.agree("Close the alarm", **{"What came of it?": "She is safe."})
        await rider.until("sos.closed", sos=raised["sos"])
        await expect(taken).to_have_count(0)
        await expect(page.get_by_role("img", name="Here somebody is in danger")).to_have_count(0)
        await one.is_well()


async def test_an_alarm_that_rings_again_leaves_the_cards_of_others_and_the_keyboard_where_they_are(city, cast):
    place = city.block().a.centre
    first, second = await cast.rider(city), await cast.rider(city)
    await first.call("sos", text="He does not stop.", **place.fields)
    async with Room(city) as one:
        page = one.page
        card = page.get_by_role("alert", name=f"SOS {first.subject}")
        other = page.get_by_role("alert", name=f"SOS {second.subject}")
        look = card.get_by_role("button", name="Show on the map")
        await look.focus()
        for found in (card, look):
            await found.evaluate("one => { one.isFirst = true; }")
        await second.call("sos")
        await expect(other).to_have_count(1)
        await first.call("sos", **place.moved(north=300).fields)
        # A later event is applied after that.
        await second.call("sos", text="Help!")
        await expect(other).to_contain_text("Help!")
        for found in (card, look):
            assert await found.evaluate("one => one.isFirst"), "it is another one"
        await expect(look).to_be_focused()
        await other.get_by_role("button", name="I look after it").click()
        await expect(other).to_have_count(0)
        assert await card.evaluate("one => one.isFirst"), "what is read anew is no other alarm"
        # What a card says itself is drawn.
        await first.call("sos", text="He drives on.")
        await expect(card).to_contain_text("He drives on.")
        await look.focus()
        await first.call("sos.cancel")
        await expect(card).to_contain_text("its sender said that there is no danger")
        await expect(look).to_be_focused()
        await one.is_well()


async def test_any_touch_turns_the_sound_of_an_alarm_on(city, cast):
    rider = await cast.rider(city)
    await rider.call("sos")
    # The first key lets nothing sound.
    second = """
        let keys = 0;
        Object.defineProperty(AudioContext.prototype, 'state', { get: () => (keys > 1 ? 'running' : 'suspended') });
        AudioContext.prototype.resume = async function () {
          keys += 1;
          this.dispatchEvent(new Event('statechange'));
        };
    """
    async with Room(city, "#zones", script=second) as one:
        page = one.page
        sound = page.get_by_role("button", name="turn the sound on")
        await expect(sound).to_be_visible()
        await page.keyboard.press("Escape")
        await page.keyboard.press("a")
        await expect(sound).to_have_count(0)
        await rider.call("sos.cancel")


async def test_who_turns_the_sound_on_by_the_keyboard_is_at_the_alarm_and_has_not_taken_it(city, cast):
    rider = await cast.rider(city)
    await rider.call("sos")
    async with Room(city, "#zones") as one:
        page = one.page
        sound = page.get_by_role("button", name="turn the sound on")
        await sound.focus()
        await page.keyboard.press("Enter")
        await expect(sound).to_have_count(0)
        alarm = page.get_by_role("alert", name=f"SOS {rider.subject}")
        await expect(alarm.get_by_role("heading")).to_be_focused()
        # A card that is made anew keeps it.
        await rider.call("sos", text="Help!")
        await expect(alarm).to_contain_text("Help!")
        await expect(alarm.get_by_role("heading")).to_be_focused()
        await one.is_well()


async def test_a_browser_that_permits_no_sound_is_said_to(city, cast):
    rider = await cast.rider(city)
    await rider.call("sos")
    mute = """
        AudioContext.prototype.resume = () => new Promise(() => {});
        Object.defineProperty(AudioContext.prototype, 'state', { get: () => 'suspended' });
    """
    async with Room(city, "#zones", script=mute) as one:
        await one.page.get_by_role("button", name="turn the sound on").click()
        await one.says("This browser lets the page make no sound. Allow sound for this page in the browser’s settings.")


async def test_without_a_sign_in_an_alarm_does_not_sound_for_ever(city, cast):
    rider = await cast.rider(city)
    await rider.call("sos", text="He does not stop.")
    count = """
        globalThis.turns = new Set();
        const [set, clear] = [globalThis.setInterval, globalThis.clearInterval];
        globalThis.setInterval = (does, ms, ...more) => {
          const id = set(does, ms, ...more);
          if (ms === 1200) turns.add(id);
          return id;
        };
        globalThis.clearInterval = (id) => clear(id, turns.delete(id));
    """
    async with Room(city, "#zones", script=count) as one:
        page = one.page
        await expect(page).to_have_title("SOS · Control room")
        assert await page.evaluate("turns.size") == 1
        # As when the office ends the session.
        await page.evaluate("import('/control/desk.js').then(({ hub }) => hub.stop())")
        await expect(page).to_have_title("Control room")
        assert await page.evaluate("turns.size") == 0
        await expect(page.get_by_role("button", name="turn the sound on")).to_have_count(0)
        await expect(page.get_by_role("alert")).to_contain_text("He does not stop.")


async def test_an_alarm_that_is_taken_twice_at_once_is_taken_once(city, cast):
    rider = await cast.rider(city)
    await rider.call("sos")
    async with Room(city, "#zones") as one:
        take = one.page.get_by_role("alert", name=f"SOS {rider.subject}").get_by_role("button", name="I look after it")
        pending = """async (button) => {
            const { hub } = await import('/control/desk.js');
            button.click();
            button.click();
            return hub.pending.filter(({ cmd }) => cmd === 'sos.acknowledge').length;
        }"""
        assert await take.evaluate(pending) == 1
        await rider.until("sos.acknowledged")


async def test_an_alarm_on_a_small_screen(city, cast):
    rider = await cast.rider(city)
    await rider.call("sos", text="Help! " * 60)
    async with Room(city, size=SMALL, scheme="dark") as one:
        alarm = one.page.get_by_role("alert")
        take = alarm.get_by_role("button", name="I look after it")
        await take.scroll_into_view_if_needed()
        await one.is_well()
        await take.click()
        await rider.until("sos.acknowledged")
        await expect(alarm).to_have_count(0)


async def test_m13_reports_are_read_and_closed(city, cast):
    rider = await cast.rider(city)
    async with Room(city, "#reports", PHONE) as one:
        await one.sees("Nothing is reported.")
        await rider.call("report.send", category="driving", text="On the phone all the way.", anonymous=True)
        await one.sees("On the phone all the way.")
        await one.sees("anonymous")
        await one.says("Somebody reports an incident.")
        await one.is_well()
        await one.button("Close")
        await one.agree("Close", **{"What came of it?": "Talked to him."})
        await one.sees("Nothing is reported.")
        await one.is_well()


async def test_b16_figures_as_bars_and_as_tables_and_how_the_hub_is(city, cast):
    here = city.block()
    [driver] = await cast.queue(city, here.a.centre, 1)
    rider = await cast.rider(city)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    await driver.call("ride.aboard")
    await driver.call("ride.end")

    def is_summed_up():
        answer = figures.ask_taxis(city)
        return answer.status == 200 and any(row["zone"] == here.a.id for row in answer.json["hours"])

    await city.until("the ride is in the figures", is_summed_up)
    async with Room(city, "#figures", DESKTOP, scheme="dark") as one:
        page = one.page
        await one.sees("ready")
        await expect(page.locator("svg.chart rect").first).to_be_visible(timeout=20_000)
        zones = page.locator("section", has=page.get_by_role("heading", name="Taxi rides by zone")).last
        await zones.get_by_text("As a table").click()
        await expect(zones.get_by_role("row", name=here.a.id)).to_contain_text("1")
        # A hub that is busy says so, and is asked again.
        one.faults = [fault for fault in one.faults if "503" not in fault]
        await one.is_well()
