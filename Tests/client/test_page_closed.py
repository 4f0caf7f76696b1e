"""Pages that are installed, opened without a network, and told of what comes while they are closed."""

import json
import re
import shutil
import struct

import pytest
from playwright.async_api import expect

from kerbside.browser import PHONE, Page
from kerbside.hub import ROOT
from kerbside.push_service import Browser
from kerbside.ride_page import RidePage

PAGES = ["bus", "drive", "line", "ride"]
#: The names of what a page keeps, and what is in it.
KEPT = """async () => {
  const kept = {};
  for (const name of await caches.keys()) {
    kept[name] = (await (await caches.open(name)).keys()).map((one) => new URL(one.url).pathname);
  }
  return kept;
}"""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_installed(hub, name):
    page = hub.http(f"/{name}/")
    assert '<link rel="manifest" href="manifest.webmanifest">' in page.text
    assert "manifest-src 'self'; worker-src 'self'" in page.headers["Content-Security-Policy"]
    answer = hub.http(f"/{name}/manifest.webmanifest")
    assert answer.headers["Content-Type"] == "application/manifest+json"
    manifest = json.loads(answer.text)
    assert {"name", "short_name", "icons", "theme_color", "background_color"} <= manifest.keys()
    assert manifest["id"] == manifest["start_url"] == manifest["scope"] == f"/{name}/" and manifest["display"] == "standalone"
    found = {(icon["sizes"], icon["type"], icon["purpose"]) for icon in manifest["icons"]}
    assert {("192x192", "image/png", "any"), ("512x512", "image/png", "any"), ("512x512", "image/png", "maskable")} <= found
    for icon in manifest["icons"]:
        assert hub.http(icon["src"], "HEAD").headers["Content-Type"] == icon["type"]
        if icon["type"] == "image/png":
            head = (ROOT / "Sources/pages" / icon["src"].lstrip("/")).read_bytes()[16:24]
            assert "{}x{}".format(*struct.unpack(">II", head)) == icon["sizes"]


def test_the_worker_knows_the_files_of_its_version(hub):
    answer = hub.http("/sw.js")
    assert answer.headers["Content-Type"].startswith("text/javascript") and answer.headers["Cache-Control"] == "no-cache"
    files = json.loads(re.search(r"^self\.FILES = (.*);$", answer.text, re.MULTILINE)[1])
    assert {"/ride/index.html", "/assets/page.js", "/assets/languages/it.json"} <= files.keys()
    assert not [path for path in files if path.startswith("/v1") or path == "/sw.js"]
    for path in ("/line/", "/assets/page.js"):
        name = path + "index.html" if path.endswith("/") else path
        assert hub.http(path).headers["ETag"] == f'"{files[name]}"'


async def kept(one):
    """The page's worker is there, and has all files."""
    await one.hub.until("the worker", lambda: one.page.evaluate("navigator.serviceWorker.controller !== null"))
    return await one.page.evaluate(KEPT)


async def test_it_opens_without_a_network_and_says_so(new_hub):
    hub = new_hub(server__workers=1).start()
    async with Page(hub, PHONE, path="/line/", language="de-DE") as one:
        await one.sees("Linien")
        files = await kept(one)
        [name] = [name for name in files if name.startswith("kerbside /line/ ")]
        assert {"/line/index.html", "/line/line.js", "/assets/page.js", "/assets/languages/de.json"} <= {*files[name]}
        assert not [path for paths in files.values() for path in paths if path.startswith("/v1")]
        hub.stop()
        await one.page.reload()
        await expect(one.page.locator("#link")).to_have_text("Keine Verbindung. Sie kommt von selbst wieder.")
        await expect(one.page.get_by_role("heading", level=1)).to_be_visible()
        hub.start()
        # As when a phone finds its network again.
        await one.page.evaluate("dispatchEvent(new Event('online'))")
        await expect(one.page.locator("#link")).to_be_empty()


async def test_who_has_signed_in_finds_the_own_page(new_hub):
    hub = new_hub(server__workers=1).start()
    async with RidePage(hub, PHONE, place=hub.block().a.centre) as one:
        await one.titled("Where to?")
        await kept(one)
        hub.stop()
        await one.page.reload()
        await expect(one.page.locator("#link")).to_contain_text("No connection")
        hub.start()
        await one.page.evaluate("dispatchEvent(new Event('online'))")
        await one.titled("Where to?")
        await expect(one.page.locator("#link")).to_be_empty()


async def test_after_an_update_nobody_sees_the_page_of_before(new_hub, tmp_path):
    for place in ("pages", "clients/javascript"):
        shutil.copytree(ROOT / "Sources" / place, tmp_path / place)
    hub = new_hub(server__workers=1, pages__directory=str(tmp_path / "pages")).start()
    async with Page(hub, PHONE, path="/line/") as one:
        first = [name for name in await kept(one) if name.startswith("kerbside /line/ ")]
        html = tmp_path / "pages/line/index.html"
        html.write_text(html.read_text().replace("<body>", '<body data-version="two">'))
        await one.page.reload()
        assert await one.page.evaluate("document.body.dataset.version") == "two"
        # The worker of that version takes the place of the one before, with what it has kept.
        await one.page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update())")
        new = """async (old) => {
          const names = (await caches.keys()).filter((name) => name.startsWith('kerbside /line/ '));
          return names.length === 1 && names[0] !== old;
        }"""
        await hub.until("the new version", lambda: one.page.evaluate(new, first[0]))
        hub.stop()
        await one.page.reload()
        assert await one.page.evaluate("document.body.dataset.version") == "two"


#: There is no push service for browsers of tests: what one would give for this key stands in its place.
SUBSCRIBED = """
let subscription = null;
PushManager.prototype.getSubscription = async () => subscription;
PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
  if (!userVisibleOnly || applicationServerKey.length !== 87) throw new Error('no key');
  const fields = FIELDS;
  subscription = { ...fields, toJSON: () => fields, unsubscribe: async () => { subscription = null; return true; } };
  return subscription;
};
"""


async def test_a_person_is_told_while_the_page_is_closed(new_hub, service, cast):
    hub = new_hub(server__workers=1, **service.settings).start()
    browser, zone = Browser(service), hub.block().a
    driver = cast.driver(hub, zone.stand)
    await driver.go_available()
    script = SUBSCRIBED.replace("FIELDS", json.dumps(browser.fields))
    async with RidePage(hub, PHONE, place=zone.centre, language="fr-FR", script=script, is_whole=True) as one:
        page, key = one.page, hub.key(f"subscriptions:passenger:{one.subject}")
        switch = page.get_by_label("M’avertir quand cette page est fermée")
        await expect(switch).not_to_be_checked()
        await one.is_well()
        # Who says no is told how to change that, and nothing is sent.
        await switch.click()
        await expect(page.locator("footer")).to_contain_text("Ce navigateur ne le permet pas.")
        await expect(switch).not_to_be_checked()
        assert not hub.redis.exists(key)
        await one.context.grant_permissions(["geolocation", "notifications"])
        await switch.click()
        await expect(switch).to_be_checked()
        await hub.until("subscribed", lambda: hub.redis.hkeys(key) == [browser.endpoint])
        await one.is_well()
        link = await one.context.new_cdp_session(page)
        workers = []
        link.on("ServiceWorker.workerRegistrationUpdated", lambda found: workers.extend(found["registrations"]))
        await link.send("ServiceWorker.enable")
        headers = {"Authorization": f"Bearer {one.token}", "Content-Type": "application/json"}
        wish = json.dumps({**zone.centre.fields, "passengers": 1})
        ride = json.loads(hub.http("/v1/commands/ride.request", "POST", headers, wish).text)["ride"]
        # The page is closed.
        await one.go("/line/")
        await hub.until("closed", lambda: hub.redis.zcard(hub.key(f"links:passenger:{one.subject}")) == 0)
        await driver.accept(ride)
        await hub.until("the push", lambda: browser.got)
        [event] = [browser.read(push) for push in browser.got]
        [worker] = {found["registrationId"] for found in workers if found["scopeURL"].endswith("/ride/")}
        for _ in range(2):  # a push service may say it twice
            await link.send("ServiceWorker.deliverPushMessage", {
                "origin": f"http://127.0.0.1:{hub.port}", "registrationId": worker, "data": json.dumps(event)})
        shown = """async () => {
          const worker = await navigator.serviceWorker.getRegistration('/ride/');
          return (await worker.getNotifications()).map(({ title, lang, tag, silent }) => ({ title, lang, tag, silent }));
        }"""
        await hub.until("the notification", lambda: page.evaluate(shown))
        text = json.loads((ROOT / "Sources/pages/assets/languages/fr.json").read_text())["ride.told.accepted"]
        assert await page.evaluate(shown) == [{"title": text, "lang": "fr", "tag": ride, "silent": False}]
        # It is switched off again.
        await one.go("/ride/")
        await hub.until("there again", lambda: hub.redis.zcard(hub.key(f"links:passenger:{one.subject}")) == 1)
        assert hub.redis.hkeys(key) == [browser.endpoint]


async def test_a_hub_without_pushes_offers_none(hub):
    async with RidePage(hub, PHONE, place=hub.block().a.centre) as one:
        await one.titled("Where to?")
        await kept(one)
        await expect(one.page.get_by_label("Tell me when this page is closed")).to_have_count(0)
        await one.is_well()
