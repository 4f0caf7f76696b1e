"""The ground of maps: tiles of an operator's archive as the hub serves them."""

import concurrent.futures
import gzip
import http.client
import json
import shutil
from types import SimpleNamespace

import pytest

from conftest import running
from kerbside.ground import CITY, needs_city
from kerbside.hub import run

#: A tile in the middle of San Francisco.
MIDDLE = "/tiles/14/2620/6332.mvt"


def fetch(hub, path, method="GET", **headers):
    """An answer with its bytes."""
    link = http.client.HTTPConnection(hub.address, hub.port, timeout=20)
    link.request(method, path, headers=headers)
    answer = link.getresponse()
    found = SimpleNamespace(status=answer.status, headers=answer.headers, body=answer.read())
    link.close()
    return found


@pytest.fixture(scope="module")
def ground():
    yield from running(pages__map=str(CITY))


@needs_city
def test_what_there_is_of_a_map_is_told(ground):
    answer = ground.http("/tiles/tiles.json")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    about = json.loads(answer.text)
    assert about["tilejson"] == "3.0.0" and (about["minzoom"], about["maxzoom"]) == (0, 14)
    assert about["bounds"] == [-122.52, 37.7, -122.35, 37.83]
    assert "OpenStreetMap" in about["attribution"]
    assert {"water", "roads", "places"} <= {layer["id"] for layer in about["vector_layers"]}
    again = ground.http("/tiles/tiles.json", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status, again.text) == (304, "")
    # What it names is there.
    path = about["tiles"][0].replace("{z}", "14").replace("{x}", "2620").replace("{y}", "6332")
    assert fetch(ground, path).body == fetch(ground, MIDDLE).body


@needs_city
def test_a_tile_goes_out_as_it_is_stored(ground):
    answer = fetch(ground, MIDDLE)
    assert answer.status == 200 and answer.headers["Content-Type"] == "application/vnd.mapbox-vector-tile"
    assert answer.headers["Content-Encoding"] == "gzip" and "max-age" in answer.headers["Cache-Control"]
    assert b"South Van Ness Avenue" in gzip.decompress(answer.body)
    assert answer.body in CITY.read_bytes()
    tag = answer.headers["ETag"]
    assert tag.startswith('"') and fetch(ground, "/tiles/14/2620/6331.mvt").headers["ETag"] != tag
    known = fetch(ground, MIDDLE, **{"If-None-Match": tag})
    assert (known.status, known.body, known.headers["ETag"]) == (304, b"", tag)
    head = fetch(ground, MIDDLE, "HEAD")
    assert (head.status, head.body) == (200, b"") and int(head.headers["Content-Length"]) == len(answer.body)
    # Whichever worker answers.
    assert {fetch(ground, MIDDLE).headers["ETag"] for _ in range(8)} == {tag}


@needs_city
@pytest.mark.parametrize(
    "path",
    ["14/0/0.mvt", "15/5240/12664.mvt", "14/2620/16384.mvt", "14/2620.mvt", "14/2620/6332", "14/2620/6332.png",
     "14/+2620/6332.mvt", "014/2620/6332.mvt", "14/-1/0.mvt", "99999999999999999999/0/0.mvt", "a/b/c.mvt", "",
     "14/2620/6332.mvt/"])
def test_what_is_no_tile_of_the_city_is_not_found(ground, path):
    assert fetch(ground, f"/tiles/{path}").status == 404


@needs_city
def test_where_a_tile_has_nothing_there_is_no_content(new_hub, tmp_path):
    # The archive says that it goes further than it does.
    wide = bytearray(CITY.read_bytes())
    wide[102:106] = (-1240000000).to_bytes(4, "little", signed=True)
    (tmp_path / "wide.pmtiles").write_bytes(wide)
    hub = new_hub(pages__map=str(tmp_path / "wide.pmtiles")).start()
    answer = fetch(hub, "/tiles/14/2560/6332.mvt")
    assert (answer.status, answer.body) == (204, b"")
    assert fetch(hub, "/tiles/14/2500/6332.mvt").status == 404


def test_without_a_map_there_is_nothing_and_that_is_no_error(hub):
    answer = hub.http("/tiles/tiles.json")
    assert (answer.status, answer.text) == (204, "")
    assert hub.http("/tiles/0/0/0.mvt").status == 404


@needs_city
@pytest.mark.parametrize(
    ("damage", "reason"),
    [(lambda whole: whole[:100_000], "cut off"), (lambda _: b"SQLite format 3", "does not begin with PMTiles"),
     (lambda whole: whole[:7] + b"\2" + whole[8:], "version 2"), (None, "No such file")])
async def test_a_damaged_map_is_said_and_stops_nothing(new_hub, tmp_path, damage, reason):
    file = tmp_path / "map.pmtiles"
    if damage:
        file.write_bytes(damage(CITY.read_bytes()))
    hub = new_hub(pages__map=str(file))
    checked = run("check-config", hub.config)
    assert checked.returncode != 0 and "pages.map" in checked.stderr and reason in checked.stderr
    hub.start()
    assert "pages.map" in hub.log and reason in hub.log
    assert hub.http("/tiles/tiles.json").status == 204 and hub.http("/line/").status == 200
    # Once it is whole, a reload takes it.
    shutil.copy(CITY, file)
    await hub.reload()
    assert {fetch(hub, MIDDLE).status for _ in range(8)} == {200}
    # And keeps it, if the next one is damaged.
    (tmp_path / "next").write_bytes(b"PMTiles\3")
    (tmp_path / "next").rename(file)
    await hub.reload()
    assert {fetch(hub, MIDDLE).status for _ in range(8)} == {200}


@needs_city
def test_a_tile_that_is_damaged_is_an_error_of_the_hub(new_hub, tmp_path):
    whole = bytearray(CITY.read_bytes())
    begin = whole.index(fetch_stored(whole))
    whole[begin:begin + 2] = b"\0\0"
    file = tmp_path / "map.pmtiles"
    file.write_bytes(whole)
    hub = new_hub(pages__map=str(file)).start()
    for _ in range(5):
        answer = hub.http("/tiles/0/0/0.mvt")
        assert answer.status == 500 and json.loads(answer.text)["title"] == "The map is damaged"
    # Each worker says it once a minute.
    assert 1 <= hub.log.count("is no gzip") <= 2
    assert fetch(hub, MIDDLE).status == 200


def fetch_stored(whole):
    """The first tile of an archive."""
    begin = int.from_bytes(whole[56:64], "little")
    return bytes(whole[begin:begin + 1000])


@pytest.mark.parametrize(
    "url",
    ["https://{s}.example/{z}/{x}/{y}.png", "https://a.example/{z}/{x}.png", "ftp://a.example/{z}/{x}/{y}",
     "https://a.example/{z}/{x}/{y}.png; script-src *", "https:///{z}/{x}/{y}"])
def test_pictures_come_from_a_url_that_says_which(tmp_path, url):
    file = tmp_path / "kerbside.yaml"
    file.write_text(f"pages:\n  raster_tiles: '{url}'\n  map_attribution: me\n")
    result = run("check-config", file)
    assert result.returncode != 0 and "kerbside.yaml:2" in result.stderr and "pages.raster_tiles" in result.stderr


def test_pictures_need_to_say_whose_they_are(tmp_path):
    file = tmp_path / "kerbside.yaml"
    file.write_text("pages:\n  raster_tiles: 'https://a.example/{z}/{x}/{y}.png'\n")
    result = run("check-config", file)
    assert result.returncode != 0 and "pages.map_attribution" in result.stderr


def test_pictures_of_another_host_are_allowed_by_name(new_hub):
    url = "https://a.example:8443/{z}/{x}/{y}.png?key=1"
    hub = new_hub(pages__raster_tiles=url, pages__map_attribution="© Somebody").start()
    about = json.loads(hub.http("/tiles/tiles.json").text)
    assert about["tiles"] == [url] and about["attribution"] == "© Somebody" and "vector_layers" not in about
    policy = hub.http("/line/").headers["Content-Security-Policy"]
    assert "img-src 'self' data: blob: https://a.example:8443;" in policy and "connect-src 'self';" in policy


@needs_city
def test_who_takes_a_whole_map_is_told_to_come_back(new_hub):
    """What is not kept has to be read, and may have to be unpacked; what is kept goes to everybody."""
    hub = new_hub(server__workers=1, pages__map=str(CITY)).start()
    assert fetch(hub, MIDDLE).status == 200
    refused = []

    def take(column):
        link = http.client.HTTPConnection(hub.address, hub.port, timeout=20)
        for number in range(6000):
            if refused:
                break
            link.request("GET", f"/tiles/14/{column}/{number}.mvt")
            answer = link.getresponse()
            answer.read()
            assert answer.status in (200, 204, 404, 503)
            if answer.status == 503:
                refused.append(answer.headers["Retry-After"])
        link.close()

    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(take, range(4)))
    assert refused and set(refused) == {"5"}
    assert fetch(hub, MIDDLE).status == 200
