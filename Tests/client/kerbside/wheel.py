"""A bus driver's page in a browser: the device is moved along the line, and what it sounds and says is counted."""

import json

from playwright.async_api import expect

from . import patience
from .browser import Page
from .names import fresh
from .stops import known

#: Counts what only a driver hears and sees: the bell's first tone, what is read aloud, and whether the screen stays on.
SENSES = """
window.rung = 0; window.said = []; window.awake = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
  if (Math.round(this.frequency.value) === 988) window.rung += 1;
  return start.apply(this, when);
};
SpeechSynthesis.prototype.speak = (one) => window.said.push([one.lang, one.text]);
WakeLock.prototype.request = async () => {
  window.awake += 1;
  return { release: async () => { window.awake -= 1; } };
};
"""


class Wheel(Page):
    def __init__(self, hub, line, size, scheme="light", language="en-US", subject=None, place=0):
        self.line, self.subject, self.tour = line, subject or fresh("D"), None
        self.at, self.metres = None if place is None else line.at(place), place
        token = hub.token("bus_driver", self.subject)
        super().__init__(hub, size, scheme, language, "/bus/", token, self.at, SENSES)

    async def choose(self):
        """The bus, and its line with it."""
        await self.page.locator("select[name=bus]").select_option(self.line.bus)
        await expect(self.page.locator("select[name=line]")).to_have_value(self.line.id)
        await expect(self.page.locator("input[name=run]:checked")).to_have_count(1)

    async def begin(self):
        await self.choose()
        await self.page.locator("button[name=start]").click()
        await self.is_on_tour()

    async def is_on_tour(self):
        await expect(self.page.locator(".next .stop")).to_be_visible()
        answer = self.hub.http(f"/v1/lines/{self.line.id}/buses", headers={"Authorization": f"Bearer {self.token}"})
        [bus] = [bus for bus in json.loads(answer.text)["buses"] if bus["bus"] == self.line.bus]
        self.tour = bus["tour"]

    async def drive(self, metres, step=250):
        """Along the line, until the hub has each fix."""
        while self.metres != metres:
            self.metres += max(-step, min(step, metres - self.metres))
            await self.move(self.line.at(self.metres))
            await known(self, self.metres)

    async def next_is(self, stop):
        await expect(self.page.locator(".next .stop")).to_have_text(stop)

    async def press(self, name, index=0):
        await self.page.locator(f"button[name={name}]").nth(index).click()

    async def agree(self):
        """Yes to the question that is asked first."""
        await self.page.locator("dialog button.danger").click()
        await expect(self.page.locator("dialog")).to_have_count(0)

    async def counts(self, name):
        return await self.page.evaluate(f"window.{name}")

    async def has(self, name, value):
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        same = "([name, text]) => JSON.stringify(window[name]) === text"
        await self.page.wait_for_function(same, arg=[name, text], timeout=patience.MESSAGE * 1000)
