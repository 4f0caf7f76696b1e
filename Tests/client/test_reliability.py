"""What counts of passengers and drivers (R12, U11): counted once, told, followed by what the city set, set back by an operator."""

import asyncio
import json

import pytest

from kerbside.asker import Asker
from kerbside.hub import run
from kerbside.names import fresh
from test_office import BinaryDriver, BinaryOperator, BinaryPassenger, City, acts

STRICT = {
    "reliability__warn_at": 1, "reliability__pause_at": 2, "reliability__deposit_at": 2, "reliability__driver_warn_at": 1,
    "reliability__driver_pause_at": 2, "dispatch__noshow_wait_ms": 1_000, "dispatch__free_cancels": 100,
}


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryOperator)


async def miss(driver, rider, place):
    """The taxi comes, and nobody is there."""
    ride = await rider.request(place)
    await driver.until("offer.made", ride=ride)
    await driver.call("offer.accept", ride=ride)
    await driver.fix(place)
    await rider.until("ride.arrived", ride=ride)
    while "ok" not in await driver.ask("ride.noshow", ride=ride, key=f"{ride}-n"):
        await asyncio.sleep(0.2)
    # A repeated command counts once.
    await driver.call("ride.noshow", ride=ride, key=f"{ride}-n")
    return ride


async def test_r12_missed_warned_paused_and_set_back(new_hub, cast):
    hub = new_hub(**STRICT).start()
    here = hub.block()
    [driver], rider, office = await cast.queue(hub, here.a.stand, 1), await cast.rider(hub), await cast.operator(hub)
    assert (await rider.call("reliability.get"))["total"] == 0
    ride = await miss(driver, rider, here.a.centre)
    warned = await rider.until("reliability.warned")
    await rider.until("ride.cancelled", ride=ride)
    assert (warned["total"], warned["kind"], warned["deposit"]) == (1, "no_shows", False)
    ride = await miss(driver, rider, here.a.centre)
    paused = await rider.until("reliability.paused")
    await rider.until("ride.cancelled", ride=ride)
    told = await rider.call("reliability.get")
    assert (told["no_shows"], told["late_cancels"], told["deposit"]) == (2, 0, True)
    assert told["paused_until"] == paused["until"] and "role" not in told
    error = await rider.refused("ride.request", "forbidden", **here.a.centre.fields, passengers=1)
    assert "You are paused until" in error["detail"] and error["retry_after_ms"] > 80_000_000
    await hub.logged("reliability.paused", passenger=rider.subject, total=2)
    service = Asker(hub, "service", fresh("svc-"))
    whose = {"role": "passenger", "subject": rider.subject}
    assert service.done("reliability.of", **whose) == whose | {"window_days": told["window_days"], "deposit": True}
    assert "deposit" not in service.done("reliability.of", role="driver", subject=driver.subject)
    trusted = Asker(hub, "service", fresh("svc-"))
    trusted.token = hub.token("service", fresh("svc-"), scope="events:personal")
    assert trusted.done("reliability.of", **whose) == told | whose
    assert await office.call("reliability.of", **whose) == told | whose
    assert service.post("reliability.reset", role="passenger", subject=rider.subject, reason="Why.").status == 403
    assert Asker(hub, "passenger", rider.subject).done("reliability.get") == told
    done = await office.call(
        "reliability.reset", role="passenger", subject=rider.subject, reason="The wrong street.", key="k1")
    assert done == await office.call(
        "reliability.reset", role="passenger", subject=rider.subject, reason="The wrong street.", key="k1")
    [act] = await acts(office)
    assert (act["command"], act["target"]) == ("reliability.reset", f"passenger:{rider.subject}")
    assert (act["before"], act["after"]) == ({"total": 2, "blocked": True}, {"total": 0, "blocked": False})
    await office.refused("reliability.reset", "not_available", role="passenger", subject=rider.subject, reason="Again.")
    await miss(driver, rider, here.a.centre)


async def test_r12_the_command_line_shows_what_counts(new_hub, cast):
    hub = new_hub(**STRICT).start()
    here = hub.block()
    [driver], rider, office = await cast.queue(hub, here.a.stand, 1), await cast.rider(hub), await cast.operator(hub)
    for _ in range(2):
        ride = await miss(driver, rider, here.a.centre)
        await rider.until("ride.cancelled", ride=ride)
        rider.skip()

    def shown(*words):
        return run("reliability", *words, "--config", hub.config, check=True).stdout

    told = await office.call("reliability.of", role="passenger", subject=rider.subject)
    assert json.loads(shown("passenger", rider.subject, "--json")) == told and told["no_shows"] == 2
    text = shown("passenger", rider.subject)
    assert f"passenger {rider.subject}: 2 in 90 days (no-shows 2, late cancellations 0)" in text
    assert "paused until 20" in text and "a deposit is wanted" in text
    nothing = f"driver {driver.subject}: 0 in 90 days (given back 0); warned from 1 on; paused from 2 on\n"
    assert shown("driver", driver.subject) == nothing
    assert "0 in 90 days" in shown("passenger", "tel:39021234")
    for wrong in (["bus_driver", "T1"], ["driver", "T 1"], ["driver"]):
        assert run("reliability", *wrong, "--config", hub.config).returncode == 64
    hub.stop()
    assert run("reliability", "driver", driver.subject, "--config", hub.config).returncode == 1


async def test_r12_given_back(new_hub, cast):
    hub = new_hub(**STRICT).start()
    here = hub.block()
    [driver], rider = await cast.queue(hub, here.a.stand, 1), await cast.rider(hub)
    for kind in ("reliability.warned", "reliability.paused"):
        ride = await rider.request(here.a.centre)
        await driver.accept(ride)
        await driver.call("ride.cancel", ride=ride)
        assert (await driver.until(kind))["kind"] == "give_backs"
        await rider.until("ride.failed", ride=ride)
        if kind == "reliability.warned":
            await driver.until("queue.joined", reason="gave_back")
    assert (await driver.call("reliability.get"))["give_backs"] == 2
    # It is told whether it is available from then on.
    off = [event["data"] for event in driver.events if event["type"] == "ride.cancelled"]
    assert [data.get("state") for data in off] == [None, "unavailable"]
    await driver.refused("driver.available", "forbidden")


async def test_u11_points(new_hub, cast):
    hub = new_hub(reliability__points_per_km=100).start()
    here = hub.block()
    [driver], rider = await cast.queue(hub, here.a.stand, 1), await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    await driver.drive(here.a.centre)
    await rider.until("ride.arrived")
    await driver.call("ride.aboard")
    await driver.drive(here.b.centre)
    await driver.known()
    # Asked for a while ago: what is brief gives no points.
    hub.redis.hincrby(hub.key(f"ride:{ride}"), "requested_at", -600_000)
    await driver.call("ride.end")
    points = (await rider.call("reliability.get"))["points"]
    km = here.a.centre.distance(here.b.centre) / 1000
    assert abs(points - 100 * km) < 0.1 * 100 * km + 1
