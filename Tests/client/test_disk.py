"""The data directory: a disk that is full, and who may look into it."""

import os
import subprocess

import pytest

from kerbside.hub import run


@pytest.fixture
def small_disk(tmp_path):
    """A file system of a few MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", place], check=False, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"may not mount here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


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
        ballast = small_disk / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        # Every worker knows, and says so once.
        await hub.until("the alarm", lambda: hub.log.count(trouble) >= said + hub.settings["server.workers"])
        answer = hub.http("/readyz")
        assert answer.status == 503 and "No space left on device" in answer.text
        for key in ("one", "two", "three"):
            await passenger.refused("ride.request", "unavailable", **here.a.centre.fields, passengers=1, key=key)
        late = cast.passenger(hub)
        await late.open()
        await late.refused("hello", "unavailable", token=late.token)
        await late.close()
        await hub.until("the gauge", lambda: hub.metric("kerbside_redis_refuses_writes") > 0)
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
