"""The administrators' figures, as an administrator's program asks for them."""

import csv
import datetime
import io
import json
import urllib.parse
import zoneinfo

from . import bus as buses, contract


def ask(hub, path="/v1/stats", role="operator", token=None, accept=None, **query):
    """The answer over HTTP; `json` is its data. Without a role no token is sent."""
    headers = {}
    if token or role:
        headers["Authorization"] = f"Bearer {token or hub.token(role, f'{role}-1')}"
    if accept:
        headers["Accept"] = accept
    query = {"from" if name == "from_" else name: value for name, value in query.items()}
    answer = hub.http(path + ("?" + urllib.parse.urlencode(query) if query else ""), headers=headers)
    kind = answer.headers["content-type"]
    answer.json = json.loads(answer.text) if "json" in kind else None
    if answer.status == 200 and answer.json is not None:
        contract.check_figures(answer.json, path.rpartition("/")[2].removesuffix(".csv"))
    if answer.status != 200:
        assert kind == "application/problem+json", kind
        contract.check_problem(answer.json)
        assert answer.json["status"] == answer.status
    return answer


def ask_taxis(hub, **query):
    """The figures of taxis."""
    return ask(hub, "/v1/stats/taxis", **query)


def ask_seats(hub, **query):
    """The figures of seats in minibuses."""
    return ask(hub, "/v1/stats/seats", **query)


def table(answer):
    """The rows of a CSV answer as dictionaries; strictly RFC 4180."""
    assert answer.status == 200 and answer.headers["content-type"].startswith("text/csv"), answer.text
    assert answer.text.endswith("\r\n") and "\n" not in answer.text.replace("\r\n", "")
    return list(csv.DictReader(io.StringIO(answer.text, newline=""), strict=True))


def plus(a, b):
    """The sum of two days' figures. Means and names are those of the first."""
    if isinstance(a, dict):
        return {key: plus(a[key], b[key]) if key in a and key in b else a.get(key, b.get(key)) for key in a | b}
    return a + b if isinstance(a, int) else a


def of(hub, line):
    """All that was ever counted for a line: a test that runs over midnight has two days. None: the hub can't tell now."""
    answer = ask(hub, line=line.id)
    if answer.status == 503:
        return None  # Redis is away: asked again
    days = answer.json["days"]
    assert 1 <= len(days) <= 2 and {day["line"] for day in days} == {line.id}, days
    return days[0] if len(days) == 1 else plus(*days)


def timetable(*minutes, now, zone="Etc/UTC", lines=1):
    """Lines whose one run is at each of its stops so many minutes from `now`; and the YAML of the community."""
    found, text = buses.community(lines)
    text["time_zone"] = zone
    begin = datetime.datetime.fromtimestamp(now // 60 * 60 + minutes[0] * 60, zoneinfo.ZoneInfo(zone))
    for line in found:
        [run] = text["lines"][line.id]["runs"]
        run["from"] = run["until"] = str(begin.date())
        first = begin.hour * 60 + begin.minute
        clocks = [first + minute - minutes[0] for minute in minutes]
        run["stops"] = [
            {stop: f"{clock // 60}:{clock % 60:02}"} for stop, clock in zip(line.stops, clocks, strict=True)]
    return found, text
