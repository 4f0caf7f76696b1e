// The ws library on Node: `S<channel>` subscribes, `P<channel> <message>` publishes. Started with its port.
const { WebSocketServer } = require(process.env.WS_LIBRARY || "/usr/share/nodejs/ws");

const readers = new Map();

function receive(socket, text) {
  if (text[0] === "S") {
    const channel = text.slice(1);
    if (!readers.has(channel)) readers.set(channel, new Set());
    readers.get(channel).add(socket);
    socket.on("close", () => readers.get(channel).delete(socket));
    return;
  }
  const blank = text.indexOf(" ");
  // A buffer is framed without another conversion for each reader.
  const message = Buffer.from(text.slice(blank + 1));
  for (const reader of readers.get(text.slice(1, blank)) || []) reader.send(message, { binary: false });
}

const server = new WebSocketServer({
  host: "127.0.0.1", port: Number(process.argv[2]), perMessageDeflate: false, backlog: 4096,
});
server.on("connection", (socket) => socket.on("message", (data) => receive(socket, data.toString())));
