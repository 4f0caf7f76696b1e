"""The data directory: a disk that is full, and who may look into it."""

import asyncio
import os
import signal
import time

import pytest

from kerbside.disks import fill, small
from kerbside.hub import run

FULL = "the disk is full: commands are refused"


@pytest.fixture
def small_disk(tmp_path):
    with small(tmp_path / "disk", 12) as place:
        yield place


def is_written(hub):
    """Whether Redis' last write went well."""
    return hub.redis.info("persistence")["aof_last_write_status"] == "ok"


def has_reserve(disk):
    return (disk / "data" / "reserve").stat().st_blocks * 512 >= 1 << 20


async def nobody_is_let_in(hub, cast):
    late = cast.passenger(hub)
    await late.open()
    await late.refused("hello", "unavailable", token=late.token)
    await late.close()
    await hub.until("the gauge", lambda: hub.metric("kerbside_redis_refuses_writes") > 0)


async def test_C66_a_full_disk_is_said_nothing_is_lost_and_it_gets_over(small_disk, new_hub, cast):
    hub = new_hub(blocks=2)
    hub.write_config(data__dir=str(small_disk / "data"), redis__command_timeout_ms=10_000)
    hub.start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    assert hub.metric("kerbside_redis_refuses_writes") == 0
    assert hub.metric("kerbside_data_free_bytes") > 0

    trouble = "Redis takes no writes"
    for _ in range(2):
        said = hub.log.count(trouble)
        ballast = fill(small_disk)
        # The last page of its file may have room for what the sweeps write in half a minute.
        hub.redis.set("spill", "x" * 8192)
        # Every worker knows, and says so once.
        await hub.until("the alarm", lambda: hub.log.count(trouble) >= said + hub.settings["server.workers"])
        answer = hub.http("/readyz")
        assert answer.status == 503 and "No space left on device" in answer.text
        for key in ("one", "two", "three"):
            await passenger.refused("ride.request", "unavailable", **here.a.centre.fields, passengers=1, key=key)
        await nobody_is_let_in(hub, cast)
        assert hub.log.count(trouble) == said + hub.settings["server.workers"], "once"

        ballast.unlink()
        await hub.until("ready", hub.is_ready)
        ride = await passenger.request(here.a.centre)
        await driver.offered(ride)
        await passenger.call("ride.cancel", ride=ride)
        await driver.expect("offer.withdrawn", ride=ride)
        await passenger.expect("ride.cancelled", ride=ride)
    await driver.accept(await passenger.request(here.a.centre))
    assert '"level":"error"' in next(line for line in hub.log.splitlines() if trouble in line)


async def test_C39_what_was_acknowledged_as_the_disk_became_full_is_not_lost_with_redis(small_disk, new_hub, cast):
    hub = new_hub(blocks=2)
    hub.write_config(data__dir=str(small_disk / "data"), redis__command_timeout_ms=10_000)
    hub.start()
    here = hub.block()
    riders = [await cast.rider(hub) for _ in range(12)]
    redis = hub.redis_pid()
    # It answers all that comes in one turn, and writes then.
    os.kill(redis, signal.SIGSTOP)
    ballast = fill(small_disk)
    at = int(time.time() * 1000) + 3 * 3_600_000
    asked = [
        asyncio.ensure_future(rider.ask(
            "reservation.make", pickup=here.a.centre.fields, destination=here.b.centre.fields, at=at, passengers=1, key="k"))
        for rider in riders
    ]
    await asyncio.sleep(0.3)
    os.kill(redis, signal.SIGCONT)
    answers = await asyncio.gather(*asked)
    kept = [(rider, answer["ok"]["reservation"]) for rider, answer in zip(riders, answers, strict=True) if "ok" in answer]
    assert kept, answers
    await hub.until("room is given", lambda: FULL in hub.log)
    # It tries again each second.
    await hub.until("all is written", lambda: is_written(hub))
    os.kill(redis, signal.SIGKILL)
    await hub.until("another Redis", lambda: hub.redis_pid() not in (None, redis))
    # The disk is full still, and so is nothing taken that could not be written.
    await hub.until("refused", lambda: hub.http("/readyz").status == 503)
    ballast.unlink()
    await hub.until("ready", hub.is_ready)
    for rider, reservation in kept:
        listed = await rider.call("reservation.list")
        assert reservation in [each["reservation"] for each in listed["reservations"]]
    assert "also the room that was kept" not in hub.log
    assert has_reserve(small_disk)


@pytest.mark.parametrize("how", ["stopped on a full disk", "killed before it was full"])
async def test_C39_a_hub_starts_on_a_full_disk_refuses_and_gets_over(small_disk, new_hub, cast, how):
    hub = new_hub(blocks=2)
    hub.write_config(data__dir=str(small_disk / "data"), redis__command_timeout_ms=10_000)
    hub.start()
    here = hub.block()
    passenger = await cast.rider(hub)
    at = int(time.time() * 1000) + 3 * 3_600_000
    made = await passenger.call(
        "reservation.make", pickup=here.a.centre.fields, destination=here.b.centre.fields, at=at, passengers=1, key="k")
    await passenger.close()
    if how.startswith("stopped"):
        fill(small_disk)
        hub.redis.set("spill", "x" * 8192)
        await hub.until("full", lambda: FULL in hub.log)
        await hub.until("all is written", lambda: is_written(hub))
        hub.stop()
        assert not (small_disk / "data" / "reserve").exists()
    else:
        hub.kill()
        assert (small_disk / "data" / "reserve").exists()
    said = hub.log.count(FULL)
    ballast = fill(small_disk)

    hub.start(ready=False)
    await hub.until("refused", lambda: "No space left on device" in hub.http("/readyz").text)
    await hub.until("the alarm", lambda: hub.log.count(FULL) > said)
    assert hub.http("/readyz").status == 503
    await nobody_is_let_in(hub, cast)

    ballast.unlink()
    await hub.until("ready", hub.is_ready)
    if how.startswith("stopped"):
        await hub.until("prepared", lambda: '"Redis is prepared"' in hub.log)
    await passenger.resume()
    listed = await passenger.call("reservation.list")
    assert [one["reservation"] for one in listed["reservations"]] == [made["reservation"]]
    await cast.queue(hub, here.a.stand, 1)
    assert (await passenger.call("ride.request", **here.a.centre.fields, passengers=1))["ride"]
    assert has_reserve(small_disk)


def open_to_others(directory):
    return [str(path) for path in [directory, *directory.rglob("*")] if path.lstat().st_mode & 0o077 and not path.is_symlink()]


def test_what_a_hub_writes_is_for_its_user_alone(new_hub):
    hub = new_hub(blocks=2)
    hub.data.mkdir(mode=0o755)
    before = os.umask(0o022)
    try:
        hub.start()
    finally:
        os.umask(before)
    assert any("appendonly" in path.name for path in hub.data.rglob("*")), "Redis keeps its log there"
    assert open_to_others(hub.data) == []
    assert "open to other users" in hub.log and str(hub.data) in hub.log


def test_what_was_left_open_is_closed(new_hub):
    hub = new_hub(blocks=2).start()
    hub.stop()
    for path in [hub.data, *hub.data.rglob("*")]:
        if path.name != "token.secret" and not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    hub.start()
    assert open_to_others(hub.data) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
async def test_a_directory_that_is_opened_while_the_hub_runs_is_closed_and_what_was_put_there_is_said(new_hub):
    hub = new_hub(blocks=2, server__workers=1).start()
    for mode, count in ((0o777, 1), (0o755, 2)):
        hub.data.chmod(mode)
        await hub.until("closed", lambda: open_to_others(hub.data) == [])
        said = "was opened to other users while the hub runs, and is closed again: "
        await hub.until("said", lambda count=count: hub.log.count(said) == count)
    theirs = hub.data / "redis.conf.theirs"
    theirs.touch()
    os.chown(theirs, 65534, 65534)
    hub.data.chmod(0o777)
    await hub.until("said", lambda: f"{theirs} (of user 65534)" in hub.log)
    assert hub.data.stat().st_mode & 0o777 == 0o700
    os.chown(theirs, 0, 0)
    theirs.unlink()
    hub.data.chmod(0o777)
    await hub.until("closed", lambda: hub.log.count(said) == 3)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a directory away, and use one of another user")
def test_a_directory_of_another_user_is_refused(new_hub):
    """That user could exchange the secret in it, though nobody else may look into it."""
    hub = new_hub(blocks=2)
    hub.data.mkdir(mode=0o700)
    os.chown(hub.data, 65534, 65534)
    result = run("serve", "--config", hub.config)
    assert result.returncode != 0
    assert f"{hub.data} belongs to user 65534: chown it to the hub's user (0)" in result.stderr
    assert list(hub.data.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
@pytest.mark.parametrize("name", ["token.secret", "run", "run/settled.1/settings.yaml", "run/current"])
def test_what_another_user_has_left_in_a_directory_that_was_open_is_refused(new_hub, tmp_path, name):
    """It may be a secret which that user knows, or a directory in which it can exchange what workers run with."""
    hub = new_hub(blocks=2).start()
    hub.stop()
    hub.data.chmod(0o777)
    path = hub.data / name
    path.parent.mkdir(exist_ok=True)
    if name == "run/current":
        path.symlink_to(tmp_path)
    elif name != "run":
        path.touch()
    os.chown(path, 65534, 65534, follow_symlinks=False)
    for _ in range(2):
        result = run("serve", "--config", hub.config)
        assert result.returncode != 0 and f"{path} (of user 65534)" in result.stderr, result.stderr
    # To whom it belongs can't get there any more.
    assert hub.data.stat().st_mode & 0o777 == 0o700
    os.chown(path, 0, 0, follow_symlinks=False)
    hub.start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
async def test_a_worker_takes_nothing_that_another_user_has_put_there_while_the_hub_runs(new_hub):
    """By a slip the data directory was open for a while, and what workers run with was exchanged."""
    hub = new_hub(blocks=2, server__workers=1).start()
    run_with = hub.data / "run"
    os.chown(run_with, 65534, 65534)
    os.kill(hub.workers()[0], signal.SIGKILL)
    await hub.until("it is said", lambda: f"{run_with} belongs to user 65534" in hub.log)
    os.chown(run_with, 0, 0)
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)


def test_a_link_in_the_place_of_what_workers_run_with_is_refused(new_hub, tmp_path):
    hub = new_hub(blocks=2)
    hub.data.mkdir(mode=0o700)
    (hub.data / "run").symlink_to(tmp_path)
    result = run("serve", "--config", hub.config)
    assert result.returncode != 0 and f"{hub.data}/run is no directory" in result.stderr, result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_a_directory_of_others_is_not_taken_from_them(new_hub, mode):
    hub = new_hub(blocks=2)
    hub.data.mkdir()
    (hub.data / "letters.txt").write_text("")
    hub.data.chmod(mode)
    result = run("serve", "--config", hub.config)
    assert result.returncode != 0
    assert str(hub.data) in result.stderr and "chmod 700" in result.stderr
    assert hub.data.stat().st_mode & 0o7777 == mode
    assert [path.name for path in hub.data.iterdir()] == ["letters.txt"]
