"""An attacker: sockets that ask for much and read nothing."""

import pathlib
import re
import socket


class Flood:
    """Sockets to one hub, from many addresses of this machine, with little room of their own."""

    def __init__(self, hub):
        self._hub = hub
        self.sockets = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self.sockets:
            one.close()
        self.sockets.clear()

    def open(self, count, request):
        """`count` more sockets, each of which sends `request`."""
        for number in range(count):
            one = socket.socket()
            self.sockets.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.bind((f"127.0.{number % 4}.{number % 200 + 2}", 0))
            one.connect(("127.0.0.1", self._hub.port))
            one.sendall(request)


def get(path, host="127.0.0.1", more=""):
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode()


def resident(pid):
    """Bytes of a process that are in memory."""
    return int(re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) * 1024
