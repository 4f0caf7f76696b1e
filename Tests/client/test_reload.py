"""SIGHUP takes a configuration whole or not at all, and sends away those whose tokens count no more."""

import asyncio
import json
import os
import resource
import shutil
import signal
import time
from random import Random

import pytest

from kerbside import city, patience, tokens
from kerbside.certificate import der, make_certificate, served

NEW = "second c2Vjb25kLXNlY3JldC1zZWNvbmQtc2VjcmV0LXNlY29uZA\n"


def new_secret(hub):
    return hub.data / "token.secret"


def damage(hub, what):
    if what == "a word in the secret file":
        new_secret(hub).write_text(new_secret(hub).read_text() + "nonsense\n")
    elif what == "a secret file that others can read":
        new_secret(hub).chmod(0o644)
    elif what == "no secret file":
        new_secret(hub).unlink()
    elif what == "a public key that is none":
        (hub.directory / "theirs.pem").write_text("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n")
        hub.write_config(tokens__public_keys=[{"kid": "theirs", "file": str(hub.directory / "theirs.pem")}])
    elif what == "a list of revoked tokens that can't be read":
        (hub.directory / "revoked").write_text("driver T1 yesterday\n")
        hub.write_config(tokens__revoked_file=str(hub.directory / "revoked"))
    elif what == "a zone whose border is a ball of wool":
        (hub.directory / "zones.geojson").write_text(ball_of_wool(hub))
    else:
        (hub.directory / "zones.geojson").write_text("{}")


def ball_of_wool(hub):
    """The hub's zones, of which the first has a border that crosses itself tens of thousands of times."""
    zones = json.loads((hub.directory / "zones.geojson").read_text())
    random = Random(1)
    ring = [[random.uniform(9, 9.05), random.uniform(45, 45.04)] for _ in range(500)]
    zones["features"][0]["geometry"] = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    return json.dumps(zones)


DAMAGES = [
    "a word in the secret file",
    "a secret file that others can read",
    "no secret file",
    "a public key that is none",
    "a list of revoked tokens that can't be read",
    "zones that are none",
    "a zone whose border is a ball of wool",
]


@pytest.mark.parametrize("what", DAMAGES)
async def test_C66_what_is_broken_is_said_and_workers_that_die_come_back_as_they_were(new_hub, cast, what):
    hub = new_hub(blocks=2).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    late = cast.driver(hub, here.a.stand)
    passenger = cast.passenger(hub)
    assert late.token and passenger.token
    hub.write_config(dispatch__max_passengers=7)
    damage(hub, what)
    await hub.reload(taken=False)
    await driver.barrier()

    # The limit that was good is not taken either; and who is started now finds all of the old.
    started = hub.log.count('"listening"')
    for pid in hub.workers():
        os.kill(pid, signal.SIGKILL)
    await hub.until("new workers", lambda: hub.log.count('"listening"') >= started + 2)
    await hub.until("they serve", hub.is_ready)
    await driver.resume()
    await late.go_available()
    await passenger.connect()
    await passenger.refused("ride.request", "too_many_passengers", **here.a.centre.fields, passengers=7)
    await driver.accept(await passenger.request(here.a.centre))
    assert '"message":"the workers are told to reload"' not in hub.log


async def test_a_reload_ends_no_worker_that_has_just_begun(new_hub):
    hub = new_hub(blocks=2).start()
    for number in range(1, 4):
        await hub.kill_workers(*hub.workers())
        hub.send_signal(signal.SIGHUP)
        await hub.until("the reload", lambda number=number: hub.log.count('"message":"the workers are told to reload"') == number)
        await hub.until("new workers", lambda number=number: hub.log.count('"listening"') >= 2 + 2 * number)
    assert "started again: signal 9" in hub.log and 'started again: signal 1"' not in hub.log


async def test_C66_what_was_mended_is_taken(new_hub, cast):
    hub = new_hub(blocks=2).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    good = new_secret(hub).read_text()
    damage(hub, "no secret file")
    await hub.reload(taken=False)
    assert not new_secret(hub).exists(), "a new secret would send everybody away"
    new_secret(hub).write_text(good)
    new_secret(hub).chmod(0o600)
    (hub.directory / "zones.geojson").write_text(city.geojson(3))
    await hub.reload()
    passenger = await cast.rider(hub)
    await passenger.refused("ride.request", "zone_empty", **city.block(2).a.centre.fields, passengers=1)
    await driver.barrier()


def test_no_copies_are_left_when_the_hub_has_stopped(new_hub):
    hub = new_hub(blocks=2).start()
    held = [path for path in (hub.data / "run").rglob("*") if path.is_file() and "metrics" not in path.parts]
    assert held and all(path.stat().st_mode & 0o077 == 0 for path in held)
    hub.stop()
    assert [path.name for path in (hub.data / "run").iterdir() if path.name != "metrics"] == []


async def test_who_came_with_a_secret_that_is_taken_out_is_sent_away(new_hub, cast):
    hub = new_hub(blocks=2).start()
    old_text = new_secret(hub).read_text()
    before = [cast.driver(hub) for _ in range(12)]
    for driver in before:
        await driver.connect()
    new_secret(hub).write_text(NEW + old_text)
    await hub.reload()
    await before[0].barrier()
    after = [cast.driver(hub) for _ in range(6)]
    for driver in after:
        await driver.connect()
    new_secret(hub).write_text(NEW)
    await hub.reload()
    for driver in before:
        code, reason = await driver.wait_closed()
        assert code == 4401 and "new one" in reason
    for driver in after:
        await driver.barrier()
        assert driver.closed is None


async def test_the_same_name_for_another_secret_is_another_key(new_hub, cast):
    hub = new_hub(blocks=2).start()
    driver = await cast.rider(hub)
    kid = next(iter(tokens.secrets(new_secret(hub))))
    new_secret(hub).write_text(f"{kid} {NEW.split()[1]}\n")
    await hub.reload()
    assert (await driver.wait_closed())[0] == 4401


async def test_who_is_to_leave_leaves_although_settings_are_reloaded_again(new_hub, cast):
    hub = new_hub(blocks=2, server__workers=1, server__drain_ms=20_000).start()
    riders = [await cast.rider(hub) for _ in range(4)]
    kid = next(iter(tokens.secrets(new_secret(hub))))
    new_secret(hub).write_text(f"{kid} {NEW.split()[1]}\n")
    await hub.reload()
    await hub.reload()
    for rider in riders:
        assert (await rider.wait_closed(patience.PROCESS))[0] == 4401


async def test_what_a_full_redis_did_not_take_it_takes_when_it_has_room(new_hub):
    hub = new_hub(blocks=2).start()
    hub.redis.config_set("maxmemory", 1)
    hub.write_config(dispatch__max_passengers=7)
    hub.send_signal(signal.SIGHUP)
    await hub.until("the refusal", lambda: "told to reload; Redis is told its part" in hub.log)
    assert hub.redis.hget(hub.key("settings"), "max_passengers") == "3"
    hub.redis.config_set("maxmemory", 0)
    await hub.until("the new rule", lambda: hub.redis.hget(hub.key("settings"), "max_passengers") == "7")
    assert hub.log.count("Redis could not be prepared") == 1


async def test_only_the_copies_that_count_are_kept(new_hub):
    hub = new_hub(blocks=2).start()
    good = new_secret(hub).read_text()
    new_secret(hub).write_text(good + "nonsense\n")
    await hub.reload(taken=False)
    damage(hub, "zones that are none")
    new_secret(hub).write_text(good)
    await hub.reload(taken=False)
    (hub.directory / "zones.geojson").write_text(city.geojson(2))
    await hub.reload()
    kept = [path.name for path in (hub.data / "run").glob("settled.*")]
    assert kept == [str((hub.data / "run" / "current").readlink())]


async def test_revoked_tokens_count_no_more_and_later_ones_do(new_hub, cast):
    hub = new_hub(blocks=2).start()
    thief, other = await cast.rider(hub), await cast.rider(hub)
    now = int(time.time())
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + 1))
    service = await cast.operator(hub, "service")
    (hub.directory / "revoked").write_text(
        f"# a phone was stolen, and a program's token\npassenger {thief.subject} {at}\nservice {service.subject} {at}\n"
    )
    hub.write_config(tokens__revoked_file=str(hub.directory / "revoked"))
    await hub.reload()
    assert (await thief.wait_closed())[0] == 4401
    assert (await service.wait_closed())[0] == 4401
    assert hub.http("/v1/stats", headers={"Authorization": f"Bearer {service.token}"}).status == 401
    again = type(thief)(hub, thief.subject, token=thief.token)
    with pytest.raises(Exception, match="revoked"):
        await again.connect()
    await other.barrier()
    while time.time() < now + 1:
        await asyncio.sleep(0.05)
    owner = type(thief)(hub, thief.subject, token=hub.token("passenger", thief.subject))
    await owner.connect()


@pytest.mark.parametrize("kind", ["worker", "recorder"])
async def test_who_has_no_descriptor_left_reloads_when_it_has_one(new_hub, cast, kind):
    """The supervisor tells it once, and a token that is revoked must not count for good."""
    hub = new_hub(blocks=2, server__workers=1).start()
    [pid] = [pid for pid, line in hub.processes().items() if f" {kind}" in line]
    await hub.until("both have begun", lambda: '"message":"recording"' in hub.log)
    thief = await cast.rider(hub)
    files = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, files[1]))
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1))
    (hub.directory / "revoked").write_text(f"passenger {thief.subject} {at}\n")
    hub.write_config(tokens__revoked_file=str(hub.directory / "revoked"))
    hub.send_signal(signal.SIGHUP)
    await hub.until("its word", lambda: '"message":"not reloaded yet, and tried again until it is: ' in hub.log)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, files)
    await hub.until("the reload", lambda: '"message":"reloaded now"' in hub.log)
    assert (await thief.wait_closed())[0] == 4401


async def test_a_certificate_and_zones_are_taken_together_or_not_at_all(new_hub):
    hub = new_hub(blocks=2)
    certificate, key = make_certificate(hub.directory, "server")
    hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
    hub.start()
    old = der(certificate)
    fresh, fresh_key = make_certificate(hub.directory, "fresh")
    shutil.copy(fresh, certificate)
    await hub.reload(taken=False)
    assert served(hub)[1] == old
    shutil.copy(fresh_key, key)
    (hub.directory / "zones.geojson").write_text("{}")
    await hub.reload(taken=False)
    assert served(hub)[1] == old
    (hub.directory / "zones.geojson").write_text(city.geojson(2))
    await hub.reload()
    assert all(served(hub)[1] == der(fresh) for _ in range(8))
