"""The binary subprotocol: the same conversations, by generated code, held against the same contract."""

import asyncio

import pytest

from conftest import Cast, running
from kerbside.catalog import command, load
from kerbside.client import SUBPROTOCOL as JSON
from kerbside.driver import Driver
from kerbside.feeds import OFTEN
from kerbside.member import BinaryMember, Member
from kerbside.operator import Operator
from kerbside.passenger import Passenger
from kerbside.protobuf import SUBPROTOCOL, Binary, parse, schema


class BinaryDriver(Binary, Driver):
    pass


class BinaryPassenger(Binary, Passenger):
    pass


class BinaryOperator(Binary, Operator):
    pass


@pytest.fixture
def cast():
    """Actors who speak the binary subprotocol, for every test of this module."""
    return Cast(BinaryDriver, BinaryPassenger)



async def test_the_subprotocol_is_agreed_and_json_goes_first(hub, cast):
    driver = cast.driver(hub)
    for offered, agreed in (([SUBPROTOCOL], SUBPROTOCOL), ([SUBPROTOCOL, JSON], JSON), (["x", SUBPROTOCOL], SUBPROTOCOL)):
        await driver.open(subprotocols=offered)
        assert driver.ws.subprotocol == agreed


async def test_both_encodings_tell_the_same(hub, cast):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    await driver.connect()
    twin = Driver(hub, driver.subject, here.a.stand)
    await twin.connect()
    await driver.fix()
    await driver.call("driver.available")
    await driver.expect("queue.joined", zone=here.a.id)
    await twin.expect("queue.joined", zone=here.a.id)
    passenger = await cast.rider(hub)
    ride = await passenger.request(here.a.centre)
    await driver.accept(ride)
    await twin.until("ride.assigned", ride=ride)
    assert driver.events == twin.events


async def test_topics(hub, topic):
    operator, binary, plain = BinaryMember(hub, "operator"), BinaryMember(hub), Member(hub)
    for one in (operator, binary, plain):
        await one.connect()
    for reader in (binary, plain):
        await reader.join(topic)
    seqs = [await operator.publish(topic, type="roadworks", data={"n": n, "none": []}) for n in range(5)]
    for reader in (binary, plain):
        await reader.has(topic, seqs)
    assert binary.got(topic) == plain.got(topic)
    await binary.cut()
    seqs += await operator.publish_many(topic, 300)
    await binary.back(topic)
    hub.redis.client_kill_filter(_type="pubsub")
    seqs += await operator.publish_many(topic, 100)
    for reader in (binary, plain):
        await reader.has(topic, seqs)
    assert binary.got(topic) == plain.got(topic)
    await binary.join(topic, since="1-1")
    await binary.wait(lambda: binary.gaps(topic) or None, "the gap")


async def test_a_change_of_the_catalog_has_its_message(city):
    """Live and from history: a binary client of these tests takes no JSON for a type that kerbside.proto knows."""
    load(city)
    plain, live, late = Member(city), BinaryMember(city), BinaryMember(city)
    for reader in (plain, live):
        await reader.connect()
        await reader.join("catalog")
    command(city, "lines", "set-bus", "b1", "--seats", "8")
    await plain.wait(lambda: plain.got("catalog") or None, "catalog.changed", 30)
    [seq] = plain.seqs("catalog")
    await live.has("catalog", [seq])
    await late.connect()
    await late.join("catalog", since="0")
    await late.last("catalog", seq)
    assert plain.got("catalog") == live.got("catalog") == late.got("catalog")[-1:]


@pytest.mark.parametrize("text", ["", '{"id":1,"cmd":"hello"}'])
async def test_a_text_message_is_no_message(hub, cast, text):
    driver = cast.driver(hub)
    await driver.open()
    await driver.send(text)
    assert (await driver.wait_closed())[0] == 1003


#: What is no message of kerbside.proto → the field that is named.
MALFORMED = {
    "nothing": (b"", "cmd"),
    "an open field": (b"\x12\x09hel", None),
    "a number without end": (b"\x08" + b"\xff" * 11, None),
    "a group": (b"\x13\x14", None),
    "field 0": (b"\x00\x01", None),
    "text that is not UTF-8": (b"\x12\x02\xc3\x28", "cmd"),
    "a number for the command": (b"\x10\x01", "cmd"),
    "a text for the latitude": (b"\x22\x0245", "lat"),
    "infinity": (b"\x21\x00\x00\x00\x00\x00\x00\xf0\x7f", "lat"),
    "JSON": (b'{"cmd":"hello"}', None),
    "zeros": (bytes(64), None),
}


@pytest.mark.parametrize("name", MALFORMED)
async def test_malformed_bytes_are_answered_and_the_connection_lives(hub, cast, name):
    raw, field = MALFORMED[name]
    driver = cast.driver(hub)
    await driver.connect()
    await driver.send(raw)
    await driver.wait(lambda: [m for m in driver.pushed if "error" in m] or None, "the error")
    [message] = [m for m in driver.pushed if "error" in m]
    assert message["error"]["code"] == "bad_message" and message["error"].get("field") == field
    await driver.barrier()


async def test_a_message_costs_what_it_becomes_as_json(new_hub):
    """4 KiB are a unit, of what came or of its JSON: 34 units are four texts of 16 KB that become 32, and eight that don't."""
    hub = new_hub(blocks=2, server__commands_per_second=1, server__commands_burst=40).start()
    understood = {}
    for letter, count in (("x", 12), ('"', 8)):
        passenger = BinaryPassenger(hub, f"p{ord(letter)}")
        await passenger.connect()
        replies = await asyncio.gather(*(passenger.ask("unwatch", text=letter * 16_200) for _ in range(count)))
        codes = ["ok" if "ok" in reply else reply["error"]["code"] for reply in replies]
        assert set(codes) == {"ok", "rate_limited"}
        understood[letter] = codes.count("ok")
    # Its hello has taken six, and a second brings one.
    assert understood["x"] in (8, 9) and understood['"'] in (4, 5), understood


async def test_what_becomes_much_longer_is_refused_and_the_connection_lives(hub, cast):
    driver = cast.driver(hub)
    await driver.connect()
    head = schema().ClientMessage(id=77, cmd="driver.unavailable").SerializeToString()
    for more, detail in (
        (b"\x62\x00" * 8_000, "more than 256 fields"),  # empty destinations
        (b"\x62\x00" * 100, "more than 64 members"),
        (schema().ClientMessage(text="\1" * 8_000).SerializeToString(), "twice its bytes"),
    ):
        reply = driver.expect_reply(77)
        await driver.send(head + more)
        await driver.wait(lambda reply=reply: reply.done() or None, "the reply")
        assert reply.result()["error"]["code"] == "bad_message" and detail in reply.result()["error"]["detail"]
    await driver.barrier()


async def test_an_unknown_field_is_ignored_and_a_refusal_names_its_command(hub, cast):
    driver = cast.driver(hub)
    await driver.connect()
    reply = driver.expect_reply(77)
    await driver.send(schema().ClientMessage(id=77, cmd="driver.unavailable").SerializeToString() + b"\xa2\x3e\x01x")
    await driver.wait(lambda: reply.done() or None, "the reply")
    assert "ok" in reply.result() or reply.result()["error"]["code"] == "not_available"
    await driver.refused("no.such", "unknown_command", field="cmd")
    await driver.refused("position", "bad_message", field="lat", lat=91.5, lon=9, at=1)
    await driver.refused("position", "bad_position", field="lat", lat=0, lon=0, at=1)
    await driver.refused("position", "bad_message", field="at", lat=45, lon=9, at=1_795_210_199)
    await driver.refused("offer.accept", "bad_message", field="ride", ride='a "ride"\n\x00é')


async def test_positions_are_not_answered_without_an_id(hub, cast):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    await driver.connect()
    for _ in range(20):
        await driver.send({"cmd": "position", **here.a.stand.fields, "at": driver.clock, "heading": 0, "speed": 0.1 + 0.2})
    await driver.barrier()
    await asyncio.sleep(0.1)
    assert not [m for m in driver.pushed if "error" in m or "id" in m]


async def test_a_topics_types_are_its_publishers(hub, topic):
    operator, reader = BinaryMember(hub, "operator"), BinaryMember(hub)
    for one in (operator, reader):
        await one.connect()
    await reader.join(topic)
    kinds = ["offer.made", "json", "seq", "roadworks"]
    data = {"where": ["é", None, 1.5], "ride": 7}
    await reader.has(topic, [await operator.publish(topic, type=kind, data=data) for kind in kinds])
    assert [(event["type"], event["data"]) for event in reader.got(topic)] == [(kind, data) for kind in kinds]
    await operator.refused("publish", "bad_message", "data", channel=topic)
    await operator.refused("publish", "bad_message", "data", channel=topic, data=[1])


def test_the_schema_knows_itself():
    message = parse(schema().ServerMessage(gap=schema().Gap(ch="driver:T1")).SerializeToString())
    assert message.WhichOneof("message") == "gap"


# Vehicles


@pytest.fixture(scope="module")
def lively_hub():
    """Tells feeds at every tick, so that tests need not wait."""
    yield from running(**OFTEN)


def differences(exact, rough):
    """What a picture drawn from binary rows shows other than the one from JSON."""
    if set(exact.vehicles) != set(rough.vehicles):
        return [f"{sorted(exact.vehicles)} and {sorted(rough.vehicles)}"]
    return [f"{one} is {rough.vehicles[one.id]}" for one in exact.vehicles.values() if not alike(one, rough.vehicles[one.id])]


def alike(one, other):
    """Headings have steps of 3 degrees, the times of movements of 10 ms; places are the same."""
    turn = abs(one.heading - other.heading) if None not in (one.heading, other.heading) else 0
    return (
        abs(one.lat - other.lat) < 1e-5
        and abs(one.lon - other.lon) < 1e-5
        and (one.heading is None) == (other.heading is None)
        and min(turn, 360 - turn) <= 2
        and 0 <= one.at - other.at <= 10
        and (one.state, one.seats, one.freshness, one.kind, one.route)
        == (other.state, other.seats, other.freshness, other.kind, other.route)
    )


async def same(exact_client, exact, client, rough):
    """Waits until both show the same."""
    await client.sees(rough, lambda shown: not differences(exact, shown), f"the picture of {exact.channel}, {exact.vehicles}")
    assert exact.vehicles is not None and not exact_client.breach


async def test_feeds_draw_the_map_that_json_draws(lively_hub, cast):
    hub = lively_hub
    here = hub.block()
    drivers = await cast.queue(hub, here.a.stand, 6)
    pairs = [(Passenger(hub, "p-json"), BinaryPassenger(hub, "p-binary"))]
    pairs.append((Operator(hub, "o-json"), BinaryOperator(hub, "o-binary")))
    pictures = []
    for exact, rough in pairs:
        for client in (exact, rough):
            await client.connect()
        channels = [f"zone:{here.a.id}", f"vehicle:{drivers[0].subject}"]
        for channel in channels + (["city"] if exact.role == "operator" else []):
            pictures.append((exact, await exact.follow(channel), rough, await rough.follow(channel)))
        pictures.append(
            (exact, await exact.watch(here.a.stand, 800), rough, await rough.watch(here.a.stand, 800))
        )
    for place in here.a.stand.towards(here.a.stand.moved(east=600, north=150), 20):
        for number, driver in enumerate(drivers):
            await driver.fix(place.moved(north=15 * number), heading=(place.lon * 1e6) % 360)
        await asyncio.sleep(0.1)  # a tick or more
    for picture in pictures:
        await same(*picture)
    await drivers[1].call("seats.set", taken=3)
    await drivers[2].call("route.set", route="R7")
    await drivers[3].call("driver.unavailable")
    await drivers[4].drive(here.b.centre, step=300)
    for number, driver in enumerate(drivers[:4]):
        await driver.fix(here.a.centre.moved(east=10 * number))
    for exact, picture, *others in pictures:
        await exact.sees(picture, lambda shown: shown.shows(drivers[0]), "the last fix")
        await same(exact, picture, *others)
    await drivers[2].call("route.set", route=None)
    await drivers[3].call("driver.available")
    for picture in pictures:
        await same(*picture)
    for _, _, rough, picture in pictures:
        assert picture.vehicles, picture.channel
        assert rough.decoder.moved >= 100
        assert rough.decoder.moved_bytes <= 12 * rough.decoder.moved, "bytes of moving vehicles"


async def test_filters_and_leaving(lively_hub, cast):
    hub = lively_hub
    here = hub.block()
    seven, other = await cast.queue(hub, here.a.stand, 2)
    await seven.call("route.set", route="R7")
    passenger = await cast.rider(hub)
    picture = await passenger.follow(f"zone:{here.a.id}", filter={"route": "R7", "kind": ["taxi", "bus"]}, max_rate=20)
    await passenger.sees(picture, lambda shown: shown.ids == {seven.subject}, "the one on the route")
    await other.call("route.set", route="R7")
    await passenger.sees(picture, lambda shown: shown.ids == {seven.subject, other.subject}, "both")
    await seven.call("route.set", route=None)
    await passenger.sees(picture, lambda shown: shown.ids == {other.subject}, "the other")
    await passenger.refused("watch", "bad_message", field="radius", **here.a.stand.fields, radius=5)
    await passenger.refused("subscribe", "bad_message", field="filter.kind", channel="city", filter={"kind": ["tram"]})
    await passenger.leave(f"zone:{here.a.id}")
    await other.fix(here.a.centre)
    await passenger.barrier()
