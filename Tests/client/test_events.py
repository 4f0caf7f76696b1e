"""The city's events, followed by operators and services: from any place, without a hole, and who is told what."""

import asyncio
import os
import random
import signal
import time

import pytest

from kerbside import contract, patience
from kerbside.driver import Driver
from kerbside.follower import PERSONAL, BinaryFollower, Follower, add, follower, logged, write
from kerbside.member import BinaryMember, Member, member
from kerbside.passenger import Passenger

KINDS = pytest.mark.parametrize("kind", [Follower, BinaryFollower], ids=["json", "protobuf"])


@pytest.fixture
def town(new_hub):
    return new_hub(blocks=3).start()


@KINDS
async def test_a_ride_is_followed_with_the_names_of_the_catalogue(town, kind):
    """On both workers, by what the Redis functions write."""
    followers = [await follower(town, "events:>", kind, role).begin() for role in ("service", "operator") * 3]
    rides = await follower(town, "events:ride.*", kind).begin()
    here = town.block()
    driver = Driver(town, "T1", here.a.stand)
    await driver.go_available()
    passenger = Passenger(town, "p1")
    await passenger.connect()
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await driver.call("ride.aboard", ride=ride)
    await driver.call("ride.end", ride=ride)
    log = logged(town)
    expected = "queue.joined ride.requested offer.made offer.seen queue.left ride.accepted ride.aboard ride.ended".split()
    assert [name for _, name in log if name in expected][: len(expected)] == expected
    for one in followers:
        await one.reads([seq for seq, _ in log])
        assert [event["type"] for event in one.got("events:>")] == [name for _, name in log]
    await rides.reads([seq for seq, name in log if name.startswith("ride.")])
    for event in rides.got("events:ride.*"):
        assert event["data"]["ride"] == ride and event["data"]["zone"] == here.a.id


@KINDS
async def test_from_now_from_a_place_from_a_time_from_the_oldest(town, kind):
    first = write(town, 600)
    await asyncio.sleep(0.01)
    now = int(time.time() * 1000)
    await asyncio.sleep(0.01)
    second = write(town, 400, 600)
    everything = first + second
    places = {
        None: [], first[299]: everything[300:], "0": everything, "0-0": everything, str(now): second, second[-1]: [],
    }
    for since, expected in places.items():
        fields = {} if since is None else {"since": since}
        one = await follower(town, "events:ride.searching", kind).begin(**fields)
        later = write(town, 3, 1000)
        await one.reads(expected + later)
        assert not one.gaps(one.followed)
        for other, rest in places.items():
            places[other] = rest + later if other != since else rest
    ahead = await follower(town, "events:>", kind).begin(since=str(now + 3_600_000))
    await ahead.reads(write(town, 1, 2000))
    assert not ahead.gaps("events:>"), "a time to come is now"


async def test_a_time_before_the_log_began_is_no_gap(town):
    one = await follower(town, "events:>").begin(since="1000")
    seqs = write(town, 2)
    await one.reads(seqs)
    other = await follower(town, "events:>").begin(since="1000")
    await other.reads(seqs)
    assert not one.gaps("events:>") and not other.gaps("events:>")


async def test_places_that_are_none(town):
    one = await member(town, "service")
    for since in ("x", "1-", "-1", "1.5", "9" * 17, "1-1-1"):
        await one.refused("subscribe", "bad_message", "since", channel="events:>", since=since)
    seqs = write(town, 3)
    # A seq that the log never had: what is left after it, with a gap.
    channel = "events:ride.*"
    await one.call("subscribe", channel=channel, since="1-1")
    await one.has(channel, seqs)
    assert len(one.gaps(channel)) == 1


@KINDS
async def test_filters_and_several_channels_at_once(town, kind):
    one = follower(town, "events:>", kind)
    await one.connect()
    channels = {
        "events:ride.searching?zone=14": lambda n: n % 2 == 0,
        "events:>?zone=15": lambda n: n % 2 == 1,
        "events:*.searching?zone=14,15": lambda n: True,
        "events:ride.>?zone=13": lambda n: False,
        "events:stop.>": lambda n: False,
    }
    for channel in channels:
        await one.call("subscribe", channel=channel)
    seqs = write(town, 40)
    bus = add(town.redis, town, "tour.started", {"tour": "t_1", "bus": "B7", "line": "52", "driver": "D9"})
    for channel in ("events:>?line=52", "events:tour.*?vehicle=B7&line=52", "events:>?vehicle=D9"):
        await one.call("subscribe", channel=channel, since=seqs[0])
        await one.has(channel, [bus])
    for channel, is_chosen in channels.items():
        await one.has(channel, [seq for n, seq in enumerate(seqs) if is_chosen(n)])


async def test_twice_is_once_and_a_new_place_begins_anew(town):
    seqs = write(town, 5)
    one = await follower(town, "events:>").begin()
    assert one.begun == seqs[-1]
    assert (await one.call("subscribe", channel="events:>"))["seq"] == seqs[-1]
    await one.call("subscribe", channel="events:>", since=seqs[2])
    await one.reads(seqs[3:])
    assert await one.call("unsubscribe", channel="events:>") == {"channel": "events:>"}
    write(town, 5, 5)
    await one.barrier()
    assert one.seen == seqs[3:]


@KINDS
async def test_cut_fifty_times_at_random_it_has_exactly_the_log(town, kind):
    chance = random.Random(7)
    write(town, 2000)
    one = await follower(town, "events:>", kind).begin(since="0")
    for n in range(50):
        await asyncio.sleep(chance.random() * 0.02)
        await one.cut()
        write(town, chance.randrange(40), 2000 + 40 * n)
        await one.come_back()
    write(town, 10, 9000)
    await one.reads([seq for seq, _ in logged(town)])
    assert not one.gaps("events:>")


async def test_catching_up_and_live_meet_without_a_hole(town):
    """Events come all the time while others catch up."""
    write(town, 1000)
    is_over = False

    async def writing():
        number = 1000
        while not is_over:
            write(town, 20, number)
            number += 20
            await asyncio.sleep(0.02)

    task = asyncio.create_task(writing())
    followers = []
    for n in range(8):
        followers.append(await follower(town, "events:>", (Follower, BinaryFollower)[n % 2]).begin(since="0"))
        await asyncio.sleep(0.05)
    is_over = True
    await task
    seqs = [seq for seq, _ in logged(town)]
    for one in followers:
        await one.reads(seqs, patience.PROCESS * 2)
        assert not one.gaps("events:>")


@KINDS
async def test_what_is_gone_is_a_gap_and_what_is_left_follows(town, kind):
    seqs = write(town, 1000)
    live = await follower(town, "events:>", kind).begin()
    one = await follower(town, "events:>", kind).begin(since=seqs[499])
    await one.reads(seqs[500:])
    await one.cut()
    more = write(town, 1000, 1000)
    await live.reads(more)
    town.redis.xtrim(town.key("events"), maxlen=300, approximate=False)
    await one.come_back()
    await one.reads(seqs[500:] + more[-300:])
    assert len(one.gaps("events:>")) == 1
    assert not live.gaps("events:>")
    for since in ("5", seqs[10], str(int(more[0].split("-")[0]) - 60_000)):
        late = await follower(town, "events:>", kind).begin(since=since)
        await late.reads(more[-300:])
        assert len(late.gaps("events:>")) == 1
    oldest = await follower(town, "events:>", kind).begin(since="0")
    await oldest.reads(more[-300:])
    assert not oldest.gaps("events:>")


async def test_the_log_is_lost_while_it_is_followed(town):
    one = await follower(town, "events:>").begin()
    await one.reads(write(town, 5))
    del one.pushed[:]
    town.redis.delete(town.key("events"))
    seqs = write(town, 5, 5)
    await one.wait(lambda: one.gaps("events:>") or None, "the gap")
    await one.reads(seqs)
    assert len(one.gaps("events:>")) == 1


async def staying(one):
    while True:
        if one.closed:
            await one.come_back()
        await asyncio.sleep(0.01)


async def settle(hub, followers, keeping):
    seqs = [seq for seq, _ in logged(hub)]
    end = time.monotonic() + patience.PROCESS
    while any(one.closed or one.seen[-1:] != seqs[-1:] for one in followers):
        assert time.monotonic() < end, [len(one.seen) for one in followers]
        await asyncio.sleep(0.02)
    for task in keeping:
        task.cancel()
    for one in followers:
        assert one.seen == seqs and not one.gaps(one.followed)


async def test_a_worker_is_killed(town):
    followers = [await follower(town, "events:>").begin(since="0") for _ in range(6)]
    keeping = [asyncio.create_task(staying(one)) for one in followers]
    for turn in range(2):
        write(town, 500, 500 * turn)
        # The first one's successor may take a while.
        await town.until("two workers", lambda: len(town.workers()) == 2)
        await town.kill_workers(town.workers()[turn])
    write(town, 100, 1000)
    await settle(town, followers, keeping)


async def test_redis_is_killed(new_hub):
    town = new_hub(blocks=3, redis__fsync="always").start()
    followers = [await follower(town, "events:>").begin(since="0") for _ in range(4)]
    keeping = [asyncio.create_task(staying(one)) for one in followers]
    for turn in range(2):
        write(town, 500, 500 * turn)
        old = town.redis_pid()
        os.kill(old, signal.SIGKILL)
        await town.until("Redis again", lambda: town.redis_pid() not in (None, old))
        town._redis = None
        await town.until("ready", lambda: town.http("/readyz").status == 200)
    write(town, 100, 1000)
    await settle(town, followers, keeping)


async def test_who_reads_slowly_holds_nobody_up_and_loses_nothing(new_hub):
    town = new_hub(blocks=3, server__max_outbound_bytes=65_536).start()
    seqs = write(town, 20_000)
    slow = await follower(town, "events:>").begin(since="0")
    slow.ws.transport.pause_reading()
    quick = await follower(town, "events:>").begin(since=seqs[-500])
    await quick.reads(seqs[-499:])
    slow.ws.transport.resume_reading()
    await slow.reads(seqs, patience.PROCESS * 3)
    assert slow.closed is None and not slow.gaps("events:>")


@KINDS
async def test_a_live_reader_that_stands_still_goes_on_where_it_was(new_hub, kind):
    """It is not closed, and the others of its channel do not wait for it."""
    town = new_hub(blocks=3, server__max_outbound_bytes=65_536).start()
    slow = await follower(town, "events:>", kind, scope=PERSONAL).begin()
    quick = await follower(town, "events:>", kind, scope=PERSONAL).begin()
    slow.ws.transport.pause_reading()
    seqs = []
    # Some 12 MB: more than the sockets of both ends keep for it.
    for number in range(3000):
        notice = {"notice": f"n_{number}", "operator": "o1", "to": "driver", "text": "x" * 4000, "people": 1}
        seqs.append(add(town.redis, town, "notify.sent", notice))
        if number % 100 == 99:
            await quick.reads(seqs)
    slow.ws.transport.resume_reading()
    await slow.reads(seqs, patience.PROCESS * 3)
    seqs += write(town, 3)
    for one in (slow, quick):
        await one.reads(seqs)
        assert one.closed is None and not one.gaps("events:>")


async def test_nothing_is_read_for_nobody(town):
    """The log is read by a worker with followers, and for no more than some seconds after the last has left."""
    def calls():
        return town.redis.info("commandstats").get("cmdstat_xread", {"calls": 0})["calls"]

    one = await follower(town, "events:>").begin()
    await one.reads(write(town, 3))
    assert calls() > 0
    await one.call("unsubscribe", channel="events:>")
    await town.until("no worker reads on", lambda: all(client["cmd"] != "xread" for client in town.redis.client_list()))
    town.redis.config_resetstat()
    write(town, 100, 3)
    await asyncio.sleep(1.2)
    assert calls() == 0


@pytest.mark.parametrize("kind", [Member, BinaryMember], ids=["json", "protobuf"])
@pytest.mark.parametrize("role", ["driver", "passenger", "bus_driver"])
async def test_every_other_role_is_refused(town, role, kind):
    write(town, 3)
    one = kind(town, role)
    await one.connect()
    for channel in ("events:>", "events:ride.*", "events:no.such", "events:"):
        await one.refused("subscribe", "forbidden", "channel", channel=channel)
        await one.refused("subscribe", "forbidden", "channel", channel=channel, since="0")
    await one.connect(resume={"events:>": "0"})
    assert "events:>" not in one.hello_reply["channels"]
    [error] = await one.wait(lambda: [m["error"] for m in one.pushed if "error" in m] or None, "the refusal")
    assert (error["code"], error["field"]) == ("forbidden", "resume")
    write(town, 3, 3)
    await one.barrier()
    assert not one.got("events:>")


@KINDS
@pytest.mark.parametrize("role", ["operator", "service"])
async def test_what_is_personal_needs_its_scope(town, kind, role):
    data = {"ride": "r_1", "passenger": "p7", "zone": "14", "passengers": 2, "lat": 45.46, "lon": 9.19}
    act = {
        "id": "1-1", "operator": "o1", "command": "office.block", "target": "passenger:p7", "reason": "Rude.",
        "before": {"passenger": "p7"}, "after": {},
    }
    stop = {
        "request": "s_1", "line": "52", "citizen": "p7", "at": 1795210210000, "passengers": 1, "lat": 45.46, "lon": 9.19,
    }
    for name, its in (("ride.requested", data), ("audit", act), ("stop.requested", stop)):
        add(town.redis, town, name, its)
    without = await follower(town, "events:>", kind, role).begin(since="0")
    other = await follower(town, "events:>", kind, role, scope="profile openid").begin(since="0")
    allowed = await follower(town, "events:>", kind, role, scope=f"openid {PERSONAL}").begin(since="0")
    seqs = [seq for seq, _ in logged(town)]
    for one in (without, other):
        await one.reads(seqs)
        assert [event["data"] for event in one.got("events:>")] == [
            {"ride": "r_1", "zone": "14", "passengers": 2},
            {"id": "1-1", "operator": "o1", "command": "office.block"},
            {"request": "s_1", "line": "52", "at": 1795210210000, "passengers": 1},
        ]
    await allowed.reads(seqs)
    assert [event["data"] for event in allowed.got("events:>")] == [data, act, stop]
    live = add(town.redis, town, "ride.requested", data)
    for one, fields in ((without, {"ride", "zone", "passengers"}), (allowed, set(data))):
        await one.reads([*seqs, live])
        assert set(one.got("events:>")[-1]["data"]) == fields


def test_what_the_catalogue_marks_is_never_told_without_the_scope():
    """Whatever names a person in the log is marked."""
    for name, event in contract.SCHEMAS["city-events.json"]["$defs"].items():
        fields = event["properties"]["data"]["properties"]
        for field in {"passenger", "citizen", "subject", "lat", "lon", "text", "target", "before", "after"} & set(fields):
            assert fields[field].get("x-personal"), (name, field)
            assert field not in event["properties"]["data"]["required"]


@pytest.mark.parametrize(
    ("channel", "code", "says"),
    [
        ("events:ride.acepted", "not_found", "ride.accepted"),
        ("events:rides.*", "not_found", "the nearest are ride.*"),
        ("events:", "bad_message", "ride.requested"),
        ("events:ride", "not_found", "the nearest are"),
        ("events:ride.*?zon=14", "bad_message", "zone=<id>"),
        ("events:ride.*?line=52", "bad_message", "says a line"),
        ("events:ri*", "bad_message", "* for one word"),
        ("events:>.made", "bad_message", "> at the end"),
    ],
)
async def test_what_is_unknown_is_refused_with_what_is_near(hub, channel, code, says):
    one = await member(hub, "service")
    error = await one.refused("subscribe", code, "channel", channel=channel)
    assert says in error["detail"]
    assert await one.call("unsubscribe", channel=channel) == {"channel": channel} if channel != "events:" else True


async def test_sixteen_channels_of_one_connection(town):
    one = await member(town, "service")
    for n in range(16):
        await one.call("subscribe", channel=f"events:ride.searching?zone={n}")
    await one.refused("subscribe", "bad_message", "channel", channel="events:>")
    seqs = write(town, 16, zones=[str(n) for n in range(16)])
    for n in range(16):
        await one.has(f"events:ride.searching?zone={n}", [seqs[n]])
    await one.connect(resume={f"events:ride.searching?zone={n}": "0" for n in range(16)})
    for n in range(16):
        await one.wait(lambda n=n: len(one.got(f"events:ride.searching?zone={n}")) == 2 or None, "again from the oldest")

