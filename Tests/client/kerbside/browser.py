"""A browser with a page of the hub, and what holds of every page in each of its states."""

import asyncio
import json
import shutil

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import async_playwright, expect

from . import patience, tokens

PHONE, SMALL, DESKTOP = {"width": 360, "height": 740}, {"width": 320, "height": 568}, {"width": 1280, "height": 800}
#: Chromium without what its window needs: takes half of the processor.
SHELL = "chromium-headless-shell"
expect.set_options(timeout=patience.MESSAGE * 1000)


class Chromium:
    """A browser without a window of its own, which takes as long to start as a short test takes."""

    #: The one of all tests of pages of this process, on a loop that lasts as long.
    _shared = _runner = None

    async def start(self, program=SHELL):
        """program: the shell, or `chromium` for what only that has, as notifications."""
        self._playwright = await async_playwright().start()
        self.browser = await self._playwright.chromium.launch(executable_path=shutil.which(program), args=["--no-sandbox"])
        return self

    async def stop(self):
        await self.browser.close()
        await self._playwright.stop()

    @classmethod
    async def shared(cls):
        """The one of this loop, or None."""
        is_here = cls._runner is not None and cls._runner.get_loop() is asyncio.get_running_loop()
        if is_here and not (cls._shared and cls._shared.browser.is_connected()):
            cls._shared = await cls().start()
        return cls._shared if is_here else None

    @classmethod
    def play(cls, test):
        """Plays a coroutine to its end where the shared one is, and whatever it has left behind."""
        cls._runner = cls._runner or asyncio.Runner()
        cls._runner.run(cls._alone(test))

    @classmethod
    async def _alone(cls, test):
        await cls.shared()
        before = asyncio.all_tasks()
        try:
            await test
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    @classmethod
    def end(cls):
        if cls._runner is None:
            return
        if cls._shared:
            cls._runner.run(cls._shared.stop())
        cls._runner.close()
        cls._runner = cls._shared = None


class Page:
    """A browser's window with the page, which shares nothing with others, and what it has asked for."""

    def __init__(self, hub, size, scheme="light", language="en-US", path="/", token=None, place=None, script="", accuracy=5,
                 port=None, is_whole=False):
        """`token`: of who has signed in; `place`: where the device is, to `accuracy` metres; `script`: runs before the page's;
        `port`: of a proxy; `is_whole`: in a Chromium of its own that has all."""
        self.port, self.is_whole = port or hub.port, is_whole
        self.hub, self.size, self.scheme, self.language, self.path = hub, size, scheme, language, path
        self.token, self.place, self.script, self.accuracy = token, place, script, accuracy
        self.asked, self.links, self.faults = [], [], []

    async def __aenter__(self):
        shared = None if self.is_whole else await Chromium.shared()
        self._own = None if shared else await Chromium().start("chromium" if self.is_whole else SHELL)
        context = await (shared or self._own).browser.new_context(
            viewport=self.size, color_scheme=self.scheme, locale=self.language)
        if self.token is not None:
            role = json.loads(tokens.decoded(self.token.split(".")[1]))["role"]
            await context.add_init_script(f"localStorage.setItem('kerbside.signed_in.{role}', {json.dumps(self.token)})")
        if self.script:
            await context.add_init_script(self.script)
        self.context = context
        if self.place is not None:
            await context.grant_permissions(["geolocation"])
            await self.move(self.place)
        self.page = await context.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", lambda link: self.links.append(link.url))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        await self.go(self.path)
        return self

    async def __aexit__(self, *_):
        await self.context.close()
        if self._own:
            await self._own.stop()

    async def move(self, place):
        """The device is there from now on."""
        self.place = place
        await self.context.set_geolocation({"latitude": place.lat, "longitude": place.lon, "accuracy": self.accuracy})

    async def go(self, path):
        await self.page.goto(f"http://127.0.0.1:{self.port}{path}")

    async def sees(self, text):
        await expect(self.page.locator("main")).to_contain_text(text)

    async def is_well(self, refused=False):
        """Nothing for axe to say, nothing wider than the screen, nothing of another host, no fault but what the hub `refused`."""
        found = await Axe().run(self.page)
        assert not found.response["violations"], found.generate_report()
        wide = await self.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, "it scrolls sideways"
        assert all(url.startswith((f"http://127.0.0.1:{self.port}/", "data:")) for url in self.asked), self.asked
        # The browser says itself that it was refused.
        self.faults = [fault for fault in self.faults if not (refused and ("404" in fault or "ERR_CONNECTION" in fault))]
        assert not self.faults, self.faults
