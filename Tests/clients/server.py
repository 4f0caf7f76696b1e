"""A hub that misbehaves on purpose: as much of one as a client sees, with real sockets, for the scenarios and the walks.

It keeps a history for each channel and the replies of commands with a key, as the contract says. What it does wrong it is told:
to answer nothing, late or with an error, to cut a link or leave it half open, to be away, to forget its history.
"""

import asyncio
import contextlib
import functools
import http
import json

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from links import START, Socket, claims_of
from streams import Door, Stream, Streams

SUBPROTOCOL = "kerbside.v1.json"


def order(seq):
    first, _, second = seq.partition("-")
    return int(first), int(second or 0)


class Server:
    def __init__(self):
        #: Its time, ms; goes on with that of the app.
        self.now = START
        self.links = []
        #: Commands in the order in which they came, but for hello, and the hellos.
        self.got, self.hellos = [], []
        self.received = 0
        #: channel → [event], and the places that were forgotten since.
        self.history = {}
        self.forgotten = {}
        self._last = START - 1000
        #: key → reply, and how often it took effect.
        self.replies, self.effects = {}, {}
        #: What acts were done, in order.
        self.done = []
        #: command → what is done wrong with the next ones; what `release` sends.
        self.behaviours, self.held = {}, []
        #: How the next connections are met: `away` refuses, `hole` never answers.
        self.mood = "well"
        #: What the network does with WebSockets: `refuse`, `hole` never answers, `deaf` lets nothing through, None lets them be.
        self.blocks = None
        self.streams = Streams(self)
        self.refused_tokens = set()
        self._server, self._is_over, self._in_hole = None, False, []

    async def __aenter__(self):
        self._server = await serve(
            self._serve, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL], process_request=self._meet,
            create_connection=functools.partial(Door, self.streams),
            ping_interval=None, compression=None, close_timeout=1, max_queue=None,
        )
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/v1/connect"
        return self

    async def __aexit__(self, *_):
        self.mood = "away"
        self._is_over = True
        for link in self.links:
            link.cut()
        self.streams.end()
        self._server.close(close_connections=True)
        await self._server.wait_closed()

    async def _meet(self, connection, _):
        if "hole" in (self.mood, self.blocks):
            self._in_hole.append(connection)
            while not self._is_over and not connection.transport.is_closing():
                await asyncio.sleep(0.01)
            self._in_hole.remove(connection)
        if self.mood == "away":
            return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "away\n")
        if self.blocks == "refuse":
            return connection.respond(http.HTTPStatus.FORBIDDEN, "no WebSockets here\n")
        return None

    async def _serve(self, socket):
        link = Socket(socket)
        link.is_frozen = self.blocks == "deaf"
        self.links.append(link)
        try:
            async for text in socket:
                if link.is_frozen and not link.is_mute:
                    continue
                await self.take(link, json.loads(text))
        except ConnectionClosed:
            pass
        finally:
            link.is_gone = True
            self.links.remove(link)

    # Commands

    async def take(self, link, message):
        self.received += 1
        await self._take(link, message)
        link.got += 1

    async def _take(self, link, message):
        command = message["cmd"]
        if command == "unsubscribe" and message.get("channel") == "topic:ping":
            return await link.send({"id": message["id"], "ok": {"channel": "topic:ping"}})
        (self.hellos if command == "hello" else self.got).append(message)
        behaviour = self._behaviour(command)
        if isinstance(behaviour, dict) and "error" in behaviour:
            return await link.send({"id": message["id"], "error": error(**behaviour["error"])})
        if isinstance(behaviour, dict) and "plain_error" in behaviour:
            return await link.send({"error": error(**behaviour["plain_error"])})
        if isinstance(behaviour, dict):
            return self.held.append((link, {"id": message["id"], "error": error(**behaviour["late_error"])}))
        if behaviour == "lost":
            return None
        if behaviour == "cut before":
            return link.cut()
        if command == "hello":
            return None if behaviour == "silent" else await self._hello(link, message)
        reply, then = self._carry_out(link, message)
        if behaviour == "cut":
            return link.cut()
        if "id" not in message or behaviour == "silent":
            return None
        answer = {"id": message["id"]} | reply
        if behaviour == "late":
            self.held.append((link, answer))
            return None
        await link.send(answer)
        for pushed in then:
            await link.send(pushed)
        return None

    def _behaviour(self, command):
        rows = self.behaviours.get(command, [])
        return rows.pop(0) if rows else "well"

    def _carry_out(self, link, message):
        """The reply, and what follows it."""
        command, key = message["cmd"], message.get("key")
        if command in ("subscribe", "watch"):
            return self._subscribe(link, message)
        if command in ("unsubscribe", "unwatch"):
            channel = message.get("channel", "near")
            link.channels.discard(channel)
            return {"ok": {"channel": channel}}, []
        if key is None:
            return {"ok": {}}, []
        if key not in self.replies:
            self.replies[key] = {"ok": {"n": len(self.replies) + 1}}
            self.done.append(key)
            self.effects[key] = self.effects.get(key, 0) + 1
        return self.replies[key], []

    async def _hello(self, link, message):
        claims = claims_of(message["token"])
        if link.own:
            return await self._renew(link, message)
        if message["token"] in self.refused_tokens:
            await link.send({"id": message["id"], "error": error("unauthenticated")})
            return await self.close(4401, "not identified: get a new token", link)
        link.token = message["token"]
        if claims["exp"] * 1000 <= self.now:
            return await self.close(4410, "the token has expired: get a new one", link)
        link.own = f"{claims['role']}:{claims['sub']}"
        resume = message.get("resume", {})
        channels = [link.own, *(channel for channel in resume if channel != link.own)]
        link.channels = set(channels)
        then = []
        seqs = {}
        for channel in channels:
            seqs[channel], pushed = self._from(channel, resume.get(channel))
            then += pushed
        reply = {
            "session": link.session, "role": claims["role"], "subject": claims["sub"], "city": "example", "channels": channels,
            "heartbeat_s": 25, "time": self.now, "seq": seqs,
        }
        await link.send({"id": message["id"], "ok": reply})
        for pushed in then:
            await link.send(pushed)
        return None

    async def _renew(self, link, message):
        """The token of a link that has said hello."""
        claims = claims_of(message["token"])
        if "resume" in message:
            return await link.send({"id": message["id"], "error": error("bad_message")})
        if message["token"] in self.refused_tokens or claims["exp"] * 1000 <= self.now:
            return await link.send({"id": message["id"], "error": error("unauthenticated")})
        link.token = message["token"]
        reply = {
            "session": link.session, "role": claims["role"], "subject": claims["sub"], "city": "example",
            "channels": sorted(link.channels), "heartbeat_s": 25, "time": self.now, "seq": {},
        }
        return await link.send({"id": message["id"], "ok": reply})

    def _subscribe(self, link, message):
        channel = message.get("channel", "near")
        link.channels.add(channel)
        if channel.partition(":")[0] in ("near", "zone", "vehicle", "city"):
            return {"ok": {"channel": channel}}, [self._snapshot(channel, [])]
        seq, then = self._from(channel, message.get("since", self._place(channel)))
        return {"ok": {"channel": channel, "seq": seq}}, then

    # Channels

    def _place(self, channel):
        events = self.history.get(channel, [])
        return events[-1]["seq"] if events else self.forgotten.get(channel, "0-0")

    def _from(self, channel, since):
        """The place from which it goes on, and what comes first."""
        events = self.history.get(channel, [])
        if since is None:
            return self._place(channel), [self._snapshot(channel, {"state": "unavailable"})]
        if order(since) < order(self.forgotten.get(channel, "0-0")):
            gap = {"ch": channel, "type": "gap"}
            is_own = not channel.startswith(("topic:", "events:"))
            return self._place(channel), [gap, *([self._snapshot(channel, {"state": "unavailable"})] if is_own else [])]
        return since, [event for event in events if order(event["seq"]) > order(since)]

    def _snapshot(self, channel, data):
        return {"ch": channel, "type": "snapshot", "time": self.now, "data": data}

    async def push(self, channel, kind, data, is_state=False, **others):
        """An event, kept; or a state. To all who follow the channel."""
        message = {"ch": channel, "type": kind, "time": self.now, "data": data} | others
        if not is_state:
            self._last = max(self._last + 1, self.now)
            message["seq"] = f"{self._last}-0"
            self.history.setdefault(channel, []).append(message)
        for link in list(self.links):
            if channel in link.channels:
                await link.send(message)
        return message

    def forget(self, channel):
        """Its history is gone."""
        self._last += 1
        self.forgotten[channel] = f"{self._last}-0"
        self.history[channel] = []

    # Misbehaviour

    async def close(self, code, reason="", link=None):
        for one in [link] if link else list(self.links):
            await one.close(code, reason)

    def cut(self):
        for link in list(self.links):
            link.cut()

    def freeze(self):
        """Links that look alive and are not."""
        for link in self.links:
            link.freeze()

    def mute(self):
        """Links that hear, and tell nothing."""
        for link in self.links:
            link.mute()

    async def release(self):
        """What was held comes, late."""
        held, self.held = self.held, []
        for link, answer in held:
            await link.send(answer)
        self.streams.release()

    def living(self):
        return [link for link in self.links if not link.is_gone and not link.is_frozen]

    async def settled(self, app):
        """All that is on its way has come, at both ends."""
        before = None
        for attempt in range(400):
            for link in self.living():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await link.ping()
            look = await app.do("look")
            now = (self.received, app.lines, look["sockets"]["open"], look["sockets"]["opening"])
            # Of a frozen link this end does not learn that the other has given it up.
            least, most = len(self.living()), sum(not link.is_gone for link in self.links) + self.streams.in_hole
            is_even = least <= look["sockets"]["open"] <= most and look["sockets"]["opening"] <= len(self._in_hole)
            is_even = is_even and self._has_all(look)
            if is_even and now == before:
                return look
            before = now
            if not is_even:
                # A request that was put off takes a quarter of a second.
                await asyncio.sleep(0.0005 if attempt < 100 else 0.01)
        raise AssertionError(f"it never came to rest: {look}, {len(self.living())} links here")

    def _has_all(self, look):
        """Whether what was said on a stream has come, at both ends; a WebSocket's pong says that."""
        links = self.living()
        if not links or len(links) != look["sockets"]["open"]:
            return True
        if not all(isinstance(link, Stream) and not link.is_held for link in links):
            return True
        return look["sent"] == sum(link.got for link in links) and look["heard"] == sum(link.pings for link in links)

    async def time(self, app, ms):
        """Both clocks go on by so much, and all that it brings happens."""
        left, is_over = ms, False
        while not is_over:
            step = await app.do("time", ms=left)
            self.now += left - step["left"]
            left, is_over = step["left"], step["over"]
            await self.settled(app)


def error(code, retry=None, **others):
    """An error of the contract."""
    tried_again = ("unavailable", "internal", "zones_unknown", "rate_limited", "zone_empty", "no_driver")
    is_retried = code in tried_again or "retry_after_ms" in others if retry is None else retry
    return {"code": code, "title": code, "detail": code, "retry": is_retried} | others
