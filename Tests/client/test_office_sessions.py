"""The office ends a person's connections, and revokes its tokens."""

import asyncio
import os
import signal
import time

import pytest

from kerbside.names import fresh
from kerbside.somebody import Somebody
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City, acts


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


async def test_every_connection_of_a_person_is_ended(hub, cast):
    office, rider, other = await cast.operator(hub), await cast.rider(hub), await cast.rider(hub)
    twins = [rider.twin() for _ in range(3)]
    for twin in twins:
        await twin.connect()
    wish = {"role": "passenger", "subject": rider.subject, "reason": "Left open at the counter.", "key": "end"}
    reply = await office.call("office.session_end", **wish)
    assert reply == {"role": "passenger", "subject": rider.subject, "revoked": False, "audit": reply["audit"]}
    for one in (rider, *twins):
        code, reason = await one.wait_closed()
        assert code == 4403 and "Left open at the counter." in reason
    assert await office.call("office.session_end", **wish) == reply, "repeated"
    # Its token counts as before.
    await rider.resume()
    await other.refused("ride.cancel", "not_found")
    [entry] = await acts(office)
    assert (entry["target"], entry["after"]) == (f"passenger:{rider.subject}", {"state": "ended"})


async def test_a_revocation_is_kept_whatever_the_clock_said_meanwhile(new_hub, cast):
    """Those of a clock that was ahead by years are the newest, and take none of the others away."""
    hub = new_hub().start()
    office, year = await cast.operator(hub), 400 * 86_400
    hub.redis.zadd(hub.key("revoked"), {"driver old": time.time() - year, "driver ahead": time.time() + year})
    for _ in range(2):
        await office.call("office.session_end", role="driver", subject=fresh("D"), reason="Stolen.", revoke=True)
        assert hub.redis.zscore(hub.key("revoked"), "driver old") is not None


async def test_who_signed_in_while_the_clock_was_ahead_can_be_revoked(new_hub, cast):
    hub = new_hub(server__workers=1, tokens__leeway_s=60).start()
    office, now = await cast.operator(hub), int(time.time())
    # Within the leeway it counts at once.
    headers = {"Authorization": "Bearer " + hub.token("operator", "thief", iat=now + 50, exp=now + 600)}

    def status():
        return hub.http("/v1/stats/taxis", headers=headers).status

    assert status() == 200
    hub.redis.zadd(hub.key("signed"), {"latest": now + 50})
    await office.call("office.session_end", role="operator", subject="thief", reason="Stolen.", revoke=True)
    await hub.until("refused", lambda: status() == 401)


async def test_revoked_tokens_count_no_more_at_any_worker_nor_after_a_restart(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    office, rider = await cast.operator(hub), await cast.rider(hub)
    old = rider.token
    reply = await office.call(
        "office.session_end", role="passenger", subject=rider.subject, reason="The phone was stolen.", revoke=True)
    assert reply["revoked"]
    code, reason = await rider.wait_closed()
    assert code == 4401 and "stolen" in reason

    async def is_refused():
        for _ in range(4):  # both workers, as likely as not
            thief = Somebody(hub, "passenger")
            await thief.open()
            answer = await thief.ask("hello", token=old)
            assert answer["error"]["code"] == "unauthenticated" and "revoked" in answer["error"]["detail"]
            thief.leaves_open()
            await thief.cut()

    await is_refused()
    await hub.kill_workers(*hub.workers())
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)
    await is_refused()
    hub.stop()
    hub.start()
    await is_refused()
    # A new one counts.
    await asyncio.sleep(1.1)
    fresh = type(rider)(hub, rider.subject, hub.token("passenger", rider.subject))
    await fresh.connect()
    await fresh.refused("ride.cancel", "not_found")


@pytest.mark.parametrize("of_one_second", [10, 2_400])
async def test_a_worker_that_comes_knows_of_thousands_of_revocations(new_hub, of_one_second):
    """They are read a thousand at a time: the rest counts, too, and so do many of one second, as after a wrong clock."""
    hub = new_hub(server__workers=2).start()
    now = int(time.time())
    subjects = [f"gone-{number}" for number in range(2_500)]
    # Pages begin amid a second; the last ones are of this one.
    hub.redis.zadd(hub.key("revoked"), {
        f"passenger {subject}": now + 1 - (len(subjects) - 1 - place) // of_one_second for place, subject in enumerate(subjects)})
    await hub.kill_workers(*hub.workers())
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)
    for place in (0, 999, 1_000, 1_001, 1_999, 2_000, 2_499):
        token = hub.token("passenger", subjects[place], iat=now - 600)
        answer = hub.http("/v1/zones", headers={"Authorization": f"Bearer {token}"})
        assert answer.status == 401 and "revoked" in answer.text, place
    other = hub.token("passenger", "stays", iat=now - 600)
    assert hub.http("/v1/zones", headers={"Authorization": f"Bearer {other}"}).status == 200


async def test_a_worker_that_comes_takes_no_token_before_it_knows_what_is_revoked(new_hub):
    hub = new_hub(server__workers=1).start()
    now = int(time.time())
    many = {f"driver gone-{number}": now - 100_000 + number for number in range(60_000)}
    hub.redis.zadd(hub.key("revoked"), many | {"operator thief": now - 1})
    headers = {"Authorization": "Bearer " + hub.token("operator", "thief", iat=now - 600)}
    answers = set()

    def ask():
        answers.add(hub.http("/v1/stats/taxis", headers=headers).status)
        return 401 in answers

    os.kill(hub.workers()[0], signal.SIGKILL)
    await hub.until("it knows", ask)
    assert answers <= {401, 503}
    assert hub.http("/readyz").status == 200


async def test_who_was_revoked_while_a_worker_heard_nothing_is_sent_away(new_hub, cast):
    """Whichever page of revocations it is on; others stay."""
    hub = new_hub(server__workers=1).start()
    now = int(time.time())
    first, last, other = [await cast.rider(hub) for _ in range(3)]
    # As if the link had been cut before these were told.
    many = {f"passenger gone-{number}": now + 100 + number for number in range(1_500)}
    many |= {f"passenger {first.subject}": now + 60, f"passenger {last.subject}": now + 3_600}
    many[f"passenger {other.subject}"] = now - 86_400
    hub.redis.zadd(hub.key("revoked"), many)
    hub.redis.client_kill_filter(_type="pubsub")
    for one in (first, last):
        code, reason = await one.wait_closed()
        assert code == 4401 and "counts no more" in reason
    await other.refused("ride.cancel", "not_found")


async def test_an_operator_can_be_sent_away_too(hub, cast):
    office, other = await cast.operator(hub), await cast.operator(hub)
    await office.call("office.session_end", role="operator", subject=other.subject, reason="Gone home.")
    code, reason = await other.wait_closed()
    assert code == 4403 and "Gone home." in reason
    itself = await office.refused(
        "office.session_end", "not_available", role="operator", subject=office.subject, reason="My phone.", revoke=True)
    assert "Another operator" in itself["detail"] and "tokens.revoked_file" in itself["detail"]
    for field, wrong in [("role", "nobody"), ("subject", "two words"), ("reason", ""), ("revoke", "yes")]:
        fields = {"role": "driver", "subject": "T1", "reason": "Why.", "revoke": True, field: wrong}
        if field != "revoke" or type(office).__name__ == "Operator":
            await office.refused("office.session_end", "bad_message", field=field, **fields)
