"""The ground of the pages' map, seen by its pixels: the operator's tiles, another host's pictures, or nothing."""

import contextlib
import http.server
import re
import struct
import threading
import zlib

import pytest
from playwright.async_api import expect

from conftest import running
from kerbside.browser import DESKTOP, PHONE, Page
from kerbside.ground import CITY, MOTORWAY, PARK, PIXELS, WATER, GroundHub, drawn, needs_city
from kerbside.hub import Hub
from kerbside.ride_page import RidePage
from kerbside.room import Room
from test_page_drive import driving, on_duty


@pytest.fixture(scope="module")
def hub():
    yield from running(make=GroundHub)


@needs_city
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_the_control_room_has_streets_parks_water_and_names(hub, cast, size, scheme):
    drivers = [cast.driver(hub, place) for place in (PARK, WATER, MOTORWAY)]
    for driver in drivers:
        await driver.go_available()
    async with Room(hub, size=size, scheme=scheme) as one:
        page = one.page
        await drawn(page, "water", "green", "road", "highway", "name")
        credit = page.locator(".map-credit")
        await expect(credit).to_have_text("© OpenStreetMap")
        await expect(credit.get_by_role("link")).to_have_attribute("href", "https://www.openstreetmap.org/copyright")
        # The zones above it, and how many wait in each.
        await expect(page.locator("path.zone-outline")).to_have_count(37)
        await expect(page.locator(".zone-plain").first).to_contain_text(re.compile("· [1-9]"))
        await one.is_well()
        assert any("/tiles/" in url and ".mvt" in url for url in one.asked)
        # The device has changed over.
        other = "dark" if scheme == "light" else "light"
        await page.emulate_media(color_scheme=other)
        await drawn(page, "water", "road", "name")
        await one.is_well()


@needs_city
async def test_deeper_than_the_deepest_tile_it_stays_sharp(hub):
    async with Page(hub, DESKTOP, path="/line/") as one:
        page = one.page
        await on_a_map(page, PARK, 18)
        await drawn(page, "green", "road", least=1000)
        # Before it was said where to look it showed the whole city.
        asked = [url for url in one.asked if "/tiles/14/" in url]
        assert asked and not [url for url in one.asked if "/tiles/15/" in url], one.asked
        # Many squares of the screen are parts of few tiles, each of which is asked for once.
        assert len(asked) == len(set(asked)) <= 4
        squares = await page.locator(".leaflet-tile-pane canvas").count()
        assert squares > len(asked)
        # A line is as sharp as the screen.
        ratio = await page.evaluate("document.querySelector('.leaflet-tile-pane canvas').width / 512")
        assert ratio == await page.evaluate("devicePixelRatio")


async def on_a_map(page, place, zoom):
    """A page that has nothing but a map."""
    await page.evaluate(
        """async ([lat, lon, zoom]) => {
          document.head.append(...['leaflet/leaflet.css', 'map.css'].map((name) =>
            Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `/assets/${name}` })));
          const { CityMap } = await import('/assets/map.js');
          const area = document.createElement('div');
          area.style.cssText = 'position: fixed; inset: 0; z-index: 9';
          document.body.append(area);
          window.city = new CityMap(area);
          await window.city.ground;
          window.city.look({ lat, lon }, zoom);
        }""",
        [place.lat, place.lon, zoom])


@needs_city
async def test_vehicles_that_move_draw_no_tile_anew(hub):
    async with Page(hub, DESKTOP, path="/line/") as one:
        page = one.page
        await on_a_map(page, MOTORWAY, 15)
        await drawn(page, "road", "highway", "name")
        moved = await page.evaluate(
            """async ([lat, lon]) => {
              let fills = 0;
              for (const name of ['fill', 'stroke', 'fillText']) {
                const own = CanvasRenderingContext2D.prototype[name];
                CanvasRenderingContext2D.prototype[name] = function (...given) {
                  if (given.length && !this.canvas.closest('.vehicles-pane')) fills += 1;
                  return own.apply(this, given);
                };
              }
              const fleet = (step) => Array.from({ length: 5000 }, (_, index) => ({
                id: `T${index}`, kind: 'taxi', state: 'available', freshness: 'fresh', at: 1000 * step, heading: index % 360,
                lat: lat + ((index % 71) - 35) / 5000 + step / 50000, lon: lon + (Math.floor(index / 71) - 35) / 4000,
              }));
              const before = window.city.cost.pictures;
              for (let step = 1; step <= 5; step += 1) {
                window.city.vehicles(fleet(step));
                await new Promise((done) => setTimeout(done, 300));
              }
              return { fills, pictures: window.city.cost.pictures - before };
            }""",
            [MOTORWAY.lat, MOTORWAY.lon])
        assert moved["fills"] == 0 and moved["pictures"] >= 5


@needs_city
async def test_a_passenger_finds_the_city_before_anything_else_is_known(hub):
    # No line, no place of the device: only the ground says which city it is.
    async with RidePage(hub, PHONE) as one:
        await expect(one.page.locator("#ground")).to_be_visible()
        await drawn(one.page, "water", "green")
        await one.is_well()


@needs_city
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_driver_sees_the_zones_and_which_is_its_own(hub, scheme):
    async with driving(hub, PARK, scheme=scheme) as one:
        page = one.page
        await on_duty(one)
        assert not [url for url in one.asked if ".mvt" in url], "nobody has opened the map"
        await page.get_by_role("button", name="Show the map").click()
        await expect(page.locator("path.zone-outline")).to_have_count(37)
        await expect(page.locator("path.zone-outline.own")).to_have_count(1)
        await drawn(page, "green", "road")
        await one.is_well()
        await page.reload()
        await drawn(page, "green", "road")
        # The first touch lets the page sound, and what it says of that goes: the button moves.
        await page.keyboard.press("Shift")
        await page.get_by_role("button", name="Close the map").click()
        await expect(page.locator("#map")).to_be_hidden()
        await one.is_well()


@needs_city
async def test_a_damaged_tile_leaves_its_square_blank(hub):
    async with Page(hub, DESKTOP, path="/line/") as one:
        page = one.page
        for content in (b"\x1a\xff\xff\xff\xff\x7f", b"", b"\x1a\x05\x78\x02\x0a\x01", bytes(range(256))):
            await page.unroute_all()
            await page.route("**/*.mvt?*", lambda route, _, body=content: route.fulfill(body=body))
            await page.reload()
            await on_a_map(page, PARK, 15)
            await page.wait_for_function("() => document.querySelectorAll('.leaflet-tile-loaded').length >= 4")
            assert (await page.evaluate(PIXELS, ["road"]))["road"] == 0
        assert not one.faults


async def test_without_a_map_the_ground_is_blank_and_nobody_is_asked(new_hub, cast):
    hub = new_hub().start()
    await cast.queue(hub, hub.block().a.centre, 1)
    async with Room(hub) as one:
        await expect(one.page.locator(".legend")).to_contain_text("free: 1")
        await expect(one.page.locator(".city-map.has-ground, .map-credit")).to_have_count(0)
        await one.is_well()
        assert not [url for url in one.asked if ".mvt" in url]


@contextlib.contextmanager
def pictures(asked):
    """Another host, whose pictures are red; `asked` gets the paths that it was asked for."""

    def part(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    picture = b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0))
    picture += part(b"IDAT", zlib.compress((b"\0" + b"\xff\0\0" * 256) * 256)) + part(b"IEND", b"")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", str(len(picture)))
            self.end_headers()
            self.wfile.write(picture)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_pictures_of_another_host_where_that_is_configured(new_hub, cast):
    asked = []
    with pictures(asked) as host:
        hub = new_hub(pages__raster_tiles=f"{host}/{{z}}/{{x}}/{{y}}.png", pages__map_attribution="© <b>Some</b>body").start()
        await cast.queue(hub, hub.block().a.centre, 1)
        async with Room(hub) as one:
            page = one.page
            shown = "() => [...document.querySelectorAll('img.leaflet-tile')].some((one) => one.naturalWidth === 256)"
            await page.wait_for_function(shown)
            await expect(page.locator(".map-credit")).to_have_text("© Somebody")
            others = [url for url in one.asked if not url.startswith((f"http://127.0.0.1:{hub.port}/", "data:"))]
            assert others and all(url.startswith(f"{host}/") for url in others), others
            assert not one.faults
    assert asked


async def test_pictures_are_not_asked_for_where_the_hub_has_a_map(cast):
    if not CITY.exists():
        pytest.skip(f"there is no {CITY}")
    hub = GroundHub(pages__raster_tiles="https://tiles.example/{z}/{x}/{y}.png", pages__map_attribution="© Us")
    try:
        hub.start()
        await cast.queue(hub, PARK, 1)
        async with Room(hub) as one:
            await drawn(one.page, "green")
            await expect(one.page.locator(".map-credit")).to_have_text("© Us")
            await one.is_well()
        hub.stop()
    finally:
        hub.kill()
        hub.remove()


def test_the_ground_costs_little(new_hub):
    hub: Hub = new_hub().start()
    sizes = [
        int(hub.http(f"/assets/{name}.js", "HEAD", {"Accept-Encoding": "gzip"}).headers["Content-Length"])
        for name in ("base-map", "map-names", "vector-tile")
    ]
    assert sum(sizes) <= 8 * 1024, sizes
