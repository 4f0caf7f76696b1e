"""When the buses of a line come to any place along it, asked with `line.eta`."""

import itertools
import time

import pytest

from kerbside.bus import BinaryBusDriver, BusDriver
from kerbside.stops import BinaryRider, Rider


@pytest.mark.parametrize("kinds", [(BusDriver, Rider), (BinaryBusDriver, BinaryRider)], ids=["json", "protobuf"])
async def test_when_the_buses_come_to_any_place(town, line, kinds):
    """By the schedule at first; then, of the run that a bus is on, by where it is, and of the others as before."""
    citizen = kinds[1](town, line)
    await citizen.here()
    place = line.at(3500, north=20).fields
    # What a client takes for the hub's time may be a moment ahead.
    begun = citizen.now() - 1000
    reply = await citizen.call("line.eta", line=line.id, **place)
    assert reply["line"] == line.id and len(reply["arrivals"]) == 8
    times = [one["eta"]["at"] for one in reply["arrivals"]]
    assert all(one["scheduled"] and "tour" not in one for one in reply["arrivals"])
    # It leaves at each full hour, takes two minutes from stop to stop, and the place is half way to the last.
    assert [at // 1000 % 3600 for at in times] == [420] * len(times) and begun <= times[0] <= citizen.now(60)
    assert [b - a for a, b in itertools.pairwise(times)] == [3_600_000] * (len(times) - 1)
    assert reply["arrivals"][0]["eta"]["clock"] == time.strftime("%-H:%M", time.gmtime(times[0] // 1000))

    async def live(metres=None, **where):
        """Of buses on their way; once one is at most so many metres away."""
        found = (await citizen.call("line.eta", line=line.id, **where))["arrivals"]
        found = [one for one in found if not one["scheduled"]]
        return found if metres is None or (found and found[0]["distance_m"] <= metres) else None

    driver, reader = kinds[0](town, line), Rider(town, line)
    await reader.watch_line()
    tour = await driver.begin()
    await driver.go(300)
    asked = citizen.now()
    [here] = await town.until("the bus near 300 m", lambda: live(3210, **place))
    bus = await reader.bus(lambda bus: bus["etas"] and abs(bus["position"]["lon"] - line.at(300).fields["lon"]) < 1e-4)
    assert here["tour"] == driver.tour and here["bus"] == line.bus and here["headsign"] == "East"
    assert here["trip"] == tour["trip"] and here["pattern"] == tour["pattern"]
    assert abs(here["distance_m"] - 3200) < 60
    eta = here["eta"]
    assert asked - 1000 < eta["early"] <= eta["at"] <= eta["late"], "nothing is forecast before now"
    before, after = (next(stop["at"] for stop in bus["etas"] if stop["index"] == index) for index in (3, 4))
    assert before - 5000 <= eta["at"] <= after + 5000
    [at_stop] = await live(stop=line.stops[4])
    assert abs(at_stop["eta"]["at"] - after) <= 5000
    await driver.go(3700)

    async def has_passed():
        return not await live(**place)

    await town.until("the bus past the place", has_passed)
    assert (await citizen.call("line.eta", line=line.id, **place))["arrivals"], "it comes again by the schedule"
    await driver.call("tour.end")


async def test_an_eta_of_what_there_is_not(town, line):
    citizen = await Rider(town, line).here()
    for code, field, fields in [
        ("not_found", "line", {"line": "nowhere", "stop": line.stops[0]}),
        ("not_found", "stop", {"line": line.id, "stop": "nowhere"}),
        ("off_route", None, {"line": line.id, **line.at(1000, north=400).fields}),
        ("bad_message", "stop", {"line": line.id}), ("bad_message", "lon", {"line": line.id, "lat": 46.0}),
        ("bad_message", "line", line.at(1000).fields),
        ("bad_message", "stop", {"line": line.id, "stop": 7}),
    ]:
        error = await citizen.refused("line.eta", code, field, **fields)
        assert error["detail"]
    driver = BusDriver(town, line)
    await driver.connect()
    assert (await driver.call("line.eta", line=line.id, stop=line.stops[1]))["arrivals"], "a driver may ask, too"
