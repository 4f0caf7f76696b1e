"""The link is cut, at any moment; nothing is lost, nothing comes twice."""

import asyncio

import pytest

from conftest import IN_BOTH
from kerbside.client import Refused

pytestmark = pytest.mark.usefixtures("encoding")

STEPS = ["request", "seen", "accept", "near", "arrived", "aboard", "end"]


async def ride_through(hub, cast, around):
    """A whole ride. `around(step, driver, passenger)` may cut one before a step; what it returns is awaited after."""
    here = hub.block()
    pickup = here.a.centre
    driver, passenger = cast.driver(hub, here.a.stand), cast.passenger(hub)
    await driver.go_available()
    await passenger.connect()
    ride = None

    async def request():
        nonlocal ride
        fields = {**pickup.fields, "passengers": 1, "key": f"{passenger.subject}-1"}
        ride = (await passenger.call("ride.request", **fields))["ride"]

    async def seen():
        offer = await driver.until("offer.made")
        await driver.call("offer.seen", ride=offer["ride"])

    async def accept():
        await driver.call("offer.accept", ride=ride, key=f"{ride}-a")
        await driver.until("ride.assigned")  # where to drive to

    doing = {
        "request": request,
        "seen": seen,
        "accept": accept,
        "near": lambda: driver.drive(pickup.moved(north=300), step=100),
        "arrived": lambda: driver.drive(pickup.moved(north=5), step=100),
        "aboard": lambda: driver.call("ride.aboard", ride=ride, key=f"{ride}-b"),
        "end": lambda: driver.call("ride.end", ride=ride, key=f"{ride}-e"),
    }
    for step in STEPS:
        after = await around(step, driver, passenger)
        await doing[step]()
        if after is not None:
            await after()
    await asyncio.gather(driver.barrier(), passenger.barrier())
    return driver, passenger


def kinds(client):
    return [event["type"] for event in client.events]


DRIVER_STORY = ["queue.joined", "offer.made", "ride.assigned", "ride.confirm_aboard", "queue.joined"]
PASSENGER_STORY = ["ride.searching", "ride.accepted", "ride.near", "ride.arrived", "ride.aboard", "ride.ended"]


async def check_stories(driver, passenger):
    await driver.settled()
    await passenger.settled()
    assert kinds(driver) == DRIVER_STORY
    assert kinds(passenger) == PASSENGER_STORY
    assert not [m for m in driver.pushed + passenger.pushed if m.get("type") == "gap"]


@pytest.mark.parametrize("cut_at", STEPS[1:])
async def test_passenger_is_away_during_a_step(hub, cast, cut_at):
    async def around(step, driver, passenger):
        if step != cut_at:
            return None
        await passenger.settled()
        await passenger.cut()
        return passenger.resume

    await check_stories(*await ride_through(hub, cast, around))


@pytest.mark.parametrize("cut_at", STEPS)
async def test_driver_is_cut_before_a_step_and_resumes(hub, cast, cut_at):
    async def around(step, driver, passenger):
        if step == cut_at:
            await driver.cut()
            await driver.resume()

    await check_stories(*await ride_through(hub, cast, around))


@pytest.mark.parametrize("cut_at", ["accept", "aboard", "end"])
async def test_driver_is_cut_before_the_reply_and_sends_the_command_again(hub, cast, cut_at):
    """The command goes out, the link dies: the app resumes and repeats it with the same key."""
    commands = {"accept": ("offer.accept", "a"), "aboard": ("ride.aboard", "b"), "end": ("ride.end", "e")}

    async def around(step, driver, passenger):
        if step == cut_at:
            command, mark = commands[step]
            ride = passenger.events[0]["data"]["ride"]
            await driver.send({"id": 999_999, "cmd": command, "ride": ride, "key": f"{ride}-{mark}"})
            await driver.cut()
            await driver.resume()

    await check_stories(*await ride_through(hub, cast, around))


async def test_both_are_cut_all_the_time(hub, cast):
    async def around(step, driver, passenger):
        for client in (driver, passenger):
            await client.cut()
            await client.resume()

    await check_stories(*await ride_through(hub, cast, around))


@IN_BOTH
async def test_what_was_missed_comes_before_anything_new(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await passenger.cut()
    # A second phone of the passenger acts while the first is away.
    phone = passenger.twin()
    await phone.connect()
    for _ in range(10):
        ride = await phone.request(here.a.centre)
        await driver.offered(ride)
        await phone.call("ride.cancel", ride=ride)
        await phone.expect("ride.cancelled", ride=ride)
        await driver.expect("offer.withdrawn", ride=ride)
    resuming = asyncio.create_task(passenger.resume())
    await phone.request(here.a.centre)
    await resuming
    await passenger.settled()
    assert passenger.events == phone.events
    assert len(passenger.events) == 21


@IN_BOTH
async def test_resuming_from_any_earlier_event_repeats_all_that_followed(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await driver.call("ride.aboard")
    await driver.call("ride.end")
    await passenger.until("ride.ended")
    everything = await passenger.settled()
    for index, event in enumerate(everything):
        late = passenger.twin()
        await late.connect(resume={late.channel: event["seq"]})
        await late.settled()
        assert late.events == everything[index + 1 :]
        await late.close()


async def test_a_first_hello_brings_no_old_events(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    new_phone = passenger.twin()
    await new_phone.connect()
    await new_phone.barrier()
    assert not new_phone.events
    assert new_phone.hello_reply["seq"][new_phone.channel] == passenger.events[-1]["seq"]
    await driver.accept(ride)
    await new_phone.expect("ride.accepted", ride=ride)


def forget(hub, client):
    """The history of this client's channel is lost."""
    hub.redis.delete(hub.key(f"ch:{client.channel}"))


async def told_something(hub, cast):
    """A passenger with one event, and gone."""
    passenger = await cast.rider(hub)
    await passenger.call("notify.set", mute=["eta"])
    await passenger.expect("notify.changed")
    await passenger.close()
    return passenger


async def snapshot_after_gap(client, **resume):
    """Resumes where history does not reach back; the data of the snapshot, which must follow the gap."""
    del client.pushed[:]
    client.states.pop("snapshot", None)
    await client.connect(**resume) if resume else await client.resume()
    await client.wait(lambda: client.states.get("snapshot") or None, "a snapshot")
    own = [m["type"] for m in client.pushed if m["ch"] == client.channel and m["type"] in ("gap", "snapshot")]
    assert own == ["gap", "snapshot"]
    return client.states["snapshot"][-1]["data"]


@IN_BOTH
async def test_gap_and_snapshot_for_a_waiting_driver(hub, cast):
    here = hub.block()
    first, second = await cast.queue(hub, here.a.stand, 2)
    await second.cut()
    await first.call("driver.unavailable")
    forget(hub, second)
    snapshot = await snapshot_after_gap(second)
    assert snapshot == {"state": "available", "zone": here.a.id, "rank": 1, "size": 1}
    passenger = await cast.rider(hub)
    await second.accept(await passenger.request(here.a.centre))


@IN_BOTH
async def test_gap_and_snapshot_with_an_open_offer(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre, passengers=2)
    await driver.offered(ride)
    await driver.cut()
    forget(hub, driver)
    snapshot = await snapshot_after_gap(driver)
    offer = snapshot["offer"]
    assert (offer["ride"], offer["zone"], offer["passengers"]) == (ride, here.a.id, 2)
    assert 0 < offer["expires_in_ms"] <= hub.settings["dispatch.offer_timeout_ms"]
    await driver.call("offer.accept", ride=ride)
    await driver.expect("ride.assigned", ride=ride)


@IN_BOTH
async def test_gap_and_snapshot_during_a_ride(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre, passengers=3)
    await driver.accept(ride)
    await driver.drive(here.a.centre.moved(north=300))
    await passenger.until("ride.near")
    await driver.known()
    for client in (driver, passenger):
        await client.cut()
        forget(hub, client)
    told = await snapshot_after_gap(driver)
    pickup = here.a.centre.fields
    assert told == {
        "state": "busy",
        "ride": {"ride": ride, "state": "accepted", "pickup": pickup, "passengers": 3, "notified": 500},
    }
    told = (await snapshot_after_gap(passenger))["ride"]
    assert (told["ride"], told["state"], told["zone"], told["passengers"]) == (ride, "accepted", here.a.id, 3)
    assert (told["taxi"], told["notified"]) == (driver.subject, 500)
    assert (told["position"]["lat"], told["position"]["lon"]) == tuple(driver.place.fields.values())
    await driver.drive(here.a.centre)
    await passenger.expect("ride.arrived", ride=ride)
    await driver.expect("ride.confirm_aboard", ride=ride)


@IN_BOTH
async def test_gap_and_snapshot_without_a_ride(hub, cast):
    passenger = await told_something(hub, cast)
    forget(hub, passenger)
    assert (await snapshot_after_gap(passenger))["ride"] is None


async def test_a_history_that_was_emptied_is_a_gap(hub, cast):
    passenger = await told_something(hub, cast)
    hub.redis.xtrim(hub.key(f"ch:{passenger.channel}"), maxlen=0, approximate=False)
    assert (await snapshot_after_gap(passenger))["ride"] is None


async def test_more_events_than_are_kept_is_a_gap(new_hub, cast):
    hub = new_hub(redis__history_length=10).start()
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    await passenger.request(here.a.centre)
    await passenger.cut()
    phone = passenger.twin()
    await phone.connect()
    await phone.call("ride.cancel")
    # Redis trims in blocks of a hundred entries.
    for _ in range(75):
        await phone.call("ride.request", **here.a.centre.fields, passengers=1)
        await phone.call("ride.cancel")
    ride = (await phone.call("ride.request", **here.a.centre.fields, passengers=2))["ride"]
    snapshot = await snapshot_after_gap(passenger)
    assert snapshot["ride"]["ride"] == ride and snapshot["ride"]["passengers"] == 2
    await passenger.call("ride.cancel", ride=ride)
    await passenger.expect("ride.cancelled", ride=ride)
    phone.start = None
    await phone.close()


@pytest.mark.parametrize("seq", ["9999999999999-0", "nonsense", "1-2-3", "*", "+", "$", "(1-1", "-1", "x" * 64])
async def test_a_seq_that_was_never_given_is_a_gap(hub, cast, seq):
    passenger = cast.passenger(hub)
    assert await snapshot_after_gap(passenger, resume={passenger.channel: seq}) == {"ride": None}


async def test_a_lost_epoch_is_a_gap(hub, cast):
    """History was lost and written anew: the old place exists no more, though newer events do."""
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    await driver.cut()
    hub.redis.delete(hub.key(f"ch:{driver.channel}"))
    other = driver.twin()
    await other.connect()
    await other.call("driver.unavailable")
    assert await snapshot_after_gap(driver) == {"state": "unavailable"}


async def test_nobody_resumes_what_is_not_its_own(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger, spy = await cast.rider(hub), cast.passenger(hub)
    await passenger.request(here.a.centre)
    foreign = [passenger.channel, driver.channel, f"vehicle:{driver.subject}"]
    try:
        reply = await spy.connect(resume=dict.fromkeys(foreign, "0-1"))
        assert reply["channels"] == [spy.channel]
    except Refused as refused:
        assert refused.code == "forbidden"
    await driver.fix()
    await driver.barrier()
    assert not [m for m in spy.pushed if m.get("ch") in foreign]
