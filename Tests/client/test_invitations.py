"""A person signs in by a link, once (`kerbside invite`), over HTTP and in a browser."""

import json
import os
import re
import signal
import threading
import time

import pytest
from playwright.async_api import expect

from kerbside import tokens
from kerbside.browser import DESKTOP, PHONE, SMALL, Page
from kerbside.driver import Driver
from kerbside.hub import run
from kerbside.names import fresh


def invite(hub, role, subject, *more):
    done = run("invite", "--role", role, "--subject", subject, "--data", hub.data, "--port", hub.port,
               "--city", hub.city, *more, check=True)
    link = done.stdout.strip()
    assert link.startswith(f"http://127.0.0.1:{hub.port}/join/#"), link
    return link.partition("#")[2]


def accept(hub, invitation, key=None):
    headers = {"Authorization": f"Bearer {invitation}"} | ({"Idempotency-Key": key} if key else {})
    answer = hub.http("/v1/invitations/accept", "POST", headers)
    return answer.status, json.loads(answer.text)


@pytest.mark.parametrize("role", ["driver", "bus_driver", "passenger", "operator"])
async def test_an_invitation_is_a_sign_in_that_renews_itself(hub, role):
    subject = fresh("I")
    status, got = accept(hub, invite(hub, role, subject))
    assert status == 200 and (got["role"], got["subject"]) == (role, subject)
    # A revocation reaches it, whatever the clock says by then (test_office_sessions.py).
    began = json.loads(tokens.decoded(got["token"].split(".")[1]))["began"]
    assert began <= hub.redis.zscore(hub.key("signed"), "latest")
    assert 3_500_000 < got["expires_at"] - time.time() * 1000 <= 3_600_000
    renewed = hub.http("/v1/token/renew", "POST", {"Authorization": f"Bearer {got['token']}"})
    assert renewed.status == 200 and json.loads(renewed.text)["subject"] == subject


async def test_what_the_invitation_says_of_the_vehicle_is_in_the_token(hub):
    subject = fresh("M")
    _, got = accept(hub, invite(hub, "driver", subject, "--kind", "minibus", "--seats", "8"))
    claims = json.loads(tokens.decoded(got["token"].split(".")[1]))
    assert (claims["kind"], claims["seats"]) == ("minibus", 8)
    driver = Driver(hub, subject)
    driver.token = got["token"]
    await driver.connect()


def test_it_is_good_once_and_again_for_who_did_not_get_the_answer(hub):
    invitation = invite(hub, "passenger", fresh("P"))
    answers = []
    threads = [threading.Thread(target=lambda key=key: answers.append((key, accept(hub, invitation, key)[0])))
               for key in ("one", "two", "three", "four")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [winner] = [key for key, status in answers if status == 200]
    for key, _ in answers:
        status, got = accept(hub, invitation, key)
        assert status == (200 if key == winner else 403), got
        if key != winner:
            assert got["code"] == "forbidden" and "accepted already" in got["detail"]
    assert accept(hub, invitation)[0] == 403


def mark_of(hub, invitation):
    return hub.key(f"invitation:{json.loads(tokens.decoded(invitation.split('.')[1]))['jti']}")


def test_that_it_was_used_is_known_when_the_clock_was_ahead_for_a_moment(hub):
    """Redis forgets then what ends earlier: the mark ends with the sign-in, not with the invitation."""
    invitation = invite(hub, "passenger", fresh("P"), "--for", "1h")
    assert accept(hub, invitation)[0] == 200
    assert hub.redis.ttl(mark_of(hub, invitation)) > 89 * 86_400


def test_the_answer_is_repeated_for_some_minutes_only(hub):
    invitation = invite(hub, "passenger", fresh("P"))
    assert accept(hub, invitation, "mine")[0] == 200
    mark = mark_of(hub, invitation)

    def accepted_earlier(seconds):
        kept = re.sub(r"^\d+(?= )", lambda at: str(int(at[0]) - seconds), hub.redis.get(mark))
        hub.redis.set(mark, kept, keepttl=True)
        return accept(hub, invitation, "mine")[0]

    assert accepted_earlier(200) == 200
    assert accepted_earlier(200) == 403


def test_an_invitation_is_no_token_and_a_token_no_invitation(hub):
    subject = fresh("P")
    invitation = invite(hub, "passenger", subject)
    for path in ("/v1/token/renew", "/v1/commands/trips.list"):
        assert hub.http(path, "POST", {"Authorization": f"Bearer {invitation}"}).status == 401
    assert hub.http("/v1/requests", headers={"Authorization": f"Bearer {invitation}"}).status == 401
    for other in (hub.token("passenger", subject), invitation[:-4] + "AAAA", "x", invitation + "x", "a.b.c"):
        status, got = accept(hub, other)
        assert (status, got["code"]) == (401, "unauthenticated"), other
        assert "no invitation of this hub" in got["detail"]
    answer = hub.http("/v1/invitations/accept", "POST")
    assert answer.status == 401 and hub.http("/v1/invitations/accept").status == 405
    # None of this has used it up.
    assert accept(hub, invitation)[0] == 200


def test_one_that_has_ended_or_was_taken_back_says_so(hub):
    taken = invite(hub, "passenger", subject := fresh("P"))
    body = json.dumps({"role": "passenger", "subject": subject, "reason": "test", "revoke": True})
    headers = {"Authorization": f"Bearer {hub.token('operator', fresh('O'))}", "Content-Type": "application/json"}
    assert hub.http("/v1/commands/office.session_end", "POST", headers, body).status == 200
    hub.wait_until("revoked", lambda: all("taken back" in accept(hub, taken)[1].get("detail", "") for _ in range(8)))


def test_one_that_was_taken_back_a_moment_ago_is_none_before_its_worker_hears_of_it(hub):
    taken, other = invite(hub, "passenger", subject := fresh("P")), invite(hub, "passenger", fresh("P"))
    # As the office's act has it, but that no worker is told.
    hub.redis.zadd(hub.key("revoked"), {f"passenger {subject}": int(time.time()) + 1})
    for _ in range(2):
        status, got = accept(hub, taken)
        assert status == 401 and "taken back" in got["detail"]
    assert accept(hub, other)[0] == 200


def test_one_that_has_expired_says_so(new_hub):
    hub = new_hub(tokens__leeway_s=0).start()
    ended = invite(hub, "passenger", fresh("P"), "--for", "1s")
    hub.wait_until("expired", lambda: "expired" in accept(hub, ended)[1].get("detail", ""))


def test_while_redis_is_away_the_invitation_stays_good(new_hub):
    hub = new_hub().start()
    invitation = invite(hub, "passenger", fresh("P"))
    os.kill(hub.redis_pid(), signal.SIGSTOP)
    try:
        status, got = accept(hub, invitation, "mine")
        assert (status, got["code"], got["retry"]) == (503, "unavailable", True)
    finally:
        os.kill(hub.redis_pid(), signal.SIGCONT)
    hub.wait_until("accepted", lambda: accept(hub, invitation, "mine")[0] == 200)
    # The other worker may be on its way back yet.
    answers = [503]
    hub.wait_until("an answer", lambda: answers.append(accept(hub, invitation, "another")[0]) or answers[-1] != 503)
    assert answers[-1] == 403


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (SMALL, "dark"), (DESKTOP, "light")], ids=["phone", "small", "desktop"])
async def test_a_link_is_opened_by_keyboard_and_leads_to_the_page_of_the_role(hub, size, scheme):
    subject = fresh("P")
    invitation = invite(hub, "passenger", subject)
    async with Page(hub, size, scheme, path="/join/") as one:
        page = one.page
        await one.sees("Nobody is signed in")
        await one.is_well()
        await one.go(f"/join/#{invitation}")
        await one.sees(subject)
        await one.sees("Passenger")
        await one.is_well()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/ride/")
        await one.go("/join/")
        await one.sees(subject)
        # What is behind the mark is in no address that was asked for.
        assert not any(invitation in url for url in one.asked)
        # Who opens the link again comes to their page.
        await one.go(f"/join/#{invitation}")
        await page.reload()
        await page.get_by_role("button", name="Sign in here").click()
        await page.wait_for_url("**/ride/")
        await one.go("/join/")
        page.on("dialog", lambda dialog: dialog.accept())
        await page.get_by_role("button", name="Sign out").click()
        await one.sees("Nobody is signed in")


async def test_who_finds_the_link_after_the_sign_out_is_not_signed_in(hub):
    """A shared device: the browser's list of visited pages has the link."""
    invitation = invite(hub, "driver", fresh("D"))
    async with Page(hub, PHONE, path=f"/join/#{invitation}") as one:
        page = one.page
        await page.get_by_role("button", name="Sign in here").click()
        await page.wait_for_url("**/drive/")
        await one.go("/join/")
        page.on("dialog", lambda dialog: dialog.accept())
        await page.get_by_role("button", name="Sign out").click()
        await one.sees("Nobody is signed in")
        await one.go(f"/join/#{invitation}")
        await page.get_by_role("button", name="Sign in here").click()
        await expect(page.get_by_role("alert")).to_contain_text("used already")
        await expect(page.get_by_role("button", name="Sign in here")).to_be_disabled()
        assert await page.evaluate("Object.keys(localStorage).filter((name) => /attempt|signed_in/.test(name))") == []


async def test_a_lost_answer_is_asked_for_again_and_its_key_goes_with_it(hub):
    subject = fresh("P")

    async def lose(route):
        await route.fetch()
        await route.abort()

    async with Page(hub, PHONE, path=f"/join/#{invite(hub, 'passenger', subject)}") as one:
        page = one.page
        await page.route("**/v1/invitations/accept", lose, times=1)
        await page.get_by_role("button", name="Sign in here").click()
        await expect(page.get_by_role("alert")).to_contain_text("try again")
        await page.get_by_role("button", name="Sign in here").click()
        await page.wait_for_url("**/ride/")
        assert await page.evaluate("Object.keys(localStorage).filter((name) => name.includes('attempt'))") == []


async def test_a_lost_answer_is_asked_for_again_after_another_person_has_signed_out(hub):
    subject = fresh("P")

    async def lose(route):
        await route.fetch()
        await route.abort()

    async with Page(hub, PHONE, path="/join/") as one:
        page = one.page
        await page.evaluate(f"localStorage.setItem('kerbside.signed_in.driver', '{hub.token('driver', fresh('D'))}')")
        await one.go(f"/join/#{invite(hub, 'passenger', subject)}")
        await page.reload()
        await page.route("**/v1/invitations/accept", lose, times=1)
        await page.get_by_role("button", name="Sign in here").click()
        await expect(page.get_by_role("alert")).to_contain_text("try again")
        await page.evaluate("import('/assets/sign-in.js').then(({ signOut }) => signOut('driver'))")
        await page.get_by_role("button", name="Sign in here").click()
        await page.wait_for_url("**/ride/")


async def test_who_is_signed_in_is_told_whom_a_link_would_put_in_their_place(hub):
    first, second = fresh("D"), fresh("D")
    async with Page(hub, PHONE, path="/join/") as one:
        for subject in (first, second):
            await one.go(f"/join/#{invite(hub, 'driver', subject)}")
            await one.page.reload()
            await one.sees(subject)
            if subject is second:
                await one.sees(f"takes the place of {first}")
                await one.is_well()
            await one.page.get_by_role("button", name="Sign in here").click()
            await one.page.wait_for_url("**/drive/")
        await one.go("/join/#nonsense")
        await one.page.reload()
        await one.sees("not a valid invitation")
        await one.is_well()


@pytest.mark.parametrize(("more", "said"), [
    (["--role", "service"], "kerbside token"), (["--for", "0s"], "--for 0s"), (["--address", "ftp://x"], "--address ftp://x"),
    (["--for", "9999d"], "tokens.max_life_s"),
])
def test_what_can_not_be_is_said(hub, more, said):
    done = run("invite", "--role", "driver", "--subject", "T1", "--data", hub.data, *more)
    assert done.returncode != 0 and said in done.stderr, done.stderr
