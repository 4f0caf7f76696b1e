"""The code on a vehicle, its page and its picture (M12)."""

import asyncio
import base64
import hashlib
import http.client
import json
import re
import shutil
import subprocess

import pytest

from kerbside import contract, lynx, patience
from kerbside.hub import run
from kerbside.records_of_fleets import CAR, PHOTO, page, vehicle


async def test_m12_the_page_of_a_sign(hub, cast):
    office, car = await cast.operator(hub), vehicle()
    code = (await office.call("vehicles.set", vehicle=car, **CAR))["code"]
    assert re.fullmatch("[A-Za-z0-9]{22}", code)
    answer = page(hub, code)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["Cache-Control"] == "no-store"
    for text in ("AB 123 CD", "Not on duty", "Rossi &amp; Co", "MI-4711", "white Skoda &lt;Octavia&gt;", "wheelchair, child seat"):
        assert text in answer.text
    policy = answer.headers["Content-Security-Policy"]
    [style] = re.findall("<style>(.*?)</style>", answer.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy and policy.startswith("default-src 'none'") and "img-src" not in policy
    assert "<script" not in answer.text
    assert re.search(r"Checked at \d?\d:\d\d UTC([+-]\d+(:\d\d)?)?\. ", answer.text), "a clock without its zone says nothing"
    assert (answer.headers["Referrer-Policy"], answer.headers["X-Content-Type-Options"]) == ("no-referrer", "nosniff")
    # The driver's picture is the one thing that comes from elsewhere.
    [driver] = await cast.queue(hub, hub.block().a.stand, 1)
    await office.call("drivers.set", driver=driver.subject, name='Ada "A" Rossi', photo=PHOTO, phone="+39 02 77", vehicle=car)
    await hub.until("seen", lambda: "On duty" in page(hub, code).text.replace("Not on duty", ""), patience.PROCESS)
    await asyncio.sleep(6)  # each worker has its own copy for five seconds
    answer = page(hub, code)
    assert "Ada &quot;A&quot; Rossi" in answer.text and f'src="{PHOTO}"' in answer.text and "+39 02 77" not in answer.text
    assert "img-src https://fleet.example:8443;" in answer.headers["Content-Security-Policy"]
    shown = lynx.dump(hub, f"/v/{code}")
    for text in ("AB 123 CD", 'Ada "A" Rossi', "On duty", "Rossi & Co", "white Skoda <Octavia>"):
        assert text in shown, f"in a text browser: {shown}"
    answer = page(hub, code, "application/json")
    assert answer.headers["Content-Type"] == "application/json" and json.loads(answer.text)["driver"]["name"] == 'Ada "A" Rossi'
    head = hub.http(f"/v/{code}", "HEAD")
    assert (head.status, head.text) == (200, "")


@pytest.mark.parametrize("code", ["x", "A" * 22, "A" * 21 + "/", "A" * 22 + ".svg", "", "A" * 23])
async def test_m12_an_unknown_code_says_what_that_means(hub, code):
    answer = page(hub, code)
    assert answer.status == 404 and "forged" in answer.text and answer.headers["Content-Type"].startswith("text/html")
    answer = page(hub, code, "application/json")
    contract.check_problem(json.loads(answer.text))
    assert answer.status == 404


async def test_m12_strangers_can_ask_only_so_much(new_hub, cast):
    hub = new_hub(server__workers=1).start()
    office = await cast.operator(hub)
    code = (await office.call("vehicles.set", vehicle="V1", plate="AB 1"))["code"]
    assert page(hub, code).status == 200
    # As fast as one connection goes.
    link = http.client.HTTPConnection(hub.address, hub.port, timeout=patience.MESSAGE)
    for number in range(20_000):
        link.request("GET", f"/v/{number:022}")
        answer = link.getresponse()
        text = answer.read().decode()
        if answer.status != 404:
            break
    link.close()
    assert answer.status == 503 and int(answer.headers["Retry-After"]) > 0 and "again" in text
    assert number >= 99, "so many are looked up at once"
    # What has no code's form costs no look-up, and what is known none.
    assert page(hub, "x").status == 404
    await hub.until("there is room again", lambda: page(hub, code).status == 200, patience.PROCESS)
    assert all(page(hub, code).status == 200 for _ in range(300))


@pytest.mark.skipif(not shutil.which("zbarimg"), reason="zbar-tools is missing: tools/install")
async def test_m12_the_picture_leads_to_the_page(new_hub, cast):
    hub = new_hub(drivers__public_url="https://taxi.example:8443").start()
    office = await cast.operator(hub)
    code = (await office.call("vehicles.set", vehicle="V1", plate="AB 1"))["code"]
    answer = hub.http(f"/v/{code}.svg")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "image/svg+xml")
    assert scanned(answer.text, hub.directory) == f"https://taxi.example:8443/v/{code}"
    made = run("vehicles", "qr", "V1", "--config", hub.config)
    assert scanned(made.stdout, hub.directory) == f"https://taxi.example:8443/v/{code}"
    made = run("vehicles", "qr", "V1", "--address", "https://other.example/", "--config", hub.config)
    assert scanned(made.stdout, hub.directory) == f"https://other.example/v/{code}"
    hub.write_config(drivers__public_url="")
    await hub.reload()
    answer = hub.http(f"/v/{code}.svg", headers={"Host": "here.example"})
    assert scanned(answer.text, hub.directory) == f"http://here.example/v/{code}"
    assert run("vehicles", "qr", "V1", "--config", hub.config).returncode == 1


def scanned(svg, directory):
    """What a phone reads: each square is drawn four points wide, black on white."""
    size = int(re.search(r'viewBox="0 0 (\d+) ', svg)[1])
    rows = [[255] * size for _ in range(size)]
    for column, row, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h-", svg):
        for x in range(int(column), int(column) + int(width)):
            rows[int(row)][x] = 0
    pixels = b"".join(bytes(value for value in row for _ in range(4)) * 4 for row in rows)
    picture = directory / "sign.pgm"
    picture.write_bytes(b"P5 %d %d 255\n" % (size * 4, size * 4) + pixels)
    found = subprocess.run(["zbarimg", "--quiet", "--raw", str(picture)], check=True, capture_output=True, text=True)
    return found.stdout.strip()
