"""A Redis that somebody else runs: checked at the start, then as good as the hub's own."""

import contextlib
import shutil
import subprocess
import tempfile
import time

import pytest
import redis

from kerbside import patience
from kerbside.hub import free_port, run
from kerbside.ledger import check_city


@contextlib.contextmanager
def redis_server(*options, password=None):
    """(directory, port, client) of a redis-server with a socket and a port, ended afterwards."""
    directory = tempfile.mkdtemp(prefix="kerbside-")
    fixed = ["--unixsocket", f"{directory}/redis.sock", "--dir", directory, "--save", ""]
    fixed += ["--requirepass", password] if password else []

    def start():
        port = free_port()
        return port, subprocess.Popen(
            ["redis-server", "--port", str(port), *fixed, *options], stdout=subprocess.DEVNULL
        )

    port, server = start()
    client = redis.Redis(unix_socket_path=f"{directory}/redis.sock", password=password, decode_responses=True, db=3)
    try:
        end = time.monotonic() + patience.PROCESS
        while True:
            try:
                client.ping()
                break
            except redis.RedisError:
                assert time.monotonic() < end
                if server.poll() is not None:  # somebody else's connection got the port in between
                    port, server = start()
                time.sleep(0.02)
        yield directory, port, client
    finally:
        client.close()
        server.terminate()
        server.wait()
        shutil.rmtree(directory, ignore_errors=True)


GOOD = ["--appendonly", "yes", "--maxmemory-policy", "noeviction"]


@pytest.mark.parametrize("kind", ["unix", "tcp"])
async def test_a_ride_over_a_redis_of_others(new_hub, cast, kind):
    with redis_server(*GOOD, password="s3cret" if kind == "tcp" else None) as (directory, port, client):
        urls = {
            "tcp": f"redis://default:s3cret@127.0.0.1:{port}/3",
            "unix": f"unix://{directory}/redis.sock?db=3",
        }
        hub = new_hub(redis__url=urls[kind])
        hub._redis = client
        hub.start()
        assert hub.redis_pid() is None, "it starts none of its own"
        here = hub.block()
        [driver] = await cast.queue(hub, here.a.stand, 1)
        passenger = await cast.rider(hub)
        await driver.accept(await passenger.request(here.a.centre))
        await passenger.expect("ride.accepted", taxi=driver.subject)
        check_city(hub)
        assert all(key.startswith("{testville}:") for key in client.scan_iter()), "a city keeps to its own keys"
        await passenger.settled()
        await passenger.close()
        await driver.close()
        hub.stop()
        assert "s3cret" not in hub.log


@pytest.mark.parametrize(
    "options, words",
    [
        (["--appendonly", "no"], ["appendonly"]),
        (["--appendonly", "yes", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"], ["maxmemory-policy"]),
    ],
    ids=["no persistence", "eviction"],
)
def test_a_redis_that_is_not_fit_is_refused(new_hub, options, words):
    with redis_server(*options) as (directory, _, _):
        hub = new_hub(redis__url=f"unix://{directory}/redis.sock?db=3")
        result = run("serve", "--config", hub.config)
        assert result.returncode != 0
        for word in words:
            assert word in result.stderr, result.stderr


def test_a_wrong_password_is_said_so_and_not_shown(new_hub):
    with redis_server(*GOOD, password="s3cret") as (_, port, _):
        hub = new_hub(redis__url=f"redis://default:wr0ng@127.0.0.1:{port}/3")
        result = run("serve", "--config", hub.config)
        assert result.returncode != 0 and "wr0ng" not in result.stderr + result.stdout
        assert "password" in result.stderr.lower() or "WRONGPASS" in result.stderr
