"""What a hub may send in frames, for the libraries that have a WebSocket of their own."""

import pytest
from websockets.frames import Close, Frame, Opcode


def frames(socket, *rows):
    for row in rows:
        socket.transport.write(row if isinstance(row, bytes) else row.serialize(mask=False))


async def parts(socket):
    """A message in parts with a ping between them, one that is not for clients, and the word for the end."""
    text = "ünterwegs".encode()
    frames(
        socket, Frame(Opcode.TEXT, text[:1], fin=False), Frame(Opcode.PING, b"x"), Frame(Opcode.CONT, text[1:4], fin=False),
        Frame(Opcode.CONT, text[4:]), Frame(Opcode.BINARY, b"not", fin=False), Frame(Opcode.CONT, b"ours"),
        Frame(Opcode.TEXT, b"over"),
    )  # fmt: skip
    await socket.wait_closed()


async def pinging(socket):
    """Asks for a sign of life, and says the word for the end when it has come."""
    await (await socket.ping())
    await socket.send("over")
    await socket.wait_closed()


#: What is sent, and the code and reason of the end that it brings.
ENDS = [
    pytest.param([Frame(Opcode.CLOSE, Close(1012, "restart; a=3").serialize())], (1012, "restart; a=3"), id="code"),
    pytest.param([Frame(Opcode.CLOSE, Close(4401, "no token").serialize())], (4401, "no token"), id="own code"),
    pytest.param([Frame(Opcode.CLOSE, b"")], (1006, ""), id="no code"),
    pytest.param([b"\xf3\x00"], (1006, "broken frames"), id="reserved bits"),
    pytest.param([b"\x81\x81abcdx"], (1006, "broken frames"), id="masked"),
    pytest.param([Frame(Opcode.CONT, b"x")], (1006, "broken frames"), id="no beginning"),
    pytest.param([b"\x81\x7f" + (2**40).to_bytes(8, "big")], (1006, "broken frames"), id="too large"),
]
