"""Who has allowed it is told by a push service while there is no connection (Web Push)."""

import asyncio
import json
import os
import re
import signal

import pytest

from kerbside import patience
from kerbside.passenger import Passenger
from kerbside.push_service import Browser
from kerbside.stops import on_tour, rider, serve
from kerbside.waking import asked, asking, leave, pushed, subscribed, waiting, wake


@pytest.fixture(scope="module")
def hub(service):
    """One that sends to the service of the tests, with lines for buses."""
    yield from serve(**service.settings)


async def test_who_is_away_is_pushed_what_the_channel_has(hub, service, cast, browser):
    passenger, driver, ride, zone = await asked(hub, cast, browser)
    await driver.accept(ride)
    [event] = await pushed(browser)
    [push] = browser.got
    service.check(push, json.loads(hub.http("/v1/push/key").text)["key"])
    assert push.headers["Urgency"] == "high" and 0 < int(push.headers["TTL"]) <= 900
    # To the place, and there.
    await driver.drive(zone.centre)
    await driver.barrier()
    # They are sent side by side: the push service may take the second first.
    accepted, near, arrived = sorted(await pushed(browser, 3), key=lambda one: one["seq"])
    assert accepted == event
    assert [one["type"] for one in (accepted, near, arrived)] == ["ride.accepted", "ride.near", "ride.arrived"]
    # Whoever opens the page has the same, and nothing is pushed from then on.
    await passenger.resume()
    await passenger.until("ride.arrived")
    told = [one for one in passenger.events if one["type"] in ("ride.accepted", "ride.near", "ride.arrived")]
    assert told == [accepted, near, arrived]
    assert passenger.token not in json.dumps([accepted, near, arrived])
    await hub.until("all are done", lambda: hub.redis.xlen(hub.key("wakings")) == 0)
    await driver.call("ride.aboard")
    await driver.call("ride.end")
    await passenger.until("ride.ended")
    assert len(browser.got) == 3


async def test_who_is_connected_gets_no_push(hub, cast, browser):
    passenger, driver, ride, zone = await asking(hub, cast, browser)
    await driver.accept(ride)
    await passenger.expect("ride.accepted")
    await leave(passenger)
    await driver.drive(zone.centre)
    await driver.barrier()
    assert sorted(one["type"] for one in await pushed(browser, 2)) == ["ride.arrived", "ride.near"]


async def test_own_wishes_and_what_is_muted_are_not_pushed(hub, cast, browser):
    passenger, driver, ride, zone = await asked(hub, cast, browser)
    await passenger.resume()
    await passenger.call("notify.set", mute=["proximity", "answers"])
    await leave(passenger)
    await driver.accept(ride)
    await driver.drive(zone.centre)
    await driver.barrier()
    # What only informs is not told at all; what has to be known comes without a sound.
    # They are sent side by side: the push service may take the second first.
    seen = [(one["type"], one["data"]["silent"]) for one in await pushed(browser, 2)]
    assert sorted(seen) == [("ride.accepted", True), ("ride.arrived", True)]


async def test_a_bus_driver_is_pushed_a_request(hub, cast, browser):
    line = next(hub.lines["hourly"])
    driver, citizen = await on_tour(hub, line, 100), await rider(hub, line)
    await subscribed(driver, browser)
    await leave(driver)
    request = await citizen.ask_for(2500, at=citizen.now(10), number="+49 30 1234")
    [event] = await pushed(browser)
    assert (event["ch"], event["type"], event["data"]["request"]) == (driver.channel, "stop.requested", request)
    # The driver's page has who it is; nobody else needs that.
    assert "1234" not in json.dumps(event)


@pytest.mark.parametrize("status", [404, 410])
async def test_a_subscription_that_is_gone_is_removed(hub, service, cast, browser, status):
    passenger, driver, ride, _ = await asked(hub, cast, browser)
    service.answers.append((status, {}))
    await driver.accept(ride)
    await hub.until("removed", lambda: not hub.redis.exists(hub.key(f"subscriptions:{passenger.channel}")))
    await hub.until("done", lambda: hub.redis.xlen(hub.key("wakings")) == 0)
    assert hub.redis.hget(hub.key(f"wishes:{passenger.channel}"), "push") is None
    assert len(browser.got) == 1


async def test_a_subscription_that_is_made_anew_meanwhile_stays(hub, service, cast, browser):
    passenger, driver, ride, _ = await asked(hub, cast, browser)
    service.opened.clear()
    service.answers.append((410, {}))
    await driver.accept(ride)
    await hub.until("the push", lambda: browser.got)
    await passenger.resume()
    assert await subscribed(passenger, browser) == {"subscriptions": 1}
    service.opened.set()
    await hub.until("done", lambda: hub.redis.xlen(hub.key("wakings")) == 0)
    assert not service.answers
    assert hub.redis.hkeys(hub.key(f"subscriptions:{passenger.channel}")) == [browser.endpoint]
    assert hub.redis.hget(hub.key(f"wishes:{passenger.channel}"), "push") == "1"


@pytest.mark.parametrize("answer", [(429, {"Retry-After": "2"}), (503, {}), (500, {})])
async def test_a_push_that_is_put_off_comes_again(hub, service, cast, browser, answer):
    _, driver, ride, _ = await asked(hub, cast, browser)
    service.answers.append(answer)
    await driver.accept(ride)
    first, second = await pushed(browser, 2)
    assert first == second
    await hub.until("done", lambda: hub.redis.xlen(hub.key("wakings")) == 0)


async def test_what_is_refused_is_not_sent_again(hub, service, cast, browser):
    passenger, driver, ride, zone = await asked(hub, cast, browser)
    service.answers.append((403, {}))
    await driver.accept(ride)
    await hub.until("done", lambda: len(browser.got) == 1 and hub.redis.xlen(hub.key("wakings")) == 0)
    # A redirect leads nowhere else.
    service.answers.append((307, {"Location": f"https://{service.host}/elsewhere"}))
    service.answers.append((201, {}))
    await driver.drive(zone.centre)
    await driver.barrier()
    assert sorted(one["type"] for one in await pushed(browser, 3)) == ["ride.accepted", "ride.arrived", "ride.near"]
    assert not [push for push in service.got if push.path == "/elsewhere"]
    assert hub.redis.exists(hub.key(f"subscriptions:{passenger.channel}"))


async def test_a_sender_that_dies_has_lost_nothing(hub, service, cast, browser):
    _, driver, ride, _ = await asked(hub, cast, browser)
    service.opened.clear()
    await driver.accept(ride)
    await hub.until("the first attempt", lambda: browser.got)
    for pid in sender(hub):
        os.kill(pid, signal.SIGKILL)
    service.opened.set()
    first, second = await pushed(browser, 2)
    assert first == second
    await hub.until("done", lambda: hub.redis.xlen(hub.key("wakings")) == 0)


def sender(hub):
    return [pid for pid, line in hub.processes().items() if " push-sender " in line]


async def test_workers_that_die_have_lost_nothing(hub, cast, browser):
    _, driver, ride, _ = await asked(hub, cast, browser)
    [pid] = sender(hub)
    os.kill(pid, signal.SIGSTOP)
    try:
        await driver.accept(ride)
        assert hub.redis.xlen(hub.key("wakings")) == 1
        await hub.kill_workers(*hub.workers())
    finally:
        os.kill(pid, signal.SIGCONT)
    [event] = await pushed(browser)
    assert event["type"] == "ride.accepted"
    await hub.until("both workers", hub.is_ready)


async def test_a_service_that_is_away_holds_up_no_other(hub, service, cast, browser):
    away, sleepers = [], []
    for _ in range(60):
        sleepers.append(await cast.rider(hub))
        away.append(Browser(service))
        await subscribed(sleepers[-1], away[-1])
        service.away.add(away[-1].path)
    for sleeper in sleepers:
        await leave(sleeper)
        wake(sleeper, 20)
    try:
        await hub.until("all have been tried", lambda: sum(len(one.got) for one in away) >= 1_200, patience.PROCESS)
        _, driver, ride, _ = await asked(hub, cast, browser)
        await driver.accept(ride)
        [event] = await pushed(browser)
        assert event["type"] == "ride.accepted"
    finally:
        hub.redis.delete(hub.key("wakings"), *(hub.key(f"subscriptions:{sleeper.channel}") for sleeper in sleepers))
        service.away.clear()


async def test_services_that_say_nothing_hold_up_no_other(service, cast):
    """Five of them, more pushes for each than it has connections: who is pushed elsewhere does not wait for their time-outs."""
    silent = [await asyncio.start_server(lambda reader, writer: reader.read(), "localhost", 0) for _ in range(5)]
    hosts = [f"localhost:{one.sockets[0].getsockname()[1]}" for one in silent]
    for hub in serve(**service.settings | {"push.services": [service.host, *hosts]}):
        sleeper, browser = await cast.rider(hub), Browser(service)
        for host in hosts:
            deaf = Browser(service)
            deaf.endpoint = f"https://{host}/{deaf.path}"
            await subscribed(sleeper, deaf)
        await leave(sleeper)
        wake(sleeper, 20)
        await waiting(hub, 20)
        _, driver, ride, _ = await asked(hub, cast, browser)
        await driver.accept(ride)
        [event] = await pushed(browser)
        assert event["type"] == "ride.accepted"
        assert hub.metric("kerbside_push_retried_total") == 0, "no time-out was waited for"
        hub.redis.delete(hub.key("wakings"), hub.key(f"subscriptions:{sleeper.channel}"))
    for one in silent:
        one.close()


async def test_each_device_is_asked_when_it_says(hub, service, cast, browser):
    away = Browser(service)
    passenger, driver, ride, _ = await asking(hub, cast, browser)
    assert await subscribed(passenger, away) == {"subscriptions": 2}
    await leave(passenger)
    service.away.add(away.path)
    service.answers.append((503, {}))
    await driver.accept(ride)
    first, second = await pushed(browser, 2)
    assert first == second and len(away.got) == 1
    hub.redis.delete(hub.key("wakings"), hub.key(f"subscriptions:{passenger.channel}"))
    service.away.clear()


WRONG = [
    ("endpoint", {"endpoint": "http://localhost/x"}),
    ("endpoint", {"endpoint": "https://fcm.googleapis.com/x"}),
    ("endpoint", {"endpoint": "https://localhost/x"}),
    ("endpoint", {"endpoint": "https://127.0.0.1/x"}),
    ("endpoint", {"endpoint": "https://10.0.0.1/x"}),
    ("endpoint", {"endpoint": "https://[::1]/x"}),
    ("endpoint", {"endpoint": "https://169.254.169.254/latest/meta-data/"}),
    ("endpoint", {"endpoint": "https://HOST@example.org/x"}),
    ("endpoint", {"endpoint": "https://user@HOST/x"}),
    ("endpoint", {"endpoint": "https://HOST/" + "x" * 1000}),
    ("endpoint", {"endpoint": 5}),
    ("endpoint", {"endpoint": None}),
    ("keys", {"keys": "p256dh"}),
    ("keys", {"keys": None}),
    ("keys.auth", {"auth": None}),
    ("keys.auth", {"auth": "AAAA"}),
    ("keys.auth", {"auth": "A" * 200}),
    ("keys.p256dh", {"p256dh": "BAAA"}),
    ("keys.p256dh", {"p256dh": "B" + "A" * 86}),
    ("keys.p256dh", {"p256dh": "!" * 87}),
]


@pytest.mark.parametrize("field, change", WRONG)
async def test_what_is_no_subscription_is_refused(hub, service, cast, browser, field, change):
    passenger = await cast.rider(hub)
    fields = json.loads(json.dumps(browser.fields))
    for name, value in change.items():
        place = fields["keys"] if name in ("auth", "p256dh") else fields
        place[name] = value.replace("HOST", service.host) if isinstance(value, str) else value
        if value is None:
            del place[name]
    error = await passenger.refused("push.subscribe", "bad_message", field=field, **fields)
    # What is told of it is no secret of the browser.
    assert browser.keys["auth"] not in error["detail"]
    assert not hub.redis.exists(hub.key(f"subscriptions:{passenger.channel}"))


async def test_five_browsers_of_a_person_are_told_and_the_oldest_goes(hub, service, cast):
    passenger = await cast.rider(hub)
    browsers = [Browser(service) for _ in range(6)]
    counts = [(await subscribed(passenger, one))["subscriptions"] for one in (*browsers, browsers[5])]
    assert counts == [1, 2, 3, 4, 5, 5, 5]
    held = hub.redis.hkeys(hub.key(f"subscriptions:{passenger.channel}"))
    assert sorted(held) == sorted(one.endpoint for one in browsers[1:])
    assert 0 < hub.redis.ttl(hub.key(f"subscriptions:{passenger.channel}")) <= 90 * 86_400
    for left in (4, 3, 2, 1, 0):
        fields = {"endpoint": browsers[left + 1].endpoint}
        assert await passenger.call("push.unsubscribe", **fields) == {"subscriptions": left}
    assert await passenger.call("push.unsubscribe", **fields) == {"subscriptions": 0}
    assert not hub.redis.keys(hub.key("subscriber:*")) or not hub.redis.exists(hub.key(f"wishes:{passenger.channel}"))


async def test_a_device_is_of_whom_it_was_said_last(hub, cast, browser):
    first, driver, ride, _ = await asked(hub, cast, browser)
    second = await cast.rider(hub)
    assert await subscribed(second, browser) == {"subscriptions": 1}
    await driver.accept(ride)
    assert not hub.redis.exists(hub.key(f"subscriptions:{first.channel}"))
    assert hub.redis.xlen(hub.key("wakings")) == 0 and not browser.got


async def test_a_key_makes_it_once_and_over_http_it_is_the_same(hub, cast, browser):
    passenger = await cast.rider(hub)
    reply = await passenger.call("push.subscribe", **browser.fields, key="s1")
    await passenger.call("push.unsubscribe", endpoint=browser.endpoint)
    assert await passenger.call("push.subscribe", **browser.fields, key="s1") == reply
    assert not hub.redis.exists(hub.key(f"subscriptions:{passenger.channel}"))
    headers = {"Authorization": f"Bearer {passenger.token}", "Content-Type": "application/json"}
    answer = hub.http("/v1/commands/push.subscribe", "POST", headers, json.dumps(browser.fields))
    assert (answer.status, json.loads(answer.text)) == (200, {"subscriptions": 1})


async def test_notes_of_quiet_hours_leave_the_subscription(hub, cast, browser):
    passenger = await cast.rider(hub)
    await subscribed(passenger, browser)
    await passenger.call("notify.set", mute=["route"])
    await passenger.call("notify.set")
    assert hub.redis.hgetall(hub.key(f"wishes:{passenger.channel}")) == {"push": "1"}


async def test_others_may_not(hub, cast, browser):
    token = json.loads(hub.http("/v1/guest", "POST").text)
    guest = Passenger(hub, token["subject"], token["token"])
    await guest.connect()
    await guest.refused("push.subscribe", "forbidden", **browser.fields)
    await guest.refused("push.unsubscribe", "forbidden", endpoint=browser.endpoint)
    office = await cast.operator(hub)
    await office.refused("push.subscribe", "forbidden", **browser.fields)


async def test_who_has_a_stolen_phone_is_told_nothing(hub, cast, browser):
    passenger = await cast.rider(hub)
    await subscribed(passenger, browser)
    office = await cast.operator(hub)
    wish = {"role": "passenger", "subject": passenger.subject, "reason": "The phone was stolen."}
    await office.call("office.session_end", **wish)
    await passenger.wait_closed()
    assert hub.redis.exists(hub.key(f"subscriptions:{passenger.channel}"))
    await office.call("office.session_end", **wish, revoke=True)
    assert not hub.redis.exists(hub.key(f"subscriptions:{passenger.channel}"))


async def test_a_flood_of_subscriptions_is_paid_for_by_who_sends_it(new_hub, service, cast):
    hub = new_hub(server__workers=1, server__commands_per_second=20, server__commands_burst=100, **service.settings).start()
    passenger = await cast.rider(hub)
    answers = await asyncio.gather(
        *(passenger.ask("push.subscribe", **Browser(service).fields) for _ in range(40)))
    taken = sum("ok" in one for one in answers)
    # Each costs ten; some come back while they are answered.
    assert 5 <= taken <= 20
    assert {one["error"]["code"] for one in answers if "error" in one} == {"rate_limited"}


async def test_without_a_contact_it_is_off_and_said_to_be(new_hub, service, cast, browser):
    hub = new_hub(server__workers=1).start()
    passenger = await cast.rider(hub)
    error = await passenger.refused("push.subscribe", "not_available", **browser.fields)
    assert "push.subject" in error["detail"]
    answer = hub.http("/v1/push/key")
    assert (answer.status, json.loads(answer.text)) == (200, {"key": None})
    assert not (hub.data / "push.key").exists() and not sender(hub)


async def test_the_key_is_made_once_and_for_nobody_else(new_hub, service):
    hub = new_hub(**service.settings).start()
    file = hub.data / "push.key"
    assert file.stat().st_mode & 0o777 == 0o600
    key = hub.http("/v1/push/key").text
    assert re.fullmatch(r'\{"key":"B[A-Za-z0-9_-]{86}"\}', key)
    assert {hub.http("/v1/push/key").text for _ in range(12)} == {key}
    hub.stop()
    hub.start()
    assert hub.http("/v1/push/key").text == key
    hub.stop()
    file.chmod(0o644)
    hub.start(ready=False)
    assert hub.wait_for_end() != 0
    assert "others can use it (mode 644)" in hub.log and "send pushes" in hub.log
    hub.process = None
