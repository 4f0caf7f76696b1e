"""A PostgreSQL of the tests' own, that can be killed and started again."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from . import patience

_FOUND = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
BIN = _FOUND[-1] if _FOUND else None
# It refuses to be root.
_AS = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


class Postgres:
    """On a socket in a directory of its own."""

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kb-pg-"))
        self.process = None
        if _AS:
            shutil.chown(self.directory, "postgres")
        self._run(BIN / "initdb", "-D", self.directory / "data", "-A", "trust", "-U", "kerbside", "--no-sync")

    @property
    def url(self):
        return self.database("postgres")

    def database(self, name):
        """The URL of one of its databases."""
        return f"postgresql://kerbside@/{name}?host={self.directory}"

    def _run(self, *command):
        subprocess.run([*_AS, *map(str, command)], check=True, cwd=self.directory, capture_output=True, timeout=patience.PROCESS)

    def start(self):
        command = [BIN / "postgres", "-D", self.directory / "data", "-k", self.directory, "-c", "listen_addresses="]
        with (self.directory.parent / f"{self.directory.name}.log").open("a") as log:
            self.process = subprocess.Popen([*_AS, *map(str, command)], cwd=self.directory, stdout=log, stderr=log)
        end = time.monotonic() + patience.PROCESS
        while subprocess.run([BIN / "pg_isready", "-q", "-h", self.directory, "-U", "kerbside"], check=False).returncode:
            assert time.monotonic() < end, "PostgreSQL does not start"
            time.sleep(0.05)
        return self

    def sql(self, text):
        self._run(BIN / "psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-c", text, self.url)

    def kill(self):
        """As a machine that dies: nothing is written any more, its files stay."""
        if self.process is None or self.process.poll() is not None:
            return
        self._signal(signal.SIGKILL)
        self.process.send_signal(signal.SIGCONT)
        self.process.wait()

    def pause(self):
        """As a machine that hangs: connections stay, and nothing is answered."""
        self._signal(signal.SIGSTOP)

    def go_on(self):
        self._signal(signal.SIGCONT)
        # Who has started it for another user stops with it.
        self.process.send_signal(signal.SIGCONT)

    def _signal(self, number):
        server = int((self.directory / "data" / "postmaster.pid").read_text().split()[0])
        children = pathlib.Path(f"/proc/{server}/task/{server}/children").read_text().split()
        for pid in [server, *map(int, children)]:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def remove(self):
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)
        (self.directory.parent / f"{self.directory.name}.log").unlink(missing_ok=True)
