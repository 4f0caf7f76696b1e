"""What one person's pushes, or one push service, may cost others; and whom a push reaches no more."""

import asyncio
import shlex
import socket
import subprocess
import time

import pytest

from kerbside import hub as hubs, patience
from kerbside.passenger import Passenger
from kerbside.push_service import Browser
from kerbside.stops import serve
from kerbside.waking import asked, asking, leave, pushed, subscribed, waiting, wake
from test_foreign_tokens import Issuer


async def test_of_one_who_is_away_the_latest_are_kept(service, cast, browser):
    """More than one service takes at once: who is pushed elsewhere does not wait, and neither does who is pushed there."""
    silent = await asyncio.start_server(lambda reader, writer: reader.read(), "localhost", 0)
    host = f"localhost:{silent.sockets[0].getsockname()[1]}"
    for hub in serve(**service.settings | {"push.services": [service.host, host]}):
        sleeper, deaf = await cast.rider(hub), Browser(service)
        deaf.endpoint = f"https://{host}/{deaf.path}"
        await subscribed(sleeper, deaf)
        await leave(sleeper)
        wake(sleeper, 3_000)
        await waiting(hub, 1)
        await hub.until("all but the latest are left out", lambda: hub.redis.xlen(hub.key("wakings")) <= 20, patience.PROCESS)
        _, driver, ride, _ = await asked(hub, cast, browser)
        await driver.accept(ride)
        [event] = await pushed(browser)
        assert event["type"] == "ride.accepted"
        assert hub.metric("kerbside_push_retried_total") == 0, "no time-out was waited for"
        assert hub.redis.xlen(hub.key("wakings")) <= 21
        hub.redis.delete(hub.key("wakings"), hub.key(f"subscriptions:{sleeper.channel}"))
    silent.close()


async def test_many_at_a_service_that_says_nothing_hold_up_no_other(service, cast, browser):
    silent = await asyncio.start_server(lambda reader, writer: reader.read(), "localhost", 0)
    host = f"localhost:{silent.sockets[0].getsockname()[1]}"
    for hub in serve(**service.settings | {"push.services": [service.host, host]}):
        sleepers = [await cast.rider(hub) for _ in range(100)]
        for sleeper in sleepers:
            deaf = Browser(service)
            deaf.endpoint = f"https://{host}/{deaf.path}"
            await subscribed(sleeper, deaf)
            await leave(sleeper)
        for sleeper in sleepers:
            wake(sleeper, 15)
        await waiting(hub, 1_500)
        _, driver, ride, _ = await asked(hub, cast, browser)
        await driver.accept(ride)
        [event] = await pushed(browser)
        assert event["type"] == "ride.accepted"
        hub.redis.delete(hub.key("wakings"), *(hub.key(f"subscriptions:{one.channel}") for one in sleepers))
    silent.close()


@pytest.fixture
def silent_names(tmp_path, monkeypatch):
    """Hubs that are started have a name server that says nothing, however long it is asked."""
    servers, wrapper = tmp_path / "resolv.conf", tmp_path / "kerbside"
    servers.write_text("nameserver 127.53.53.53\noptions timeout:30 attempts:5\n")
    mount = f"mount --bind {shlex.quote(str(servers))} /etc/resolv.conf"
    tried = subprocess.run(["unshare", "-m", "sh", "-c", mount], check=False, capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"may not mount here: {tried.stderr.strip()}")
    inside = f'{mount} && exec "$@"'
    wrapper.write_text(f'#!/bin/sh\nexec unshare -m sh -c {shlex.quote(inside)} sh {shlex.quote(str(hubs.BINARY))} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setattr(hubs, "BINARY", wrapper)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.53.53.53", 53))
        yield


async def test_a_name_server_that_says_nothing_holds_up_no_other(silent_names, service, cast, browser):
    """libcurl waited for the look-up of a name whose push was given up, and nothing else was sent meanwhile."""
    for hub in serve(**service.settings | {"push.services": [service.host, "push.test"]}):
        sleeper, nowhere = await cast.rider(hub), Browser(service)
        nowhere.endpoint = f"https://push.test/{nowhere.path}"
        await subscribed(sleeper, nowhere)
        await leave(sleeper)
        wake(sleeper, 1)
        await hub.until("it was given up", lambda: hub.metric("kerbside_push_retried_total") >= 1)
        _, driver, ride, _ = await asked(hub, cast, browser)
        await driver.accept(ride)
        [event] = await pushed(browser)
        assert event["type"] == "ride.accepted"
        hub.redis.delete(hub.key("wakings"), hub.key(f"subscriptions:{sleeper.channel}"))


#: How an answer begins that has no end, and what follows again and again: heads of answers to come, lines of a head, a body.
ENDLESS = {
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "hints": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
    "head": (b"HTTP/1.1 201 Created\r\n", b"X-More: x\r\n"),
    "body": (b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n", b"4\r\nmore\r\n"),
}


@pytest.mark.parametrize("every", [0, 0.5], ids=["at_once", "in_drops"])
async def test_answers_without_an_end_are_given_up(service, cast, browser, every):
    """By their bytes, or when the time of a push is over; others are pushed at that service meanwhile."""
    for hub in serve(**service.settings):
        # Of one person each service is sent one at a time.
        sleepers, endless = [await cast.rider(hub) for _ in ENDLESS], [Browser(service) for _ in ENDLESS]
        for sleeper, one, (begin, part) in zip(sleepers, endless, ENDLESS.values(), strict=True):
            service.endless[one.path] = (begin, part if every else part * 100, every)
            await subscribed(sleeper, one)
            await leave(sleeper)
            wake(sleeper, 1)
        await hub.until("they are being answered", lambda: all(one.got for one in endless))
        _, driver, ride, _ = await asked(hub, cast, browser)
        await driver.accept(ride)
        [event] = await pushed(browser)
        assert event["type"] == "ride.accepted"

        def given_up():
            """What was given up is sent again."""
            return all(one.path in service.poured and len(one.got) >= 2 for one in endless)

        await hub.until("they were given up", given_up, 2 * patience.PROCESS)
        # Those that the hub did not read were in the system's buffers.
        assert all(service.poured[one.path] < 1 << 23 for one in endless), service.poured
        hub.redis.delete(hub.key("wakings"), *(hub.key(f"subscriptions:{one.channel}") for one in sleepers))


@pytest.mark.parametrize("end", ["expired", "revoked", "everybody", "office", "key"])
async def test_a_subscription_ends_with_its_token(new_hub, service, cast, browser, end):
    """Who has had a token for a moment is told nothing when it has ended."""
    hub = new_hub(tokens__leeway_s=0, **{key.replace(".", "__"): value for key, value in service.settings.items()}).start()
    passenger = cast.passenger(hub)
    if end == "expired":
        passenger.token = hub.token("passenger", passenger.subject, exp=int(time.time()) + 4)
    await asking(hub, cast, browser, passenger)
    if end == "expired":
        await passenger.wait_closed()
        await asyncio.sleep(1)
    elif end == "office":
        await leave(passenger)
        # As where it was said while the office revoked the token.
        hub.redis.zadd(hub.key("revoked"), {f"passenger {passenger.subject}": int(time.time()) + 100})
    else:
        await leave(passenger)
        if end == "key":
            (hub.data / "token.secret").write_text(f"other {'k' * 64}\n")
        else:
            who = passenger.subject if end == "revoked" else "*"
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
            (hub.directory / "revoked").write_text(f"passenger {who} {at}\n")
            hub.write_config(tokens__revoked_file=str(hub.directory / "revoked"))
        await hub.reload()
        await asyncio.sleep(0.5)
    wake(passenger, 1)
    await hub.until("it was looked at", lambda: hub.redis.xlen(hub.key("wakings")) == 0)
    assert browser.got == [] and not hub.redis.exists(hub.key(f"subscriptions:{passenger.channel}"))
    # Who comes again, with a token that counts, says it again.
    if end == "expired":
        again = passenger.twin()
        again.token = hub.token("passenger", passenger.subject)
        await again.connect()
        assert await subscribed(again, browser) == {"subscriptions": 1}
        await leave(again)
        wake(again, 1)
        assert [event["type"] for event in await pushed(browser)] == ["ride.near"]


async def test_a_subscription_ends_when_its_person_is_given_to_another_issuer(new_hub, service, browser, tmp_path):
    first, acme = Issuer(tmp_path, kid="first"), Issuer(tmp_path, kid="acme")
    settings = {key.replace(".", "__"): value for key, value in service.settings.items()}
    hub = new_hub(tokens__public_keys=[first.setting()], **settings).start()
    # It counts for longer than the pushes are of use.
    end = int(time.time()) + 3600
    taken, kept = (Passenger(hub, name, token=first.sign(hub, sub=name, exp=end)) for name in ("acme.bob", "bob"))
    elsewhere = Browser(service)
    for passenger, device in ((taken, browser), (kept, elsewhere)):
        await passenger.connect()
        assert await subscribed(passenger, device) == {"subscriptions": 1}
        await leave(passenger)
    hub.write_config(tokens__public_keys=[first.setting(), acme.setting(prefix="acme.")])
    await hub.reload()
    await asyncio.sleep(0.5)
    wake(taken, 1)
    wake(kept, 1)
    assert [event["type"] for event in await pushed(elsewhere)] == ["ride.near"]
    await hub.until("both were looked at", lambda: hub.redis.xlen(hub.key("wakings")) == 0)
    assert browser.got == [] and not hub.redis.exists(hub.key(f"subscriptions:{taken.channel}"))
    assert hub.redis.exists(hub.key(f"subscriptions:{kept.channel}"))
