"""A ride is shared in one browser and followed in another."""

import pytest
from playwright.async_api import expect

from kerbside import patience
from kerbside.browser import DESKTOP, PHONE, SMALL, Page
from kerbside.ride_page import RidePage, registered

#: The device's own way of sharing is looked at, not used.
SHARING = "window.given = []; navigator.share = async (what) => void window.given.push(what);"
#: A browser without one, in which what is copied can be looked at.
COPYING = """
delete Navigator.prototype.share;
window.given = [];
Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (url) => void window.given.push({ url }) } });
"""


async def shared(one):
    """The address that the page has shared."""
    before = await one.page.evaluate("window.given.length")
    await one.press("Share this ride")
    await one.page.wait_for_function("before => window.given.length > before", arg=before)
    return (await one.page.evaluate("window.given.at(-1)"))["url"]


async def soon(friend, text):
    """A friend's page looks every five seconds."""
    await expect(friend.page.locator("main")).to_contain_text(text, timeout=4 * patience.MESSAGE * 1000)


def following(hub, url, size=PHONE, scheme="light", **options):
    """A friend's own browser."""
    return Page(hub, size, scheme, path=url.removeprefix(f"http://127.0.0.1:{hub.port}"), **options)


@pytest.mark.parametrize(
    ("size", "scheme", "script"), [(PHONE, "light", SHARING), (DESKTOP, "dark", COPYING), (SMALL, "light", COPYING)],
    ids=["phone", "desktop", "small"])
async def test_a_friend_follows_a_ride_to_its_end(city, cast, size, scheme, script):
    here = city.block()
    driver = cast.driver(city, here.a.stand)
    await registered(city, cast, driver)
    await driver.go_available()
    rider = await cast.rider(city)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    async with RidePage(city, size, scheme, subject=rider.subject, place=here.a.centre, script=script) as one:
        await one.titled("Your taxi is coming")
        url = await shared(one)
        assert f":{city.port}/follow/#" in url and len(url.partition("#")[2]) == 22
        await expect(one.page.get_by_role("button", name="Stop sharing")).to_be_visible()
        await one.is_well()
        async with following(city, url, size, scheme) as friend:
            await friend.sees("The taxi is on its way to the pickup")
            for text in ("AB 123 CD", "white", " min"):
                await friend.sees(text)
            await expect(friend.page.locator("#ground canvas").first).to_be_attached()
            content = await friend.page.content()
            assert not [name for name in (rider.subject, driver.subject, "Ada Rossi") if name in content]
            await friend.is_well()
            # The secret is in no address that is asked for, and nobody has signed in here.
            assert not [asked for asked in friend.asked if url[-22:] in asked and "#" not in asked]
            assert not friend.links and await friend.page.evaluate("localStorage.length") == 0
            await driver.drive(here.a.centre)
            await soon(friend, "The taxi is at the pickup")
            await driver.call("ride.aboard")
            await soon(friend, "On the way")
            await friend.is_well()
            await driver.call("ride.end")
            await soon(friend, "The ride is over")
            await expect(friend.page.locator("#ground")).to_be_hidden()
            await friend.is_well()


async def test_who_stops_sharing_is_followed_no_more(city, cast):
    here = city.block()
    [driver] = await cast.queue(city, here.a.stand, 1)
    rider = await cast.rider(city)
    await driver.accept(await rider.request(here.a.centre))
    async with RidePage(city, PHONE, subject=rider.subject, place=here.a.centre, script=COPYING) as one:
        url = await shared(one)
        # One link for all, also after a reload.
        await one.page.reload()
        assert await shared(one) == url
        async with following(city, url) as friend:
            await friend.sees("The taxi is on its way to the pickup")
            await one.press("Stop sharing")
            await expect(one.page.locator(".share")).to_contain_text("Nobody follows this ride any more.")
            await expect(one.page.get_by_role("button", name="Stop sharing")).to_be_hidden()
            await soon(friend, "This link shows no ride")
            await friend.is_well(refused=True)
        assert await shared(one) != url
        await one.is_well()


async def test_a_broken_link_is_said(city):
    for path in ("/follow/", "/follow/#x", "/follow/#0123456789012345678901"):
        async with Page(city, SMALL, "dark", path=path) as one:
            await one.sees("This link shows no ride")
            await one.is_well(refused=True)
