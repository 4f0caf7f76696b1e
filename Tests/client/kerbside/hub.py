"""The real binary: started with a configuration of its own, looked into, and stopped."""

import asyncio
import contextlib
import http.client
import inspect
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from types import SimpleNamespace

import redis
import yaml

from . import city, patience, tokens

ROOT = pathlib.Path(__file__).parents[3]
BINARY = pathlib.Path(os.environ.get("KERBSIDE_BIN", ROOT / ".build" / "release" / "kerbside")).absolute()

#: What all tests run with unless they say otherwise: one subject may be quick, everything else is a default.
BASE = {
    "server.host": "127.0.0.1",
    "server.workers": 2,
    "server.commands_per_second": 100_000,
    "server.commands_burst": 100_000,
    "dispatch.free_cancels": 100_000,
    "server.drain_ms": 200,
    "server.reconnect_spread_ms": 1000,
    "city.id": "testville",
    "zones.file": "zones.geojson",
    "positions.tick_ms": 50,
    # The cars of tests go faster than time.
    "positions.max_speed_mps": 0,
    # Nobody waits where that is not what is tried.
    "dispatch.round_pause_ms": 0,
    "dispatch.noshow_wait_ms": 0,
    # The defaults, with patience.
    "dispatch.offer_seen_timeout_ms": min(60_000, int(3_000 * patience.SCALE)),
    "dispatch.offer_timeout_ms": min(300_000, int(10_000 * patience.SCALE)),
    "server.handshake_timeout_ms": min(600_000, int(5_000 * patience.SCALE)),
    "redis.command_timeout_ms": min(60_000, int(2_000 * patience.SCALE)),
    "tokens.leeway_s": 0,
    "log.format": "json",
    "log.level": "debug",
}


#: Ports for listening: below those that the system gives to clients, and for each process of a parallel run its own.
_ports = itertools.count(int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) * 1000 + os.getpid() % 500)


#: Browsers connect to no such port.
UNSAFE_PORTS = {10_080}


def free_port():
    while True:
        port = 10_000 + next(_ports) % 10_000
        if port in UNSAFE_PORTS:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def nested(settings):
    """Dotted names as the file's sections."""
    tree = {}
    for key, value in settings.items():
        *sections, name = key.split(".")
        node = tree
        for section in sections:
            node = node.setdefault(section, {})
        node[name] = value
    return tree


def environment(**extra):
    """This process's environment without what the hub would take for settings."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("KERBSIDE_")}
    # What lives as long as its process is not freed at its end, and is no leak.
    return {"ASAN_OPTIONS": "detect_leaks=0"} | kept | extra


def run(*arguments, check=False, **options):
    """A `kerbside` command, run to its end."""
    options = {"env": environment(), "capture_output": True, "text": True, "timeout": patience.PROCESS} | options
    return subprocess.run([str(BINARY), *map(str, arguments)], check=check, **options)


def descendants(pid):
    """pid → command line, of all processes below that one."""
    found, waiting = {}, [pid]
    while waiting:
        for entry in pathlib.Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            for child in map(int, _read(entry).split()):
                found[child] = _read(pathlib.Path(f"/proc/{child}/cmdline")).replace("\0", " ").strip()
                waiting.append(child)
    return found


def _read(path):
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_alive(pid):
    state = _read(pathlib.Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return bool(state) and state[0] not in "ZX"


class Hub:
    """`kerbside serve` in a directory of its own. `settings` are dotted names, on top of BASE."""

    #: Where it is reached, and where clients reach it.
    address = client_address = "127.0.0.1"

    def __init__(self, blocks=40, **settings):
        # Short, because the path of a unix socket may have 107 bytes only.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kerbside-"))
        self.port = free_port()
        self.settings = BASE | {"server.port": self.port, "data.dir": str(self.directory / "data")}
        self.settings |= {key.replace("__", "."): value for key, value in settings.items()}
        self.config = self.directory / "kerbside.yaml"
        self.log_file = self.directory / "hub.log"
        self.process = None
        self.given_tokens = set()
        self._block = 0
        self._redis = None
        self.write_config()
        (self.directory / "zones.geojson").write_text(city.geojson(blocks))

    # Files

    def write_config(self, **settings):
        """Changes settings in the file; the hub reads it at its start and at SIGHUP."""
        self.settings |= {key.replace("__", "."): value for key, value in settings.items()}
        self.settings["zones.file"] = str(self.directory / "zones.geojson")
        self.config.write_text(yaml.safe_dump(nested(self.settings), sort_keys=False))

    @property
    def log(self):
        return self.log_file.read_text(errors="replace")

    @property
    def city(self):
        return self.settings["city.id"]

    @property
    def data(self):
        return pathlib.Path(self.settings["data.dir"])

    def block(self):
        """Three zones that no other test of this hub uses."""
        self._block += 1
        return city.block(self._block - 1)

    # Process

    def start(self, ready=True, log=None):
        """`log`: a descriptor that it writes to, instead of its log file; then `ready` can't be waited for."""
        assert BINARY.exists(), f"{BINARY} is not built (or set KERBSIDE_BIN)"
        started = self.log.count('"listening"') if self.log_file.exists() else 0
        self.process = subprocess.Popen(
            [str(BINARY), "serve", "--config", str(self.config)],
            cwd=self.directory,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=self.log_file.open("a") if log is None else log,
            stderr=subprocess.STDOUT,
        )
        if ready:
            # Every worker answers for itself, and the kernel chooses which: ask until all have been met.
            workers = self.settings["server.workers"]
            self.wait_until("listening", lambda: self.log.count('"listening"') >= started + workers)
            self.wait_until("ready", self.is_ready)
        return self

    def wait_until(self, what, condition, within=patience.PROCESS):
        """Polls something that nobody tells us about: http, processes, the log."""
        end = time.monotonic() + within
        while True:
            assert self.process.poll() is None, f"the hub ended with {self.process.returncode}:\n{self.log[-4000:]}"
            try:
                if value := condition():
                    return value
            except (OSError, http.client.HTTPException, redis.RedisError):
                pass
            assert time.monotonic() < end, f"not {what} after {within} s:\n{self.log[-4000:]}"
            time.sleep(0.02)

    def send_signal(self, number):
        self.process.send_signal(number)

    async def until(self, what, condition, within=patience.PROCESS):
        """`wait_until` that lets clients go on meanwhile; `condition` may be a coroutine function."""
        end = time.monotonic() + within
        while True:
            assert self.process.poll() is None, f"the hub ended with {self.process.returncode}:\n{self.log[-4000:]}"
            try:
                value = condition()
                if inspect.isawaitable(value):
                    value = await value
                if value:
                    return value
            except (OSError, http.client.HTTPException, redis.RedisError):
                pass
            assert time.monotonic() < end, f"not {what} after {within} s:\n{self.log[-4000:]}"
            await asyncio.sleep(0.01)

    async def reload(self, taken=True):
        """SIGHUP, and the wait until supervisor and workers have said that they took what the files say, or did not."""
        due = {'"message":"the workers are told to reload"': 1, '"message":"settings reloaded"': self.settings["server.workers"]}
        if not taken:
            due = {'"message":"not reloaded, everything stays as it was: ': 1}
        due = {line: self.log.count(line) + count for line, count in due.items()}
        self.send_signal(signal.SIGHUP)
        await self.until("reloaded", lambda: all(self.log.count(line) >= count for line, count in due.items()))

    async def logged(self, kind, **data):
        """Waits for an entry of the event log; its data."""

        def found():
            for _, row in self.redis.xrange(self.key("events")):
                entry = json.loads(row["data"])
                if row["type"] == kind and all(entry.get(key) == value for key, value in data.items()):
                    return entry
            return None

        return await self.until(f"{kind} {data} in the event log", found, patience.MESSAGE)

    def processes(self):
        return descendants(self.process.pid)

    def workers(self):
        """pids of the worker processes."""
        return sorted(pid for pid, line in self.processes().items() if " worker" in line)

    async def kill_workers(self, *victims):
        """Until two others are there. One that was killed is seen for a while."""
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        await self.until("two other workers", lambda: len(self.workers()) == 2 and not {*victims} & {*self.workers()})

    def redis_pid(self):
        found = [pid for pid, line in self.processes().items() if "redis-server" in line]
        return found[0] if found else None

    def wait_for_end(self, within=patience.PROCESS):
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running {within} s after it was told to stop:\n{self.log[-4000:]}") from None

    def stop(self, number=signal.SIGTERM):
        """Asks for the end, and insists on a clean one: exit 0, no children left, no secret in the log."""
        if self.process is None:
            return
        if self._redis is not None:
            self._redis.close()
            self._redis = None
        if self.process.poll() is None:
            children = self.processes()
            self.send_signal(number)
            code = self.wait_for_end()
            left = [f"{pid} {line}" for pid, line in children.items() if is_alive(pid)]
            assert not left, f"left behind: {left}"
        else:
            code = self.process.returncode
        self.process = None
        self.check_log()
        assert code == 0, f"the hub ended with {code}:\n{self.log[-4000:]}"

    def check_log(self):
        text = self.log
        for word in ("AddressSanitizer", "Fatal error", "LeakSanitizer"):
            assert word not in text, text[text.index(word) - 200 :][:4000]
        leaked = [token for token in self.given_tokens if token in text or token.rpartition(".")[2] in text]
        assert not leaked, f"{len(leaked)} tokens stand in the log"

    def kill(self):
        """Ends what is still there after a test that failed; by pid, the supervisor first, which would start the others anew."""
        if self.process is not None and self.process.poll() is None:
            killed = [self.process.pid, *self.processes()]
            for pid in killed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
            while any(is_alive(pid) for pid in killed):
                time.sleep(0.005)
        self.process = None

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    # HTTP

    @property
    def is_tls(self):
        return bool(self.settings.get("server.tls.certificate"))

    @property
    def url(self):
        return self.url_at(self.client_address)

    def url_at(self, address):
        return f"{'wss' if self.is_tls else 'ws'}://{address}:{self.port}/v1/connect"

    def is_ready(self):
        """Whether every worker says so. Which one answers is chance: that one of two is never asked is two in a million."""
        return all(self.http("/readyz").status == 200 for _ in range(20))

    def http(self, path, method="GET", headers=None, body=None):
        """status, headers, text of one request."""
        if self.is_tls:
            context = ssl._create_unverified_context()
            link = http.client.HTTPSConnection(self.address, self.port, timeout=patience.MESSAGE, context=context)
        else:
            link = http.client.HTTPConnection(self.address, self.port, timeout=patience.MESSAGE)
        try:
            link.request(method, path, body, headers or {})
            answer = link.getresponse()
            text = answer.read().decode()
            return SimpleNamespace(status=answer.status, headers=answer.headers, text=text)
        finally:
            link.close()

    def metric(self, name, label=""):
        """A figure of /metrics: the sum over all workers, of all that is counted apart or of what has this label."""
        rows = re.findall(rf"^{name}({{[^}}]*}})? (\S+)$", self.http("/metrics").text, re.MULTILINE)
        assert rows, f"/metrics has no {name}"
        return sum(float(value) for labels, value in rows if label in labels)

    # Tokens

    def token(self, role, subject, **claims):
        """Signed here with the hub's secret. `claims` override; None leaves one out."""
        kid, secret = next(iter(tokens.secrets(self.data / "token.secret").items()))
        all_claims = tokens.claims(role, subject, self.city) | claims
        token = tokens.sign({key: value for key, value in all_claims.items() if value is not None}, kid, secret)
        self.given_tokens.add(token)
        return token

    # Redis, to look behind the curtain

    @property
    def redis(self):
        if self._redis is None:
            sockets = [path for path in self.data.rglob("*") if path.is_socket() and "redis" in path.name]
            if not sockets:
                raise redis.ConnectionError("no redis socket in the data directory")
            self._redis = redis.Redis(unix_socket_path=str(sockets[0]), decode_responses=True, encoding_errors="replace")
        return self._redis

    def key(self, name):
        return f"{{{self.city}}}:{name}"

    def history(self, channel):
        """[(seq, type, data text)] of a channel's stream; the mark of its opening is no event."""
        rows = self.redis.xrange(self.key(f"ch:{channel}"))
        return [(seq, row["type"], row["data"]) for seq, row in rows if row["type"] != "opened"]
