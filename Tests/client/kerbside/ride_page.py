"""The page of passengers in a browser, as its tests use it."""

from playwright.async_api import expect

from . import bus as buses
from .browser import Page
from .names import fresh

TARIFF = {
    "fares__flag_fall": 3.5, "fares__per_km": 1.2, "fares__per_minute": 0.4, "fares__extra_passenger": 1, "fares__extra_from": 2,
}
#: Nobody takes anybody anywhere within a minute: rides are dated back by so much.
BACK_MS = 600_000
#: What sounds and shakes is counted.
EARS = """
window.shaken = [];
window.tones = 0;
Object.defineProperty(navigator, 'vibrate', { value: (what) => window.shaken.push(what) });
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) { window.tones += 1; return start.apply(this, when); };
"""


def with_stops(hub, here):
    """A line of two stops: one in the middle of zone a, one in that of zone b."""
    places = {"hall": ("Town Hall", here.a.centre), "mill": ("Old Mill", here.b.centre)}
    rows = [{"hall": "8:00"}, {"mill": "8:10"}]
    run = {"headsign": "Mill", "direction": 0, "days": "mon-sun", "from": "2026-01-01", "stops": rows}
    buses.load(hub, {
        "time_zone": "Europe/Rome",
        "stops": {name: {"name": title, **place.fields} for name, (title, place) in places.items()},
        "lines": {"L1": {"name": "1", "kind": "bus", "runs": [run]}}, "buses": {},
    })
    hub.wait_until("the stops at all workers", lambda: all("Town Hall" in hub.http("/v1/stops").text for _ in range(12)))


class RidePage(Page):
    """A passenger's own browser."""

    def __init__(self, hub, size, scheme="light", language="en-US", place=None, subject=None, role="passenger", **options):
        self.subject = subject or fresh("p")
        options = {"token": hub.token(role, self.subject), "script": EARS} | options
        super().__init__(hub, size, scheme, language, "/ride/", place=place, **options)

    async def titled(self, text):
        """What is going on, as the heading says it."""
        await expect(self.page.get_by_role("heading", level=1)).to_have_text(text)

    async def press(self, name):
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def goes(self, name):
        """To another part of the page."""
        await self.page.get_by_role("navigation").get_by_role("link", name=name).click()

    async def from_here(self):
        await self.press("Use where I am now")
        await expect(self.page.locator("#to-from")).to_contain_text("Where I am")

    async def to(self, point, end="to"):
        """A place by its coordinates, taken from the pin."""
        await self.page.locator(f"#to-{end}").click()
        await self.page.get_by_text("By coordinates").click()
        await self.page.get_by_label("Latitude, longitude").fill(f"{point.lat:.6f}, {point.lon:.6f}")
        await self.press("Put the pin there")
        await self.press("Take this place")
        await self.titled("Where to?")

    async def choose(self, label):
        """One of a row."""
        await self.page.locator("label", has_text=label).first.click()

    async def ears(self):
        """How many tones there were, and how often it shook."""
        return await self.page.evaluate("[window.tones, window.shaken.length]")

    @property
    def said(self):
        return self.page.locator("#said")


async def registered(hub, cast, driver):
    """The office knows who drives and in what."""
    office = await cast.operator(hub)
    vehicle = fresh("V")
    await office.call(
        "vehicles.set", vehicle=vehicle, plate="AB 123 CD", model="Skoda Octavia", colour="white", capabilities=["wheelchair"])
    await office.call("drivers.set", driver=driver.subject, name="Ada Rossi", vehicle=vehicle)
    return office


def dated_back(hub, ride, field):
    hub.redis.hincrby(hub.key(f"ride:{ride}"), field, -BACK_MS)
