"""The pages that the hub serves to browsers, and what guards them."""

import gzip
import os
import urllib.request

import pytest

from kerbside.hub import ROOT, run

LIBRARY = "/assets/kerbside/kerbside.js"


def test_the_root_leads_to_the_lines(hub):
    for path in ("/", "/line"):
        answer = hub.http(path)
        assert (answer.status, answer.headers["Location"]) == (302, "/line/")


@pytest.mark.parametrize(
    ("path", "kind"), [("/line/", "text/html; charset=utf-8"), (LIBRARY, "text/javascript; charset=utf-8")]
)
def test_a_file_is_guarded_and_known_again(hub, path, kind):
    answer = hub.http(path)
    assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
    assert answer.headers["Cache-Control"] == "no-cache"
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'") and "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Referrer-Policy"] == "no-referrer"
    assert "geolocation=(self)" in answer.headers["Permissions-Policy"]
    again = hub.http(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status, again.text) == (304, "") and again.headers["ETag"] == answer.headers["ETag"]
    assert hub.http(path, headers={"If-None-Match": '"another"'}).status == 200
    head = hub.http(path, "HEAD")
    assert (head.status, head.text) == (200, "") and head.headers["Content-Length"] == answer.headers["Content-Length"]
    assert hub.http(path, "POST").status == 405


def test_the_library_goes_out_packed_to_who_can_unpack_it(hub):
    source = (ROOT / "Sources/clients/javascript/kerbside.js").read_bytes()
    plain = hub.http(LIBRARY)
    assert plain.text.encode() == source and "Content-Encoding" not in plain.headers
    assert hub.http(LIBRARY, headers={"Accept-Encoding": "gzip;q=0, br"}).headers.get("Content-Encoding") is None
    request = urllib.request.Request(f"http://{hub.address}:{hub.port}{LIBRARY}", headers={"Accept-Encoding": "br, gzip"})
    with urllib.request.urlopen(request) as packed:
        content = packed.read()
    assert packed.headers["Content-Encoding"] == "gzip" and packed.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(content) == source and len(content) < len(source) / 2
    assert packed.headers["ETag"] != plain.headers["ETag"]


def test_nothing_else_of_the_tree_is_served(hub):
    for path in ("/assets/kerbside/node.js", "/line/../line/", "/%6cine/", "/Package.swift", "/line/other.js"):
        assert hub.http(path).status == 404, path


def test_a_hub_without_pages(new_hub):
    hub = new_hub(pages__enabled=False).start()
    assert hub.http("/line/").status == 404 and hub.http("/").status == 200


def test_pages_are_read_anew_for_those_who_write_them(new_hub, tmp_path):
    (tmp_path / "ride").mkdir()
    page = tmp_path / "ride" / "index.html"
    page.write_text("one")
    hub = new_hub(pages__directory=str(tmp_path)).start()
    first = hub.http("/ride/")
    page.write_text("two")
    assert (first.text, hub.http("/ride/").text) == ("one", "two")
    (tmp_path / ".secret").write_text("x")
    (tmp_path.parent / "above").write_text("x")
    for path in ("/.secret", "/../above", "/ride/../../above"):
        assert hub.http(path).status == 404, path


def test_who_writes_pages_stops_no_worker_by_what_is_no_file_and_gets_a_file_whole_or_not_at_all(new_hub, tmp_path):
    hub = new_hub(server__workers=1, pages__directory=str(tmp_path / "ride.js"))
    os.mkfifo(tmp_path / "ride.js")
    result = run("check-config", hub.config)
    assert result.returncode != 0 and f"pages.directory: {tmp_path}/ride.js is no directory" in result.stdout + result.stderr
    hub.write_config(pages__directory=str(tmp_path))
    assert run("check-config", hub.config).returncode == 0
    hub.start()
    (tmp_path / "large.js").write_text("x" * (4 << 20))
    (tmp_path / "larger.js").write_text("x" * ((4 << 20) + 1))
    (tmp_path / "folder.js").mkdir()
    for path in ("/ride.js", "/larger.js", "/folder.js"):
        assert hub.http(path).status == 404, path
    assert len(hub.http("/large.js").text) == 4 << 20
