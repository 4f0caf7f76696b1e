"""Hellos and records of TLS, written by hand."""

import socket


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
