"""Small changes of lines, buses and stops by hand (`kerbside lines`)."""

from kerbside.catalog import command, get, load
from kerbside.gtfs import FILES, feed


def test_buses_by_hand(city):
    load(city)
    assert "say how many seats" in command(city, "lines", "set-bus", "b1", "--plate", "MS BB 1", fails=True)
    assert "there is no line L9; there are L1, L2" in command(
        city, "lines", "set-bus", "b1", "--seats", "8", "--line", "L9", fails=True)
    assert "1 to 99 seats" in command(city, "lines", "set-bus", "b1", "--seats", "0", fails=True)
    command(city, "lines", "set-bus", "b1", "--seats", "8", "--plate", "MS BB 1", "--color", "#C8102E",
            "--photo", "https://example.org/b1.jpg", "--line", "L1")
    bus = {"id": "b1", "plate": "MS BB 1", "color": "#c8102e", "photo": "https://example.org/b1.jpg", "seats": 8,
           "line": "L1"}
    assert get(city, "buses/b1", "bus").json == bus
    assert get(city, "buses").json == {"buses": [bus]}
    command(city, "lines", "set-bus", "b1", "--seats", "7", "--photo", "")
    assert get(city, "buses/b1", "bus").json == {k: v for k, v in bus.items() if k != "photo"} | {"seats": 7}
    # A feed knows no buses: they stay, without the line that is gone.
    only = feed(routes_txt=FILES["routes.txt"].replace("L1,", "K1,"), trips_txt=FILES["trips.txt"].replace("L1", "K1"))
    assert "bus b1 has no line now" in load(city, only)
    assert "line" not in get(city, "buses/b1", "bus").json
    command(city, "lines", "remove-bus", "b1")
    assert get(city, "buses").json == {"buses": []}
    assert "there is no bus b1" in command(city, "lines", "remove-bus", "b1", fails=True)


def test_details_that_no_client_could_show_are_refused(city):
    load(city)
    for option, value, words in [
        ("--photo", "javascript:alert(1)", "no address of a picture"), ("--plate", "A\nB", "on one line"),
        ("--plate", "x" * 256, "up to 255 bytes"),
    ]:
        assert words in command(city, "lines", "set-bus", "b1", "--seats", "8", option, value, fails=True)
    assert "by a schedule" in command(city, "lines", "set-line", "L1", "--kind", "flex", fails=True)
    assert get(city, "buses").json == {"buses": []}


def test_each_change_has_a_date_of_its_own(city):
    """Who keeps the date only sees the second of two changes in one second, too."""
    load(city)
    seen = set()
    for seats in range(4, 8):
        command(city, "lines", "set-bus", "b1", "--seats", seats)
        answer = get(city, "buses")
        date = answer.headers["last-modified"]
        assert date not in seen
        for old in seen:
            assert city.http("/v1/buses", headers={"If-Modified-Since": old}).status == 200
        assert city.http("/v1/buses", headers={"If-Modified-Since": date}).status == 304
        seen.add(date)


def test_small_changes_by_hand(city):
    load(city)
    command(city, "lines", "set-line", "L1", "--name", "1A", "--color", "ff0000", "--kind", "minibus")
    line = get(city, "lines/L1", "line").json
    assert (line["name"], line["long_name"], line["color"], line["kind"]) == ("1A", "Dorfrunde", "#ff0000", "minibus")
    command(city, "lines", "set-stop", "s1", "--name", "Rathausplatz", "--lat", "51.9621", "--lon", "7.6281")
    assert get(city, "stops").json["stops"][0]["name"] == "Rathausplatz"
    assert "a stop moves by up to 100 m" in command(
        city, "lines", "set-stop", "s1", "--lat", "51.99", "--lon", "7.62", fails=True)
    command(city, "lines", "set-day", "work", "2026-12-24", "--runs")
    command(city, "lines", "set-day", "work", "2026-12-25", "--no-runs")
    assert get(city, "routes").json["services"]["work"]["removed"] == ["2026-12-25"]
    shown = command(city, "lines", "show", "L1")
    assert "Rathausplatz (s1)" in shown and "8:00" in shown and "mon tue wed thu fri" in shown
    assert "say --yes" in command(city, "lines", "remove-line", "L1", fails=True)
    command(city, "lines", "remove-line", "L1", "--yes")
    assert [line["id"] for line in get(city, "lines").json["lines"]] == ["L2"]
    assert [stop["id"] for stop in get(city, "stops").json["stops"]] == ["s1", "s3"], "s2 was L1's alone"
    assert "line L2" in command(city, "lines", "list")
