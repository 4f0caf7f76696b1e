"""The page of drivers on a device that does not say where it is: the driver says it."""

import pytest
from playwright.async_api import expect

from kerbside import patience
from kerbside.browser import DESKTOP, PHONE, SMALL
from kerbside.city import Point
from test_page_drive import driving, taken

LONG = patience.PROCESS * 1000


def where(one):
    """The question."""
    return one.page.get_by_role("dialog", name="Where are you?")


async def chosen(one, name):
    """From the list, and confirmed."""
    await where(one).get_by_label("Zone or place").select_option(label=name)
    await expect(where(one)).to_contain_text(f"Chosen: {name}")
    await where(one).get_by_role("button", name="I am here").click()
    await expect(where(one)).to_have_count(0)


async def is_at(hub, one, place):
    """For the hub; the middle of a zone may be some metres beside its centre."""
    key = hub.key(f"vehicle:{one.subject}")

    def near():
        lat, lon = hub.redis.hmget(key, "lat", "lon")
        return lat and Point(float(lat), float(lon)).distance(place) < 150

    await hub.until(f"it is at {place}", near)


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (SMALL, "dark"), (DESKTOP, "light")], ids=["phone", "small", "desktop"])
async def test_r3_r6_n7_who_may_not_see_the_position_drives_all_the_same(new_hub, cast, size, scheme):
    hub = new_hub(blocks=2).start()
    here = hub.block()
    async with driving(hub, None, size, scheme=scheme) as one:
        page = one.page
        await page.get_by_role("switch").click()
        await one.sees("Allow it in the settings")
        # Who touches twice is asked once.
        await page.get_by_role("button", name="Set my position by hand").evaluate("(one) => { one.click(); one.click(); }")
        await expect(where(one)).to_have_count(1)
        await expect(where(one).get_by_role("button", name="I am here")).to_be_disabled()
        await expect(page.locator("#hand-map path.zone-outline")).to_have_count(6)
        await one.is_well()
        # Nothing is sent that was not confirmed.
        await where(one).get_by_label("Zone or place").select_option(label=f"Zone {here.b.id}")
        await where(one).get_by_role("button", name="Back").click()
        await expect(page.get_by_role("switch")).not_to_be_checked()
        assert not hub.redis.hget(hub.key(f"vehicle:{one.subject}"), "lat")
        await page.get_by_role("button", name="Set my position by hand").click()
        await chosen(one, f"Zone {here.a.id}")
        await expect(page.get_by_role("switch")).to_be_checked()
        await one.sees("Place 1")
        await one.sees(f"Position set by hand: Zone {here.a.id}")
        await is_at(hub, one, here.a.centre)
        await one.is_well()
        passenger, ride = await taken(hub, cast, one, here.a)
        await page.get_by_role("button", name="Change my position").click()
        await one.is_well()
        await chosen(one, "Pickup")
        await passenger.until("ride.arrived", ride=ride)
        await one.sees("You have arrived")
        await one.sees("Position set by hand")
        await one.is_well()
        await page.get_by_role("button", name="Passenger aboard").click()
        await passenger.until("ride.aboard", ride=ride)


async def test_u10_a_place_on_the_map_by_the_keyboard_and_by_touch(new_hub):
    hub = new_hub(blocks=1).start()
    here = hub.block()
    async with driving(hub, None, DESKTOP) as one:
        page = one.page
        await page.get_by_role("switch").press("Enter")
        await page.get_by_role("button", name="Set my position by hand").press("Enter")
        area = page.get_by_role("application", name="Map: touch it")
        await expect(page.locator("#hand-map path.zone-outline")).to_have_count(3)
        # The list has the focus, and the map comes next.
        await expect(where(one).get_by_label("Zone or place")).to_be_focused()
        await page.keyboard.press("Tab")
        await expect(area).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(where(one)).to_contain_text("Chosen: ")
        await one.is_well()
        await where(one).get_by_role("button", name="I am here").press("Enter")
        # The middle of the map is that of the block's zones.
        await one.sees(f"Zone {here.b.id}")
        await one.sees("Place 1")
        await page.get_by_role("button", name="Change my position").press("Enter")
        pin = page.get_by_role("button", name="Your position", exact=True)
        before = await where(one).get_by_role("status").inner_text()
        await pin.press("ArrowUp")
        await expect(where(one).get_by_role("status")).not_to_have_text(before)
        # Half a zone to the west, by touch.
        box = await area.bounding_box()
        await where(one).get_by_label("Zone or place").select_option(label=f"Zone {here.a.id}")
        await area.click(position={"x": box["width"] / 2 + 20, "y": box["height"] / 2})
        said = await where(one).get_by_role("status").inner_text()
        assert "Zone" not in said, said
        await where(one).get_by_role("button", name="I am here").click()
        await one.sees(said.replace("Chosen: ", "Position set by hand: "))
        # A car that stands at a border does not change zones by one fix.
        await expect(page.locator("#queue")).to_contain_text(f"Zone {here.a.id}", timeout=LONG)


async def test_n7_the_device_knows_it_later(new_hub):
    hub = new_hub(blocks=1).start()
    here = hub.block()
    async with driving(hub, None) as one:
        page = one.page
        await one.context.grant_permissions(["geolocation"])
        await page.get_by_role("switch").click()
        # It looks, and finds nothing.
        await page.get_by_role("button", name="Set my position by hand").click()
        await chosen(one, f"Zone {here.a.id}")
        await expect(page.get_by_role("switch")).to_be_checked()
        await is_at(hub, one, here.a.centre)
        await one.move(here.a.stand)
        await is_at(hub, one, here.a.stand)
        await expect(page.get_by_text("Position set by hand")).to_have_count(0)
        await one.is_well()
