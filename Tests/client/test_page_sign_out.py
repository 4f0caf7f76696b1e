"""A device that several people use: what the pages show and keep when somebody signs out, or somebody else in."""

import json
import time

import pytest
from playwright.async_api import expect

from kerbside.browser import PHONE, Page
from kerbside.names import fresh

#: The page of a role, and what it says to who has not signed in.
PAGES = {
    "passenger": ("/ride/", "passengers who have an account"), "driver": ("/drive/", "This page is for drivers"),
    "bus_driver": ("/bus/", "drivers of community buses"), "operator": ("/control/", "This page is for the control room"),
}
#: Counts how often the page's storage was changed by another tab.
HEARD = "window.heard = 0; addEventListener('storage', () => { window.heard += 1; });"


class Shared(Page):
    """A browser in which people sign in and out."""

    def __init__(self, hub, script=HEARD):
        super().__init__(hub, PHONE, path="/join/", script=script)

    async def sign_in(self, role, subject, **claims):
        token = json.dumps(self.hub.token(role, subject, **claims))
        await self.page.evaluate(f"localStorage.setItem('kerbside.signed_in.{role}', {token})")

    async def tab(self, path):
        """Another one, whose page has its link."""
        page = await self.context.new_page()
        async with page.expect_websocket():
            await page.goto(f"http://127.0.0.1:{self.port}{path}")
        return page

    async def sign_out(self):
        await self.go("/join/")
        self.page.once("dialog", lambda dialog: dialog.accept())
        await self.page.get_by_role("button", name="Sign out").first.click()
        await self.sees("Nobody is signed in")


@pytest.mark.parametrize("role", PAGES)
async def test_the_other_tabs_of_who_signs_out_are_nobodys(hub, role):
    path, shut = PAGES[role]
    async with Shared(hub) as one:
        await one.sign_in(role, fresh("P"))
        tab = await one.tab(path)
        await expect(tab.locator("main")).not_to_contain_text(shut)
        links = []
        tab.on("websocket", lambda link: links.append(link.url))
        await one.sign_out()
        await expect(tab.locator("main")).to_contain_text(shut)
        assert links == []


async def test_a_tab_is_of_who_has_signed_in_last(hub):
    first, second = fresh("D"), fresh("D")
    async with Shared(hub) as one:
        await one.sign_in("driver", first)
        tab = await one.tab("/drive/")
        await expect(tab.locator("#title")).to_contain_text(first)
        await one.sign_in("driver", second)
        await expect(tab.locator("#title")).to_contain_text(second)


async def test_a_renewed_token_and_another_role_leave_a_tab_as_it_is(hub):
    subject = fresh("D")
    async with Shared(hub) as one:
        await one.sign_in("driver", subject)
        tab = await one.tab("/drive/")
        await expect(tab.locator("#title")).to_contain_text(subject)
        loads = []
        tab.on("framenavigated", lambda frame: loads.append(frame.url))
        await one.sign_in("driver", subject, jti="renewed")
        await one.sign_in("passenger", fresh("P"))
        await tab.wait_for_function("window.heard === 2")
        assert await tab.evaluate("fetch('/healthz').then((answer) => answer.ok)")
        assert loads == []


async def test_who_signs_out_while_their_token_is_renewed_stays_out(hub):
    """The answer comes to a tab that is open still."""
    now = int(time.time())
    async with Shared(hub) as one:
        page = one.page
        await one.sign_in("driver", fresh("D"), began=now - 3000, iat=now - 3000, exp=now + 600)

        async def late(route):
            answer = await route.fetch()
            assert answer.ok
            await page.evaluate("localStorage.removeItem('kerbside.signed_in.driver')")
            await route.fulfill(response=answer)

        await page.route("**/v1/token/renew", late)
        assert await page.evaluate("import('/assets/sign-in.js').then(({ ownToken }) => ownToken('driver')())") is None
        assert await page.evaluate("localStorage.getItem('kerbside.signed_in.driver')") is None
