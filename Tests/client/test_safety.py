"""Alarms, which ring until a person acknowledges them, and reports of what happened."""

import json
import os
import signal

import pytest

from conftest import Cast
from kerbside.asker import Asker
from kerbside.bus import BusDriver
from kerbside.driver import Driver
from kerbside.minibus import trip
from kerbside.names import fresh
from kerbside.passenger import Passenger
from kerbside.protobuf import Binary
from kerbside.somebody import BinarySomebody, Somebody
from kerbside.stops import serve
from kerbside.watcher import BinaryWatcher, Watcher

#: What only operators may do, as each role tries it.
ACTS = {
    "sos.list": {},
    "sos.acknowledge": {"sos": "s_1"},
    "sos.close": {"sos": "s_1", "note": "Why."},
    "report.list": {},
    "report.close": {"report": "p_1", "note": "Why."},
    "subscribe": {"channel": "office"},
}


class BinaryDriver(Binary, Driver):
    pass


class BinaryPassenger(Binary, Passenger):
    pass


class BinaryBusDriver(Binary, BusDriver):
    pass


class City(Cast):
    """Actors of one encoding, the office included."""

    def __init__(self, driver=Driver, passenger=Passenger, office=Watcher, bus=BusDriver):
        super().__init__(driver, passenger)
        self._office, self.bus = office, bus

    def office(self, hub):
        return self._office(hub, fresh("office-"))

    async def watcher(self, hub):
        office = self.office(hub)
        await office.watch()
        return office

    async def both(self, hub):
        """One at each worker."""
        first, second = await self.watcher(hub), self.office(hub)
        await second.connect_to(other_than=first.worker)
        await second.call("subscribe", channel="office")
        return first, second

    async def back(self, hub):
        """A new one, at a hub that comes back."""
        office = self.office(hub)
        await office.back()
        await office.steadily("subscribe", channel="office")
        return office


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryWatcher, BinaryBusDriver)


@pytest.fixture(scope="module")
def town():
    """A village with lines."""
    yield from serve()


async def test_m13_an_alarm_rings_at_every_operator_and_is_told_to_nobody_else(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    here, there = await cast.both(hub)
    driver, rider, ride = await cast.on_a_ride(hub)
    await hub.until("it is known who watches", lambda: sum(map(int, hub.redis.hvals(hub.key("watching")))) == 2)
    raised = await rider.call("sos", text="He does not stop.", key="k")
    assert raised == {"sos": raised["sos"], "state": "open", "cancelled": False, "watching": 2}
    assert await rider.call("sos", text="He does not stop.", key="k") == raised, "repeated"
    sos = raised["sos"]
    for office in (here, there):
        alarm = await office.rung("sos.raised", sos)
        assert (alarm["role"], alarm["subject"], alarm["ride"]) == ("passenger", rider.subject, ride)
        assert (alarm["vehicle"], alarm["position_of"], alarm["text"]) == (driver.subject, "vehicle", "He does not stop.")
        assert alarm["position"] == driver.place.fields | {"at": driver.clock}
    # The driver's own alarm, with a place.
    own = (await driver.call("sos", **driver.place.moved(north=40).fields))["sos"]
    assert own != sos
    alarm = await there.rung("sos.raised", own)
    assert (alarm["role"], alarm["ride"], alarm["position_of"]) == ("driver", ride, "sender")
    assert alarm["passenger"] == rider.subject
    # One operator acknowledges: all are told, and the sender.
    seen = await here.call("sos.acknowledge", sos=sos, note="The police are on their way.", key="a")
    assert await here.call("sos.acknowledge", sos=sos, note="The police are on their way.", key="a") == seen
    assert here.subject in (await there.refused("sos.acknowledge", "not_available", sos=sos))["detail"]
    told = await there.rung("sos.acknowledged", sos)
    assert (told["by"], told["note"]) == (here.subject, "The police are on their way.")
    assert await rider.expect("sos.acknowledged") == {"sos": sos}
    await there.call("sos.close", sos=sos, note="She is safe.")
    assert await rider.expect("sos.closed") == {"sos": sos}
    assert (await here.rung("sos.closed", sos))["by"] == there.subject
    assert [a["sos"] for a in (await here.call("sos.list"))["alarms"]] == [own]
    assert (await here.call("sos.list", closed=True))["alarms"][0]["closed"]["note"] == "She is safe."
    # The other side was told of neither.
    await driver.nothing_more()
    await rider.nothing_more()
    for one, other in ((driver, sos), (rider, own)):
        assert other not in json.dumps(one.pushed)
    # Who, when, what, before and after.
    entries = (await here.call("office.audit"))["entries"]
    acts = [(e["operator"], e["command"], e["target"], e["before"]["state"], e["after"]["state"]) for e in entries]
    assert acts == [
        (there.subject, "sos.close", f"sos:{sos}", "acknowledged", "closed"),
        (here.subject, "sos.acknowledge", f"sos:{sos}", "open", "acknowledged"),
    ]
    assert (await hub.logged("sos.raised", sos=sos))["ride"] == ride
    told = [row["data"] for _, row in hub.redis.xrange(hub.key("events"))]
    assert "He does not stop" not in json.dumps(told), "what people say is recorded, and told to nobody else"


async def test_m13_an_alarm_without_a_ride_from_seats_and_from_a_bus(town, line, cast):
    office = await cast.watcher(town)
    rider = await cast.rider(town)
    first = (await rider.call("sos"))["sos"]
    alarm = await office.rung("sos.raised", first)
    assert not set(alarm) & {"ride", "position", "vehicle", "driver"} and alarm["passenger"] == rider.subject
    here = town.block()
    minibus, other = cast.minibus(town, here.a.stand), await cast.rider(town)
    await minibus.go_online()
    booking = (await other.call("seat.book", vehicle=minibus.subject, **trip(here.a.centre, here.b.centre)))["booking"]
    alarm = await office.rung("sos.raised", (await other.call("sos"))["sos"])
    assert (alarm["booking"], alarm["vehicle"]) == (booking, minibus.subject)
    bus = cast.bus(town, line)
    tour = (await bus.begin())["tour"]
    alarm = await office.rung("sos.raised", (await bus.call("sos", text="A fight."))["sos"])
    assert (alarm["tour"], alarm["line"], alarm["vehicle"]) == (tour, line.id, line.bus)
    for alarm in (await office.call("sos.list"))["alarms"]:
        await office.call("sos.close", sos=alarm["sos"], note="Over.")


async def test_m13_who_comes_later_sees_what_is_open_and_hears_it_ring(new_hub, cast):
    hub = new_hub(safety__ring_again_s=1).start()
    _driver, rider, _ = await cast.on_a_ride(hub)
    raised = await rider.call("sos")
    assert raised["watching"] == 0
    await hub.until("the log says that nobody watches", lambda: "no operator reads office" in hub.log)
    late = await cast.watcher(hub)
    [alarm] = (await late.call("sos.list"))["alarms"]
    assert (alarm["sos"], alarm["state"]) == (raised["sos"], "open")
    again = await late.rung("sos.raised", raised["sos"])
    assert again["rings"] > 1
    # And what was told before, for who asks for it.
    reader = cast.office(hub)
    await reader.watch(since="0")
    assert (await reader.rung("sos.raised", raised["sos"]))["rings"] == 1
    await hub.until("it is in the metrics", lambda: hub.metric("kerbside_sos_ringing") >= 1)
    await late.call("sos.acknowledge", sos=raised["sos"])
    await hub.until("it rings no more", lambda: hub.metric("kerbside_sos_ringing") == 0)
    assert hub.metric("kerbside_sos_open") >= 1
    rings = len(late.heard("sos.raised", raised["sos"]))
    state = (await late.call("sos.list"))["alarms"][0]
    assert state["acknowledged"]["by"] == late.subject and state["rings"] == again["rings"] + rings - 1
    score = hub.redis.zscore(hub.key("sos"), raised["sos"])
    assert score == float("inf"), "it is due nevermore"


async def test_m13_an_alarm_that_was_taken_outlives_a_power_cut(new_hub, cast):
    """All dies at once, and of what Redis has written since the alarms nothing is on the disk."""
    hub = new_hub(server__workers=2, safety__ring_again_s=1).start()
    driver, rider, ride = await cast.on_a_ride(hub)
    early, by_http = await cast.rider(hub), Asker(hub, "passenger", fresh("p-"))
    office = await cast.watcher(hub)
    [written] = (hub.data / "appendonlydir").glob("*.incr.aof")
    size = written.stat().st_size
    over = (await early.call("sos"))["sos"]
    await office.call("sos.close", sos=over, note="A mistake.")
    raised = [
        (await driver.call("sos", text="He has a knife.", **driver.place.fields))["sos"],
        (await rider.call("sos", ride=ride, key="k"))["sos"],
        by_http.done("sos", "k", text="In the back.")["sos"],
    ]
    assert await rider.call("sos", ride=ride, key="k")
    hub.kill()
    os.truncate(written, size)
    hub.start()
    office = await cast.back(hub)
    for sos in raised:
        await office.rung("sos.raised", sos)
    alarms = {alarm["sos"]: alarm for alarm in (await office.call("sos.list"))["alarms"]}
    assert set(alarms) == set(raised), "once each, and none that was over"
    first, second, third = (alarms[sos] for sos in raised)
    assert (first["role"], first["subject"], first["text"]) == ("driver", driver.subject, "He has a knife.")
    assert first["position"].items() >= driver.place.fields.items() and first["position_of"] == "sender"
    assert (second["role"], second["subject"], second["ride"]) == ("passenger", rider.subject, ride)
    assert third["text"] == "In the back." and all(alarm["state"] == "open" for alarm in alarms.values())


async def test_m13_the_end_of_an_alarm_is_written_once(new_hub, cast):
    hub = new_hub(server__workers=1).start()
    office, rider = await cast.watcher(hub), await cast.rider(hub)
    sos = (await rider.call("sos"))["sos"]
    for _ in range(5):
        await office.call("sos.close", sos=sos, note="Over.", key="k")
    await rider.call("sos")  # answered when all that was said before is on the disk, too
    assert "".join(day.read_text() for day in (hub.data / "alarms").rglob("*.jsonl")).count('"closed"') == 1


async def test_m13_it_rings_on_when_workers_and_redis_are_killed(new_hub, cast):
    hub = new_hub(server__workers=2, safety__ring_again_s=1).start()
    office, rider = await cast.watcher(hub), await cast.rider(hub)
    sos = (await rider.call("sos", text="Help."))["sos"]
    await office.rung("sos.raised", sos)
    for pid in hub.workers():
        os.kill(pid, signal.SIGKILL)
    await office.wait_closed()
    office = await cast.back(hub)
    before = (await office.rung("sos.raised", sos))["rings"]
    assert before > 1
    killed = hub.redis_pid()
    os.kill(killed, signal.SIGKILL)
    await hub.until("Redis is back", lambda: hub.redis_pid() not in (None, killed))
    office = await cast.back(hub)
    alarm = await office.rung("sos.raised", sos)
    assert alarm["rings"] > before and alarm["text"] == "Help."
    hub.stop()
    hub.start()
    office = await cast.back(hub)
    await office.rung("sos.raised", sos)
    await office.call("sos.acknowledge", sos=sos)
    await rider.back()
    await rider.until("sos.acknowledged", sos=sos)


async def test_m13_who_is_forced_to_cancel_is_looked_after_all_the_same(new_hub, cast):
    hub = new_hub(safety__ring_again_s=1).start()
    office, rider = await cast.watcher(hub), await cast.rider(hub)
    await rider.refused("sos.cancel", "not_found")
    sos = (await rider.call("sos"))["sos"]
    assert (await rider.call("sos.cancel"))["cancelled"]
    assert (await office.rung("sos.updated", sos))["cancelled"]
    rings = len(office.heard("sos.raised", sos))
    assert (await office.rung("sos.raised", sos, times=rings + 1))["cancelled"], "it rings on"
    assert (await rider.call("sos", text="I was\nforced.")) | {"watching": 0} == {
        "sos": sos, "state": "open", "cancelled": False, "watching": 0,
    }
    assert "cancelled" not in await office.rung("sos.updated", sos, times=2)
    await office.call("sos.close", sos=sos, note="Helped.")
    await rider.until("sos.closed", sos=sos)


async def test_m13_one_token_can_not_flood_the_office_and_is_never_refused_an_alarm(new_hub, cast):
    hub = new_hub(server__commands_per_second=1, server__commands_burst=20).start()
    office, rider, honest = await cast.watcher(hub), await cast.rider(hub), await cast.rider(hub)
    here = hub.block()
    # Its rate is used up: nothing else is taken, the alarm is.
    for _ in range(20):
        reply = await rider.ask("ride.cancel", ride="r_none")
        if reply["error"]["code"] == "rate_limited":
            break
    else:
        raise AssertionError("its rate has no end")
    first = await rider.call("sos")
    sos, taken = first["sos"], 1
    for n in range(40):
        try:
            reply = await rider.ask("sos", text=f"No. {n}", **here.a.centre.fields)
        except AssertionError:
            break  # as for any flood the connection is closed at last
        if "ok" in reply:
            taken += 1
            assert reply["ok"]["sos"] == sos
    assert taken >= 6
    other = (await honest.call("sos"))["sos"]
    await office.rung("sos.raised", other)
    assert len(office.heard("sos.updated", sos)) <= 5
    alarms = (await office.call("sos.list"))["alarms"]
    assert sorted(alarm["sos"] for alarm in alarms) == sorted([sos, other])
    assert hub.redis.zcard(hub.key("sos")) == 2


def everything(hub):
    """All that Redis has, as text, by key."""
    readers = {
        "hash": hub.redis.hgetall, "string": hub.redis.get, "zset": lambda key: hub.redis.zrange(key, 0, -1, withscores=True),
        "set": hub.redis.smembers, "list": lambda key: hub.redis.lrange(key, 0, -1), "stream": hub.redis.xrange,
    }
    kinds = {key: hub.redis.type(key) for key in hub.redis.scan_iter(count=1000)}
    # "none": it is gone by now.
    return {key: str(readers[kind](key)) for key, kind in kinds.items() if kind in readers}


async def test_m13_an_anonymous_report_names_nobody_anywhere(new_hub, cast):
    hub = new_hub(log__level="debug").start()
    office, rider = await cast.watcher(hub), await cast.rider(hub)
    subject = rider.subject

    def traces():
        return {key: text for key, text in everything(hub).items() if subject in key or subject in text}

    # Who is connected is known, and that is all that is.
    before, lines = traces(), hub.log.count(subject)
    sent = await rider.call(
        "report.send", category="driving", text="On the phone\nall the way.", vehicle="T1", anonymous=True, key="mine"
    )
    assert await rider.call(
        "report.send", category="driving", text="On the phone\nall the way.", vehicle="T1", anonymous=True, key="mine"
    ) == sent, "repeated"
    told = await office.rung("report.sent")
    assert told == {"report": sent["report"], "category": "driving"}
    [report] = (await office.call("report.list"))["reports"]
    assert report == {
        "report": sent["report"], "at": report["at"], "category": "driving", "text": "On the phone\nall the way.",
        "vehicle": "T1",
    }
    await hub.logged("report.sent", report=sent["report"])
    assert traces() == before and hub.log.count(subject) == lines
    for key, text in everything(hub).items():
        assert not (subject in text and sent["report"] in text), key
    # One that is not says who sent it, to operators only.
    named = await rider.call("report.send", category="lost_property", text="A bag.", ride="r_1")
    [report, _] = (await office.call("report.list"))["reports"]
    assert (report["report"], report["role"], report["subject"]) == (named["report"], "passenger", subject)
    assert subject not in json.dumps(hub.redis.xrange(hub.key("ch:office")))
    closed = await office.call("report.close", report=named["report"], note="Found.", key="c")
    assert await office.call("report.close", report=named["report"], note="Found.", key="c") == closed
    assert [r["report"] for r in (await office.call("report.list"))["reports"]] == [sent["report"]]
    [entry] = (await office.call("office.audit"))["entries"]
    assert (entry["command"], entry["target"], entry["reason"]) == ("report.close", f"report:{named['report']}", "Found.")


async def test_m13_a_person_sends_so_many_reports_a_day(new_hub, cast):
    hub = new_hub(server__workers=1, safety__reports_a_day=3).start()
    office, rider, other = await cast.watcher(hub), await cast.rider(hub), await cast.rider(hub)
    for n in range(3):
        await rider.call("report.send", category="other", text=f"No. {n}", anonymous=n % 2 == 0)
    error = await rider.refused("report.send", "rate_limited", category="other", text="One more.")
    assert 0 < error["retry_after_ms"] <= 86_400_000
    await other.call("report.send", category="other", text="Another one's.")
    await office.call("report.send", category="other", text="The office's own.")
    page = await office.call("report.list", limit=2)
    rest = await office.call("report.list", **{"from": page["next"]})
    assert [r["text"] for r in page["reports"] + rest["reports"]] == [
        "The office's own.", "Another one's.", "No. 2", "No. 1", "No. 0",
    ]


async def test_what_is_wrong_is_refused(hub, cast):
    rider, office = await cast.rider(hub), await cast.watcher(hub)
    for command, field, fields in [
        ("sos", "lon", {"lat": 45.5}), ("sos", "lat", {"lat": 91, "lon": 9}), ("sos", "text", {"text": "x" * 501}),
        ("sos", "text", {"text": "\n"}), ("sos", "ride", {"ride": "two words"}),
        ("report.send", "category", {"category": "weather", "text": "x"}),
        ("report.send", "text", {"category": "other", "text": "x" * 4001}),
        ("report.send", "text", {"category": "other", "text": " \n "}),
        ("report.send", "anonymous", {"category": "other", "text": "x", "anonymous": 1}),
    ]:
        if isinstance(rider, Binary) and field == "anonymous":
            continue  # it can't be written there
        await rider.refused(command, "bad_message", field=field, **fields)
    await office.refused("sos.close", "bad_message", field="note", sos="s_1")
    await office.refused("sos.acknowledge", "not_found", sos="s_none")
    await office.refused("report.close", "not_found", report="p_1", note="x")
    await office.refused("report.list", "bad_message", **{"from": "x"})


@pytest.mark.parametrize("kind", [Somebody, BinarySomebody], ids=["json", "protobuf"])
@pytest.mark.parametrize("role", ["driver", "passenger", "bus_driver", "service"])
async def test_u7_alarms_and_reports_are_the_operators(hub, role, kind):
    one = kind(hub, role)
    await one.enter()
    for command, fields in ACTS.items():
        await one.refused(command, "forbidden", **fields)
    if role == "service":
        await one.refused("sos", "forbidden")
        await one.refused("report.send", "forbidden", category="other", text="x")
    await one.close()
    # Nor by what a hello resumes.
    await one.open()
    await one.ask("hello", token=one.token, resume={"office": "0"})
    await one.wait(lambda: [m for m in one.pushed if "error" in m] or None, "the refusal")
    one.leaves_open()


async def test_u7_an_operator_raises_no_alarm(hub, cast):
    office = await cast.watcher(hub)
    await office.refused("sos", "forbidden")
    await office.refused("sos.cancel", "forbidden")
