"""What leaves a stop, without a script: B4, B6, for a text browser and for who has no account."""

import html
import re
import time

import pytest

from kerbside import bus as buses, lynx, patience
from kerbside.bus import SPACING, BusDriver
from kerbside.stops import on_tour, village


def page(hub, path="", **headers):
    answer = hub.http(f"/text/{path}", headers={name.replace("_", "-"): value for name, value in headers.items()})
    assert "<script" not in answer.text and answer.headers["Content-Type"] == "text/html; charset=utf-8"
    return answer


def dump(hub, path=""):
    return lynx.dump(hub, f"/text/{path}")


def first(text):
    """The first that leaves, of the page's text."""
    return html.unescape(re.sub("<[^>]+>", "", re.search("<li>.*?</li>", text, re.DOTALL)[0]))


async def test_b4_a_bus_comes_and_a_text_browser_shows_it(town, line):
    stop = line.stops[1]
    assert re.search(rf"\d?\d:\d\d .*Line {line.id} · To East · by the timetable", dump(town, stop))
    # From the third stop it leaves at four minutes past each hour, which is "now" a minute before that.
    left = (240 - time.time()) % 3600
    assert " · now" not in first(page(town, line.stops[2]).text) or left < 65 or left > 3595
    driver = BusDriver(town, line)
    await driver.begin()
    await driver.go(100)
    await driver.fix(line.at(200), after_ms=255_000)
    await driver.call("seats.set", taken=8)
    # Each worker reads a stop for itself, once in some seconds.
    await town.until("live", lambda: re.search(" · live · .* · no seat free · seen ", dump(town, stop)), patience.PROCESS)
    shown = dump(town, stop)
    assert stop in shown
    assert re.search(r"as known at \d?\d:\d\d, not live", shown) and "All stops" in shown
    # What has left comes there no more.
    await driver.go(SPACING + 300)
    await town.until("gone", lambda: "by the timetable" in first(page(town, stop).text), patience.PROCESS)
    # Nobody gets on where the way ends.
    assert "Nothing leaves from here in the next 24 hours." in dump(town, line.stops[-1])


def test_the_language_is_the_readers_and_english_where_there_is_no_other(town, line):
    stop = line.stops[1]
    for wishes, language, words in (
        ("de-AT,de;q=0.9", "de", f"Linie {line.id}"), ("pt, fr;q=0.8", "fr", f"Ligne {line.id}"),
        ("st, pt", "en", f"Line {line.id}"), (",".join(["x"] * 60) + ",de", "en", f"Line {line.id}"), ("", "en", f"Line {line.id}"),
    ):
        answer = page(town, stop, accept_language=wishes)
        assert answer.headers["Content-Language"] == language and f'<html lang="{language}">' in answer.text
        assert words in answer.text and answer.headers["Vary"] == "Accept-Language"
    assert '<html lang="it">' in page(town, f"{stop}?lang=it").text
    assert f'href="/text/{stop}?lang=it"' in page(town, f"?lang=it&q={stop}").text


def test_stops_are_found_by_their_names(town, line):
    names = re.findall('<a href="/text/([^"?]+)">', page(town).text)
    assert len(names) == 100 and names == sorted(names)
    assert re.findall('<a href="/text/([^"?]+)">', page(town, f"?q={line.stops[1].upper()}").text) == [line.stops[1]]
    nothing = dump(town, "?q=no+such%20%26+stop")
    assert "No stop has that in its name." in nothing and "no such & stop" in nothing
    assert town.http("/text").status == 200


@pytest.mark.parametrize("path", ["nowhere", "a%2Fb", "%3Cscript%3E", "x" * 900, "a/b"])
def test_no_stop_is_said_with_a_way_on(town, path):
    answer = page(town, path)
    assert answer.status == 404 and "This does not exist" in answer.text and 'href="/text/"' in answer.text


def test_names_are_text(new_hub):
    lines, text = village()
    one = lines["hourly"][0]
    text["stops"][one.stops[1]]["name"] = "<script>alert(1)</script> & \"Co\""
    text["lines"][one.id]["runs"][0]["headsign"] = "<b>East</b>"
    hub = new_hub().start()
    buses.load(hub, text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Co&quot;" in page(hub, one.stops[1]).text
    assert "<b>" not in page(hub, one.stops[1]).text and "&lt;b&gt;East" in page(hub, one.stops[1]).text
    assert page(hub, "?q=%22%3E%3Cscript%3E").text.count("&quot;&gt;&lt;script&gt;") == 1
    policy = page(hub).headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'") and "script" not in policy


def test_a_stop_is_read_once_in_seconds_for_all_and_of_all_stops_few(new_hub):
    hub = new_hub(server__workers=1).start()
    lines, text = village()
    buses.load(hub, text)

    def asked():
        return hub.redis.info("commandstats").get("cmdstat_fcall", {}).get("calls", 0)

    def etas():
        """The functions that were called for a stop: of a quiet hub few others are."""
        before = asked()
        return lambda: asked() - before

    stop = lines["hourly"][0].stops[1]
    assert page(hub, stop).status == 200
    count = etas()
    assert all(page(hub, stop).status == 200 for _ in range(100))
    assert count() < 60, "not one for each who asks"
    stops = [one for line in lines["hourly"] for one in line.stops][1:]
    answers = [page(hub, one) for one in stops]
    refused = [one for one in answers if one.status == 503]
    assert len(refused) > 20, "who asks for all is told to come back"
    assert all(one.headers["Retry-After"] == "5" and "Try again in a moment" in one.text for one in refused)
    assert page(hub, stop).status == 200, "what is known is told to everybody"


async def test_all_stops_of_a_line_are_told_from_one_reading(new_hub):
    hub = new_hub(server__workers=1).start()
    lines, text = village()
    buses.load(hub, text)
    line = lines["hourly"][0]
    await on_tour(hub, line, 100)
    for name, value in (("slowlog-log-slower-than", 0), ("slowlog-max-len", 100_000)):
        hub.redis.config_set(name, value)

    def readings():
        """The functions that were called for the line."""
        called = [str(entry["command"]) for entry in hub.redis.slowlog_get(100_000)]
        return [name for name in ("line_eta", "line_state") for command in called if name in command]

    def is_seen(stop):
        return re.search(" · (live|estimate) · ", page(hub, stop).text)

    await hub.until("the bus", lambda: is_seen(line.stops[1]), patience.PROCESS)
    assert set(readings()) <= {"line_state"}
    hub.redis.slowlog_reset()
    assert is_seen(line.stops[2]) and is_seen(line.stops[3])
    assert not readings(), "the worker has been told where the bus is"


def test_without_pages_there_is_none(new_hub):
    hub = new_hub(pages__enabled=False).start()
    assert hub.http("/text/").status == 404
