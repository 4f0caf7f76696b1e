"""What one client may ask of the hub, and what happens to the one who asks for more."""

import asyncio
import contextlib
import json
import os
import resource
import signal
import socket
import time

import pytest
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from conftest import running
from kerbside import patience
from kerbside.frames import PING, PONG, TEXT, RawSocket, close, frame
from kerbside.minibus import trip
from kerbside.operator import Operator


@pytest.fixture(scope="module")
def hub():
    yield from running(
        server__commands_per_second=10,
        server__commands_burst=20,
        server__max_message_bytes=2048,
        server__ping_ms=1000,
        server__dead_after_ms=int(2500 * patience.PACE),
    )


def outcomes(client, numbers):
    return {n: client.expect_reply(n) for n in numbers}


async def test_too_fast_is_refused_and_the_connection_lives(hub, cast):
    driver = cast.driver(hub)
    await driver.connect()
    replies = outcomes(driver, range(30))
    for n in replies:
        await driver.send({"id": n, "cmd": "offer.seen", "ride": "no-such-ride"})
    await driver.wait(lambda: all(reply.done() for reply in replies.values()) or None, "30 replies")
    errors = [reply.result()["error"] for reply in replies.values()]
    codes = [error["code"] for error in errors]
    assert set(codes) == {"not_found", "rate_limited"}
    assert codes.index("rate_limited") >= 13, "the burst is served, of which the greeting has six"
    assert all(error["retry"] for error in errors if error["code"] == "rate_limited")

    await asyncio.sleep(0.5)  # only time brings the next five
    await driver.call("driver.unavailable")


async def test_much_too_fast_is_closed_with_4429(hub, cast):
    driver = cast.driver(hub)
    await driver.connect()
    replies = outcomes(driver, range(900))
    with contextlib.suppress(ConnectionClosed):
        for n in replies:
            await driver.send({"id": n, "cmd": "driver.unavailable"})
    assert (await driver.wait_closed())[0] == 4429
    assert "rate_limited" in {
        r.result()["error"]["code"] for r in replies.values() if r.done() and "error" in r.result()
    }


async def test_who_is_always_refused_is_closed_though_a_little_is_taken(hub, cast):
    # What is refused was read, which costs as much however little is taken in between.
    driver = cast.driver(hub)
    await driver.connect()
    costly = {"cmd": "offer.seen", "ride": "no-such-ride", "x": [1] * 500}
    with contextlib.suppress(ConnectionClosed):
        for _ in range(100):
            for _ in range(5):
                await driver.send(costly)
            await driver.send({"cmd": "offer.seen", "ride": "no-such-ride"})
            await asyncio.sleep(0.1)  # one is taken
    assert (await driver.wait_closed())[0] == 4429


async def test_who_leaves_during_its_hello_has_paid_for_it(new_hub, cast):
    hub = new_hub(server__workers=1, server__commands_per_second=1, server__commands_burst=60).start()
    passenger = cast.passenger(hub)
    hello = json.dumps({"id": 1, "cmd": "hello", "token": passenger.token}).encode()
    for _ in range(15):
        async with RawSocket(hub) as link:
            await link.handshake()
            await link.send(frame(TEXT, hello) + close())
            await link.ended()
    await passenger.open()
    await passenger.refused("hello", "rate_limited", token=passenger.token)
    assert (await passenger.wait_closed())[0] == 4429


async def test_who_leaves_while_its_history_is_read_has_paid_for_that(new_hub, cast):
    """Redis stands still meanwhile, so that the connection has gone when it answers."""
    hub = new_hub(server__workers=1, server__commands_per_second=1, server__commands_burst=60).start()
    passenger = cast.passenger(hub)
    many = hub.redis.pipeline()
    for number in range(30):
        data = json.dumps({"ride": "r_1", "by": "passenger", "reason": "x" * 16_000})
        fields = {"type": "ride.cancelled", "time": 1_000 + number, "data": data}
        many.xadd(hub.key(f"ch:{passenger.channel}"), fields, id=f"{1_000 + number}-0")
    many.execute()
    # The channel is subscribed by then.
    await passenger.connect()
    leaver, pid = passenger.twin(), hub.redis_pid()
    await leaver.open()
    os.kill(pid, signal.SIGSTOP)
    try:
        await leaver.send({"id": 1, "cmd": "hello", "token": leaver.token, "resume": {leaver.channel: "0"}})
        await leaver.close()
        await hub.until("it has left", lambda: hub.metric("kerbside_connections") == 1)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert leaver.hello_reply is None
    # It is charged when Redis has answered, and so has this one been that was asked later.
    await passenger.ask("ride.cancel", ride="no-such-ride")
    await leaver.open()
    error = await leaver.refused("hello", "rate_limited", token=leaver.token)
    assert error["retry_after_ms"] > 6_000, "more than the hello itself costs"


async def filled(hub, cast, command):
    """The fields of an operator's command that costs some tokens as it is sent, and more for what Redis then finds."""
    here, many = hub.block(), hub.redis.pipeline()
    if command == "office.queue":
        for number in range(100):
            many.zadd(hub.key(f"queue:{here.a.id}"), {f"T{number}": number})
        fields = {"zone": here.a.id}
    elif command == "office.audit":
        act = {"operator": "o", "command": "office.block", "target": "driver:T1", "reason": "x" * 2_000}
        for _ in range(100):
            many.xadd(hub.key("audit"), {"time": 1_000, "act": json.dumps(act)})
        fields = {"limit": 100}
    else:
        way = {"start": here.a.centre.fields, "end": here.a.centre.moved(north=3_000).fields}
        vehicle = here.a.centre.fields | {"state": "available", "capacity": 4, "taken": 0, "held": 0, "route": json.dumps(way)}
        for number in range(64):
            many.geoadd(hub.key("pos"), (here.a.centre.lon, here.a.centre.lat, f"M{number}"))
            many.sadd(hub.key("minibuses"), f"M{number}")
            many.hset(hub.key(f"vehicle:M{number}"), mapping=vehicle)
        fields = trip(here.a.centre, here.a.centre.moved(north=1_000)) | {"on_behalf_of": {"name": "Ada", "number": "+39 02 1"}}
        # A search is paid by what the last one has found.
        far = here.a.centre.moved(north=50_000)
        other = await cast.operator(hub)
        await other.refused("seat.request", "not_available", **fields | trip(far, far.moved(north=1_000)))
    many.execute()
    return fields


@pytest.mark.parametrize("command", ["office.queue", "office.audit", "seat.request"])
async def test_who_leaves_before_it_is_answered_has_paid_for_what_was_read(new_hub, cast, command):
    """Its session has nobody's budget by then. What it has paid before leaves enough for the next hello."""
    hub = new_hub(server__workers=1, server__service_commands_per_second=22).start()
    wish = json.dumps({"id": 1, "cmd": command, **await filled(hub, cast, command)}).encode()
    again, other = Operator(hub, "leaver"), await cast.operator(hub)
    hello = json.dumps({"id": 0, "cmd": "hello", "token": again.token}).encode()
    for _ in range(3):
        await again.open()
        async with RawSocket(hub) as link:
            await link.handshake()
            await link.send(frame(TEXT, hello))
            assert "ok" in await link.message()
            await link.send(frame(TEXT, wish) + close())
            await link.ended()
        # It is charged when Redis has answered, and so has this one been that was asked later.
        await other.ask("vehicle.get", vehicle="nobody")
        reply = await again.ask("hello", token=again.token)
        if "error" in reply:
            break
        # What it owes comes back within two seconds: this machine was busy with something else.
        await again.close()
        await asyncio.sleep(2)
    assert reply["error"]["code"] == "rate_limited" and (await again.wait_closed())[0] == 4429


async def test_hostile_messages_count_against_the_rate(hub, cast):
    driver = cast.driver(hub)
    await driver.connect()
    with contextlib.suppress(ConnectionClosed):
        for _ in range(900):
            await driver.send("{")
    assert (await driver.wait_closed())[0] == 4429


async def test_a_flood_of_one_does_not_slow_the_others(hub, cast):
    here = hub.block()
    loud, driver = cast.driver(hub), cast.driver(hub, here.a.stand)
    await loud.connect()
    await driver.connect()
    flood = asyncio.create_task(_shout(loud))
    await driver.fix()
    assert (await driver.call("driver.available"))["zone"] == here.a.id
    await flood


async def _shout(client):
    with contextlib.suppress(ConnectionClosed):
        for _ in range(2000):
            await client.send({"cmd": "driver.unavailable"})


async def test_the_size_limit_is_a_setting(hub, cast):
    driver = cast.driver(hub)
    await driver.connect()
    await driver.send(json.dumps({"cmd": "driver.unavailable", "x": "x" * 1900}))
    await driver.barrier()
    await driver.send(json.dumps({"cmd": "driver.unavailable", "x": "x" * 2100}))
    assert (await driver.wait_closed())[0] == 1009


async def test_a_client_that_answers_no_pings_is_given_up(hub, cast):
    driver = cast.driver(hub)
    async with RawSocket(hub) as link:
        await link.handshake()
        await link.hello(driver.token)
        pings = 0
        while True:
            try:
                opcode, _ = await link.frame()
            except (asyncio.IncompleteReadError, ConnectionError):
                break
            pings += opcode == PING
            if opcode == 8:
                break
        assert pings >= 1
        await link.ended()


async def test_the_heartbeat_is_told_whatever_it_is(new_hub, cast):
    hub = new_hub(server__ping_ms=400, server__dead_after_ms=5000).start()
    reply = await cast.driver(hub).connect()
    assert 0 < reply["heartbeat_s"] <= 1


async def test_a_client_that_answers_pings_stays(hub, cast):
    driver = cast.driver(hub)
    async with RawSocket(hub) as link:
        await link.handshake()
        await link.hello(driver.token)
        for _ in range(int(3 * patience.PACE)):  # longer than a silent one is borne with
            opcode, payload = await link.frame()
            while opcode != PING:
                opcode, payload = await link.frame()
            await link.send(frame(PONG, payload))
        await link.send(frame(TEXT, b'{"id":3,"cmd":"offer.seen","ride":"no-such-ride"}'))
        assert (await link.message())["error"]["code"] == "not_found"


async def test_a_slow_reader_is_closed_and_loses_nothing(new_hub, cast):
    hub = new_hub(server__max_outbound_bytes=65_536, redis__history_length=5000).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = cast.passenger(hub)
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.setblocking(False)
    await asyncio.get_running_loop().sock_connect(slow, ("127.0.0.1", hub.port))
    await passenger.connect(sock=slow)
    passenger.ws.transport.pause_reading()
    # Events of its channel, until they are past every buffer: what it asks for itself isn't answered while it does not read.
    phone = passenger.twin()
    await phone.connect()

    def given_up():
        return hub.metric("kerbside_connections_closed_total", 'code="4420"') > 0

    rides = 0
    while rides % 50 or not given_up():
        await phone.request(here.a.centre)
        await phone.call("ride.cancel")
        await phone.expect("ride.cancelled")
        rides += 1
    await driver.settled()
    driver.skip()
    await driver.accept(await phone.request(here.a.centre))
    passenger.ws.transport.resume_reading()
    code, _ = await passenger.wait_closed(patience.PROCESS)
    assert code in (4420, 1006), "1006 where the hub could not get the close through"
    # What it missed is more than may wait for one client here, so it comes back until it has it all.
    expected = ["ride.searching", "ride.cancelled"] * rides + ["ride.searching", "ride.accepted"]
    for _ in range(20):
        try:
            await passenger.resume()
            await passenger.settled()
            break
        except AssertionError:
            assert passenger.closed and passenger.closed[0] in (4420, 1006), "closed for something else"
    assert [event["type"] for event in passenger.events] == expected


async def test_a_slow_reader_does_not_hold_up_the_others(new_hub, cast):
    hub = new_hub(server__workers=1).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    slow, quick = await cast.rider(hub), await cast.rider(hub)
    slow.ws.transport.pause_reading()
    for n in range(200):
        await slow.send({"id": 3_000_000 + n, "cmd": "subscribe", "channel": "driver:" + "x" * 100})
    slow._replies = {3_000_000 + n: ("subscribe", asyncio.get_running_loop().create_future()) for n in range(200)}
    ride = await quick.request(here.a.centre)
    await driver.accept(ride)
    await quick.expect("ride.accepted", ride=ride)
    slow.ws.transport.resume_reading()
    await slow.barrier()


async def test_too_many_connections_are_refused_and_the_first_ones_stay(new_hub, cast):
    hub = new_hub(server__workers=1, server__max_connections=20).start()
    clients, refused = [], 0
    for _ in range(40):
        driver = cast.driver(hub)
        try:
            await driver.connect()
            clients.append(driver)
        except (InvalidStatus, InvalidMessage, OSError, EOFError, AssertionError):
            refused += 1
    assert 15 <= len(clients) <= 20 and refused >= 20
    for driver in clients:
        await driver.barrier()
    await clients[0].close()

    async def room():
        driver = cast.driver(hub)
        try:
            await driver.connect()
        except (InvalidStatus, InvalidMessage, OSError, EOFError, AssertionError):
            return False
        return True

    await hub.until("room for one more", room)


def test_a_worker_keeps_descriptors_for_itself_however_many_connections_are_set(new_hub):
    hub = new_hub(server__workers=1, server__max_connections=1_000).start()
    # For what it starts from now on: 22 connections, and 128 descriptors for the rest.
    resource.prlimit(hub.process.pid, resource.RLIMIT_NOFILE, (150, 150))
    os.kill(hub.workers()[0], signal.SIGKILL)
    hub.wait_until("another worker", lambda: hub.log.count('"listening"') == 2)
    hub.wait_until("ready", hub.is_ready)
    with contextlib.ExitStack() as stack:
        address = ("127.0.0.1", hub.port)
        links = [stack.enter_context(socket.create_connection(address, patience.MESSAGE)) for _ in range(40)]
        assert all(link.recv(12) == b"HTTP/1.1 503" for link in links[-10:])


def test_connections_of_one_address_are_limited(new_hub):
    hub = new_hub(server__max_connections_per_address=3, server__workers=1).start(ready=False)
    def status(connection):
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        return connection.recv(4096).split(b" ")[1]

    deadline = time.monotonic() + patience.PROCESS
    while True:
        try:
            held = [socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE)]
            assert status(held[0]) == b"200"
            break
        except OSError:
            assert time.monotonic() < deadline
    held += [socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE) for _ in range(2)]
    assert [status(one) for one in held[1:]] == [b"200", b"200"]
    # Who is idle the longest makes room; who has just come does not.
    held.append(socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE))
    assert held[0].recv(64) == b"" and status(held[3]) == b"200"
    fresh = [socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE) for _ in range(3)]
    assert [one.recv(64) for one in held[1:]] == [b""] * 3
    with socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE) as fourth:
        assert b" 429 " in fourth.recv(64)
    for one in held + fresh:
        one.close()


async def test_a_worker_takes_so_many_connections_of_one_service(new_hub, cast):
    """C60: what is sent to each of them costs, whoever reads it."""
    hub = new_hub(server__workers=1, server__max_connections_per_service=3).start()
    service, other = await cast.operator(hub, "service"), await cast.operator(hub, "service")
    twins = [service.twin() for _ in range(2)]
    for twin in twins:
        await twin.connect()
    one_more = service.twin()
    await one_more.open()
    refused = await one_more.refused("hello", "rate_limited", token=service.token)
    assert "3 connections of one service" in refused["detail"] and refused["retry_after_ms"] > 0
    assert (await one_more.wait_closed())[0] == 1013
    for one in (service, *twins, other):
        await one.refused("vehicle.get", "not_found", vehicle="T-nobody")
    await twins[0].cut()
    await hub.until("there is room", lambda: hub.metric("kerbside_connections") <= 3)
    await one_more.connect()
