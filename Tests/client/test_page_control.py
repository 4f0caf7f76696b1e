"""The control room in a browser: what operators see, and what they do there."""

import pytest
from playwright.async_api import expect

from kerbside.browser import DESKTOP, PHONE, SMALL, Page
from kerbside.names import fresh
from kerbside.room import REASON, Room


@pytest.mark.parametrize("role", [None, "driver", "passenger"])
async def test_u7_who_is_no_operator_is_told_whom_it_is_for(city, role):
    token = city.token(role, fresh("x")) if role else None
    async with Page(city, PHONE, path="/control/", token=token) as one:
        await one.sees("This page is for the control room")
        await one.sees("Ask whoever runs the hub for an invitation")
        await one.is_well()
        assert one.links == [], "nothing is asked of the hub"


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
async def test_r6_a_request_is_seen_from_its_beginning_to_its_end(city, cast, size, scheme):
    here = city.block()
    first, _ = await cast.queue(city, here.a.stand, 2)
    async with Room(city, "#zones", size, scheme=scheme) as one:
        page = one.page
        zone = page.get_by_role("link", name=f"Zone {here.a.id}")
        await expect(zone).to_contain_text("2")
        await expect(page.locator(".legend")).to_contain_text("free: 2")
        await expect(page.locator(".zone-plain")).to_have_text([f"{here.a.id} · 2"])
        await one.is_well()
        rider = await cast.rider(city)
        ride = await rider.request(here.a.centre)
        await one.show("Rides")
        await expect(one.group("Looking for a driver")).to_contain_text(f"offered to a driver · Zone {here.a.id} · {first.subject}")
        await one.is_well()
        await first.accept(ride)
        coming = one.group("On the way to the pickup")
        await expect(coming).to_contain_text("accepted, on the way")
        await one.show("Zones")
        await expect(zone).to_contain_text("1")
        await expect(page.locator(".zone-plain")).to_have_text([f"{here.a.id} · 1"])
        await expect(page.locator(".legend")).to_contain_text("with a ride: 1")
        await one.show("Rides")
        await coming.get_by_role("link", name=ride).click()
        await one.sees(f"Ride {ride}")
        await one.sees(rider.subject)
        await expect(page.get_by_role("img", name="Pickup")).to_be_visible()
        await one.is_well()
        await first.drive(here.a.centre)
        await one.sees("at the pickup")
        await first.call("ride.aboard")
        await expect(page.locator(".facts")).to_contain_text("passengers aboard")
        await one.is_well()
        await first.call("ride.end")
        await expect(page.locator(".facts")).to_contain_text("ended")
        await expect(page.get_by_role("img", name="Pickup")).to_be_visible()
        await page.get_by_role("link", name="Back").click()
        await expect(one.group("Over")).to_contain_text(ride)
        await expect(page.get_by_role("img", name="Pickup")).to_have_count(0)
        await one.is_well()


async def test_a_driver_is_taken_out_and_put_back_and_a_queue_gets_a_notice(city, cast):
    here = city.block()
    first, second = await cast.queue(city, here.a.stand, 2)
    async with Room(city, f"#zone/{here.a.id}") as one:
        page = one.page
        queue = one.group("Queue").get_by_role("listitem")
        await expect(queue).to_have_count(2)
        await one.button(f"To the front: {second.subject}")
        await one.is_well()
        await one.agree("To the front", **{REASON: "She waits for long."})
        await expect(queue.first).to_contain_text(second.subject)
        await one.button("Notice to this queue")
        await one.agree("Send", Text="The bridge is closed.")
        assert (await second.until("notice"))["text"] == "The bridge is closed."
        await one.button(f"Take out: {first.subject}")
        await one.agree("Take out", **{REASON: "The car is empty."})
        left = await first.until("queue.left")
        assert (left["reason"], left["text"]) == ("operator", "The car is empty.")
        await expect(queue).to_have_count(1)
        await one.go(f"/control/#driver/{first.subject}")
        await one.sees("not available")
        await one.is_well()
        await one.button("Put back")
        await one.agree("Put back", **{REASON: "By mistake."})
        assert (await first.until("queue.joined", reason="operator"))["zone"] == here.a.id
        await one.sees(f"Zone {here.a.id}")
        await one.show("Log")
        log = one.group("Log")
        await expect(log).to_contain_text("By mistake.")
        await expect(log.get_by_role("listitem")).to_have_count(4)
        await one.is_well()
        await one.show("Notices")
        await one.sees("The bridge is closed.")
        await one.is_well()
        assert await page.title() == "Control room"


async def test_a_driver_is_blocked_and_unblocked(city, cast):
    here = city.block()
    [driver] = await cast.queue(city, here.a.stand, 1)
    async with Room(city, f"#driver/{driver.subject}", PHONE) as one:
        page = one.page
        await one.sees("available")
        await one.button("Block")
        # Without a reason nothing happens.
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Block", exact=True).click()
        await expect(dialog).to_be_visible()
        await one.is_well()
        await dialog.get_by_label("For how long").select_option("An hour")
        await one.agree("Block", **{REASON: "Rude to passengers."})
        await one.sees("Rude to passengers. until")
        await driver.refused("driver.available", "forbidden")
        await one.is_well()
        await one.button("Unblock")
        await one.agree("Unblock")
        await expect(page.get_by_role("button", name="Block", exact=True)).to_be_visible()
        assert (await driver.call("driver.available"))["state"] == "available"


async def test_a_ride_is_offered_by_hand_given_to_another_and_cancelled(city, cast):
    here = city.block()
    [first] = await cast.queue(city, here.a.stand, 1)
    [second] = await cast.queue(city, here.b.stand, 1)
    rider = await cast.rider(city)
    ride = await rider.request(here.a.centre)
    await first.accept(ride)
    async with Room(city, f"#ride/{ride}") as one:
        page = one.page
        await one.sees("accepted, on the way")
        await one.button("Give to another driver")
        await page.get_by_role("dialog").get_by_label("To a driver").fill(second.subject)
        await one.agree("Give to another driver", **{REASON: "A flat tyre."})
        await rider.until("ride.searching", reason="operator")
        await second.accept_next(ride)
        await expect(page.locator(".facts")).to_contain_text(second.subject)
        await one.is_well()
        await one.button("Cancel")
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text("This can’t be undone.")
        await dialog.get_by_role("button", name="Don’t").click()
        await expect(dialog).to_have_count(0)
        await one.button("Cancel")
        await one.agree("Cancel", **{REASON: "She has called."})
        off = await rider.until("ride.cancelled")
        assert (off["by"], off["text"]) == ("operator", "She has called.")
        await one.says("Cancelled.")
        await expect(page.locator(".facts")).to_contain_text("cancelled")
        await expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)
        await one.is_well()


async def test_what_the_hub_refuses_says_why_and_can_be_put_right(city, cast):
    here = city.block()
    [first] = await cast.queue(city, here.a.stand, 1)
    rider = await cast.rider(city)
    ride = await rider.request(here.a.centre)
    async with Room(city, f"#ride/{ride}") as one:
        dialog = one.page.get_by_role("dialog")
        await one.button("Offer to a driver")
        await dialog.get_by_label("Which driver?").fill("nobody")
        await dialog.get_by_role("button", name="Offer to a driver").click()
        await expect(dialog.locator(".alarm")).to_be_visible()
        await one.is_well()
        await dialog.get_by_label("Which driver?").fill(first.subject)
        await dialog.get_by_role("button", name="Don’t").click()
        await one.go("/control/#ride/r_none")
        await expect(one.page.locator("#view .alarm")).to_be_visible()
        await one.is_well()


async def test_by_keyboard_alone(city, cast):
    here = city.block()
    [driver] = await cast.queue(city, here.a.stand, 1)
    async with Room(city) as one:
        page = one.page
        await expect(page.locator(".legend")).to_contain_text("free: 1")
        press = page.keyboard.press
        await press("Tab")
        await page.keyboard.type(driver.subject.lower())
        await expect(page.get_by_role("list", name="Found")).to_contain_text(driver.subject)
        await one.is_well()
        await press("Enter")
        await expect(page.get_by_role("heading", name=f"Driver {driver.subject}")).to_be_focused()
        await expect(page.get_by_role("button", name="Take out")).to_be_visible()
        for _ in range(8):
            if await page.evaluate("document.activeElement.textContent") == "Take out":
                break
            await press("Tab")
        await press("Enter")
        await expect(page.get_by_label(REASON)).to_be_focused()
        await page.keyboard.type("The phone is broken.")
        await press("Enter")
        assert (await driver.until("queue.left"))["text"] == "The phone is broken."
        await one.says("Taken out of the queue.")


async def test_n1_the_link_is_lost_and_comes_back(city, cast):
    here = city.block()
    first, _ = await cast.queue(city, here.a.stand, 2)
    async with Room(city, "#zones", SMALL, scheme="dark") as one:
        page = one.page
        zone = page.get_by_role("link", name=f"Zone {here.a.id}")
        await expect(zone).to_contain_text("2")
        city.kill()
        await expect(page.locator("#link")).to_contain_text("No connection since")
        assert "is-old" in await page.locator("#map").get_attribute("class")
        await page.evaluate(f"location.hash = '#zone/{here.a.id}'")
        await one.button(f"Take out: {first.subject}")
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label(REASON).fill("Gone.")
        await dialog.get_by_role("button", name="Take out").click()
        await expect(dialog).to_contain_text("It is sent as soon as there is a connection.")
        await expect(page.locator("#waits")).to_have_text("1 act waits to be sent")
        await one.is_well(refused=True)
        city.start()
        await expect(page.locator("#link")).to_be_empty(timeout=40_000)
        await expect(dialog).to_have_count(0)
        await expect(page.locator("#waits")).to_be_empty()
        await expect(page.get_by_role("list", name="Queue").get_by_role("listitem")).to_have_count(1)
        assert "is-old" not in await page.locator("#map").get_attribute("class")
        await one.is_well(refused=True)
