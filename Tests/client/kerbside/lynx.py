"""A text browser."""

import subprocess

from . import patience

PLAIN = ["-nolist", "-width=200", "-assume_charset=utf-8", "-display_charset=utf-8"]


def dump(hub, path):
    """What it shows of a page."""
    command = ["lynx", "-dump", *PLAIN, f"http://{hub.address}:{hub.port}{path}"]
    environment = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience.PROCESS, env=environment).stdout
