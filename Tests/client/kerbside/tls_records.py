"""Hellos and records of TLS, written by hand."""

import os
import socket
import ssl

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from . import patience


def listed(size, entries):
    """A list as TLS writes it: its length in so many bytes, then its entries."""
    joined = b"".join(entries)
    return len(joined).to_bytes(size, "big") + joined


def hello_with(keys=1, groups=1, padding=0, tickets=(), early=False):
    """A hello of TLS 1.3 that offers so many keys of so many groups, of which the first is X25519, and shows these tickets. early:
    data follows before the handshake is done."""
    names = [(29 if n == 0 else 0x4000 + n).to_bytes(2, "big") for n in range(max(keys, groups))]
    # A point on the curve, if nobody's.
    shares = [name + listed(2, [b"\x09" + bytes(31) if n == 0 else b"x"]) for n, name in enumerate(names[:keys])]
    extensions = [
        (43, listed(1, [b"\x03\x04"])), (13, listed(2, [b"\x04\x03", b"\x08\x04"])),
        (10, listed(2, names[:groups])), (51, listed(2, shares)), (21, bytes(padding)),
    ]  # fmt: skip
    if early:
        extensions.append((42, b""))
    if tickets:
        # A ticket, its age; then for each what proves that the client has its secret: nobody's.
        shown = listed(2, [listed(2, [ticket]) + bytes(4) for ticket in tickets])
        extensions += [(45, listed(1, [b"\x01"])), (41, shown + listed(2, [listed(1, [bytes(32)])] * len(tickets)))]
    body = b"\x03\x03" + bytes(32) + listed(1, []) + listed(2, [b"\x13\x01"]) + listed(1, [b"\0"])
    body += listed(2, [number.to_bytes(2, "big") + listed(2, [value]) for number, value in extensions])
    return b"\x01" + listed(3, [body])


def records(message, *sizes, version=b"\x03\x01"):
    """The message in records of these sizes, the rest in a last one. A hello's version is that of TLS 1.0."""
    for size in (*sizes, len(message) - sum(sizes)):
        yield b"\x16" + version + listed(2, [message[:size]])
        message = message[size:]


def take_record(link):
    """The next record's type and content; b"" when the hub has closed."""
    try:
        head = link.recv(5, socket.MSG_WAITALL)
        return head[:1], link.recv(int.from_bytes(head[3:5], "big"), socket.MSG_WAITALL)
    except ConnectionError:
        return b"", b""


class Records:
    """A connection of TLS 1.3 whose records of data are written by hand, once OpenSSL has shaken hands; it reads, too."""

    def __init__(self, hub, directory):
        context = ssl.create_default_context(cafile=hub.settings["server.tls.certificate"])
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        keys = directory / f"keys-{id(self)}"
        context.keylog_filename = str(keys)
        link = socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._tls = context.wrap_socket(link, server_hostname="localhost")
        assert self._tls.cipher()[0] == "TLS_AES_256_GCM_SHA384"
        [secret] = [line.split()[2] for line in keys.read_text().splitlines() if line.startswith("CLIENT_TRAFFIC_SECRET_0 ")]
        secret = bytes.fromhex(secret)
        self._key, self._iv, self._count = AESGCM(_expanded(secret, b"key", 32)), _expanded(secret, b"iv", 12), 0

    def send(self, *contents, kind=b"\x17"):
        """Each in a record of its own; the kind is the inner one, of data."""
        self.write(self.sealed(*contents, kind=kind))

    def sealed(self, *contents, kind=b"\x17"):
        """The records, to be written in their order."""
        sent = b""
        for content in contents:
            head = b"\x17\x03\x03" + (len(content) + 17).to_bytes(2, "big")
            nonce = (int.from_bytes(self._iv, "big") ^ self._count).to_bytes(12, "big")
            sent += head + self._key.encrypt(nonce, content + kind, head)
            self._count += 1
        return sent

    def write(self, sent):
        """Records, or a part of one."""
        while sent:
            sent = sent[os.write(self._tls.fileno(), sent) :]

    def has(self, text):
        """What comes until this is in it; nothing: the hub has cut it before."""
        got = b""
        while text not in got:
            try:
                part = self._tls.recv(65_536)
            except (ConnectionError, ssl.SSLError):
                part = b""
            if not part:
                return b""
            got += part
        return got

    def close(self):
        self._tls.close()


def _expanded(secret, label, length):
    """HKDF-Expand-Label of RFC 8446, without a context."""
    info = length.to_bytes(2, "big") + listed(1, [b"tls13 " + label]) + listed(1, [])
    return HKDFExpand(hashes.SHA384(), length, info).derive(secret)
