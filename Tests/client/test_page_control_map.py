"""The map that pages share, in the control room: vehicles on one canvas, seen by their pixels."""

import asyncio

from playwright.async_api import expect

from kerbside.browser import DESKTOP, PHONE
from kerbside.room import Room

#: The middle of all pixels of one colour on the canvas of vehicles, in pixels of the screen, and how many they are.
FIND = """
([name]) => {
  const canvas = document.querySelector('.vehicles-pane canvas');
  if (!canvas?.width) return null;
  const probe = new OffscreenCanvas(1, 1).getContext('2d');
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let [x, y, count] = [0, 0, 0];
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] !== r || data[i + 1] !== g || data[i + 2] !== b || data[i + 3] !== 255) continue;
    x += (i / 4) % width;
    y += Math.floor(i / 4 / width);
    count += 1;
  }
  const box = canvas.getBoundingClientRect();
  return count ? { x: box.x + x / count, y: box.y + y / count, count } : null;
}
"""


async def seen(page, name):
    """Where the vehicles of a colour are, once there are some."""
    await page.wait_for_function(FIND, arg=[f"--vehicle-{name}"])
    return await page.evaluate(FIND, [f"--vehicle-{name}"])


async def test_m3_vehicles_appear_move_and_change_their_colour(city, cast):
    here = city.block()
    [first] = await cast.queue(city, here.a.centre, 1)
    [second] = await cast.queue(city, here.a.centre.moved(east=200), 1)
    async with Room(city) as one:
        page = one.page
        await expect(page.locator(".legend")).to_contain_text("free: 2")
        begin = await seen(page, "taxi-available")
        rider = await cast.rider(city)
        ride = await rider.request(here.a.centre.moved(north=600))
        await first.accept(ride)
        await seen(page, "taxi-busy")
        await first.drive(here.a.centre.moved(north=500))
        # North is above.
        await page.wait_for_function(
            f"(arg) => {{ const at = ({FIND})(arg); return at && at.y < {begin['y'] - 40}; }}", arg=["--vehicle-taxi-busy"]
        )
        await one.is_well()
        await second.call("driver.unavailable")
        await seen(page, "taxi-unavailable")


async def test_between_two_fixes_it_glides_unless_motion_is_not_wanted(city, cast):
    here = city.block()
    [driver] = await cast.queue(city, here.a.centre, 1)
    script = """
    ([name]) => new Promise((done) => {
      const rows = new Set();
      const find = FIND;
      const begin = performance.now();
      const look = () => {
        const at = find([name]);
        if (at) rows.add(Math.round(at.y));
        if (performance.now() - begin > 4000) done(rows.size);
        else requestAnimationFrame(look);
      };
      look();
    })
    """.replace("FIND", FIND.strip())
    for motion, least, most in (("no-preference", 8, 1000), ("reduce", 1, 3)):
        async with Room(city) as one:
            await one.page.emulate_media(reduced_motion=motion)
            await seen(one.page, "taxi-available")
            places = one.page.evaluate(script, ["--vehicle-taxi-available"])
            north = here.a.centre.moved(north=400 if driver.place == here.a.centre else 0)
            found, _ = await asyncio.gather(places, driver.fix(north))
            assert least <= found <= most, (motion, found)


async def test_a_click_on_a_vehicle_tells_of_its_driver(city, cast):
    here = city.block()
    [driver] = await cast.queue(city, here.a.centre, 1)
    async with Room(city, size=PHONE, scheme="dark") as one:
        at = await seen(one.page, "taxi-available")
        await one.page.mouse.click(at["x"], at["y"])
        await one.sees(f"Driver {driver.subject}")
        await one.sees(f"Zone {here.a.id}")
        await one.is_well()


async def test_zoom_and_the_whole_city_again(city, cast):
    here = city.block()
    await cast.queue(city, here.a.centre, 1)
    await cast.queue(city, here.c.centre, 1)
    async with Room(city, size=DESKTOP) as one:
        page = one.page
        await expect(page.locator(".legend")).to_contain_text("free: 2")
        before = await seen(page, "taxi-available")
        await page.get_by_role("button", name="Zoom in").click()
        await page.locator("#map").focus()
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("+")
        await page.keyboard.press("+")
        await page.get_by_role("button", name="Whole city").click()
        after = await seen(page, "taxi-available")
        assert abs(after["x"] - before["x"]) < 30 and abs(after["count"] - before["count"]) < before["count"] / 2
        await one.is_well()


async def test_signs_that_change_leave_nothing_behind(city, cast):
    """A control room is open for days."""
    here = city.block()
    drivers = await cast.queue(city, here.a.centre, 5)
    async with Room(city) as one:
        devtools = await one.context.new_cdp_session(one.page)
        sign = one.page.locator(".zone-sign").filter(has_text=here.a.id)

        async def nodes_after_all_left_and_came():
            for command, sizes in (("driver.unavailable", range(4, -1, -1)), ("driver.available", range(1, 6))):
                for driver, size in zip(drivers, sizes, strict=True):
                    await driver.call(command)
                    await expect(sign).to_have_text(f"{here.a.id} · {size}")
            await devtools.send("HeapProfiler.collectGarbage")
            return (await devtools.send("Memory.getDOMCounters"))["nodes"]

        before = await nodes_after_all_left_and_came()
        await nodes_after_all_left_and_came()
        # Of each of twenty signs it was three.
        assert await nodes_after_all_left_and_came() < before + 30
