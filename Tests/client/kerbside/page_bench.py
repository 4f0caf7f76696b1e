"""What tools/bench-pages measures, in a real Chromium at a real hub: first pictures on a slow link, and a busy control room."""

import asyncio
import contextlib
import statistics
import sys
import time

from .browser import DESKTOP, PHONE, Page
from .hub import BINARY, Hub, environment

#: 2 Mb/s and 100 ms, as the browser's own throttling has it.
LINK = {"offline": False, "latency": 100, "downloadThroughput": 2e6 / 8, "uploadThroughput": 2e6 / 8}
#: page → who is signed in.
PAGES = {"/line/": None, "/ride/": "passenger", "/drive/": "driver", "/bus/": "bus_driver", "/control/": "operator"}
#: What only a map needs.
OF_MAPS = ("leaflet", "map", "tile", "outline", "vehicles-layer")
FRAMES = """
window.frames_ = []; let last = performance.now();
const next = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(next); };
requestAnimationFrame(next);
"""


async def first_picture(hub, path, role, rounds=5):
    """ms to the first contentful paint of each round, bytes before the map, and bytes of all."""
    paints, before, everything = [], 0, 0
    for _ in range(rounds):
        async with Page(hub, PHONE, path="/healthz", token=hub.token(role, "x1") if role else None) as one:
            devtools = await one.context.new_cdp_session(one.page)
            sizes, urls = {}, {}

            def asked(event, urls=urls):
                urls[event["requestId"]] = event["request"]["url"]

            def loaded(event, sizes=sizes):
                sizes[event["requestId"]] = event["encodedDataLength"]

            devtools.on("Network.requestWillBeSent", asked)
            devtools.on("Network.loadingFinished", loaded)
            await devtools.send("Network.enable")
            await devtools.send("Network.emulateNetworkConditions", LINK)
            await one.go(path)
            paint = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
            await one.page.wait_for_function(paint)
            paints.append(await one.page.evaluate(paint))
            await asyncio.sleep(3)
            rows = {urls[name]: size for name, size in sizes.items() if name in urls}
            before = sum(size for url, size in rows.items() if not any(word in url for word in OF_MAPS))
            everything = sum(rows.values())
    return paints, before, everything


async def crowd(hub, vehicles, minutes):
    """Frames and memory of a control room in which so many vehicles move once a second."""
    token = hub.token("operator", "office-1")
    arguments = ["bench", "ingest", "--url", hub.url, "--data", hub.data, "--set", f"city.id={hub.city}", "--drivers", vehicles]
    arguments += ["--set", f"zones.file={hub.settings['zones.file']}", "--rate", vehicles, "--batch", "1"]
    arguments += ["--for", minutes * 60 + 60]
    driving = await asyncio.create_subprocess_exec(
        BINARY, *map(str, arguments), env=environment(), stdout=asyncio.subprocess.DEVNULL)
    try:
        async with Page(hub, DESKTOP, path="/control/", token=token, script=FRAMES) as one:
            devtools = await one.context.new_cdp_session(one.page)
            await asyncio.sleep(20)
            heaps, end = [], time.monotonic() + minutes * 60
            await one.page.evaluate("window.frames_.length = 0")
            while time.monotonic() < end:
                await asyncio.sleep(min(30, minutes * 15))
                await devtools.send("HeapProfiler.collectGarbage")
                heaps.append((await devtools.send("Runtime.getHeapUsage"))["usedSize"] / 1e6)
                print(f"  {len(heaps)}: {heaps[-1]:.1f} MB", file=sys.stderr)
            frames = await one.page.evaluate("window.frames_")
            legend = await one.page.locator(".legend").inner_text()
    finally:
        driving.terminate()
        await driving.wait()
    return frames, heaps, legend


async def main(vehicles, minutes):
    hub = Hub(blocks=10, server__workers=2, server__commands_per_second=1_000_000, server__commands_burst=1_000_000)
    with contextlib.ExitStack() as stack:
        stack.callback(hub.remove)
        stack.callback(hub.kill)
        hub.start()
        print("| page | first picture, ms (each round) | before the map, KB | all, KB |")
        print("| --- | --- | ---: | ---: |")
        for path, role in PAGES.items():
            paints, before, everything = await first_picture(hub, path, role)
            rounds = f"{statistics.median(paints):.0f} ({min(paints):.0f} to {max(paints):.0f})"
            print(f"| `{path}` | {rounds} | {before / 1024:.0f} | {everything / 1024:.0f} |")
        frames, heaps, legend = await crowd(hub, vehicles, minutes)
        quick = sum(frame < 33.4 for frame in frames) / len(frames)
        third = max(1, len(heaps) // 3)
        print(f"\n{vehicles} vehicles at 1 Hz for {minutes} min ({' '.join(legend.split())}):")
        print(f"{len(frames)} frames, {quick:.1%} under 33 ms, p99 {sorted(frames)[len(frames) * 99 // 100]:.0f} ms")
        means = [statistics.mean(part) for part in (heaps[:third], heaps[-third:])]
        print(f"heap {min(heaps):.1f} to {max(heaps):.1f} MB; first third {means[0]:.1f}, last third {means[1]:.1f}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
