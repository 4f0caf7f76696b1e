"""uWebSockets, as the PyPI package socketify holds it: `S<channel>` subscribes, `P<channel> <message>` publishes.

Started with its port. Routing, framing and publishing are uWebSockets' own (C++); Python sees what clients send only.
"""

import sys

from socketify import App, CompressOptions, OpCode


def receive(socket, text, _):
    if isinstance(text, bytes):
        text = text.decode()
    if text[0] == "S":
        socket.subscribe(text[1:])
    else:
        channel, message = text[1:].split(" ", 1)
        app.publish(channel, message, OpCode.TEXT)


app = App()
app.ws(
    "/*",
    {
        "compression": CompressOptions.DISABLED,
        "max_payload_length": 65536,
        "idle_timeout": 120,
        "max_backpressure": 1 << 20,
        "open": lambda socket: None,
        "message": receive,
    },
)
app.listen(int(sys.argv[1]), lambda _: print("ready", flush=True))
app.run()
