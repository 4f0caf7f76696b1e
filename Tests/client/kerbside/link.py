"""A link as bad as a phone's: what tools/bad-link makes, with this process and the hubs that it starts at its one end."""

import contextlib
import ctypes
import os
import signal
import subprocess

import pytest

from . import hub as hubs

TOOL = hubs.ROOT / "tools" / "bad-link"
#: Ends of the link: the hub listens here, and who connects there comes over the link.
HERE, THERE = "127.77.0.1", "127.77.0.2"

_NEW_NETWORK = 0x4000_0000


def _enter(namespace):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, _NEW_NETWORK) != 0:
        pytest.skip(f"this process may not enter a network namespace: {os.strerror(ctypes.get_errno())}")


class Link:
    def __init__(self, process, cut_s):
        self._process, self.cut_s = process, cut_s

    def cut(self):
        """From now on nothing gets through, for `cut_s` seconds."""
        self._process.send_signal(signal.SIGUSR1)


@contextlib.contextmanager
def bad_link(delay_ms=300, loss=5, cut_s=5):
    """This thread's new sockets, and the processes that it starts, are on the machine with the link."""
    process = subprocess.Popen(
        [str(TOOL), "--delay", str(delay_ms), "--loss", str(loss), "--cut", str(cut_s), "sh", "-c", "echo; exec sleep infinity"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        if not process.stdout.readline():
            pytest.skip(process.communicate()[1].strip())
        outside = os.open("/proc/self/ns/net", os.O_RDONLY)
        inside = os.open(f"/proc/{process.pid}/ns/net", os.O_RDONLY)
        try:
            _enter(inside)
            try:
                yield Link(process, cut_s)
            finally:
                _enter(outside)
        finally:
            os.close(inside)
            os.close(outside)
    finally:
        process.terminate()
        process.communicate()
