"""The outlines of zones, which everybody may read for a map."""

import gzip
import json
import urllib.request

from kerbside import city

PATH = "/v1/zones/outlines"


def ring_of(feature):
    [[ring]] = feature["geometry"]["coordinates"]
    return ring


def test_everybody_reads_the_outlines(hub):
    answer = hub.http(PATH)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/geo+json")
    assert answer.headers["Cache-Control"] == "no-cache"
    told = json.loads(answer.text)
    zone = city.block(0).a
    [feature] = [one for one in told["features"] if one["id"] == zone.id]
    assert feature["properties"]["name"] == f"Zone {zone.id}"
    corners = {tuple(corner) for corner in ring_of(feature)}
    assert corners == {tuple(round(part, 5) for part in corner) for corner in ring_of_city(zone)}
    lon, lat = feature["properties"]["middle"]
    assert zone.west < lon < zone.west + city.SIDE and zone.south < lat < zone.south + city.SIDE


def ring_of_city(zone):
    return zone.feature["geometry"]["coordinates"][0]


def test_who_has_them_is_not_sent_them_again(hub):
    answer = hub.http(PATH)
    again = hub.http(PATH, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status, again.text) == (304, "")
    request = urllib.request.Request(f"http://{hub.address}:{hub.port}{PATH}", headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as packed:
        content = packed.read()
    assert packed.headers["Content-Encoding"] == "gzip" and packed.headers["ETag"] != answer.headers["ETag"]
    assert gzip.decompress(content).decode() == answer.text and len(content) < len(answer.text) / 3
    # Whichever worker answers.
    assert {hub.http(PATH).headers["ETag"] for _ in range(8)} == {answer.headers["ETag"]}


async def test_new_zones_are_told_after_a_reload(new_hub):
    hub = new_hub(blocks=1).start()
    before = hub.http(PATH)
    (hub.directory / "zones.geojson").write_text(city.geojson(2))
    await hub.reload()
    told = hub.http(PATH, headers={"If-None-Match": before.headers["ETag"]})
    assert told.status == 200 and len(json.loads(told.text)["features"]) == 6


def test_it_is_read_only(hub):
    assert hub.http(PATH, "POST").status == 405 and hub.http(f"{PATH}/more").status == 404
