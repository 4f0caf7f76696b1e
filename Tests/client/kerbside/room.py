"""The page of the control room, and what an operator does with it."""

from playwright.async_api import expect

from .browser import DESKTOP, Page
from .names import fresh

REASON = "Why? Those whom it concerns are told."


class Room(Page):
    """The page of an operator who has signed in."""

    def __init__(self, hub, view="", size=DESKTOP, **options):
        token = options.pop("token", None) or hub.token("operator", fresh("office-"))
        super().__init__(hub, size, path=f"/control/{view}", token=token, **options)

    async def show(self, name):
        await self.page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()

    async def button(self, name):
        await self.page.locator("#view").get_by_role("button", name=name, exact=True).click()

    async def agree(self, name, **fields):
        """Fills in what is asked first, and says yes."""
        dialog = self.page.get_by_role("dialog")
        for label, text in fields.items():
            await dialog.get_by_label(label).fill(text)
        await dialog.get_by_role("button", name=name, exact=True).click()
        await expect(dialog).to_have_count(0)

    async def says(self, text):
        await expect(self.page.locator("#said")).to_have_text(text)

    def group(self, name):
        return self.page.get_by_role("list", name=name)
