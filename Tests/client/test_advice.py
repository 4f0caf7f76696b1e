"""Where drivers should wait (Q10): on asking and unasked, by figures that stand in Redis as those of the last weeks do."""

import datetime
import json
import math

import pytest

from kerbside.asker import Asker
from kerbside.hub import run
from kerbside.names import fresh
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City
from test_reservations import now

# The figures are of the four weeks before today, which must not become the last day of them.
pytestmark = pytest.mark.usefixtures("one_hour")


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


def weeks_of(hub, **requests):
    """The figures of four weeks: so many requests in every hour, by zone, of which a taxi took all; or how many, as a pair."""
    today = datetime.datetime.fromtimestamp(now(hub) / 1000, datetime.UTC).date()
    for ago in range(1, 29):
        counts = {zone: n if isinstance(n, tuple) else (n, n) for zone, n in requests.items()}
        fields = {f"{hour}|{zone}": f"{n} {taken} 0 0 0 0 0 0 0 0" for zone, (n, taken) in counts.items() for hour in range(24)}
        hub.redis.hset(hub.key(f"taxis:{today - datetime.timedelta(days=ago)}"), mapping=fields)


async def test_q10_asked_for(new_hub, cast):
    hub = new_hub(advice__every_min=0).start()
    here = hub.block()
    weeks_of(hub, **{here.a.id: 2, here.b.id: 20})
    first, second = await cast.queue(hub, here.a.stand, 2)
    answer = await second.call("advice.get")
    assert answer["days"] == 28
    told = answer["here"]
    assert (told["zone"], told["waiting"], told["rank"]) == (here.a.id, 2, 2)
    assert math.isclose(told["expected"], 2, abs_tol=0.11) and abs(told["wait_s"] - 3600) < 200
    [best] = answer["zones"]
    assert best["zone"] == here.b.id and best["waiting"] == 0 and 180 < best["wait_s"] < 3000
    assert math.isclose(best["expected"], 20, abs_tol=0.3)
    assert (await first.call("advice.get"))["here"]["rank"] == 1
    await first.call("driver.unavailable")
    assert "rank" not in (await first.call("advice.get"))["here"]
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await second.accept(ride)
    await second.refused("advice.get", "not_available")
    nobody = cast.driver(hub)
    await nobody.connect()
    await nobody.refused("advice.get", "no_position")
    # Over HTTP, for a driver whose position is known.
    asker = Asker(hub, "driver", first.subject)
    assert asker.done("advice.get")["zones"][0]["zone"] == here.b.id
    for role in ("passenger", "operator", "service", "bus_driver"):
        assert Asker(hub, role, fresh("x")).post("advice.get").status == 403


async def test_q10_the_command_line_shows_what_drivers_are_told(new_hub):
    hub = new_hub(advice__every_min=0).start()
    here = hub.block()
    weeks_of(hub, **{here.a.id: 2, here.b.id: 20})
    [driver] = await City().queue(hub, here.a.stand, 1)

    def shown(*words):
        return run("advice", *words, "--config", hub.config, check=True).stdout

    told = await driver.call("advice.get")
    b, a = map(json.loads, shown("--json").splitlines())
    assert (b["zone"], b["waiting"]) == (here.b.id, 0) and math.isclose(b["expected"], told["zones"][0]["expected"], abs_tol=0.11)
    assert (a["zone"], a["waiting"]) == (here.a.id, 1) and math.isclose(a["expected"], 2, abs_tol=0.11) and "distance_m" not in a
    a, b = map(json.loads, shown(here.a.id, "--json").splitlines())
    assert (a["zone"], b["zone"]) == (here.a.id, here.b.id) and b["wait_s"] > 180
    assert abs(b["distance_m"] - here.a.centre.distance(here.b.centre)) < 100
    head, row, way, end = shown(here.a.id).splitlines()
    assert head.split() == ["zone", "expected", "later", "waiting", "way", "wait"]
    assert row.split()[::3][:2] == [here.a.id, "1"] and row.split()[4] == "–" and way.split()[0] == here.b.id
    assert end == "2 of 30 zones, by the figures of 28 days"
    wrong = run("advice", "nowhere", "--config", hub.config)
    assert wrong.returncode == 1 and "there is no zone nowhere" in wrong.stderr


async def test_q10_what_was_taken_back_attracts_nobody(new_hub, cast):
    hub = new_hub(advice__every_min=0).start()
    here = hub.block()
    weeks_of(hub, **{here.a.id: 2, here.b.id: (90, 0)})
    [driver] = await cast.queue(hub, here.a.stand, 1)
    answer = await driver.call("advice.get")
    assert answer["here"]["expected"] > 1.8 and answer["zones"] == []


async def test_q10_without_figures_nothing_is_advised(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    answer = await driver.call("advice.get")
    assert answer["zones"] == [] and "wait_s" not in answer["here"]


async def test_q10_unasked_and_not_all_to_one_zone(new_hub, cast):
    hub = new_hub(advice__every_min=0).start()
    here = hub.block()
    weeks_of(hub, **{here.a.id: 1, here.b.id: 3})
    drivers = await cast.queue(hub, here.a.stand, 3)
    muted = drivers[1]
    await muted.call("notify.set", mute=["advice"])
    hub.write_config(advice__every_min=1)
    await hub.reload()
    told = await drivers[2].until("advice.wait")
    assert (told["zone"], told["from"], told["waiting"]) == (here.b.id, here.a.id, 0)
    assert told["here_s"] >= 2 * told["wait_s"]
    await hub.until("the count", lambda: hub.metric("kerbside_advice_pushes_total") == 1)
    assert hub.redis.zrange(hub.key("advised"), 0, -1) == [drivers[2].subject]
    for driver in drivers[:2]:
        await driver.barrier()
        assert not [kind for _, kind, _ in hub.history(f"driver:{driver.subject}") if kind == "advice.wait"]
