"""The catalog as its users have it: the hub's own commands, and the lists over HTTP."""

import json
import re

from . import contract
from .gtfs import feed
from .hub import run

LISTS = ("lines", "buses", "stops", "routes")


def command(hub, *arguments, fails=False):
    """A command of the hub's own; what it printed."""
    done = run(*arguments, "--config", hub.config, cwd=hub.directory)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def write(hub, content, name="feed.zip"):
    path = hub.directory / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def load(hub, content=None, **options):
    return command(hub, "import", "gtfs", write(hub, content or feed()), **options)


def get(hub, path, schema=None, **headers):
    answer = hub.http(f"/v1/{path}", headers={name.replace("_", "-"): value for name, value in headers.items()})
    if answer.status == 200:
        answer.json = json.loads(answer.text)
        contract.check_list(schema or path, answer.json)
        assert answer.headers["content-type"] == "application/json"
    if answer.status in (200, 304):
        assert re.fullmatch('"[0-9a-f-]+"', answer.headers["etag"])
        assert answer.headers["last-modified"].endswith(" GMT")
    return answer


def tags(hub):
    return {name: get(hub, name).headers["etag"] for name in LISTS}
