"""A device that several people use: what the pages show and keep when somebody signs out, or somebody else in."""

import json
import time

import pytest
from playwright.async_api import expect

from kerbside.browser import PHONE, Page
from kerbside.names import fresh
from kerbside.tokens import encoded
from test_invitations import invite

#: The page of a role, and what it says to who has not signed in.
PAGES = {
    "passenger": ("/ride/", "passengers who have an account"), "driver": ("/drive/", "This page is for drivers"),
    "bus_driver": ("/bus/", "drivers of community buses"), "operator": ("/control/", "This page is for the control room"),
}
#: Keeps a token as the sign-in with a role does.
SIGN_IN = "([role, token]) => localStorage.setItem(`kerbside.signed_in.${role}`, token)"
#: Counts how often the page's storage was changed by another tab.
HEARD = "window.heard = 0; addEventListener('storage', () => { window.heard += 1; });"


class Shared(Page):
    """A browser in which people sign in and out."""

    def __init__(self, hub, script=HEARD):
        super().__init__(hub, PHONE, path="/join/", script=script)

    async def sign_in(self, role, subject, **claims):
        await self.page.evaluate(SIGN_IN, [role, self.hub.token(role, subject, **claims)])

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


async def test_the_page_of_invitations_shows_who_has_signed_in_elsewhere(hub):
    first, second = fresh("D"), fresh("D")
    async with Shared(hub) as one:
        await one.sees("Nobody is signed in")
        other = await one.context.new_page()
        await other.goto(f"http://127.0.0.1:{one.port}/join/")
        for subject in (first, second):
            await other.evaluate(SIGN_IN, ["driver", hub.token("driver", subject)])
            await one.sees(subject)
        await expect(one.page.get_by_role("listitem")).to_have_count(1)
        # What this tab has done itself is seen, too, when another tab undoes it.
        one.page.once("dialog", lambda dialog: dialog.accept())
        await one.page.get_by_role("button", name="Sign out").click()
        await one.sees("Nobody is signed in")
        await other.evaluate(SIGN_IN, ["driver", hub.token("driver", second)])
        await one.sees(second)
        await other.evaluate("localStorage.clear()")
        await one.sees("Nobody is signed in")


async def test_an_invitation_says_whose_place_it_takes_now(hub):
    first, second = fresh("D"), fresh("D")
    invitation = f".{encoded(json.dumps({'role': 'driver', 'sub': second, 'jti': fresh('i')}).encode())}."
    async with Shared(hub) as one:
        await one.sign_in("driver", first)
        await one.go(f"/join/#{invitation}")
        await one.page.reload()
        await one.sees(f"takes the place of {first}")
        await one.page.get_by_role("button", name="Sign in here").click()
        alarm = one.page.get_by_role("alert")
        await expect(alarm).to_contain_text("not a valid invitation")
        other = await one.context.new_page()
        await other.goto(f"http://127.0.0.1:{one.port}/join/")
        await other.evaluate("localStorage.removeItem('kerbside.signed_in.driver')")
        await expect(one.page.locator("main")).not_to_contain_text("takes the place of")
        # What the hub has said of the invitation stays.
        await expect(alarm).to_contain_text("not a valid invitation")


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


#: Names of what pages keep: of the person, and of the device.
THEIRS = {
    "passenger": ["kerbside.ride.{who}.favourites", "kerbside.ride.{who}.asked", "kerbside.ride:act:1",
                  "kerbside.attempt.passenger:{who} i1"],
    "driver": ["kerbside.drive:act:1", "kerbside.attempt.driver:{who} i1", "kerbside.attempt.driver:{who} i2"],
    "bus_driver": ["kerbside.bus:act:1", "kerbside.bus.notices", "kerbside.bus.sos", "kerbside.bus.heard"],
    "operator": ["kerbside.control:act:1"],
}
#: And what is of others: an invitation whose answer was lost.
OTHERS = ["kerbside.attempt.driver:Somebody i3", "kerbside.attempt.passenger:Somebody i4"]
DEVICES = [*OTHERS, "kerbside.language", "kerbside.bus.choice", "kerbside.bus.ring", "kerbside.guest", "kerbside:act:1"]
NAMES = "Object.keys(localStorage).sort()"


@pytest.mark.parametrize("role", PAGES)
@pytest.mark.parametrize("how", ["out", "another in"])
async def test_nothing_of_who_has_signed_out_stays_on_the_device(hub, role, how):
    who, other = fresh("P"), next(one for one in PAGES if one != role)
    async with Shared(hub) as one:
        await one.sign_in(role, who)
        await one.sign_in(other, who)
        theirs = [name.format(who=who) for name in THEIRS[role]]
        others = [name.format(who=who) for name in THEIRS[other]] + [f"kerbside.signed_in.{other}"]
        for name in [*theirs, *others[:-1], *DEVICES]:
            await one.page.evaluate(f"localStorage.setItem('{name}', '[]')")
        await one.page.reload()
        if how == "out":
            one.page.once("dialog", lambda dialog: dialog.accept())
            row = one.page.get_by_role("listitem").filter(has=one.page.locator(f"a[href='{PAGES[role][0]}']"))
            await row.get_by_role("button", name="Sign out").click()
            await expect(row).to_have_count(0)
        else:
            others.append(f"kerbside.signed_in.{role}")
            keep = "import('/assets/sign-in.js').then(({ keepSignIn }) => keepSignIn(%s))"
            # A renewed token is the same person's.
            await one.page.evaluate(keep % json.dumps(hub.token(role, who, jti="renewed")))
            assert set(theirs) <= set(await one.page.evaluate(NAMES))
            await one.page.evaluate(keep % json.dumps(hub.token(role, fresh("P"))))
        assert await one.page.evaluate(NAMES) == sorted([*others, *DEVICES])


async def test_a_favourite_place_and_a_wish_without_a_link_go_with_who_signs_out(hub):
    """As the page itself keeps them."""
    who = fresh("P")
    async with Shared(hub) as one:
        await one.sign_in("passenger", who)
        tab = await one.tab("/ride/")
        await tab.evaluate(f"""import('/ride/kept.js').then(({{ Kept }}) =>
            new Kept('{who}').addFavourite({{ name: 'Home', lat: 45.1, lon: 7.6 }}))""")
        await tab.evaluate("""import('/assets/kerbside/kerbside.js').then(({ Kerbside, localStore }) =>
            new Kerbside({ url: 'ws://127.0.0.1:1', token: async () => null, storage: localStore('kerbside.ride:') })
                .call('ride.request', { lat: 45.1, lon: 7.6, passengers: 1 }) && null)""")
        kept = await one.page.evaluate(NAMES)
        assert any("favourites" in name for name in kept) and any(name.startswith("kerbside.ride:act:") for name in kept)
        await one.sign_out()
        assert await one.page.evaluate(NAMES) == []


#: There is no push service for browsers of tests: in the place of its subscription stands an entry of the storage.
SUBSCRIBED = """
PushManager.prototype.getSubscription = async () =>
  localStorage.getItem('subscription') && { unsubscribe: async () => localStorage.removeItem('subscription') };
"""


async def test_who_takes_anothers_place_ends_what_that_one_is_told_while_the_page_is_closed(hub):
    first, second = fresh("P"), fresh("P")
    async with Shared(hub, SUBSCRIBED) as one:
        await one.sign_in("passenger", first)
        await one.page.evaluate("localStorage.setItem('subscription', 'theirs')")
        await one.go("/ride/")
        await one.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        # Who signs in again is the same person.
        for subject, left in ((first, "theirs"), (second, None)):
            await one.go("/join/#" + invite(hub, "passenger", subject))
            await one.page.reload()
            await one.page.get_by_role("button", name="Sign in here").click()
            await one.page.wait_for_url("**/ride/")
            assert await one.page.evaluate("localStorage.getItem('subscription')") == left
