"""What the bus drivers' page works out by itself: departures, across changes of the clocks, and which fixes go out."""

import datetime
import zoneinfo

import pytest

from kerbside.browser import PHONE, Page

BERLIN = "Europe/Berlin"


async def evaluate(town, module, expression, argument):
    async with Page(town, PHONE, path="/bus/") as one:
        return await one.page.evaluate(
            f"async (given) => {{ const m = await import('/bus/{module}.js'); return {expression}; }}", argument)


def at(day, clock, zone=BERLIN):
    """Unix ms."""
    moment = datetime.datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=zoneinfo.ZoneInfo(zone))
    return int(moment.timestamp() * 1000)


def line(trips, zone=BERLIN, **service):
    """As `/v1/routes/<id>` has it: two stops, six minutes apart, and a minute at the first."""
    days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    return {
        "zone": zone,
        "services": {"s": {"weekdays": days, "from": "2026-01-01", "until": "2027-12-31"} | service},
        "route": {
            "patterns": [{"id": name, "stops": [{"stop": stop} for stop in stops]} for name, stops in (("p", "ab"), ("q", "ba"))],
            "profiles": [[0, 60, 360, 360]],
            "trips": [{"id": f"t{n}", "pattern": 0, "service": "s", "profile": 0} | trip for n, trip in enumerate(trips)],
        },
    }


def hours(*numbers):
    return [{"start": number * 3600} for number in numbers]


@pytest.mark.parametrize(
    ("day", "offset"), [("2026-03-28", 1), ("2026-03-29", 2), ("2026-10-24", 2), ("2026-10-25", 1), ("2026-11-27", 1)])
async def test_a_change_of_the_clocks_moves_no_departure(town, day, offset):
    """Where the clocks change, at night, the times of the day stand on the new one."""
    found = await evaluate(
        town, "runs", "m.runsBetween(given.line, given.from, given.to).map((run) => run.at)",
        {"line": line(hours(8, 20)), "from": at(day, "06:00"), "to": at(day, "23:00")})
    assert found == [at(day, "08:01"), at(day, "20:01")]
    assert found[0] == int(datetime.datetime.fromisoformat(f"{day}T08:01+0{offset}:00").timestamp() * 1000)


async def test_days_of_a_service_and_runs_after_midnight(town):
    weekdays = {"weekdays": ["fri"], "added": ["2026-11-29"], "removed": ["2026-12-04"]}
    found = await evaluate(
        town, "runs", "m.runsBetween(given.line, given.from, given.to).map((run) => [run.trip, run.at])",
        {"line": line(hours(8, 25), **weekdays), "from": at("2026-11-26", "00:00"), "to": at("2026-12-06", "00:00")})
    # The run of 25:00 is one of the day before.
    assert found == [
        ["t0", at("2026-11-27", "08:01")], ["t1", at("2026-11-28", "01:01")],
        ["t0", at("2026-11-29", "08:01")], ["t1", at("2026-11-30", "01:01")]]


async def test_a_trip_that_runs_by_frequency(town):
    often = [{"start": 0, "frequencies": [{"start": 36_000, "end": 37_801, "headway": 900, "exact": True}]}]
    now = at("2026-11-27", "10:20")
    given = {"line": line(often), "from": at("2026-11-27", "09:00"), "to": at("2026-11-27", "12:00"), "now": now}
    found = await evaluate(town, "runs", "m.runsBetween(given.line, given.from, given.to).map((run) => run.at)", given)
    assert found == [at("2026-11-27", clock) for clock in ("10:01", "10:16", "10:31")]
    assert await evaluate(town, "runs", "m.dueAt(given.line, 't0', 1, given.now)", given) == at("2026-11-27", "10:21")


@pytest.mark.parametrize(
    ("clock", "driven", "ended", "expected"),
    [
        ("09:55", [], None, "t1"),
        ("10:08", [], None, "t1"),
        # Too late for ten: the next one is.
        ("10:25", [], None, "t2"),
        ("09:55", ["t1"], None, "t2"),
        # Back from where the tour has ended, rather than another that leaves before.
        ("09:55", [], {"stop": "b", "trip": "t9"}, "t3"),
        ("09:55", [], {"stop": "a", "trip": "t1"}, "t2"),
        ("13:00", [], None, None),
    ],
)
async def test_b2_the_next_departure_is_chosen(town, clock, driven, ended, expected):
    trips = [*hours(8, 10), {"start": 38_400}, {"start": 38_700, "pattern": 1}]
    given = {"line": line(trips), "now": at("2026-11-27", clock), "driven": driven, "ended": ended}
    choice = await evaluate(
        town, "runs", "m.choiceOf(given.line, given.now, new Set(given.driven), given.ended ?? undefined)", given)
    assert (choice.get("next") or {}).get("trip") == expected
    hour = 3_600_000
    assert all(given["now"] - 2 * hour <= run["at"] <= given["now"] + hour for run in choice["open"])
    assert choice["later"]["at"] > given["now"] + hour


METRE = 1 / 111_195


@pytest.mark.parametrize(
    ("sent", "metres", "seconds", "goes"),
    [
        ([], 0, 0, True),
        ([(0, 0)], 31, 1, True),
        ([(0, 0)], 29, 4, False),
        # It may have come to a stand: that is told once, and then now and then.
        ([(0, 0)], 1, 5, True),
        ([(0, 0), (2, 5)], 1, 10, False),
        ([(0, 0), (2, 5)], 1, 20, True),
        ([(0, 0), (2, 5)], 13, 10, True),
    ],
)
async def test_n5_only_fixes_that_say_something_new_go_out(town, sent, metres, seconds, goes):
    fixes = [{"lat": 46 + m * METRE, "lon": 10, "at": s * 1000} for m, s in [*sent, (metres, seconds)]]
    assert await evaluate(town, "device", "m.isWorthSending(given.slice(0, -1), given.at(-1))", fixes) == goes
