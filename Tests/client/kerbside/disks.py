"""Disks that are soon full."""

import contextlib
import subprocess

import pytest


@contextlib.contextmanager
def small(place, megabytes):
    """A file system of so many MB at a directory that is made for it. Who may not mount skips the test."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", place], check=False, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"may not mount here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def fill(disk):
    """Until nothing more can be written; returns the file, whose end makes room."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    return ballast
