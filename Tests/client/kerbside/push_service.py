"""A push service (RFC 8030) with its browsers, which read what the hub sends by other people's code."""

import base64
import collections
import http.server
import json
import os
import ssl
import threading
import time

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

from . import patience
from .certificate import make_certificate
from .names import fresh


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Browser:
    """One that has subscribed: an endpoint and its keys."""

    def __init__(self, service):
        self.service, self.path = service, "/" + fresh("push-")
        self.endpoint = f"https://{service.host}{self.path}"
        self._key, self._auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        form = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        self.keys = {"p256dh": text(self._key.public_key().public_bytes(*form)), "auth": text(self._auth)}

    @property
    def fields(self):
        return {"endpoint": self.endpoint, "keys": self.keys}

    def read(self, push):
        """The event of a push."""
        plain = http_ece.decrypt(push.body, private_key=self._key, auth_secret=self._auth, version="aes128gcm")
        assert len(push.body) <= 4096 and len(plain) <= 3072
        return json.loads(plain)

    @property
    def got(self):
        """What was sent to it so far, whatever was answered."""
        return [push for push in self.service.got if push.path == self.path]


Push = collections.namedtuple("Push", "path headers body")


class PushService:
    """HTTPS with a certificate of its own. `answers` are given one after the other, as (status, headers); then 201."""

    def __init__(self, directory):
        self.certificate, key = make_certificate(directory, "pushes")
        self.got, self.answers = [], collections.deque()
        #: What is put off for half a minute, by paths.
        self.away = set()
        #: Answers without an end, by paths: how they begin, what follows again and again, and after how many seconds each time.
        self.endless = {}
        #: How many bytes of them were sent, by paths, until the hub hung up.
        self.poured = {}
        #: Until this is set nobody is answered.
        self.opened = threading.Event()
        self.opened.set()
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.got.append(Push(self.path, self.headers, body))
                if self.path in service.endless:
                    return self._pour(*service.endless[self.path])
                if self.path in service.away:
                    status, headers = 503, {"Retry-After": "30"}
                else:
                    status, headers = service.answers.popleft() if service.answers else (201, {})
                service.opened.wait(patience.TEST)
                try:
                    self.send_response(status)
                    for name, value in {"Content-Length": "0", **headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                except OSError:
                    pass  # who asked is dead by now

            def _pour(self, begin, part, every):
                sent = self.wfile.write(begin)
                try:
                    while True:
                        sent += self.wfile.write(part)
                        time.sleep(every)
                except OSError:
                    self.close_connection = True
                    service.poured.setdefault(self.path, sent)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.host = f"localhost:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def settings(self):
        """Of a hub that sends here."""
        return {"push.subject": "mailto:hub@example.org", "push.services": [self.host], "push.ca": str(self.certificate)}

    def check(self, push, key):
        """It is the hub's with this public key, and for this service, now."""
        authorization = push.headers["Authorization"]
        assert Vapid02.verify(authorization)
        token, _, own = authorization.removeprefix("vapid t=").partition(",k=")
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        assert own == key and claims["aud"] == f"https://{self.host}" and claims["sub"] == "mailto:hub@example.org"
        assert time.time() < claims["exp"] <= time.time() + 86_400
        assert push.headers["Content-Encoding"] == "aes128gcm"

    def close(self):
        self.opened.set()
        self._server.shutdown()
        self._server.server_close()
